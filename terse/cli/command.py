"""What a command is: one file each, collected in `terse.cli.main.COMMANDS`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """One command.

    Attributes:
        name: what follows `terse`; also the name of its file.
        sentence: what it does; `--help` and `docs/commands.md` print it.
        run: the function whose parameters are the command's arguments and options.
        example: a command line as a newcomer would type it; `--help` prints it and a test runs it.
        example_does: what that line shows, in a few words.
        notes: a few lines for `terse NAME --help`.
        passes_arguments: the command reads its arguments itself (`terse proxy -- COMMAND…`).
    """

    name: str
    sentence: str
    run: Callable[..., None]
    example: str
    example_does: str
    notes: tuple[str, ...] = ()
    passes_arguments: bool = False
