"""The tests' own home: what SDK clients start writes there, and not into that of whoever runs the tests."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from mcp import Client, StdioServerParameters

from terse.ledger.reader import records
from tests import home
from tests.proxy.test_retrieve import TYPED


def test_a_proxy_behind_an_sdk_client_notes_in_the_tests_home() -> None:
    """The client hands on HOME, and neither TERSE_LEDGER nor anything of XDG."""
    ledger = Path(os.environ["HOME"], ".local", "state", "terse", "ledger.sqlite")

    async def called() -> None:
        command = ["-m", "terse", "proxy", "--server-name", "of-the-home-test", "--", *TYPED]
        parameters = StdioServerParameters(command=sys.executable, args=command)
        async with Client(parameters) as client:
            await client.call_tool("list_issues")

    asyncio.run(called())

    assert os.environ["HOME"] != os.environ[home.REAL]
    assert "of-the-home-test" in {record.server for record in records(ledger, float("-inf"))}
