"""The page of a code: for `terse explain T201` as text, for docs/codes/ as markdown."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from terse.diagnostic import Code

WIDTH = 80

_FILE = "=== "


def render(code: Code) -> str:
    """The page for a terminal, at most `WIDTH` columns where the examples allow it."""
    parts = [
        f"{code.code} {code.name} ({code.severity.word}, since terse {code.since})",
        _wrapped(f"{_sentence(code.summary)}"),
        _wrapped(code.why),
        "Wrong:",
        _indented(code.wrong),
        "Right:",
        _indented(code.right),
    ]
    return "\n\n".join(parts) + "\n"


def markdown(code: Code) -> str:
    """The page for the documentation."""
    parts = [
        f"# {code.code} {code.name}",
        f"{code.severity.word}, since terse {code.since}",
        _sentence(code.summary),
        code.why,
        "Wrong:",
        _block(code.wrong),
        "Right:",
        _block(code.right),
    ]
    return "\n\n".join(parts) + "\n"


def index(codes: Iterable[Code]) -> str:
    """The list of all codes for the documentation, each with a link to its page."""
    rows = [
        f"| [{code.code}]({code.code}.md) | {code.severity.word} | {code.name} | {code.summary} |"
        for code in codes
    ]
    return "\n".join([_INDEX, *rows, ""])


_INDEX = """# Codes

Every finding has a code, which is never used for another. `terse explain T201` prints its page. Errors keep
a policy from loading; warnings and notes can be silenced where they are meant, by `# allow NAME` at the end
of the line, or on a line of its own above the statement or block.

| code | | name | when |
|---|---|---|---|"""


def _sentence(summary: str) -> str:
    return summary[0].upper() + summary[1:] + "."


def _wrapped(text: str) -> str:
    return textwrap.fill(text, WIDTH, break_on_hyphens=False, break_long_words=False)


def _indented(example: str) -> str:
    return textwrap.indent(_shown(example), "    ")


def _block(example: str) -> str:
    return f"```text\n{_shown(example)}\n```"


def _shown(example: str) -> str:
    """An example with what is no character (a byte that is not UTF-8) made visible."""
    return example.strip("\n").encode("utf-8", "replace").decode("utf-8")
