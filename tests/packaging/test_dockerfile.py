"""deploy/Dockerfile: an image of terse is built from a package, by pip alone."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

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
    (extras,) = re.findall(r'^ARG TERSE="terse\[([a-z,]+)\]"$', TEXT, re.MULTILINE)
    assert set(extras.split(",")) <= set(project["optional-dependencies"])


def test_its_python_is_one_of_ours() -> None:
    """The base image has a Python that the package says it runs on."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (version,) = re.findall(r"^FROM python:(3\.\d+)-slim$", TEXT, re.MULTILINE)
    assert f"Programming Language :: Python :: {version}" in project["classifiers"]


def test_it_does_not_run_as_root() -> None:
    """Whoever breaks out of the service is a user without rights; the command is the service's."""
    words = [line.split(" ")[0] for line in LINES]
    (user,) = [line.split(" ")[1] for line in LINES if line.startswith("USER ")]
    assert user.split(":")[0] not in ("0", "root")
    assert words.index("USER") < words.index("ENTRYPOINT")
