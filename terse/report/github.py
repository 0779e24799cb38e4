"""Findings as GitHub Actions workflow commands: each is shown at its line of the pull request."""

from __future__ import annotations

from collections.abc import Sequence

from terse.diagnostic import Diagnostic, Severity

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def render(diagnostics: Sequence[Diagnostic]) -> str:
    """One command a line."""
    return "".join(_command(diagnostic) + "\n" for diagnostic in diagnostics)


def _command(diagnostic: Diagnostic) -> str:
    span = diagnostic.primary.span
    properties = {
        "file": span.source.path,
        "line": span.line,
        "col": span.column,
        "endLine": span.source.line_of(span.end),
        "endColumn": span.source.column_of(span.end),
        "title": f"{diagnostic.code.code} {diagnostic.code.name}",
    }
    text = [diagnostic.message]
    text += [f"{label.span.place}: {label.text}" for label in diagnostic.secondary]
    text += [f"note: {note}" for note in diagnostic.notes]
    if diagnostic.help is not None:
        text.append(f"help: {diagnostic.help}")
    listed = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    return f"::{_COMMANDS[diagnostic.severity]} {listed}::{_data(chr(10).join(text))}"


# The escapes that the runner undoes: github.com/actions/toolkit, packages/core/src/command.ts.
def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
