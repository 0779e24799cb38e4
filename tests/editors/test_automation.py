"""The pre-commit hooks and the GitHub Action run commands that exist, and fail when they should."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.editors.conftest import BASE, TEAM

ROOT = Path(__file__).parent.parent.parent
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"] if "name" in step}

# How each step goes on a policy with a fault: what it runs on, and what it then prints.
FAULTS = {
    "terse check": ("  use records", "  use recrods", "T301"),
    "terse fmt": ("  use records", "  use   records", ""),
    "terse test": ("  expect rule issue-lists", "  expect rule everything", ""),
}


@pytest.fixture
def repository(workspace: Path) -> Path:
    """A clone with a policy in it, committed."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed here, and hooks and the Action work on clones")
    (workspace / "policies").mkdir()
    for name in ("base.terse", "team.terse", "tools.lock", "samples"):
        shutil.move(str(workspace / name), str(workspace / "policies" / name))
    for command in (
        ("init", "--quiet"),
        ("add", "."),
        ("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "-m", "rules"),
    ):
        subprocess.run(["git", *command], cwd=workspace, check=True)
    assert BASE
    return workspace


def environment(repository: Path) -> dict[str, str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "GITHUB_STEP_SUMMARY": str(repository / "summary.md")}


def step(repository: Path, name: str, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run a step as GitHub does: its inputs as the environment that it names."""
    defaults = {key: str(about.get("default", "")) for key, about in ACTION["inputs"].items()}
    values = {**defaults, **inputs}
    given = {
        key: re.sub(r"\$\{\{ inputs\.([a-z-]+) \}\}", lambda found: values[found[1]], value)
        for key, value in STEPS[name].get("env", {}).items()
    }
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS[name]["run"]],
        cwd=repository,
        env={**environment(repository), **given},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def edit(repository: Path, old: str, new: str) -> None:
    (repository / "policies" / "team.terse").write_text(TEAM.replace(old, new, 1), encoding="utf-8")


def test_the_action_is_composite_and_takes_nothing_from_outside_into_its_scripts() -> None:
    """Inputs reach a script through the environment: a branch name cannot become a command."""
    assert ACTION["runs"]["using"] == "composite"
    for each in STEPS.values():
        assert "${{" not in each["run"]
        assert each["shell"] == "bash"
    used = set(re.findall(r"inputs\.([a-z-]+)", (ROOT / "action.yml").read_text(encoding="utf-8")))
    assert used == set(ACTION["inputs"])


@pytest.mark.parametrize("name", FAULTS)
def test_a_step_passes_and_fails(repository: Path, name: str) -> None:
    """On a policy in order the step passes; on one with a fault it fails and names it."""
    done = step(repository, name)
    assert done.returncode == 0, done.stdout + done.stderr

    old, new, said = FAULTS[name]
    edit(repository, old, new)
    done = step(repository, name)
    assert done.returncode == 1, done.stdout + done.stderr
    assert said in done.stdout


def test_a_new_loss_is_shown_to_the_reviewer(repository: Path) -> None:
    """The comparison with the base lands in the job's summary, and a new loss does not fail the job."""
    edit(repository, "  keep issues.title", "  keep issues.title\n  remove issues.state")
    base = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=repository, capture_output=True, text=True, check=True
    ).stdout.strip()

    done = step(repository, "terse diff", base=base)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "issues.state" in (repository / "summary.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_a_hook_takes_the_files_of_a_commit(repository: Path, hook: dict[str, Any]) -> None:
    """Each hook is for rule files, and its command takes them as arguments."""
    assert re.search(hook["files"], "policies/team.terse")
    assert not re.search(hook["files"], "policies/tools.lock")

    done = subprocess.run(
        [*shlex.split(hook["entry"]), "policies/base.terse", "policies/team.terse"],
        cwd=repository,
        env=environment(repository),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_a_base_that_is_not_there_fails(repository: Path) -> None:
    """With nothing to compare with, the step does not pass as if nothing had changed."""
    assert step(repository, "terse diff", base="0" * 40).returncode != 0
