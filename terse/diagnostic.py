"""Diagnostics: what terse says about a rule file. Data only; `report/` prints them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from terse.source import Span


class Severity(IntEnum):
    """How much a finding weighs; fixed per code. `--fail-on` is the only knob."""

    NOTE = 0
    WARNING = 1
    ERROR = 2

    @property
    def word(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of finding. `terse explain T201`, the docs page and the tests come from here.

    A page's examples are executed by the tests: every `wrong` file gives the code, no `right` file does.

    Attributes:
        code: `T` and three digits, never reused. The first digit follows the part of the language.
        name: what it is called in an `# allow` comment and in reports, e.g. `ambiguous-rules`.
        severity: fixed for the code.
        summary: one sentence, in lower case, without a full stop.
        why: why it is a fault, and what the language does about it: one short paragraph.
        wrong: the smallest rule file that has it.
        right: that file, put right.
        since: the terse version that brought it.
        found_by: the command that finds it; the page's examples are files for that one.
    """

    code: str
    name: str
    severity: Severity
    summary: str
    why: str
    wrong: str
    right: str
    since: str = "0.1"
    found_by: str = "check"


@dataclass(frozen=True, slots=True)
class Label:
    """A place in a rule file and a few words on what it has to do with the finding."""

    span: Span
    text: str = ""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding: one cause, one message.

    Attributes:
        code: the entry of the table of codes it is an instance of.
        message: one sentence in lower case; names from the file stand in backticks.
        primary: where the cause is.
        secondary: other places that matter (the other rule, the guard), in the order to read them.
        help: what to write instead; one sentence or a line to paste.
        notes: facts that help to see why, e.g. the call on which two rules collide.
    """

    code: Code
    message: str
    primary: Label
    secondary: tuple[Label, ...] = ()
    help: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def severity(self) -> Severity:
        return self.code.severity

    @property
    def sort_key(self) -> tuple[str, int, str]:
        """Findings are listed by file, position and code, whatever order the checks ran in."""
        return (self.primary.span.source.path, self.primary.span.start, self.code.code)
