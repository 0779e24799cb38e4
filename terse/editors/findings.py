"""Findings of a file's policy, by file, as an editor shows them."""

from __future__ import annotations

from dataclasses import dataclass

from terse.diagnostic import Diagnostic, Severity
from terse.editors.positions import Position, Range, range_of
from terse.editors.project import Project


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that has to do with a finding."""

    path: str
    range: Range
    text: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding: where, and all that there is to say of it."""

    range: Range
    severity: Severity
    code: str
    name: str
    text: str
    related: tuple[Related, ...] = ()


def findings(project: Project, path: str, encoding: str = "utf-16") -> dict[str, tuple[Finding, ...]]:
    """The findings of a file's policy, by path; files without findings are there too."""
    checked = project.current(path)
    if checked is None:
        return {path: ()}
    found: dict[str, list[Finding]] = {file.source.path: [] for file in checked.files}
    for diagnostic in checked.diagnostics:
        place = diagnostic.primary.span.source.path
        found.setdefault(place, []).append(_finding(diagnostic, encoding))
    return {place: tuple(of_file) for place, of_file in found.items()}


def _finding(diagnostic: Diagnostic, encoding: str) -> Finding:
    code = diagnostic.code
    lines = [diagnostic.message, *diagnostic.notes]
    if diagnostic.help:
        lines.append(f"help: {diagnostic.help}")
    related = tuple(
        Related(label.span.source.path, range_of(label.span, encoding), label.text or "see here")
        for label in diagnostic.secondary
    )
    where = _seen(range_of(diagnostic.primary.span, encoding))
    return Finding(where, diagnostic.severity, code.code, code.name, "\n".join(lines), related)


def _seen(where: Range) -> Range:
    """The place, at least one character wide: an editor shows no empty one."""
    if where.start != where.end:
        return where
    return Range(where.start, Position(where.end.line, where.end.character + 1))
