"""Samples: results as files, where the rules find them by place: `samples/SERVER/TOOL/NAME.json`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import PurePosixPath

from terse.payload.call import Call
from terse.payload.exact import dump
from terse.payload.payload import Payload
from terse.payload.sample import SAMPLES_FOLDER

LONGEST_NAME = 48
_ODD = re.compile(r"[^A-Za-z0-9._]+")
_PLAIN = re.compile(r"[A-Za-z0-9._]+")
_FOLDER = re.compile(r"[^/\\\0]{1,128}")


class NoPlace(ValueError):  # noqa: N818 — says what there is not
    """The name of a server or tool cannot be a folder's. The message says so, in one line."""


def place(server: str, tool: str) -> PurePosixPath:
    """The folder of a tool's samples, relative to the policy's.

    Raises:
        NoPlace: a name is empty, `.`, `..`, too long, has a slash, or does not print.
    """
    for name in (server, tool):
        if not _FOLDER.fullmatch(name) or name in (".", "..") or not name.isprintable():
            raise NoPlace(f"{name!r} cannot be the name of a folder: save its results by hand")
    return PurePosixPath(SAMPLES_FOLDER, server, tool)


def name_of(call: Call) -> str:
    """A file's name from the arguments: `state-open`, `result` where there are none.

    Equal calls have equal names; where a name leaves something out, a digest tells calls apart.
    """
    if not call.arguments:
        return "result"
    members = sorted(call.arguments.items())
    words = [
        word for key, value in members for word in (key, value if isinstance(value, str) else _text(value))
    ]
    joined = "-".join(words)
    if len(joined) <= LONGEST_NAME and all(map(_PLAIN.fullmatch, words)) and not joined.startswith("."):
        return joined
    name = _ODD.sub("-", joined).strip("-.")[:LONGEST_NAME].rstrip("-.")
    return (
        f"{name or 'result'}-{sha256(_text(dict(members)).encode('utf-8', 'surrogatepass')).hexdigest()[:6]}"
    )


def _text(value: object) -> str:
    # Arguments are exact JSON: the types of a call say no more than `object`.
    return dump(value)  # type: ignore[arg-type]


def files(call: Call, texts: tuple[str, ...], is_error: bool) -> Iterator[tuple[PurePosixPath, str]]:
    """The files of a result: each text as received; an error result whole, so that it is known as one.

    Raises:
        NoPlace: the server or tool cannot be a folder.
    """
    folder, name = place(call.server, call.tool), name_of(call)
    if is_error:
        blocks = [{"type": "text", "text": text} for text in texts]
        result = json.dumps({"content": blocks, "isError": True}, indent=2, ensure_ascii=False)
        yield folder / f"{name}-error.json", result + "\n"
        return
    for number, text in enumerate(texts, 1):
        suffix = ".txt" if Payload.of(text).json is None else ".json"
        yield folder / f"{name}{f'-{number}' if len(texts) > 1 else ''}{suffix}", text
