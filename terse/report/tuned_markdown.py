"""`terse tune` as a comment on a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from terse.report.differed_markdown import code, plain
from terse.report.sizes import percent
from terse.report.tuned import Proposal, Tuned
from terse.report.tuned_text import fetched, loss, measured, together, tools_of


def render(tuned: Tuned) -> str:
    """Each proposal with its evidence, all of them together, and the patch."""
    lines = [f"**terse tune** {code(tuned.rules)}", ""]
    for number, proposal in enumerate(tuned.proposals, 1):
        lines += _proposal(number, proposal)
    if not tuned.proposals:
        lines += ["Nothing to propose.", ""]
    elif any(proposal.learned is not None for proposal in tuned.proposals):
        lines += [plain(together(tuned)), ""]
    lines += [f"> note: {plain(note)}" for note in tuned.notes]
    if tuned.patch and not tuned.applied:
        # A fence of tildes longer than any in the patch: what it holds cannot end it.
        fence = "~" * max(3, 1 + max((len(run) for run in _runs(tuned.patch)), default=0))
        lines += ["", f"{fence}diff", tuned.patch.rstrip("\n"), fence]
    return "\n".join(lines).rstrip("\n") + "\n"


def _runs(text: str) -> Iterator[str]:
    run = ""
    for char in text:
        run = run + char if char == "~" else ""
        yield run


def _proposal(number: int, proposal: Proposal) -> Iterator[str]:
    where = ", ".join(code(edit.path) for edit in proposal.edits)
    yield f"### {number}. {plain(proposal.kind)}: {where}"
    yield ""
    yield plain(proposal.why)
    yield ""
    for edit in proposal.edits:
        yield from (f"- gone: {code(line)}" for line in edit.removed)
        yield from (f"- new: {code(line)}" for line in edit.added)
    if proposal.tools:
        yield f"- results of: {plain(tools_of(proposal))}"
    if proposal.listed is not None:
        before, after = proposal.listed
        yield f"- saves: {before - after:,} tokens of each list, {percent(before - after, before)}"
    if proposal.learned is not None:
        yield f"- saves: {plain(measured(proposal.learned))}"
        held = proposal.held_out
        yield f"- held out: {'nothing' if held is None else plain(measured(held))}"
    yield f"- lost: {plain(loss(proposal))}"
    if proposal.fetched:
        yield f"- fetched: {plain(fetched(proposal))}"
    yield ""
