"""A folder of saved results, wherever they come from: which server and tool each is of, by its place."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from terse.payload.call import Call
from terse.payload.sample import YAML, Sample, stands_for_json

MAX_FILES = 200
MAX_BYTES = 500_000
"""A larger file is left out: a sample is read by people and run by every test."""

_NOT_RESULTS = (".terse", ".lock")


@dataclass(frozen=True, slots=True)
class Saved:
    """A saved result: the call that its place names, its file's name, and its text."""

    call: Call
    name: str
    text: str


def saved_results(folder: str, server: str | None, notes: list[str]) -> Iterator[Saved]:
    """The results below a folder, sorted by path.

    `SERVER/TOOL/x.json` names server and tool, `TOOL/x.json` and `TOOL.json` the tool alone: the server is
    then `server`, or else called like the folder.

    Args:
        notes: gets a sentence for each file that is left out.

    Raises:
        OSError: the folder cannot be read.
    """
    top = Path(folder).absolute()
    named = server or top.name or "server"
    paths = sorted(_files(folder))
    for path in paths[:MAX_FILES]:
        parts = Path(os.path.relpath(path, folder)).parts
        call = Call(parts[-3], parts[-2]) if len(parts) > 2 else Call(named, Path(parts[0]).stem)
        text = _text(path, notes)
        if text is not None:
            name = parts[-1]
            if name.endswith(YAML) and not stands_for_json(os.path.abspath(path)):
                # A tool's own YAML: among samples its name would make it stand for JSON.
                name += ".txt"
            yield Saved(call, name, text)
    if len(paths) > MAX_FILES:
        notes.append(f"{len(paths) - MAX_FILES:,} files are left out: {MAX_FILES} are enough to begin with")


def _files(folder: str) -> Iterator[str]:
    # os.walk would take an unreadable folder for an empty one.
    os.listdir(folder)
    for here, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if not name.startswith(".") and not name.endswith(_NOT_RESULTS):
                yield os.path.join(here, name)


def _text(path: str, notes: list[str]) -> str | None:
    try:
        if not os.path.basename(path).isprintable():
            why = "its name does not print"
        elif not os.path.isfile(path):
            why = "it is no regular file"
        elif os.path.getsize(path) > MAX_BYTES:
            why = f"it has more than {MAX_BYTES:,} bytes"
        else:
            data = Path(path).read_bytes()
            if data and b"\0" not in data:
                text = data.decode("utf-8-sig")
                Sample.saved(text, os.path.abspath(path))
                return text
            why = "it is binary" if data else "it is empty"
    except UnicodeDecodeError:
        why = "it is not UTF-8"
    except ValueError as error:
        why = str(error)
    except OSError as error:
        why = error.strerror or "it cannot be read"
    notes.append(f"{path} is left out: {why}")
    return None
