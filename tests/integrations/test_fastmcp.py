"""The middleware in the real FastMCP, which has an environment of its own: its dependencies are not ours."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from terse.tiers.expand import expand

ROOT = Path(__file__).parent.parent.parent
PYTHON = os.environ.get("FASTMCP_PYTHON", "")
ROWS = [{"id": number, "state": "open", "title": f"Issue {number}"} for number in range(60)]


@pytest.mark.skipif(not PYTHON, reason="FASTMCP_PYTHON names no Python with fastmcp and terse's dependencies")
@pytest.mark.parametrize("way", ["direct", "proxied"])
def test_a_client_of_the_server_gets_smaller_results(way: str) -> None:
    """Texts are smaller and expand to what the tool gave; meta, structured content and errors stay."""
    done = subprocess.run(
        [PYTHON, Path(__file__).with_name("serve_fastmcp.py")],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)[way]

    for text in (answer["plain"], answer["structured_text"]):
        assert len(text) < len(json.dumps(ROWS)) / 2
        assert json.loads(expand(text)) == ROWS
    assert answer["meta"] == 1
    assert answer["structured"] == {"result": ROWS}
    assert answer["failed"][0] is True
    assert "no such issue" in answer["failed"][1]
