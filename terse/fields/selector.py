"""Selectors: which parts of a payload a `when`, a `keep` or a field line speaks of. Data."""

from __future__ import annotations

from msgspec import Struct


class Path(Struct, frozen=True, tag="path", tag_field="select"):
    """`issues.labels.name`: keys from the root; lists are see-through; `*` is a wildcard in a key."""

    keys: tuple[str, ...]


class Every(Struct, frozen=True, tag="every", tag_field="select"):
    """`every id`, `every user.login`: that path, starting at any depth."""

    keys: tuple[str, ...]


class Everything(Struct, frozen=True, tag="everything", tag_field="select"):
    """`everything`: the whole payload; of JSON, when it is shortened by rows, its longest list of objects."""


class LinesMatching(Struct, frozen=True, tag="lines", tag_field="select"):
    """`lines matching /re/`: the lines of a text in which the regex is found."""

    regex: str


class CodeBlocks(Struct, frozen=True, tag="code-blocks", tag_field="select"):
    """`code blocks`: the fenced blocks of a markdown text."""


class TerminalCodes(Struct, frozen=True, tag="terminal-codes", tag_field="select"):
    """`terminal codes`: ANSI escape sequences."""


Target = Path | Every | Everything | LinesMatching | CodeBlocks | TerminalCodes
