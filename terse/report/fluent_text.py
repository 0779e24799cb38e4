"""`terse fluency` for people."""

from __future__ import annotations

from collections import Counter

from terse.hidden import visible
from terse.report.fluent import Arm, Fluency, Share, points
from terse.report.sizes import percent

MOST_WRONG = 5


def render(facts: Fluency) -> str:
    """A row per arm, one per kind of question, and what may be said of the difference."""
    count = len(facts.complete)
    saved = percent(facts.raw_tokens - facts.emitted_tokens, facts.raw_tokens)
    lines = [
        f"{facts.model} at {facts.endpoint}: {count} questions on {facts.results} results, "
        f"rules {facts.policy}",
        f"the results: {facts.raw_tokens:,} → {facts.emitted_tokens:,} tokens, {saved} saved",
        "",
        f"{'shown':16}{'right':>10}{'share':>9}   95 % interval",
    ]
    for arm in Arm:
        share = facts.share(arm)
        lines.append(f"{arm.value:16}{_of(share):>10}{_percent(share.share):>9}   {_interval(share)}")
    lines += ["", f"{'':16}{'original':>10}{'emitted':>10}"]
    for kind in facts.kinds:
        raw, emitted = facts.share(Arm.RAW, kind), facts.share(Arm.EMITTED, kind)
        lines.append(f"{kind:16}{_of(raw):>10}{_of(emitted):>10}")
    lines += ["", facts.verdict, f"noise, the original asked again: {points(*facts.difference(Arm.AGAIN))}"]
    lines += _worse(facts)
    for why, times in Counter(facts.failures).most_common(3):
        lines.append(f"note: {times} request{'' if times == 1 else 's'} without an answer: {why}")
    lines += [f"note: {note}" for note in facts.notes]
    return "".join(visible(line).rstrip() + "\n" for line in lines)


def _worse(facts: Fluency) -> list[str]:
    """Questions answered right from the original and wrong from the emitted form."""
    wrong = [
        asked
        for asked in facts.complete
        if asked.answers[Arm.RAW].right and not asked.answers[Arm.EMITTED].right
    ]
    lines = ["", "right from the original, wrong from the emitted form:"] if wrong else []
    for asked in wrong[:MOST_WRONG]:
        given = " ".join(asked.answers[Arm.EMITTED].given.split())
        lines += [f"  {asked.name}: {asked.words}", f"    {asked.answer[:80]}  ≠  {given[:80]}"]
    if len(wrong) > MOST_WRONG:
        lines.append(f"  and {len(wrong) - MOST_WRONG} more (--output json has all)")
    return lines


def _of(share: Share) -> str:
    return f"{share.right}/{share.of}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"


def _interval(share: Share) -> str:
    low, high = share.interval
    return f"{100 * low:.1f}% to {100 * high:.1f}%"
