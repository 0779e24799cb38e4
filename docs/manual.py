"""The manual page: what docs/commands.md says of the commands, for `man terse`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from terse import __version__
from terse.cli.command import Command

ENVIRONMENT = (
    ("TERSE_LEDGER", "Another file for what `terse stats` tells of; `off`: none."),
    ("TERSE_CAPTURES", "Another folder for what `terse capture` writes."),
    ("TERSE_TRACEBACK", "If set, a fault of terse itself is told with all of its traceback."),
    ("TERSE_REDIS_PASSWORD", "The password of what `terse serve --redis` connects to."),
    ("OPENAI_API_KEY, ANTHROPIC_API_KEY", "The key that `terse fluency` asks a model with."),
    ("OTEL_…", "Where `terse proxy --telemetry` sends metrics and spans, as OpenTelemetry has it."),
    ("XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_CACHE_HOME", "Where the files below are."),
)
FILES = (
    ("~/.local/state/terse/ledger.sqlite", "What was saved: sizes, names and times; never content."),
    ("~/.config/terse/servers.json", "The servers that have a name for `terse cli`."),
    ("~/.config/terse/prices.toml", "What tokens cost, for `terse stats`."),
    ("~/.local/state/terse/captures", "Captured calls, redacted, where they were asked for."),
    ("~/.cache/terse", "Compiled rule files."),
)

_OPTION = re.compile(
    r"  (?:(?P<close>--[\w-]+(?: [A-Z]+)?) (?P<told>[a-z].*)|(?P<term>\S.*?)(?:\s{2,}(?P<means>\S.*))?)"
)
"""What it means stands in a column of its own, or close behind an option that is too long for that."""
_WORDS = re.compile(r"`([^`]+)`")


def page(
    commands: Iterable[Command],
    options: Callable[[Command], list[tuple[str, str]]],
    help_of: Callable[[Command], str],
) -> str:
    """The page in the man macros.

    Args:
        options: of a command, each as it is written, with its sentence.
        help_of: what `--help` prints, for commands that read their arguments themselves.
    """
    known = list(commands)
    lines = [
        f'.TH TERSE 1 "" "terse {__version__}" "User Commands"',
        ".SH NAME",
        r"terse \- rules in, smaller MCP tool results out",
        ".SH SYNOPSIS",
        r".B terse",
        r"\fICOMMAND\fR [\fIOPTION\fR]…",
        ".br",
        r".B terse \-\-version",
        ".SH DESCRIPTION",
        *_paragraph(
            "terse stands between an MCP client and its servers and makes the results of tools smaller. "
            "Without rules it loses nothing; with rules, every loss is a line that can be reviewed. Each "
            "result is decoded again and compared before it is sent."
        ),
        ".SH COMMANDS",
        *(line for command in known for line in _command(command, options, help_of)),
        ".SH EXIT STATUS",
        *_terms(
            (
                ("0", "Done."),
                ("1", "Done, and there are findings."),
                ("2", "Not done: a wrong argument, a file that cannot be read."),
                ("130", "Ended by Ctrl-C."),
                ("141", "Whoever read the output went away."),
            )
        ),
        *_paragraph("Each command above says what its codes mean. `terse proxy` ends as its server does."),
        ".SH ENVIRONMENT",
        *_terms(ENVIRONMENT),
        ".SH FILES",
        *_terms(FILES),
    ]
    return "\n".join(lines) + "\n"


def _command(
    command: Command,
    options: Callable[[Command], list[tuple[str, str]]],
    help_of: Callable[[Command], str],
) -> Iterator[str]:
    yield f'.SS "terse {command.name}"'
    if command.passes_arguments:
        yield from _from_help(help_of(command))
        return
    yield from _paragraph(command.sentence)
    yield from _terms(options(command))
    for note in command.notes:
        yield from _paragraph(note)
    yield from _literal([command.example])


def _from_help(text: str) -> Iterator[str]:
    """Paragraphs, and lists of options whose meanings stand beside them or below."""
    for block in text.strip().split("\n\n"):
        lines = block.splitlines()
        if lines[0].startswith("Usage:"):
            yield from _literal([line.removeprefix("Usage:").strip() for line in lines])
            continue
        words: list[str] = []
        terms: list[tuple[str, str]] = []
        for line in lines:
            found = _OPTION.fullmatch(line)
            if found is not None and not line.startswith("   "):
                terms.append((found["close"] or found["term"], found["told"] or found["means"] or ""))
            elif line.startswith("   ") and terms:
                terms[-1] = (terms[-1][0], f"{terms[-1][1]} {line.strip()}".strip())
            else:
                words.append(line.strip())
        if words:
            yield from _paragraph(" ".join(words))
        for term, means in terms:
            yield from _terms([(term, means)]) if means else _literal([term])


def _paragraph(text: str) -> Iterator[str]:
    yield ".PP"
    yield _text(text)


def _terms(pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    for term, means in pairs:
        yield ".TP"
        yield rf"\fB{_escaped(term)}\fR"
        yield _text(means)


def _literal(lines: list[str]) -> Iterator[str]:
    yield from (".PP", ".nf", ".RS 4", *(_text(line, is_literal=True) for line in lines), ".RE", ".fi")


def _text(text: str, *, is_literal: bool = False) -> str:
    """A line of text: what stands between backquotes is bold, and nothing in it is a request."""
    if is_literal:
        return rf"\&{_escaped(text)}"
    parts = _WORDS.split(" ".join(text.split()))
    made = "".join(rf"\fB{_escaped(part)}\fR" if at % 2 else _escaped(part) for at, part in enumerate(parts))
    return rf"\&{made}" if made[:1] in (".", "'") else made


def _escaped(text: Any) -> str:
    return str(text).replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq").replace("^", r"\(ha")
