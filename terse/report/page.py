"""The page of a code: for `terse explain T201` as text, for docs/codes/ as markdown."""

from __future__ import annotations

import textwrap

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


def _sentence(summary: str) -> str:
    return summary[0].upper() + summary[1:] + "."


def _wrapped(text: str) -> str:
    return textwrap.fill(text, WIDTH, break_on_hyphens=False, break_long_words=False)


def _indented(example: str) -> str:
    return textwrap.indent(_shown(example), "    ")


def _block(example: str) -> str:
    return f"```\n{_shown(example)}\n```"


def _shown(example: str) -> str:
    """An example with what is no character (a byte that is not UTF-8) made visible."""
    return example.strip("\n").encode("utf-8", "replace").decode("utf-8")
