"""Findings as people read them in a terminal: the message, the lines it is about, what to write instead."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from terse.diagnostic import Diagnostic, Label, Severity
from terse.hidden import visible
from terse.report import columns
from terse.source import Source

WIDTH = 80
MAX_SPAN = 60
"""A mark under a longer stretch of a line ends in `…`."""

_COLOURS = {Severity.ERROR: "31", Severity.WARNING: "33", Severity.NOTE: "36"}
_SIDE = "34"


@dataclass(frozen=True, slots=True)
class _Style:
    colour: bool

    def paint(self, text: str, code: str, bold: bool = True) -> str:
        if not self.colour or not text:
            return text
        return f"\x1b[{'1;' if bold else ''}{code}m{text}\x1b[0m"


def render(diagnostics: Sequence[Diagnostic], colour: bool = False) -> str:
    """All findings one after another, and a line that counts them. Empty when there is none."""
    if not diagnostics:
        return ""
    blocks = [render_one(diagnostic, colour) for diagnostic in diagnostics]
    return "\n".join(blocks) + "\n" + summary(diagnostics) + "\n"


def summary(diagnostics: Iterable[Diagnostic]) -> str:
    """`2 errors, 1 warning`: what was found, in a few words."""
    counts = dict.fromkeys(sorted(Severity, reverse=True), 0)
    for diagnostic in diagnostics:
        counts[diagnostic.severity] += 1
    parts = [f"{count} {severity.word}{'s' * (count != 1)}" for severity, count in counts.items() if count]
    return ", ".join(parts) or "no findings"


def render_one(diagnostic: Diagnostic, colour: bool = False) -> str:
    """One finding. Ends with a line end."""
    style = _Style(colour)
    lines = list(_head(diagnostic, style))
    labels = [(diagnostic.primary, True), *((label, False) for label in diagnostic.secondary)]
    gutter = len(str(max(label.span.line for label, _ in labels)))
    here: Source | None = None
    for source, group in _by_source(labels):
        arrow = "-->" if here is None else ":::"
        first = next((label for label, primary in group if primary), group[0][0])
        place = f"{source.path}:{first.span.line}:{first.span.column}"
        lines.append(f"{' ' * gutter}{style.paint(arrow, _SIDE)} {_printable(place)}")
        lines += _excerpt(source, group, gutter, diagnostic.severity, style)
        here = source
    for word, text in _below(diagnostic):
        lines += _wrapped(f"{' ' * gutter} {style.paint('=', _SIDE)} ", gutter + 3, f"{word}: {text}", style)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _head(diagnostic: Diagnostic, style: _Style) -> Iterator[str]:
    head = f"{diagnostic.severity.word}[{diagnostic.code.code}]"
    wrapped = textwrap.wrap(
        f"{head}: {_printable(diagnostic.message)}", WIDTH, subsequent_indent="  ", break_on_hyphens=False
    )
    wrapped[0] = style.paint(head, _COLOURS[diagnostic.severity]) + wrapped[0][len(head) :]
    yield from wrapped


def _below(diagnostic: Diagnostic) -> Iterator[tuple[str, str]]:
    for note in diagnostic.notes:
        yield "note", note
    if diagnostic.help is not None:
        yield "help", diagnostic.help


def _wrapped(first: str, indent: int, text: str, style: _Style) -> list[str]:
    wrapped = textwrap.wrap(
        _printable(text), WIDTH - indent, break_on_hyphens=False, break_long_words=False
    ) or [""]
    rest = [" " * (indent + 6) + line for line in wrapped[1:]]
    return [first + wrapped[0], *_refit(rest, indent)]


def _refit(lines: list[str], indent: int) -> list[str]:
    """Continuation lines stand under the text after `help:`, so they are six characters shorter."""
    text = " ".join(line.strip() for line in lines)
    pad = " " * (indent + 6)
    return [pad + line for line in textwrap.wrap(text, WIDTH - indent - 6, break_on_hyphens=False)]


def _by_source(labels: list[tuple[Label, bool]]) -> Iterator[tuple[Source, list[tuple[Label, bool]]]]:
    groups: dict[str, tuple[Source, list[tuple[Label, bool]]]] = {}
    for label, primary in labels:
        source = label.span.source
        groups.setdefault(source.path, (source, []))[1].append((label, primary))
    yield from groups.values()


def _excerpt(
    source: Source, group: list[tuple[Label, bool]], gutter: int, severity: Severity, style: _Style
) -> Iterator[str]:
    bar = style.paint("|", _SIDE)
    empty = f"{' ' * gutter} {bar}"
    yield empty
    last: int | None = None
    by_line: dict[int, list[tuple[Label, bool]]] = {}
    for label, primary in sorted(group, key=lambda found: (found[0].span.start, not found[1])):
        by_line.setdefault(label.span.line, []).append((label, primary))
    for number, marks in sorted(by_line.items()):
        if last is not None and number > last + 1:
            yield style.paint("...", _SIDE)
        shown = _Shown.of(source.line_text(number), marks[0][0].span.column - 1, WIDTH - gutter - 3)
        yield f"{style.paint(str(number).rjust(gutter), _SIDE)} {bar} {shown.text}"
        for label, primary in marks:
            code = _COLOURS[severity] if primary else _SIDE
            yield from _mark(shown, label, primary, gutter, code, style)
        last = number
    yield empty


@dataclass(frozen=True, slots=True)
class _Shown:
    """The part of a line that fits on the terminal, from character `start` to `end` of it."""

    text: str
    line: str
    start: int
    end: int

    @classmethod
    def of(cls, line: str, column: int, width: int) -> _Shown:
        """The whole line where it fits, else the part around a column, with `…` for the rest."""
        if cells(line) <= width:
            return cls(_printable(line), line, 0, len(line))
        start = min(column, len(line) - 1)
        left = width // 3
        while start > 0 and cells(line[start - 1]) <= left:
            start -= 1
            left -= cells(line[start])
        end, room = start, width - 2
        while end < len(line) and cells(line[end]) <= room:
            room -= cells(line[end])
            end += 1
        before, after = "…" if start else "", "…" if end < len(line) else ""
        return cls(before + _printable(line[start:end]) + after, line, start, end)

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where characters `start` to `end` of the line are shown: the column, and how many columns."""
        start = max(start, self.start)
        before = (1 if self.start else 0) + cells(self.line[self.start : start])
        return before, max(1, cells(self.line[start : min(end, self.end)]))


def _mark(shown: _Shown, label: Label, primary: bool, gutter: int, code: str, style: _Style) -> Iterator[str]:
    column = label.span.column - 1
    indent, length = shown.place(column, column + label.span.end - label.span.start)
    sign = ("^" if primary else "-") * min(length, MAX_SPAN) + ("…" if length > MAX_SPAN else "")
    room = f"{' ' * gutter} {style.paint('|', _SIDE)} "
    text = _printable(label.text)
    if gutter + 3 + indent + len(sign) + 1 + len(text) <= WIDTH:
        yield room + " " * indent + style.paint(f"{sign} {text}".rstrip(), code)
        return
    yield room + " " * indent + style.paint(sign, code)
    # What does not fit behind the mark stands below it, as far to the right as it can.
    left = max(0, min(indent, WIDTH - gutter - 3 - len(text)))
    yield room + " " * left + style.paint(text, code)


def cells(text: str) -> int:
    """How wide a text is in a terminal."""
    return columns.cells(_printable(text))


def _printable(text: str) -> str:
    """The text with what a terminal must not be sent (escape codes, line ends) made visible."""
    return visible(text.replace("\t", " "))
