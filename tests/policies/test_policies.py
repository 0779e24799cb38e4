"""The shipped policies: each compiles alone, all do together, and every line is tested on its samples."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from terse.cli import main as cli
from terse.diagnostic import Severity
from terse.language import check
from terse.listing.choice import treatment

ROOT = Path(__file__).parent.parent.parent
POLICIES = ROOT / "policies"
FILES = sorted(path.relative_to(ROOT).as_posix() for path in POLICIES.rglob("*.terse"))
LARGEST = 60_000


@pytest.fixture(autouse=True)
def in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths in rule files and samples are relative to where a command runs."""
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("path", ["policies", *FILES])
def test_it_compiles_without_a_finding(path: str) -> None:
    """The folder as one policy, and each file with what it imports: no error and no warning."""
    checked = check([path])

    found = [d for d in checked.diagnostics if d.severity > Severity.NOTE]
    assert [f"{d.primary.span.place} {d.code.code} {d.message}" for d in found] == []
    assert checked.plan is not None


def test_it_has_one_style() -> None:
    """`terse fmt` would change nothing."""
    assert cli.run(["fmt", "--check", "policies"]) == 0


def test_every_line_is_covered_by_a_test(capsys: pytest.CaptureFixture[str]) -> None:
    """Every inline test passes, and together they cover every rule, `when` line and field line."""
    assert cli.run(["test", "policies", "--coverage", "--at-least", "100"]) == 0, capsys.readouterr().out


def test_the_files_that_people_start_from_are_there() -> None:
    """One for each kind of server that the guide names."""
    names = {Path(path).name for path in FILES}

    assert names == {
        *("default.terse", "base.terse", "github.terse", "jira.terse", "kubernetes.terse"),
        *("databases.terse", "browser.terse", "logs.terse", "filesystem.terse"),
    }


def test_a_loss_has_a_reason() -> None:
    """Every rule that can lose something says why: a reviewer has nothing else to judge it by."""
    plan = check(["policies"]).plan
    assert plan is not None

    assert [rule.name for rule in plan.rules if rule.guarantee == "lossy" and not rule.because] == []


def test_samples_are_small() -> None:
    """A sample is read in reviews, and every test reads it: none is over 60 kB."""
    sizes = {path: path.stat().st_size for path in (POLICIES / "samples").rglob("*") if path.is_file()}

    assert {path.name: size for path, size in sizes.items() if size > LARGEST} == {}


def test_samples_lie_under_a_tool_of_the_lock() -> None:
    """Each sample is the answer of a tool that tools.lock knows."""
    servers = json.loads((POLICIES / "tools.lock").read_text(encoding="utf-8"))["servers"]
    known = {(server, tool["name"]) for server, listed in servers.items() for tool in listed["tools"]}
    places = {
        tuple(path.relative_to(POLICIES / "samples").parts[:2])
        for path in (POLICIES / "samples").glob("*/*/*")
    }

    assert places <= known


def test_samples_are_what_the_script_makes() -> None:
    """The samples and the lock are made by `make_samples.py` from this repository, and edited by nobody."""
    spec = importlib.util.find_spec("subprocess")
    assert spec is not None
    done = subprocess.run(
        [sys.executable, str(POLICIES / "make_samples.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    if done.returncode == 2 and "cannot be made here" in done.stderr:
        pytest.skip(f"this clone has no history: {done.stderr.strip()}")

    assert done.returncode == 0, f"run python policies/make_samples.py\n{done.stdout}{done.stderr}"


def test_the_lists_of_tools_lose_nothing() -> None:
    """Where a shipped policy speaks of tools, each is there still, under its name, in place, and at `low`."""
    plan = check(["policies"]).plan
    assert plan is not None
    servers = json.loads((POLICIES / "tools.lock").read_text(encoding="utf-8"))["servers"]
    spoken_of = set()
    for server, listed in servers.items():
        for tool in listed["tools"]:
            treated = treatment(plan.tools, server, tool["name"])
            if treated is not None:
                spoken_of.add(server)
                assert (treated.level, treated.presentation, treated.name) == (
                    "low",
                    "in place",
                    tool["name"],
                )
                assert treated.hidden_by is None

    assert spoken_of == {"github"}
