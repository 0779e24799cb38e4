"""The middleware in the real FastMCP, from its environment."""

from __future__ import annotations

import json

import pytest

from terse.tiers.expand import expand
from tests.integrations.other_python import answers_of, only_with

ROWS = [{"id": number, "state": "open", "title": f"Issue {number}"} for number in range(60)]


@only_with("FASTMCP_PYTHON", "fastmcp")
@pytest.mark.parametrize("way", ["direct", "proxied"])
def test_a_client_of_the_server_gets_smaller_results(way: str) -> None:
    """Texts are smaller and expand to what the tool gave; meta, structured content and errors stay."""
    answer = answers_of("FASTMCP_PYTHON", "run_fastmcp.py")[way]

    for text in (answer["plain"], answer["structured_text"]):
        assert len(text) < len(json.dumps(ROWS)) / 2
        assert json.loads(expand(text)) == ROWS
    assert answer["meta"] == 1
    assert answer["structured"] == {"result": ROWS}
    assert answer["failed"][0] is True
    assert "no such issue" in answer["failed"][1]
