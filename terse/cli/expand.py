"""`terse expand`: an emitted form back as what the tool had sent."""

from __future__ import annotations

import typer

from terse.cli.command import Command
from terse.cli.console import fail, write_bytes
from terse.cli.files import read_bytes, shown


def expand(
    file: str = typer.Argument(..., metavar="FILE", help="A file with the emitted text, or - for stdin."),
    texts: bool = typer.Option(
        False, "--texts", help="Of one text that stands for several: print these, as a JSON list of strings."
    ),
) -> None:
    from terse.tiers.expand import expand as expand_text

    data = read_bytes(file)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        if texts:
            fail(f"{shown(file)} is not UTF-8 text: it stands for no other texts")
        # Every form of ours is UTF-8, so these bytes are none: they are the original already.
        write_bytes(data)
        return
    original = expand_text(text)
    if texts:
        _write_texts(file, original)
        return
    # A lone surrogate can only stand inside a JSON string, where its escape means the same.
    write_bytes(data if original == text else original.encode("utf-8", "backslashreplace"))


def _write_texts(file: str, joined: str) -> None:
    """
    Raises:
        CommandError: the text stands for no others.
    """
    from terse.payload.blocks import NotJoined, split
    from terse.payload.exact import dump

    try:
        write_bytes(dump(list(split(joined))).encode() + b"\n")
    except NotJoined as reason:
        fail(f"{shown(file)} stands for no other texts: {reason}")


COMMAND = Command(
    name="expand",
    sentence="Turn a text that terse emitted back into what the tool had sent.",
    run=expand,
    example="terse expand emitted.txt",
    example_does="what the tool had sent",
    notes=(
        "A text that is no form of terse comes back as it is.",
        "Exit codes: 0 done; 2 the text cannot be read.",
    ),
)
