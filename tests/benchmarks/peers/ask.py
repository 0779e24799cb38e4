"""A driver at work: requests in, answers out, each within a time limit; and what an answer is worth."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import tempfile
from enum import StrEnum
from time import monotonic
from types import TracebackType
from typing import Any

from terse.payload.exact import JsonValue, NotExact, dump, parse
from tests.benchmarks.peers.install import Peer, vocabularies

QUIET = {"HEADROOM_TELEMETRY": "off", "HEADROOM_OFFLINE": "1", "NO_COLOR": "1"}
"""Peers neither report anything nor wait for the network."""


class Failed(Exception):  # noqa: N818 — says what a peer did not do
    """A peer did not answer, or said why it cannot. One line."""


class Driver:
    """A running driver. A context manager: leaving it ends the process."""

    def __init__(self, peer: Peer) -> None:
        """
        Raises:
            NotInstalled: it cannot be installed.
        """
        command = peer.command()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 — closed by __exit__
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=tempfile.gettempdir(),
            env=_environment(peer),
        )
        self._buffer = b""

    def __enter__(self) -> Driver:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        self._errors.close()

    def ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """The answer to a request.

        Raises:
            Failed: none came within so many seconds, or it was an error.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise Failed(self._last_words()) from None
        answer: dict[str, Any] = json.loads(self._line(seconds))
        if "error" in answer:
            raise Failed(answer["error"])
        return answer

    def _line(self, seconds: float) -> bytes:
        assert self._process.stdout is not None
        until = monotonic() + seconds
        with selectors.DefaultSelector() as ready:
            ready.register(self._process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._buffer:
                if not ready.select(max(0.0, until - monotonic())):
                    raise Failed(f"no answer within {seconds:g} s")
                part = os.read(self._process.stdout.fileno(), 1 << 20)
                if not part:
                    raise Failed(self._last_words())
                self._buffer += part
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def _last_words(self) -> str:
        self._errors.seek(0)
        said = [line for line in self._errors.read().decode("utf-8", "replace").splitlines() if line.strip()]
        return f"it ended: {said[-1] if said else 'without a word'}"


def _environment(peer: Peer) -> dict[str, str]:
    made = {**os.environ, **QUIET, "TIKTOKEN_CACHE_DIR": str(vocabularies())}
    if peer.requirement:
        # A path of ours would bring our `terse` in before the peer of that name.
        made.pop("PYTHONPATH", None)
    return made


class Back(StrEnum):
    """What a peer's decoder gave back."""

    EXACT = "exact"
    """The same document: values, types, number text, order of keys. Of a text: the same characters."""
    EQUAL = "equal"
    """Equal as Python compares: number text or the order of keys may differ."""
    OTHER = "other"
    NONE = "none"
    """It could not decode what it had written, or has no decoder."""


def judged(text: str, back: str | None) -> Back:
    """Compare a result with what a peer gave back."""
    if back is None:
        return Back.NONE
    if back == text:
        return Back.EXACT
    try:
        if dump(parse(back)) == dump(parse(text)):
            return Back.EXACT
    except NotExact:
        pass
    try:
        return Back.EQUAL if _same(json.loads(back), json.loads(text)) else Back.OTHER
    except ValueError:
        return Back.OTHER


def _same(one: JsonValue, other: JsonValue) -> bool:
    return bool(one == other) and _types(one) == _types(other)


def _types(value: Any) -> Any:
    """What `==` does not see: True is 1."""
    if isinstance(value, dict):
        return {key: _types(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_types(item) for item in value]
    return isinstance(value, bool)
