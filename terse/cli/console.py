"""What every command does the same way: exit codes, writing to stdout, one-line failures."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

OK = 0
"""Done; nothing to complain about."""
FINDINGS = 1
"""Done; the rule files have findings that fail the command."""
UNUSABLE = 2
"""Not done: a wrong argument, a file that cannot be read."""
INTERRUPTED = 130
"""Ctrl-C."""
PIPE_CLOSED = 141
"""The reader of our output went away (`terse … | head`), as shells count it."""


class CommandError(Exception):
    """Ends a command: one line for stderr (none when empty) and an exit code."""

    def __init__(self, message: str, code: int = UNUSABLE) -> None:
        super().__init__(message)
        self.message = message
        self.code = code


def fail(message: str) -> NoReturn:
    """End the command: it cannot be done. `message` is one line: what, where, what to do instead.

    Raises:
        CommandError: always.
    """
    raise CommandError(message)


def write(text: str) -> None:
    """Print text for people: what the terminal cannot show is escaped, never an error.

    Raises:
        CommandError: the reader of a pipe went away.
    """
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    write_bytes(text.encode(encoding, "backslashreplace"))


def write_error(text: str) -> None:
    """Print text for people to stderr, where stdout is for the command's product."""
    if sys.stderr is None:
        return
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    sys.stderr.write(text.encode(encoding, "backslashreplace").decode(encoding))


def complain(message: str, code: int = UNUSABLE) -> int:
    """Say on stderr, in one line, why nothing is done; returns the exit code."""
    line = f"terse: {''.join(char if char.isprintable() else ascii(char)[1:-1] for char in message)}\n"
    os.write(2, line.encode("utf-8", "backslashreplace"))
    return code


def write_bytes(data: bytes) -> None:
    """Write bytes to stdout as they are.

    Raises:
        CommandError: the reader of a pipe went away, the disk is full, or stdout is closed (`>&-`).
    """
    if sys.stdout is None:
        raise CommandError("cannot write to stdout: it is closed")
    try:
        sys.stdout.flush()
        rest = memoryview(data)
        # With PYTHONUNBUFFERED the buffer is the file itself, which may take less than it is given.
        while rest:
            rest = rest[sys.stdout.buffer.write(rest) :]
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        quiet_stdout()
        raise CommandError("", PIPE_CLOSED) from None
    except OSError as error:
        quiet_stdout()
        raise CommandError(f"cannot write to stdout: {error.strerror}") from None


def quiet_stdout() -> None:
    """Point stdout at nothing, so that the interpreter's own last flush has nothing to complain of."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.close(nothing)
