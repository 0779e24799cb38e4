"""A stdio server as the bridge sees it: lines in, lines out, and its end."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

LONGEST_LINE = 256 * 1024 * 1024
END_SECONDS = 5.0

Message = dict[str, Any]


class Child:
    """One running server.

    Args:
        received: called with each message that is a JSON object, and its bytes; other lines are dropped, as
            an HTTP client could not be shown them.
        ended: called once, when the server's output ends.
    """

    def __init__(self, received: Callable[[Message, bytes], None], ended: Callable[[], None]) -> None:
        self._received = received
        self._ended = ended
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None

    async def start(self, command: Sequence[str]) -> None:
        self._process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LONGEST_LINE,
            start_new_session=True,
        )
        self._reading = asyncio.create_task(self._read())

    async def send(self, message: bytes) -> None:
        """Write one message, which must be one line without its end."""
        assert self._process is not None
        assert self._process.stdin is not None
        # The end of a server that is gone shows on its output.
        with suppress(ConnectionError):
            self._process.stdin.write(message + b"\n")
            await self._process.stdin.drain()

    async def stop(self) -> None:
        """End it as clients do: close its input, wait, kill its whole group."""
        process = self._process
        if process is None:
            return
        assert process.stdin is not None
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), END_SECONDS)
        except TimeoutError:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()

    async def _read(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if isinstance(message, dict):
                self._received(message, line.strip())
        self._ended()
