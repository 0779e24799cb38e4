"""The sdist and the wheel of this very tree, built once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tests.packaging.pythons import WHEELS

ROOT = Path(__file__).parent.parent.parent
NOT_COPIED = shutil.ignore_patterns("__pycache__", "node_modules", "*.egg-info", ".*_cache")
COPIED = (
    "terse", "grammar", "policies", "docs", "tests", "demo", "deploy", "editors", "changelog.d",
    "README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE", "Makefile", "action.yml", "pyproject.toml",
    ".gitignore", ".ci", ".dockerignore",
)  # fmt: skip


def build(kind: str, source: Path, to: Path) -> Path:
    """An sdist or a wheel of the tree in a folder, made without the network."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(to)],
        cwd=source,
        check=True,
        capture_output=True,
        timeout=300,
    )
    (made,) = to.glob("*.tar.gz" if kind == "sdist" else "*.whl")
    return made


@pytest.fixture(scope="session")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, so that nothing of the working folder can slip in and no build is left in it."""
    copy = tmp_path_factory.mktemp("copy")
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=NOT_COPIED)
        elif source.exists():
            shutil.copy(source, copy / name)
    return build("sdist", copy, tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="session")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from the sdist, as an installer does that finds no wheel."""
    unpacked = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        archive.extractall(unpacked, filter="data")
    (source,) = unpacked.iterdir()
    return build("wheel", source, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def wheels() -> str:
    """The folder with all that terse needs; on CI, tests fail without it."""
    folder = os.environ.get(WHEELS)
    if not folder:
        said = f"no wheels to install from: python -m tests.packaging.pythons FOLDER, then {WHEELS}=FOLDER"
        if os.environ.get("CI"):
            pytest.fail(said)
        pytest.skip(said)
    return str(Path(folder).resolve())
