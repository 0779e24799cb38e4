"""Redacting a file of captured calls anew: with more rules than it was written with."""

from __future__ import annotations

import json
import os
from contextlib import suppress

from terse.capture.recorded import Notes, lines_of, numbered_calls
from terse.capture.redaction import Redactor, Rules


def redact_file(path: str, name: str, rules: Rules, notes: Notes, *, keeps_arguments: bool) -> int:
    """Redact the calls of a file, and put the result in its place at once. Returns how many there are.

    Args:
        name: of the file, for notes.
        notes: gets a sentence for each line that is no call, and is not in the file any more.

    Raises:
        OSError: it cannot be read or written; it is as it was then.
    """
    new = f"{path}.{os.getpid()}.new"
    with suppress(FileNotFoundError):
        os.unlink(new)
    redactors: dict[str, Redactor] = {}
    count = 0
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with open(descriptor, "wb") as file:
            for _, call in numbered_calls(name, lines_of(path), notes):
                redact = redactors.setdefault(call.session, Redactor(rules))
                members = (
                    ("session", call.session),
                    ("at", json.dumps(call.at)),
                    ("server", json.dumps(call.server)),
                    ("client", json.dumps(call.client)),
                    ("tool", json.dumps(call.tool)),
                    ("arguments", redact.document(call.arguments) if keeps_arguments else "null"),
                    ("result", redact.document(call.result)),
                )
                line = "{" + ",".join(f'"{key}":{value}' for key, value in members) + "}\n"
                file.write(line.encode())
                count += 1
        os.replace(new, path)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(new)
        raise
    return count
