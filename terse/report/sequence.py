"""`terse explain` on several calls of one session: what each cost, with what the client had before."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from terse.guarantee import lowest
from terse.hidden import visible
from terse.plan.trace import StepStatus
from terse.report import columns, explain, explain_json
from terse.report.explanation import Explanation
from terse.report.sizes import count, percent

_LONGEST_NAME = 40
_NOTE_WIDTH = 60


@dataclass(frozen=True, slots=True)
class Asked:
    """One call of the session.

    Attributes:
        name: the file its result is in, or its place in a capture: `day.jsonl 7`.
        at_once: what was sent in place of all texts of the result, where one sentence says it all; and its
            tokens.
        is_shown: explained in full, not only in the table.
        received: tokens of the texts as they came, where they are explained as one.
    """

    name: str
    explanation: Explanation
    at_once: tuple[str, int] | None
    is_shown: bool
    received: int | None = None

    @property
    def before(self) -> int:
        if self.received is not None:
            return self.received
        return sum(outcome.trace.tokens_in for outcome in self.explanation.outcomes)

    @property
    def after(self) -> int:
        if self.at_once is not None:
            return self.at_once[1]
        return sum(outcome.trace.tokens_out for outcome in self.explanation.outcomes)

    @property
    def guarantee(self) -> str:
        return lowest(outcome.guarantee for outcome in self.explanation.outcomes).word

    @property
    def why(self) -> str:
        """What made the result that small, in a few words."""
        if self.at_once is not None:
            return f"all {len(self.explanation.outcomes)} texts as before"
        if not self.explanation.outcomes:
            return "no text"
        trace = self.explanation.outcomes[0].trace
        applied = [step for step in trace.steps if step.status is StepStatus.APPLIED]
        if not applied or trace.gate.sent == "original":
            return trace.gate.verdict
        last = applied[-1]
        name = last.label.split("(")[0]
        if name in ("dedup", "diff"):
            return f"{name}: {last.note}"
        return ", ".join(step.label.split("(")[0] for step in applied)


def render(asked: Sequence[Asked], *, whole: bool = False) -> str:
    """A row per call, then each in full."""
    rows = [("call", "", "received", "sent", "saved", "class", "why")]
    for number, each in enumerate(asked, 1):
        call = each.explanation.outcomes[0].trace.call if each.explanation.outcomes else ""
        rows.append(
            (
                str(number),
                _short(call or each.name, _LONGEST_NAME),
                count(each.before),
                count(each.after),
                percent(each.before - each.after, each.before),
                each.guarantee if each.explanation.outcomes else "exact",
                _short(each.why, _NOTE_WIDTH),
            )
        )
    before, after = sum(each.before for each in asked), sum(each.after for each in asked)
    rows.append(("", "all", count(before), count(after), percent(before - after, before), "", ""))
    shown = [tuple(map(visible, row)) for row in rows]
    widths = [max(map(columns.cells, column)) for column in zip(*shown, strict=True)]
    lines = []
    for row in shown:
        said = [
            columns.left(cell, width) if at in (1, 5, 6) else columns.right(cell, width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(said).rstrip() + "\n")
    text = "".join(lines)
    notes: set[str] = set()
    for number, each in enumerate(asked, 1):
        if each.is_shown:
            # What was said of the session once need not be said of every call.
            fresh = tuple(note for note in each.explanation.notes if note not in notes)
            notes.update(fresh)
            body = explain.render(replace(each.explanation, notes=fresh), whole=whole)
            text += f"\n\ncall {number} of {len(asked)}: {visible(each.name)}\n\n{body}"
    return text


def render_json(asked: Sequence[Asked]) -> str:
    """The explanations of all calls as JSON: what one call is explained as, in a list."""
    calls = [
        {
            **json.loads(explain_json.render(each.explanation)),
            "received": each.before,
            "sent": each.after,
            "all_texts_at_once": each.at_once[0] if each.at_once is not None else None,
        }
        for each in asked
    ]
    return json.dumps({"explain": explain_json.VERSION, "calls": calls}, indent=2, ensure_ascii=True) + "\n"


def _short(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
