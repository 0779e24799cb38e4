"""Reading what a command is given: one-line errors that say which file and what is wrong with it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from terse.cli.console import fail
from terse.hidden import visible

STDIN = "-"
MAX_BYTES = 256 * 1024 * 1024
"""No tool result is near it; a mistaken argument (a disk image, a database) is, and would fill the memory."""


def read_bytes(path: str) -> bytes:
    """The bytes of a file, or of stdin for `-`.

    Raises:
        CommandError: there is no such file, it is no file, it cannot be read, or it is over `MAX_BYTES`.
    """
    if path == STDIN:
        data = sys.stdin.buffer.read(MAX_BYTES + 1) if sys.stdin else b""
    else:
        data = _read_file(path)
    if len(data) > MAX_BYTES:
        fail(f"{shown(path)} is over {MAX_BYTES // 2**20} MiB: no tool result is that long")
    return data


def read_text(path: str) -> str:
    """The text of a file, or of stdin for `-`. A byte order mark at the start is the file's, not the text's.

    Raises:
        CommandError: as `read_bytes`; or it is empty, binary, or not UTF-8.
    """
    data = read_bytes(path)
    if not data:
        fail(f"{shown(path)} is empty: there is nothing in it to explain")
    try:
        # A NUL is a character like others in the text of a result, and the proxy takes it as one.
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        what = "binary: not UTF-8" if b"\0" in data else "not UTF-8 text"
        fail(f"{shown(path)} is {what} (byte {error.start}): terse works on text results only")


def replace_file(path: str, text: str) -> None:
    """Write a file at once: a reader sees the old text or the new, and a full disk costs nothing.

    Folders on the way are made. A link stays one: what it points to is written.

    Raises:
        CommandError: it cannot be written.
    """
    try:
        target = Path(path).resolve()
        new = target.with_name(f".{target.name}.{os.getpid()}.new")
        target.parent.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError, RuntimeError) as error:
        fail(f"cannot write {quoted(path)}: {getattr(error, 'strerror', None) or error}")
    try:
        new.write_bytes(text.encode())
        if target.exists():
            new.chmod(target.stat().st_mode & 0o7777)
        os.replace(new, target)
    except (OSError, ValueError) as error:
        new.unlink(missing_ok=True)
        fail(f"cannot write {quoted(path)}: {getattr(error, 'strerror', None) or error}")


def shown(path: str) -> str:
    """How messages name a file: its path as given, with what a terminal must not get escaped."""
    if path == STDIN:
        return "stdin"
    return visible(path)


def quoted(argument: str) -> str:
    """How messages show what an option was given: as `shown`, and between quotes where it is blank."""
    return shown(argument) if argument.strip() else f"'{shown(argument)}'"


def _read_file(path: str) -> bytes:
    if not path:
        fail("the name of the file is empty")
    try:
        if Path(path).is_dir():
            fail(f"{shown(path)} is a folder: name a file in it")
        with open(path, "rb") as file:
            return file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        fail(f"no such file: {quoted(path)}")
    except (OSError, ValueError) as error:
        fail(f"cannot read {quoted(path)}: {getattr(error, 'strerror', None) or error}")
