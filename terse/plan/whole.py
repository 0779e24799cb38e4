"""A result of several texts that are all what an earlier call gave: one sentence says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from terse.memory import delta
from terse.memory.session import Session
from terse.payload.blocks import join
from terse.payload.call import Call
from terse.plan.recall import handle_for
from terse.plan.trace import NOT_COUNTED, Outcome


def whole_repeat(
    outcomes: Sequence[Outcome],
    call: Call,
    session: Session,
    number: int | None = None,
    tool: str | None = None,
) -> tuple[Outcome, ...] | None:
    """The outcomes as they are when one text is sent in place of all: the first has it, the others have none.

    None where the result has one text, or they are not all what one earlier call gave, in its order; and
    where no text was sent as identical, for then a rule or guard does not want it.

    Args:
        outcomes: of all texts of the result.
        number: the call's number among the calls of its tool, if it is not the next one of the session.
        tool: what the client can fetch the texts with; None where it cannot.
    """
    if len(outcomes) < 2:
        return None
    named = {found for outcome in outcomes if (found := delta.identical_to(outcome.text)) is not None}
    bases = [outcome.base for outcome in outcomes if outcome.base is not None]
    if len(named) != 1 or len(bases) != len(outcomes):
        return None
    (base_number,) = named
    earlier = {each.part: each for each in session.earlier(call, 0, number) if each.number == base_number}
    if len(earlier) != len(outcomes) or earlier[0].parts != len(outcomes):
        return None
    for part, base in enumerate(bases):
        if (base.text, base.is_json) != (earlier[part].text, earlier[part].is_json):
            return None
    fetch = None if tool is None else _fetch([base.text for base in bases], session, tool)
    said = delta.all_identical(base_number, len(outcomes), fetch)
    return tuple(
        replace(
            outcome,
            text=said if part == 0 else "",
            base=replace(bases[part], whole=False),
            trace=replace(outcome.trace, tokens_out=NOT_COUNTED if part == 0 else 0),
        )
        for part, outcome in enumerate(outcomes)
    )


def _fetch(texts: Sequence[str], session: Session, tool: str) -> str | None:
    """The tool and the handle that all of the texts can be fetched with, as one."""
    joined = join(texts)
    handle = None if joined is None else handle_for(joined.text, session.store)
    if joined is None or handle is None or not session.store.keep({handle: joined.text}):
        return None
    return f"{tool} {handle}"
