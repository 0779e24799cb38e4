"""What a release is: installed by pip, pipx and uv into nothing, on each Python, it keeps its promises."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from terse.capture.recorded import Notes
from terse.verification.alone import Alone
from terse.verification.results import SAMPLES, given
from tests.packaging.pythons import interpreters, versions

HERE = f"{sys.version_info.major}.{sys.version_info.minor}"


@pytest.fixture(scope="session")
def digest() -> str:
    """Of all that this very tree makes of its own samples."""
    whole = Alone(figures=False)
    for each in given([str(SAMPLES)], Notes()):
        whole.add(each)
    return whole.digest


def ran(command: list[str], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command as on a machine that knows nothing of this tree."""
    outside = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "TERSE_"))}
    return subprocess.run(
        command,
        cwd=folder,
        env={**outside, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def interpreter(version: str) -> str:
    found = interpreters().get(version)
    if found is None:
        pytest.skip(f"no Python {version} on this machine")
    return found


def installed(python: str, package: Path, wheels: str, folder: Path) -> Path:
    """An empty environment of that Python with the package in it, by pip, and by nothing from the network."""
    made = ran([python, "-m", "venv", "--without-pip", "empty"], folder)
    assert made.returncode == 0, made.stderr
    inner = folder / "empty" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(inner), "--disable-pip-version-check", "install"]
    done = ran([*pip, "--no-index", "--find-links", wheels, "--no-compile", str(package)], folder)
    assert done.returncode == 0, done.stderr
    return inner.with_name("terse")


def broken(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    """The promises that `terse verify --json` did not find to hold."""
    assert done.stdout.startswith("{"), done.stderr
    return [check for check in json.loads(done.stdout)["checks"] if check["holds"] is not True]


def listed_by(wheel: Path) -> str:
    """What docs/verify.md says of how to compare an installation with a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        (record,) = [name for name in archive.namelist() if name.endswith(".dist-info/RECORD")]
        lines = archive.read(record).decode().splitlines()
    own = sorted(line.rpartition(",")[0] + "\n" for line in lines if line.startswith("terse/"))
    return sha256("".join(own).encode()).hexdigest()


@pytest.mark.parametrize("version", versions())
def test_pip_installs_it_and_it_keeps_its_promises(
    version: str, wheel: Path, wheels: str, digest: str, tmp_path: Path
) -> None:
    """In an empty environment of each Python, without the network: and each Python sends the same bytes."""
    program = installed(interpreter(version), wheel, wheels, tmp_path)
    done = ran([str(program), "verify", "--json"], tmp_path)
    assert broken(done) == []
    assert done.returncode == 0

    found = json.loads(done.stdout)
    assert found["installed"]["python"].startswith(f"CPython {version}.")
    assert Path(found["installed"]["folder"]).is_relative_to(tmp_path)
    assert found["installed"]["files"] > 500
    assert found["installed"]["record"] == listed_by(wheel)
    assert found["digest"] == digest


def test_files_that_are_not_the_wheels_are_found(wheel: Path, wheels: str, tmp_path: Path) -> None:
    """One that was changed, one that was added, one that is gone."""
    program = installed(interpreter(HERE), wheel, wheels, tmp_path)
    (package,) = (tmp_path / "empty" / "lib").glob("python*/site-packages/terse")
    with (package / "plan" / "gate.py").open("a") as file:
        file.write("\n# One line more.\n")
    (package / "tiers" / "more.py").write_text("")
    (package / "policies" / "logs.terse").unlink()
    code = (
        "from terse.verification.install import installed\n"
        "check = installed()[1]\n"
        "print(check.holds, *check.findings, sep='\\n')"
    )
    done = ran([str(program.with_name("python")), "-c", code], tmp_path)

    assert sorted(done.stdout.splitlines()) == [
        "False",
        "terse/plan/gate.py: it is not the file of the wheel",
        "terse/policies/logs.terse: No such file or directory",
        "terse/tiers/more.py: it is not in the wheel",
    ], done.stderr


def test_pip_installs_the_sdist(sdist: Path, wheels: str, tmp_path: Path) -> None:
    """As where there is no wheel: it is built, without git, and runs."""
    program = installed(interpreter(HERE), sdist, wheels, tmp_path)
    done = ran([str(program), "--version"], tmp_path)

    assert done.stdout.startswith("terse ")
    code = "from terse.verification.install import installed as i; print(i()[1].holds)"
    assert ran([str(program.with_name("python")), "-c", code], tmp_path).stdout == "True\n"


def tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        said = f"no {name} on this machine: pip install {name}"
        if os.environ.get("CI"):
            pytest.fail(said)
        pytest.skip(said)
    return found


@pytest.mark.parametrize("version", versions())
@pytest.mark.parametrize("installer", ["uv", "pipx"])
def test_it_is_installed_as_a_command(
    installer: str, version: str, wheel: Path, wheels: str, tmp_path: Path
) -> None:
    """`uv tool install` and `pipx install`, on each Python: a `terse` that explains and counts."""
    program, python = tool(installer), interpreter(version)
    folders = {
        "UV_TOOL_DIR": "tools", "UV_TOOL_BIN_DIR": "bin", "UV_CACHE_DIR": "cache", "UV_PYTHON": python,
        "PIPX_HOME": "tools", "PIPX_BIN_DIR": "bin", "PIPX_MAN_DIR": "man", "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": wheels, "UV_FIND_LINKS": wheels, "UV_OFFLINE": "1", "UV_NO_INDEX": "1",
    }  # fmt: skip
    environment = {
        name: str(tmp_path / value) if value in ("tools", "bin", "cache", "man") else value
        for name, value in folders.items()
    }
    command = [program, *(["tool"] if installer == "uv" else []), "install", "--python", python, str(wheel)]
    done = ran(command, tmp_path, **environment)
    assert done.returncode == 0, done.stdout + done.stderr

    (tmp_path / "orders.json").write_text(json.dumps([{"id": n, "total": 1.0} for n in range(90)], indent=2))
    explained = ran([str(tmp_path / "bin" / "terse"), "explain", "orders.json"], tmp_path)
    assert explained.returncode == 0, explained.stderr
    assert "tokens" in explained.stdout
