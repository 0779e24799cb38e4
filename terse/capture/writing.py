"""A captured call on its way to its line: redacted, then written."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from hashlib import sha256
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from terse.capture.asked import MAX_RESULT_BYTES, Asked
from terse.capture.folder import Folder
from terse.capture.redaction import NAMES, Redactor, Rules

if TYPE_CHECKING:
    from terse.capture.recorder import Sent


class _Session:
    """One session, as lines tell of it."""

    def __init__(self, rules: Rules, pause: Callable[[], None], name: str | None = None) -> None:
        self.name = secrets.token_hex(8) if name is None else name
        self.redactor = Redactor(rules, pause)


class Writing:
    """Writes calls as they are asked for. For one thread.

    Args:
        pause: called between two stretches of work.

    Raises:
        OSError: the folder cannot be used.
    """

    def __init__(self, asked: Asked, pause: Callable[[], None] = lambda: None) -> None:
        self._asked = asked
        self._rules = Rules((*NAMES, *asked.names), asked.patterns)
        self._pause = pause
        # A pattern of the user's is for what is said: without their names calls are of no use.
        self._names = Redactor(Rules())
        self._folder: Folder | None = None
        self._sessions: WeakKeyDictionary[object, _Session] = WeakKeyDictionary()

    def write(self, sent: Sent) -> str | None:
        """Write a call. Returns why not, in a few words; None where it was written.

        Raises:
            OSError: it cannot be written.
        """
        size = len(sent.answer.message)
        if size > MAX_RESULT_BYTES:
            return f"its result is over {MAX_RESULT_BYTES >> 20} MiB"
        result = sent.answer.whole_result()
        if result is None:
            # A task under way, a question to the user: what is no result is none to replay.
            return None
        if self._folder is None:
            asked = self._asked
            self._folder = Folder(asked.folder, asked.max_bytes, is_ours=asked.is_default_folder)
        line = self._line(sent, result)
        if len(line) > self._folder.longest:
            return f"it is over {self._folder.longest:,} bytes, an eighth of what the folder may take"
        self._folder.write(line)
        return None

    def close(self) -> None:
        """Write no more."""
        if self._folder is not None:
            self._folder.close()

    def _line(self, sent: Sent, result: bytes) -> bytes:
        session = self._session(sent.session)
        redact = session.redactor
        answer = sent.answer
        arguments = answer.arguments.decode() if self._asked.arguments else "null"
        members = (
            ("session", json.dumps(session.name)),
            ("at", f"{sent.at:.3f}"),
            ("server", json.dumps(self._names.text(sent.server))),
            ("client", json.dumps(self._names.text(answer.client or ""))),
            ("tool", json.dumps(self._names.text(answer.tool))),
            ("arguments", redact.document(arguments)),
            ("result", redact.document(result.decode())),
        )
        line = "{" + ",".join(f'"{name}":{value}' for name, value in members) + "}"
        # Line ends between the tokens of a document are space.
        return line.replace("\r", " ").replace("\n", " ").encode() + b"\n"

    def _session(self, key: object | None) -> _Session:
        if key is None:
            return _Session(self._rules, self._pause)
        if isinstance(key, str):
            # Named by the client, which starts a process for each call.
            return _Session(self._rules, self._pause, sha256(key.encode("utf-8", "replace")).hexdigest()[:16])
        found = self._sessions.get(key)
        if found is None:
            found = self._sessions[key] = _Session(self._rules, self._pause)
        return found
