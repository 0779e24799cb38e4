"""A server asked what every client asks: started as a process, with its answers as they came."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

PROTOCOL = "2025-06-18"
MAX_LINE = 64 * 1024 * 1024
MAX_PAGES = 50
_LISTS = {"tools": "tools/list", "prompts": "prompts/list", "resources": "resources/list"}


@dataclass(slots=True)
class Heard:
    """What a server answered.

    Attributes:
        seconds: from its start to the answer to `initialize`.
        answers: the bytes of each answer, by the method that was asked; further pages by `METHOD 2`.
        tools: the definitions of its tools.
        problem: why it was not heard to the end.
    """

    seconds: float = 0.0
    answers: dict[str, bytes] = field(default_factory=dict)
    tools: list[dict[str, Any]] = field(default_factory=list)
    problem: str | None = None


class _Silent(Exception):  # noqa: N818 — says what happened
    """The server does not answer. The message says what happened."""


def ask(command: Sequence[str], environment: Mapping[str, str], cwd: str | None, seconds: float) -> Heard:
    """Start a server, ask for all it lists, call one harmless tool, and end it.

    Args:
        seconds: how long each answer may take.
    """
    heard = Heard()
    with tempfile.TemporaryFile() as errors:
        begin = time.monotonic()
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=dict(environment),
                cwd=cwd,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            heard.problem = f"{command[0]} cannot be started: {getattr(error, 'strerror', None) or error}"
            return heard
        talk = _Talk(process, seconds)
        try:
            _all(talk, heard, begin)
        except _Silent as silent:
            heard.problem = f"{silent}{_last_line(errors)}"
        finally:
            talk.end()
    return heard


def harmless(tools: Sequence[Mapping[str, Any]]) -> str | None:
    """A tool that says of itself that it only reads, and needs no arguments."""
    for tool in tools:
        hints, schema = tool.get("annotations"), tool.get("inputSchema")
        if (
            isinstance(hints, dict)
            and hints.get("readOnlyHint") is True
            and isinstance(schema, dict)
            and not schema.get("required")
            and isinstance(tool.get("name"), str)
        ):
            return str(tool["name"])
    return None


def _all(talk: _Talk, heard: Heard, begin: float) -> None:
    introduction = {
        "protocolVersion": PROTOCOL,
        "capabilities": {},
        "clientInfo": {"name": "terse-doctor", "version": "1"},
    }
    line, result = talk.request("initialize", introduction)
    heard.seconds = time.monotonic() - begin
    heard.answers["initialize"] = line
    talk.notify("notifications/initialized")
    offered = result.get("capabilities")
    for what, method in _LISTS.items():
        if not isinstance(offered, dict) or what not in offered:
            continue
        cursor: object = None
        for page in range(1, MAX_PAGES + 1):
            line, result = talk.request(method, {} if cursor is None else {"cursor": cursor})
            heard.answers[method if page == 1 else f"{method} {page}"] = line
            if what == "tools" and isinstance(result.get("tools"), list):
                heard.tools += [tool for tool in result["tools"] if isinstance(tool, dict)]
            cursor = result.get("nextCursor")
            if cursor is None:
                break
    name = harmless(heard.tools)
    if name is not None:
        heard.answers["tools/call"], _ = talk.request("tools/call", {"name": name, "arguments": {}})


class _Talk:
    def __init__(self, process: subprocess.Popen[bytes], seconds: float) -> None:
        self._process = process
        self._seconds = seconds
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._ids = 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None, "INVARIANT: it was started with a pipe"
        with suppress(OSError, ValueError):
            while line := self._process.stdout.readline(MAX_LINE):
                self._lines.put(line)
        self._lines.put(None)

    def request(self, method: str, params: Mapping[str, Any]) -> tuple[bytes, dict[str, Any]]:
        """The line of the answer, and its result; an empty one for an error.

        Raises:
            _Silent: there is none.
        """
        self._ids += 1
        self._send({"jsonrpc": "2.0", "id": self._ids, "method": method, "params": params})
        until = time.monotonic() + self._seconds
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                raise _Silent(f"no answer to {method} in {self._seconds:g} s") from None
            if line is None:
                raise _Silent(f"it ended before it answered {method}")
            try:
                message = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if not isinstance(message, dict):
                continue
            if "method" in message and "id" in message:
                self._send(
                    {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "not here"}}
                )
            elif message.get("id") == self._ids and "method" not in message:
                result = message.get("result")
                return line, result if isinstance(result, dict) else {}

    def notify(self, method: str) -> None:
        self._send({"jsonrpc": "2.0", "method": method})

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None, "INVARIANT: it was started with a pipe"
        with suppress(OSError):
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()

    def end(self) -> None:
        """End the process and all that it started."""
        assert self._process.stdin is not None, "INVARIANT: it was started with a pipe"
        with suppress(OSError):
            self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(3)
        with suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


def _last_line(errors: Any) -> str:
    """What the server wrote to stderr last: most often, why it ended."""
    errors.seek(0, os.SEEK_END)
    errors.seek(max(0, errors.tell() - 2000))
    lines = errors.read().decode("utf-8", "replace").strip().splitlines()
    return f": {lines[-1].strip()[:200]}" if lines else ""
