"""`terse explain` as text: 80 columns, no colours, the same in a terminal and in a pipe."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, NamedTuple

from terse.hidden import visible
from terse.plan.trace import ConditionTrace, GuardTrace, Outcome, RuleTrace, StepStatus, StepTrace, Trace
from terse.report.columns import cells, narrowed, widened
from terse.report.explanation import CallFrom, Explanation
from terse.report.sizes import bytes_in_words, count, percent, tokens_in_words

WIDTH = 80
MARGIN = "  "
LABEL = 11
"""Columns of the words at the left: `payload`, `chosen`, … ."""

FIRST_LINES, LAST_LINES = 16, 6
"""Lines of the emitted text that are shown from its start and its end unless the whole is asked for."""
LINE_WIDTH = WIDTH - len(MARGIN) - 2
END_WIDTH = 12
"""Columns of a long line's end that are shown."""

STEP_WIDTH = 36
"""Columns for a step's statement; a longer one goes on in the next line."""
IDLE = (StepStatus.SKIPPED, StepStatus.NO_GAIN, StepStatus.OUT_OF_TIME)
"""How steps without effect end; a guard that forbids one, or a failure, is worth a row."""
MAX_IDLE_ROWS = 2
"""Steps without effect that get a row in the table; where there are more, a line below it names them all."""
MAX_IDLE_NAMES = 4
"""Steps without effect for one reason that are named; of more the first, the last and the number."""
TOKENS_WIDTH = 9
NAME_WIDTH = 24
"""Columns for a guard's name; a longer one gets a line of its own."""
PLACE_WIDTH = 12
"""Columns for `base:30`; a longer file name is cut."""


def render(explanation: Explanation, *, whole: bool = False) -> str:
    """The explanation for a reader; every line ends in a line feed.

    Args:
        whole: show all of the emitted text and not its start and end.
    """
    lines: list[str] = []
    for note in explanation.notes:
        lines += textwrap.wrap(f"note: {note}", WIDTH, subsequent_indent="      ")
    if explanation.notes:
        lines.append("")
    total = len(explanation.outcomes)
    for number, outcome in enumerate(explanation.outcomes, 1):
        if total > 1:
            lines += [f"text {number} of {total}", ""]
        lines += _outcome(explanation, outcome, whole)
        if number < total:
            lines += ["", ""]
    return "".join(line.rstrip() + "\n" for line in map(visible, map(narrowed, lines)))


def _safe(value: Any) -> Any:
    """The same data with every text in it as it can be shown, a character for each column: names and reasons
    can come from a payload."""
    if isinstance(value, str):
        return widened(visible(value))
    if isinstance(value, tuple):
        return tuple(map(_safe, value))
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{field.name: _safe(getattr(value, field.name)) for field in fields(value)})
    return value


def _outcome(explanation: Explanation, outcome: Outcome, whole: bool) -> Iterator[str]:
    trace = _safe(_in_words(outcome.trace))
    yield from _heading(explanation, trace)
    yield from _facts(explanation, trace)
    if trace.nearest:
        yield ""
        yield from _nearest(trace.nearest)
    if trace.steps:
        yield ""
        yield from _steps(trace)
    yield ""
    yield from _result(trace)
    yield ""
    yield from _emitted(outcome, whole)


def _in_words(trace: Trace) -> Trace:
    """The trace without the places and texts that only other outputs show: they can be megabytes."""
    steps = tuple(replace(step, touched=None, after=None) for step in trace.steps)
    return replace(trace, steps=steps, kept_places=None)


def _heading(explanation: Explanation, trace: Trace) -> Iterator[str]:
    call = "any call" if explanation.call_from is CallFrom.NOWHERE else trace.call
    if trace.rule is None:
        yield from _sides(f"{call}  →  no rule: sent as it came", "")
    else:
        yield from _sides(f"{call}  →  rule {trace.rule.name}", trace.rule.at)


def _facts(explanation: Explanation, trace: Trace) -> Iterator[str]:
    size = f"{bytes_in_words(trace.bytes_in):>9} {tokens_in_words(trace.tokens_in):>15}"
    yield from _sides(f"{MARGIN}{'payload':{LABEL}}{trace.summary}", size)
    yield from _entry("policy", explanation.policy)
    yield from _entry("chosen", trace.why)
    if trace.rule is not None:
        whens = [each for each in trace.rule.conditions if not each.text.startswith("on ")]
        for index, condition in enumerate(whens):
            yield from _answer("when" if index == 0 else "", condition, condition.text.removeprefix("when "))
        for index, reason in enumerate(trace.rule.because):
            yield from _entry("because" if index == 0 else "", reason)
    yield from _guards(trace.guards)


def _guards(guards: Sequence[GuardTrace]) -> Iterator[str]:
    """Guards that speak of the call, each with what it says; of the others only how many there are."""
    here = [guard for guard in guards if not guard.elsewhere]
    width = min(NAME_WIDTH, max((len(guard.name) for guard in here), default=0))
    indent = len(MARGIN) + LABEL + width + 2
    for index, guard in enumerate(here):
        start = f"{MARGIN}{'guards' if index == 0 else '':{LABEL}}"
        if len(guard.name) > width:
            yield from _wrapped(start, guard.name)
            start = " " * indent
        else:
            start = f"{start}{guard.name:{width}}  "
        said = guard.text if guard.applies else f"does not apply: {guard.text}"
        yield from _sides(f"{start}{said}", guard.at if guard.applies else "", hanging=indent)
        for reason in guard.because if guard.applies else ():
            yield from _wrapped(" " * indent, f"because {reason}")
    others = len(guards) - len(here)
    if others:
        speak = "1 other speaks" if others == 1 else f"{others} others speak"
        yield from _entry(
            "" if here else "guards", f"{speak if here else speak.replace('other', 'guard')} of other calls"
        )


def _nearest(rules: Sequence[RuleTrace]) -> Iterator[str]:
    for index, rule in enumerate(rules):
        label = "nearest" if index == 0 else ""
        yield from _sides(f"{MARGIN}{label:{LABEL}}{rule.name}", rule.at)
        for condition in rule.conditions:
            yield from _answer("", condition, condition.text, indent=2)


def _answer(label: str, condition: ConditionTrace, text: str, indent: int = 0) -> Iterator[str]:
    """A condition, whether it holds, and why not: `payload has issues   no   the payload is text`."""
    start = f"{MARGIN}{label:{LABEL}}{' ' * indent}"
    answer = "yes" if condition.held else f"no    {condition.reason}".rstrip()
    left = f"{start}{text}"
    column = 48
    if len(left) + 2 > column or column + len(answer) > WIDTH:
        yield from _wrapped(start, text)
        yield from _wrapped(f"{' ' * len(start)}  ", answer)
    else:
        yield f"{left:{column}}{answer}"


def _steps(trace: Trace) -> Iterator[str]:
    idle = [step for step in trace.steps if step.status in IDLE]
    # A long chain is mostly steps for other kinds of payload: as rows they would bury what was done.
    if len(idle) <= MAX_IDLE_ROWS:
        yield from _table(trace, trace.steps)
        return
    done = [step for step in trace.steps if step not in idle]
    if done:
        yield from _table(trace, done)
    reasons: dict[str, list[str]] = {}
    for step in idle:
        reasons.setdefault(_reason(step), []).append(step.label)
    for index, (reason, labels) in enumerate(reasons.items()):
        yield from _entry("no change" if index == 0 else "", f"{_several(labels)}: {reason}")


def _reason(step: StepTrace) -> str:
    """Why a step changed nothing. The note of a skipped step says it all."""
    if step.status is StepStatus.SKIPPED and step.note:
        return step.note
    return f"{step.status.value} {step.note}".rstrip()


def _several(labels: Sequence[str]) -> str:
    if len(labels) <= MAX_IDLE_NAMES:
        return ", ".join(labels)
    return f"{labels[0]} … {labels[-1]} ({len(labels)} steps)"


def _table(trace: Trace, steps: Sequence[StepTrace]) -> Iterator[str]:
    home = _file_of(trace.rule)
    rows = [(step, _row(step, trace.tokens_in, home)) for step in steps]
    table = [_HEADINGS, *(row for _, row in rows)]
    label = min(STEP_WIDTH, max(len(row.label) for row in table))
    # Millions of tokens are set apart from the statement all the same.
    label += max(0, max(len(row.tokens) for row in table) + 2 - TOKENS_WIDTH)
    word = max(len(row.word) for row in table)
    place = max(len(row.place) for row in table)
    beside = WIDTH - len(_HEADINGS.line(label, word)) + len(_HEADINGS.place) - place - 2
    # Notes stand beside every row or below every row: a mix cannot be read down.
    notes_fit = all(len(step.note) <= beside for step in steps)
    yield _HEADINGS.line(label, word)
    for step, row in rows:
        line = row.line(label, word)
        yield f"{line:{WIDTH - beside}}{step.note}" if step.note and notes_fit else line
        yield from (f"{MARGIN}  {rest}" for rest in _break(row.label, label)[1:])
        if step.note and not notes_fit:
            yield from _wrapped(f"{MARGIN}    ", step.note)


class _Row(NamedTuple):
    """One row of the table of steps."""

    label: str
    tokens: str
    saved: str
    word: str
    place: str

    def line(self, label_width: int, word_width: int) -> str:
        first = _break(self.label, label_width)[0]
        start = f"{MARGIN}{first:{label_width}}{self.tokens:>{TOKENS_WIDTH}}{self.saved:>9}"
        return f"{start}   {self.word:{word_width}}  {self.place}"


_HEADINGS = _Row("step", "tokens", "saved", "class", "line")


def _row(step: StepTrace, tokens_in: int, home: str) -> _Row:
    applied = step.status is StepStatus.APPLIED
    gained = step.tokens_before - step.tokens_after
    return _Row(
        label=step.label,
        tokens=count(step.tokens_after),
        saved=percent(gained, tokens_in) if applied and gained else "–",
        word=step.guarantee.word if applied else step.status.value,
        place=_place(step.at, home),
    )


def _place(at: str, home: str) -> str:
    """`21` in the rule's own file, `base:30` in another."""
    file, _, line = at.rpartition(":")
    if not file or file == home:
        return line
    stem = file.rpartition("/")[2].removesuffix(".terse")
    room = max(1, PLACE_WIDTH - len(line) - 1)
    return f"{stem if len(stem) <= room else stem[: room - 1] + '…'}:{line}"


def _file_of(rule: RuleTrace | None) -> str:
    return rule.at.rpartition(":")[0] if rule else ""


def _result(trace: Trace) -> Iterator[str]:
    if trace.gate.sent == "original" or trace.tokens_out == trace.tokens_in:
        said = f"as it came, {tokens_in_words(trace.tokens_out)}"
    else:
        gained = percent(trace.tokens_in - trace.tokens_out, trace.tokens_in)
        said = f"{tokens_in_words(trace.tokens_out)}, {gained} saved"
    yield f"{MARGIN}{'result':{LABEL}}{said:35}class {trace.guarantee.word}"
    if trace.lost:
        yield from _entry("lost", f"{trace.lost_percent:.1f}%: {', '.join(trace.lost)}")
    if trace.kept:
        yield from _entry("kept", f"{', '.join(trace.kept)}: compared, unchanged")
    if trace.aside:
        yield from _entry("aside", ", ".join(trace.aside))
    yield from _entry("check", trace.gate.verdict)


def _emitted(outcome: Outcome, whole: bool) -> Iterator[str]:
    all_lines = outcome.text.split("\n")
    if all_lines[-1] == "" and len(all_lines) > 1:
        all_lines.pop()
    shown = list(all_lines if whole else _shortened(all_lines))
    said = f"{len(all_lines):,} line{'s' if len(all_lines) != 1 else ''}"
    if shown != all_lines:
        said += "; shortened here, --whole shows all of it"
    yield f"{MARGIN}{'emitted':{LABEL}}{said}"
    yield from (f"{MARGIN}│ {line}" for line in shown)


def _shortened(lines: Sequence[str]) -> Iterator[str]:
    if len(lines) <= FIRST_LINES + LAST_LINES + 1:
        yield from map(_cut, lines)
        return
    yield from map(_cut, lines[:FIRST_LINES])
    yield f"… {len(lines) - FIRST_LINES - LAST_LINES:,} lines not shown …"
    yield from map(_cut, lines[-LAST_LINES:])


def _cut(line: str) -> str:
    """The line as it can be shown, without its middle when it is too long."""
    if len(line) <= LINE_WIDTH and cells(visible(line)) <= LINE_WIDTH:
        return visible(line)
    room = LINE_WIDTH - END_WIDTH - len(f" … {len(line):,} characters … ")
    start, end = _fitting(line, room), _fitting(line[::-1], END_WIDTH)
    left_out = len(line) - start - end
    return f"{visible(line[:start])} … {left_out:,} characters … {visible(line[len(line) - end :])}"


def _fitting(characters: str, room: int) -> int:
    """How many characters, from the first on, fit into so many columns once they are visible."""
    taken = 0
    for number, char in enumerate(characters):
        taken += cells(visible(char))
        if taken > room:
            return number
    return len(characters)


def _entry(label: str, text: str) -> Iterator[str]:
    yield from _wrapped(f"{MARGIN}{label:{LABEL}}", text)


def _wrapped(start: str, text: str) -> Iterator[str]:
    yield from textwrap.wrap(
        text, WIDTH, initial_indent=start, subsequent_indent=" " * len(start), break_on_hyphens=False
    ) or [start]


def _break(text: str, width: int) -> list[str]:
    # What follows the first line is indented by two more columns.
    first, *rest = textwrap.wrap(text, width, break_on_hyphens=False) or [""]
    return [first, *textwrap.wrap(" ".join(rest), width - 2, break_on_hyphens=False)]


def _sides(left: str, right: str, hanging: int = 4) -> Iterable[str]:
    """`left` at the left and `right` at the right margin; on a line of its own where they do not fit."""
    if len(left) + 2 + len(right) <= WIDTH:
        return [f"{left}{right:>{WIDTH - len(left)}}" if right else left]
    lines = [left]
    if len(left) > WIDTH:
        lines = textwrap.wrap(left, WIDTH, subsequent_indent=" " * hanging, break_on_hyphens=False)
    return [*lines, *(f"{part:>{WIDTH}}" for part in textwrap.wrap(right, WIDTH))]
