"""`dedup`: a result that the client has already is not sent again."""

from __future__ import annotations

from collections.abc import Mapping

from terse.memory import delta
from terse.tiers.spec import ANY_FORM, Applied, Context, Draft, Option, Skip, State, Tier


def _run(draft: Draft, options: Mapping[str, int | str], context: Context) -> Applied | Skip:
    memory = context.memory
    if memory is None or not memory.earlier:
        return Skip("the client has no earlier result of this call")
    window = int(options["window"])
    found = [base for base in memory.earlier if base.text == memory.text and base.is_json == memory.is_json]
    if not found:
        return Skip("no earlier result of this call is identical")
    near = [base for base in found if base.ago <= window]
    if not near:
        return Skip(f"sent in full {found[0].ago} calls ago: time to send it again")
    base = near[0]
    return Applied(
        Draft(State.DELTA, delta.identical(base, memory.fetch())), f"identical to call #{base.number}"
    )


TIER = Tier(
    name="dedup",
    sentence="Says of a result that the client has already which earlier call gave it.",
    reads="Says that the tool was run again and gave what an earlier call gave.",
    takes=ANY_FORM,
    leaves=State.DELTA,
    run=_run,
    options=(
        Option(
            "window",
            "the text is sent again when it was last sent in full so many calls ago",
            20,
            1,
            200,
            "calls",
        ),
    ),
    needs_memory=True,
    least_tokens=60,
)
