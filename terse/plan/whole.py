"""A result of several texts that are all what an earlier call gave: one sentence says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from terse.memory import delta
from terse.memory.session import Session
from terse.payload.call import Call
from terse.plan.trace import NOT_COUNTED, Outcome


def whole_repeat(
    outcomes: Sequence[Outcome], call: Call, session: Session, number: int | None = None
) -> tuple[Outcome, ...] | None:
    """The outcomes as they are when one text is sent in place of all: the first has it, the others have none.

    None where the result has one text, or they are not all what one earlier call gave, in its order; and
    where no text was sent as identical, for then a rule or guard does not want it.

    Args:
        outcomes: of all texts of the result.
        number: the call's number among the calls of its tool, if it is not the next one of the session.
    """
    if len(outcomes) < 2:
        return None
    named = {found for outcome in outcomes if (found := delta.identical_to(outcome.text)) is not None}
    if len(named) != 1 or any(outcome.base is None for outcome in outcomes):
        return None
    (base_number,) = named
    earlier = {each.part: each for each in session.earlier(call, 0, number) if each.number == base_number}
    if len(earlier) != len(outcomes) or earlier[0].parts != len(outcomes):
        return None
    for part, outcome in enumerate(outcomes):
        base = outcome.base
        assert base is not None
        if (base.text, base.is_json) != (earlier[part].text, earlier[part].is_json):
            return None
    said = delta.all_identical(base_number, len(outcomes))
    return tuple(
        replace(
            outcome,
            text=said if part == 0 else "",
            base=replace(outcome.base, whole=False) if outcome.base is not None else None,
            trace=replace(outcome.trace, tokens_out=NOT_COUNTED if part == 0 else 0),
        )
        for part, outcome in enumerate(outcomes)
    )
