"""What every command does the same way: exit codes, writing to stdout, one-line failures."""

from __future__ import annotations

import errno
import os
import sys

# Type checkers know the name; importing `typing` for it would delay the start of servers.
TYPE_CHECKING = False
if TYPE_CHECKING:
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

_LONGEST_COMPLAINT = 4_000


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


def complain(message: str, code: int = UNUSABLE, *, may_have_lines: bool = False) -> int:
    """Say on stderr why nothing is done; returns the exit code.

    Args:
        may_have_lines: line ends are the message's own; otherwise it becomes one line.
    """
    if sys.stderr is None:
        # Descriptor 2 may be any file by now, and `print` would take stdout, which is for the product.
        return code
    if len(message) > _LONGEST_COMPLAINT:
        # An argument as long as a file is not repeated.
        message = f"{message[: _LONGEST_COMPLAINT // 2]} … {message[-_LONGEST_COMPLAINT // 4 :]}"
    from terse.hidden import visible

    # What a rule file or a server wrote must not command a terminal.
    safe = visible(message, "\n" if may_have_lines else "")
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    try:
        sys.stderr.flush()
        os.write(2, f"terse: {safe}\n".encode(encoding, "backslashreplace"))
    except OSError:
        # Nobody is there to be told.
        pass
    return code


def failed(error: Exception) -> int:
    """The exit code of a command that ended with this, which is told in one line.

    Raises:
        Exception: `error` itself, where TERSE_TRACEBACK asks for it.
    """
    if isinstance(error, CommandError):
        return complain(error.message, error.code, may_have_lines=True) if error.message else error.code
    if isinstance(error, BrokenPipeError):
        quiet_stdout()
        return PIPE_CLOSED
    if os.environ.get("TERSE_TRACEBACK"):
        raise error
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        # Help texts are written by typer itself.
        quiet_stdout()
        return complain(f"cannot write: {error.strerror}")
    reason = f"{type(error).__name__}: {error}".splitlines()[0]
    return complain(f"a fault of terse itself, please report it: {reason} (TERSE_TRACEBACK=1 shows where)")


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
