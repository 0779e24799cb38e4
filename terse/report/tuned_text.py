"""`terse tune` for people. What stands before the patch is no part of one: `git apply` takes all of it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from terse.hidden import visible
from terse.report.sizes import percent
from terse.report.tuned import Measured, Proposal, Tuned

WIDTH = 80
MOST_TOOLS = 6
"""Tools that are named of one proposal; of more the number is told."""
MOST_LINES = 12
"""Lines of a file that are shown of one proposal: the patch has all of them."""


def render(tuned: Tuned) -> str:
    """What was read, each proposal with its evidence, all of them together, notes, and the patch."""
    lines = [*_read(tuned), ""]
    for number, proposal in enumerate(tuned.proposals, 1):
        lines += [*_proposal(number, proposal), ""]
    lines += _together(tuned)
    lines += [f"note: {note}" for note in tuned.notes]
    text = "".join(visible(line).rstrip() + "\n" for line in lines)
    return text if tuned.applied or not tuned.patch else f"{text}\n{tuned.patch}"


def _read(tuned: Tuned) -> Iterator[str]:
    read = (
        f"{_number(tuned.results, 'captured result')} of {_number(tuned.tools, 'tool')} in "
        f"{_number(tuned.sessions, 'session')}; {tuned.run:,} of them were run."
        + (f" The ledger knows {_number(tuned.ledger, 'result')}." if tuned.ledger else "")
    )
    yield from textwrap.wrap(read, WIDTH)


def _proposal(number: int, proposal: Proposal) -> Iterator[str]:
    where = ", ".join(edit.path for edit in proposal.edits)
    yield f"{number}  {proposal.kind}: {where}" + (f", rule {proposal.rule}" if proposal.rule else "")
    yield from _row("why", proposal.why)
    for edit in proposal.edits:
        changed = [*(f"- {line}" for line in edit.removed), *(f"+ {line}" for line in edit.added)]
        for at, line in enumerate(changed[:MOST_LINES]):
            yield f"   {'lines' if not at else '':10} {line}"
        if len(changed) > MOST_LINES:
            yield f"   {'':10} and {len(changed) - MOST_LINES:,} more"
    if proposal.tools:
        yield from _row("results of", tools_of(proposal))
    if proposal.listed is not None:
        before, after = proposal.listed
        saved = percent(before - after, before)
        yield from _row("saves", f"{before - after:,} tokens of each list, {saved}: {before:,} → {after:,}")
    if proposal.learned is not None:
        yield from _row("saves", measured(proposal.learned))
        if proposal.held_out is not None:
            yield from _row("held out", measured(proposal.held_out))
        else:
            yield from _row("held out", "nothing: all results are of one call")
    yield from _row("lost", loss(proposal))
    if proposal.fetched:
        yield from _row("fetched", fetched(proposal))


def tools_of(proposal: Proposal) -> str:
    """The tools, the first of them by name."""
    more = len(proposal.tools) - MOST_TOOLS
    named = ", ".join(proposal.tools[:MOST_TOOLS])
    return f"{named} and {more} more" if more > 0 else named


def measured(of: Measured) -> str:
    """`1,204 tokens, 12.5% of what is sent now, over 40 results, of which 30 change`; and net, if other."""
    if not of.changed and not of.gross:
        return f"the time that is spent on {_number(of.results, 'result')}; nothing of what is sent changes"
    over = f"over {_number(of.results, 'result')}, of which {of.changed:,} change"
    if of.gross < 0:
        fetched = of.net - of.gross
        return f"{of.net:,} tokens net: {-of.gross:,} more are sent and {fetched:,} fewer fetched, {over}"
    said = f"{of.gross:,} tokens, {percent(of.gross, of.before)} of what is sent now, {over}"
    return said if of.net == of.gross else f"{said}; net of what is fetched: {of.net:,} tokens"


def loss(proposal: Proposal) -> str:
    """What is lost, and the class before and after."""
    if proposal.listed is not None:
        return proposal.loses
    before, after = proposal.guarantee_before, proposal.guarantee_after
    classes = after if before == after else f"{before} → {after}"
    gone = f", {proposal.lost:,} tokens" if proposal.lost else ""
    return f"{proposal.loses}{gone} ({classes})"


def fetched(proposal: Proposal) -> str:
    """How often the values were fetched, and up to where it pays."""
    said = proposal.fetched
    if proposal.pays_up_to is not None:
        said += (
            f"; it pays while fewer than {proposal.pays_up_to}% of the {proposal.aside:,} values are fetched"
        )
    return said


def together(tuned: Tuned) -> str:
    """All proposals together, on the held-out results."""
    held = tuned.held_out
    if not held.results:
        return "Nothing was held out."
    return (
        f"All proposals together, on {_number(held.results, 'held-out result')}: {held.before:,} → "
        f"{held.after:,} tokens, {percent(held.gross, held.before)} fewer than now"
        + (f" ({percent(held.net, held.before)} net of what is fetched)" if held.net != held.gross else "")
        + f"; the servers sent {tuned.received:,}."
    )


def _together(tuned: Tuned) -> Iterator[str]:
    if not tuned.proposals:
        yield "Nothing to propose."
        return
    if any(proposal.learned is not None for proposal in tuned.proposals):
        yield from textwrap.wrap(together(tuned), WIDTH)


def _row(name: str, text: str) -> Iterator[str]:
    # A name in quotes may hold anything with spaces: broken up, it could read like the head of a patch.
    lines = [text] if '"' in text else textwrap.wrap(text, WIDTH - 14, break_on_hyphens=False)
    for at, line in enumerate(lines):
        yield f"   {name if not at else '':10} {line}"


def _number(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
