"""docs/json.md and what commands really print: every field is on the page, and no other is."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from terse.cli.main import COMMANDS
from terse.guarantee import Guarantee
from terse.ledger.writer import Ledger
from terse.report import fluent_json
from terse.report.fluent import Answer, Arm, Asked, Fluency
from tests.cli.test_help import FOR_PEOPLE
from tests.docs.test_json_page import OUTPUTS, PAGE
from tests.ledger.notes import record

ELSEWHERE = {"explain": "docs/explain-json.md and its schema", "cli": "the result of a tool, as MCP has it"}
RUN = {
    "check": ("check", "broken.terse", "--output", "json"),
    "test": ("test", "rules.terse", "--coverage", "--output", "json"),
    "diff": ("diff", "old", "--rules", "rules.terse", "--output", "json"),
    "bench": ("bench", "samples", "--runs", "0", "--against", "peers.tsv", "--output", "json"),
    "replay": ("replay", "calls.jsonl", "--rules", "rules.terse", "--output", "json"),
    "status": ("status", "--json"),
    "doctor": ("doctor", "one", "--json"),
    "stats": ("stats", "--since", "all", "--json"),
    "show": ("show", "s/t", "--rules", "rules.terse", "--json"),
    "tools": ("tools", "tools.json", "--json"),
    "capture": ("capture", "status", "--json"),
}
BY_NAME = {
    *("losing_lines", "tiers", "bounds", "faults", "fetched_by", "classes", "packages"),
    *("unchanged", "unchanged_tokens", "arms", "answers", "differences"),
}
"""Fields that hold a figure for each name: the names are not the page's."""
RULES = """terse 1

rule one {
  on s/t
  remove rows.url
  use compact
  because "nobody opens it"
}

test "urls go" {
  call s/t
  given "samples/s/t/a.json"
  expect lossless
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rules, samples, a capture, a ledger, a list of tools, and a client's configuration."""
    folder = tmp_path_factory.mktemp("outputs")
    rows = {"rows": [{"id": number, "url": f"https://x.example/{number}"} for number in range(60)]}
    sample = folder / "samples" / "s" / "t" / "a.json"
    sample.parent.mkdir(parents=True)
    sample.write_text(json.dumps(rows))
    (folder / "peers.tsv").write_text("file\tcsv\ns/t/a.json\t900\n")
    (folder / "rules.terse").write_text(RULES)
    (folder / "old").mkdir()
    (folder / "old" / "rules.terse").write_text("terse 1\n\nrule one {\n  on s/t\n  use compact\n}\n")
    (folder / "broken.terse").write_text("terse 1\n\nrule a {\n  on s/t\n}\n\nrule a {\n  on s/u\n}\n")
    result = {"content": [{"type": "text", "text": json.dumps(rows)}]}
    call = {"session": "1", "server": "s", "tool": "t", "arguments": {}, "result": result}
    (folder / "calls.jsonl").write_text(f"{json.dumps(call)}\n{json.dumps(call)}\n")
    (folder / "tools.json").write_text(
        json.dumps({"tools": [{"name": "t", "inputSchema": {"type": "object"}}]})
    )
    cursor = folder / ".cursor" / "mcp.json"
    cursor.parent.mkdir()
    wrapped = {"command": "terse", "args": ["proxy", "--server-name", "two", "--", "false"]}
    cursor.write_text(json.dumps({"mcpServers": {"one": {"command": "false"}, "two": wrapped}}))
    (folder / ".vscode").mkdir()
    (folder / ".vscode" / "mcp.json").write_text("{")
    noting = Ledger(folder / "ledger.sqlite", print)
    for _ in range(20):
        noting.observe(
            record(guarantee=Guarantee.LOSSY, lines=("remove x",), faults=("step",), aside_values=1)
        )
    noting.observe(record(what="retrieve", tokens_in=0, retrieved="value", is_first=True))
    noting.close(30.0)
    return folder


def printed(name: str, folder: Path) -> Any:
    """The document of a command."""
    if name == "fluency":
        answers = {arm: Answer("1", True) for arm in Arm}
        asked = [Asked("a.json", "count", "How many?", "1", answers)]
        facts = Fluency(
            "m", "e", "p", 1, 2, 1, asked, lambda right, of: (0.0, 1.0), lambda one, two: (0.0, 0.0)
        )
        return json.loads(fluent_json.render(facts))
    if name not in RUN:
        return json.loads(OUTPUTS[name])
    home = {"HOME": str(folder), "XDG_CONFIG_HOME": "", "XDG_STATE_HOME": ""}
    done = subprocess.run(
        [sys.executable, "-m", "terse", *RUN[name]],
        cwd=folder,
        env={**os.environ, **home, "TERSE_LEDGER": str(folder / "ledger.sqlite")},
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr.decode()
    return json.loads(done.stdout)


def paths(value: Any, at: str = "") -> Iterator[str]:
    """Where each field is: `servers.tools.name`, whatever the lists on the way."""
    if isinstance(value, dict):
        for name, member in value.items():
            path = f"{at}.{name}" if at else name
            yield path
            if name not in BY_NAME:
                yield from paths(member, path)
            else:
                for each in member.values() if isinstance(member, dict) else ():
                    yield from paths(each, path)
    elif isinstance(value, list):
        for item in value:
            yield from paths(item, at)


NAMES = [command.name for command in COMMANDS if command.name not in {*FOR_PEOPLE, *ELSEWHERE}]


@pytest.mark.parametrize("name", NAMES)
def test_a_document_is_what_the_page_says(name: str, folder: Path) -> None:
    """Each field is named in the section of its command; what the table's first column names is there."""
    document = printed(name, folder)
    found = set(paths(document))
    section = PAGE.partition(f"\n## `terse {name} ")[2].partition("\n## ")[0]
    named = {part for word in re.findall(r"`([a-z0-9_.]+)`", section) for part in word.split(".")}
    first = re.findall(r"^\|([^|]*)\|", section, re.MULTILINE)
    columns = {word for cell in first for word in re.findall(r"`([^`]+)`", cell)}

    # The version is said of all documents at once, but for the oldest of them.
    assert document.get("format", document.get("version")) == 1
    assert {part for path in found for part in path.split(".")} - named <= {"format"}
    lost = {word for word in columns if not any(f".{path}".endswith(f".{word}") for path in found)}
    assert lost == set()
