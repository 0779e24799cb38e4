"""deploy/Dockerfile: an image of terse is built from a package, by pip alone."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.packaging.conftest import build
from tests.packaging.test_pythons import HERE, broken, installed, interpreter

ROOT = Path(__file__).parent.parent.parent
TEXT = (ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8")
LINES = [line for line in TEXT.splitlines() if line and not line.startswith("#")]


def test_it_needs_no_git() -> None:
    """Neither to install terse nor for what terse needs: no requirement is a repository."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    requirements = [*project["dependencies"], *(line for extra in extras for line in extra)]
    assert [line for line in (*LINES, *requirements) if re.search(r"\bgit\b|git\+|://", line)] == []


def test_its_extras_are_there() -> None:
    """What the image installs is named in pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (extras,) = re.findall(r'^ARG EXTRAS="([a-z,]+)"$', TEXT, re.MULTILINE)
    assert set(extras.split(",")) <= set(project["optional-dependencies"])


def test_its_python_is_one_of_ours() -> None:
    """The base images have a Python that the package says it runs on, the same one."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = re.findall(r"^FROM python:(3\.\d+)-slim( AS build)?$", TEXT, re.MULTILINE)
    assert [stage for _, stage in found] == [" AS build", ""]
    assert len({version for version, _ in found}) == 1
    assert f"Programming Language :: Python :: {found[0][0]}" in project["classifiers"]


def test_it_is_built_from_this_tree(wheel: Path, tmp_path: Path) -> None:
    """From what .dockerignore lets in: no package of this name from elsewhere, and the same wheel as ever."""
    assert re.findall(r"pip install [^&]*", TEXT) == [
        'pip install --no-cache-dir "$(echo /wheels/terse-*.whl)[$EXTRAS]" '
    ]
    assert "COPY . ." in LINES
    allowed = [
        line.removeprefix("!")
        for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
        if line.startswith("!")
    ]
    for name in allowed:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            (tmp_path / name).parent.mkdir(exist_ok=True)
            shutil.copy(source, tmp_path / name)
    built = build("wheel", tmp_path, tmp_path / "dist")
    with zipfile.ZipFile(built) as one, zipfile.ZipFile(wheel) as other:
        assert sorted(one.namelist()) == sorted(other.namelist())


def test_compose_builds_it() -> None:
    """The folder and the file that it names are those."""
    compose = (ROOT / "deploy" / "compose.yaml").read_text(encoding="utf-8")
    (context, file) = re.findall(r"build:\n\s+context: (\S+)\n\s+dockerfile: (\S+)\n", compose)[0]
    assert (ROOT / "deploy" / context).resolve() == ROOT.resolve()
    assert (ROOT / "deploy" / context / file).resolve() == (ROOT / "deploy" / "Dockerfile").resolve()


def test_it_does_not_run_as_root() -> None:
    """Whoever breaks out of the service is a user without rights; the command is the service's."""
    words = [line.split(" ")[0] for line in LINES]
    (user,) = [line.split(" ")[1] for line in LINES if line.startswith("USER ")]
    assert user.split(":")[0] not in ("0", "root")
    assert words.index("USER") < words.index("ENTRYPOINT")


def test_verify_runs_as_its_user(wheel: Path, wheels: str) -> None:
    """Without rights, without a home folder, by the filter that containers allow: all promises hold."""
    if os.geteuid() != 0:
        pytest.skip("only root becomes another user")
    folder = Path(tempfile.mkdtemp(prefix="terse-image-"))
    try:
        folder.chmod(0o755)
        program = installed(interpreter(HERE), wheel, wheels, folder)
        (user,) = [line.split(" ")[1] for line in LINES if line.startswith("USER ")]
        done = subprocess.run(
            [str(program), "verify", "--json", "--denial", "seccomp"],
            cwd="/",
            env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"},
            user=int(user),
            group=int(user),
            extra_groups=[],
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        shutil.rmtree(folder)
    if done.returncode == 2 and "cannot be denied" in done.stderr:
        pytest.skip(done.stderr)
    assert broken(done) == []
