"""`terse fmt`: rule files in the one style."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from terse.cli.command import Command
from terse.cli.console import FINDINGS, UNUSABLE, CommandError, fail, write, write_bytes, write_error
from terse.cli.files import STDIN, quoted, read_bytes, replace_file, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from terse.diagnostic import Diagnostic
    from terse.language.parse import Parsed


def fmt(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATH",
            help="Rule files, folders (every .terse file below), or - for stdin. Default: policies/",
        ),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; say which files are not formatted.")
    ] = False,
) -> None:
    """Format rule files.

    Raises:
        CommandError: a path cannot be read or written, a file does not parse, or one is not formatted
            and was to be.
    """
    from terse.report import text

    unparsed: list[Diagnostic] = []
    unformatted: list[Diagnostic] = []
    for path, parsed in _parsed(paths or ["policies"]):
        if parsed.diagnostics:
            unparsed += parsed.diagnostics
            continue
        done = _formatted(path, parsed, check)
        if done is not None:
            unformatted.append(done)
    if unformatted:
        write(text.render(unformatted))
    if unparsed:
        write_error(text.render(unparsed))
        raise CommandError("", UNUSABLE)
    if unformatted:
        raise CommandError("", FINDINGS)


def _parsed(paths: Sequence[str]) -> Iterator[tuple[str, Parsed]]:
    """The files by path, each once.

    Raises:
        CommandError: a path cannot be read, or is a folder without rule files.
    """
    from terse.language.disk import Disk
    from terse.language.load import Unreadable, entries
    from terse.language.parse import parse

    if STDIN in paths:
        if len(paths) > 1:
            fail("- is stdin, and goes with no other path")
        yield STDIN, parse("stdin", read_bytes(STDIN))
        return
    disk = Disk()
    # Nothing is written before all paths are known to be there.
    try:
        files = list(dict.fromkeys(entries(paths, disk)))
    except Unreadable as error:
        fail(f"{quoted(error.path)}: {error.reason}")
    for path in files:
        try:
            data = disk.read(path)
        except (OSError, ValueError) as error:
            fail(f"{quoted(path)}: {getattr(error, 'strerror', None) or 'cannot be read'}")
        yield path, parse(path, data)


def _formatted(path: str, parsed: Parsed, check: bool) -> Diagnostic | None:
    """Write what is not formatted; with `check`, return the finding instead."""
    from terse.language.format import formatted

    old, new = parsed.file.source.text, formatted(parsed.file)
    if check:
        return None if new == old else _finding(path, parsed, new)
    if path == STDIN:
        write_bytes(new.encode())
    elif new != old:
        replace_file(path, new)
        write(f"formatted {shown(path)}\n")
    return None


def _finding(path: str, parsed: Parsed, new: str) -> Diagnostic:
    from terse.diagnostic import Diagnostic, Label
    from terse.language.codes.house import NOT_FORMATTED
    from terse.source import Span

    source = parsed.file.source
    pairs = enumerate(zip(source.text, new, strict=False))
    shorter = min(len(source.text), len(new))
    start = next((place for place, (a, b) in pairs if a != b), shorter)
    start = min(start, max(len(source.text) - 1, 0))
    advice = "`terse fmt` prints it formatted" if path == STDIN else f"run `terse fmt {shown(path)}`"
    label = Label(Span(source, start, start + 1), "first difference")
    message = "the file is not formatted as `terse fmt` does it"
    return Diagnostic(NOT_FORMATTED, message, label, help=advice)


COMMAND = Command(
    name="fmt",
    sentence="Format rule files: one style, no options, every comment kept.",
    run=fmt,
    example="terse fmt --check policies/",
    example_does="which rule files are not in the one style",
    notes=(
        "Only white space changes. A file that does not parse stays as it is, and its errors are told.",
        "- reads stdin and prints the formatted text.",
        "Exit codes: 0 done; 1 a file is not formatted (--check); 2 one does not parse or cannot be read.",
    ),
)
