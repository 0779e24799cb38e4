"""What a release is made of: the sdist has the sources, the wheel all that is read, and it runs alone."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
Installed = Callable[..., "subprocess.CompletedProcess[str]"]


def _files(folder: Path) -> set[str]:
    """The files below a folder, but for what Python and the tools leave there."""
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and not {"__pycache__", "node_modules"} & set(path.parts)
    }


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel in a new environment, without the network: `installed("check", …)`, in an empty folder."""
    place = tmp_path_factory.mktemp("environment")
    venv.create(place / "venv", symlinks=os.name == "posix")
    python = place / "venv" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-index", "--no-deps", wheel]
    done = subprocess.run(pip, capture_output=True, text=True, timeout=300, check=False)
    if "No module named pip" in done.stderr:
        pytest.skip("this Python has no pip")
    assert done.returncode == 0, done.stderr

    # Dependencies are those of this environment. A path in a .pth file is searched after the environment's
    # own folder, and the .pth files in it are not read: an editable terse is not found that way.
    (site,) = (place / "venv" / "lib").glob("python*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    work = place / "work"
    work.mkdir()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}

    def run(*arguments: str, code: str = "") -> subprocess.CompletedProcess[str]:
        command = [str(python), "-c", code] if code else [str(python.with_name("terse")), *arguments]
        return subprocess.run(
            command, cwd=work, capture_output=True, text=True, timeout=120, env=environment, check=False
        )

    return run


def test_the_sdist_has_the_sources(sdist: Path) -> None:
    """All that the tests, the documentation and the build need; nothing that a build or a tool left."""
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for folder in ("terse", "grammar", "policies", "docs", "demo", "deploy", "changelog.d"):
        assert {f"{folder}/{name}" for name in _files(ROOT / folder)} <= names
    assert {"README.md", "SECURITY.md", "LICENSE", "Makefile", "pyproject.toml", "tests/conftest.py"} <= names
    assert [name for name in names if "__pycache__" in name or ".venv" in name] == []


def test_the_wheel_has_all_that_the_program_reads(wheel: Path) -> None:
    """Each file of the package, grammar, policies with their samples, the manual, licences; no tests."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    own = {name for name in names if name.startswith("terse/")}
    expected = {f"terse/{name}" for name in _files(ROOT / "terse")}
    expected |= {f"terse/policies/{name}" for name in _files(ROOT / "policies")}
    assert own == expected | {"terse/language/terse.lark"}
    (manual,) = {name for name in names if name.endswith(".data/data/share/man/man1/terse.1")}
    (folder,) = {name.partition("/")[0] for name in names - own - {manual}}
    assert {f"{folder}/licenses/LICENSE", f"{folder}/licenses/terse/tokens/NOTICE"} <= names


def test_the_installed_program_is_the_wheels(installed: Installed) -> None:
    """Not the working folder's: what is tested below is what was installed."""
    done = installed(code="import terse; print(terse.__file__)")
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).parent.parent.name == "site-packages"
    assert ROOT not in Path(done.stdout.strip()).parents


@pytest.mark.parametrize(
    "arguments",
    [("--version",), ("proxy", "--help"), ("serve", "--help"), ("explain", "--help"), ("stats", "--help")],
    ids=" ".join,
)
def test_an_installed_command_runs(installed: Installed, arguments: tuple[str, ...]) -> None:
    """It says something on stdout, without a traceback."""
    done = installed(*arguments)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_the_shipped_policies_are_checked_and_explained(installed: Installed) -> None:
    """Grammar, policies, samples, default plan, token packs and the page's parts are all in the wheel."""
    found = installed(code="import terse, pathlib; print(pathlib.Path(terse.__file__).parent / 'policies')")
    policies = Path(found.stdout.strip())
    checked = installed("check", str(policies), "--fail-on", "warning")
    assert checked.returncode == 0, checked.stdout + checked.stderr

    sample = policies / "samples" / "atlassian" / "jira_search" / "board.json"
    explained = installed("explain", str(sample))
    assert explained.returncode == 0, explained.stderr
    assert "tokens" in explained.stdout
    page = installed("explain", str(sample), "--html")
    assert page.returncode == 0, page.stderr
    assert page.stdout.startswith("<!doctype html>")
