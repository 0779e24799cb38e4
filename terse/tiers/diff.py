"""`diff`: of a result that changed since the last time, what changed."""

from __future__ import annotations

from collections.abc import Mapping

from terse.memory import delta
from terse.memory.align import OutOfTime
from terse.tiers.spec import ANY_FORM, Applied, Context, Draft, Option, Skip, State, Tier

MAX_AGO = 60
"""Calls of the session after which a full text is taken to be out of the model's sight."""
WORTH_PERCENT = 80
"""Of the full form's tokens a delta may have so many; a larger one is harder to read than the whole."""


def _run(draft: Draft, options: Mapping[str, int | str], context: Context) -> Applied | Skip:
    memory = context.memory
    if memory is None or not memory.earlier:
        return Skip("first call of this session with these arguments")
    base = memory.earlier[0]
    if base.part != memory.part or base.is_json != memory.is_json:
        return Skip("the earlier result is of another kind")
    if base.since_full + 1 >= int(options["keyframe"]):
        return Skip(f"full again: the last {base.since_full + 1} results of this call rest on one")
    if base.ago > MAX_AGO:
        return Skip(f"full again: last sent in full {base.ago} calls ago")
    try:
        made = memory.changed(
            lambda: delta.changed(base, memory.text, memory.value, memory.fetch(), context.expired)
        )
    except OutOfTime:
        return Skip("no time left to compare")
    if 100 * context.count(made.text) > WORTH_PERCENT * context.count(draft.text):
        return Skip("most of it changed")
    return Applied(Draft(State.DELTA, made.text), f"since call #{base.number}: {made.note}")


TIER = Tier(
    name="diff",
    sentence="Says of a result that changed since the last call with the same arguments what changed.",
    reads="Says which earlier call the result is compared with, and then what changed.",
    takes=ANY_FORM,
    leaves=State.DELTA,
    run=_run,
    options=(Option("keyframe", "the text is sent in full at least every so many calls", 5, 1, 15, "calls"),),
    needs_memory=True,
    least_tokens=100,
)
