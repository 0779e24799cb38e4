"""A small policy in a folder, as an editor would open it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from terse.editors.positions import Position, position_of
from terse.editors.project import Project
from terse.source import Source

BASE = """\
terse 1

# The floor.
chain records = minify then tabularize

rule everything {
  on */*
  use records
}
"""

TEAM = """\
terse 1

import "base.terse"

profile noise {
  remove every *_url
  because "links can be rebuilt"
}

rule issue-lists {
  on github/list_issues
  when payload has issues
  use records
  apply noise
  keep issues.title
  because "triage reads titles"
}

test "titles stay" {
  call github/list_issues(state: OPEN)
  given "samples/github/list_issues/open.json"
  expect rule issue-lists
}
"""

LOCK = {
    "version": 1,
    "servers": {
        "github": {
            "tools": [
                {
                    "name": "list_issues",
                    "description": "List issues.",
                    "inputSchema": {
                        "type": "object",
                        "properties": {
                            "state": {"type": "string", "enum": ["OPEN", "CLOSED"]},
                            "labels": {"type": "array", "description": "Only with these labels."},
                        },
                    },
                },
                {"name": "get_file_contents", "inputSchema": {"type": "object", "properties": {"path": {}}}},
            ]
        }
    },
}


def issues() -> str:
    """A list of issues, long enough to be worth a table."""
    rows = [
        {
            "number": n,
            "title": f"Issue {n}",
            "html_url": f"https://github.com/o/r/issues/{n}",
            "state": "open",
        }
        for n in range(40)
    ]
    return json.dumps({"issues": rows, "totalCount": 40})


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder with rule files, a tools.lock and a sample."""
    sample = tmp_path / "samples" / "github" / "list_issues" / "open.json"
    sample.parent.mkdir(parents=True)
    sample.write_text(issues(), encoding="utf-8")
    (tmp_path / "base.terse").write_text(BASE, encoding="utf-8")
    (tmp_path / "team.terse").write_text(TEAM, encoding="utf-8")
    (tmp_path / "tools.lock").write_text(json.dumps(LOCK), encoding="utf-8")
    return tmp_path


@pytest.fixture
def project(workspace: Path) -> Project:
    return Project.at(str(workspace))


@pytest.fixture
def write(project: Project) -> Callable[[str], Position]:
    """Open team.terse with a text in which `|` is the cursor; gives the cursor's place."""

    def open_with(text: str) -> Position:
        at = text.index("|")
        text = text.replace("|", "", 1)
        project.buffers.open["team.terse"] = text
        project.forget("team.terse")
        return position_of(Source("team.terse", text), at)

    return open_with
