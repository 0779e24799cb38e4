"""The threads that start servers and end them, beside the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

CLOSERS = 32
"""Each end of a server may take half a second, and a service that stops has hundreds to end."""

_Argument = TypeVar("_Argument")


class Threads:
    """Where what waits is done."""

    def __init__(self) -> None:
        # One, which lives as long as the process: the servers are its children (see `Child.spawn`).
        self._starter = ThreadPoolExecutor(1, "starter")
        self._closers = ThreadPoolExecutor(CLOSERS, "closer")

    async def start(self, open_it: Callable[[_Argument], None], argument: _Argument) -> None:
        """Start something, after all that is being started.

        Raises:
            OSError: it cannot be started.
        """
        await asyncio.get_running_loop().run_in_executor(self._starter, open_it, argument)

    def end(self, close: Callable[[], None]) -> None:
        """End something, some time soon."""
        self._closers.submit(close)

    async def finish(self) -> None:
        """Wait until all is ended."""
        await asyncio.get_running_loop().run_in_executor(None, self._closers.shutdown)
        self._starter.shutdown(wait=False)
