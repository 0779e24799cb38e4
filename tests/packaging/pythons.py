"""The Pythons of this machine that terse is for, and what an installation without the network needs.

python -m tests.packaging.pythons FOLDER     fetch these wheels, for each of the Pythons
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
WHEELS = "TERSE_TEST_WHEELS"
"""The variable that names the folder with the wheels. Without it, nothing is installed in the tests."""
PREFIX = "Programming Language :: Python :: "


def versions() -> tuple[str, ...]:
    """The versions that the package says it runs on: 3.11, 3.12 and so on."""
    classifiers = _project()["classifiers"]
    assert isinstance(classifiers, list)
    return tuple(each.removeprefix(PREFIX) for each in classifiers if each.startswith(f"{PREFIX}3."))


@lru_cache(maxsize=1)
def interpreters() -> dict[str, str]:
    """An interpreter for each of these versions, where one is found: this one, on the PATH, pyenv's, uv's."""
    found = {f"{sys.version_info.major}.{sys.version_info.minor}": sys.executable}
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    for version in versions():
        candidates = [shutil.which(f"python{version}")]
        candidates += [str(path) for path in sorted(pyenv.glob(f"versions/{version}.*/bin/python"))]
        uv = shutil.which("uv")
        if uv is not None:
            asked = [uv, "python", "find", "--no-python-downloads", version]
            candidates.append(
                subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
            )
        for candidate in candidates:
            if version not in found and candidate and _is(candidate, version):
                found[version] = candidate
    return found


def _is(python: str, version: str) -> bool:
    # A name on the PATH may be a shim that runs nothing.
    code = "import sys; print(f'{sys.version_info.major}.{sys.version_info.minor}')"
    try:
        done = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    except OSError:
        return False
    return done.stdout.strip() == version


def _project() -> dict[str, object]:
    found: dict[str, object] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


def fetch(folder: str) -> None:
    """Download the wheels of what terse needs, and of what builds it."""
    dependencies = _project()["dependencies"]
    assert isinstance(dependencies, list)
    for version, python in interpreters().items():
        pip = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check", "--quiet"]
        options = ["download", "--only-binary", ":all:", "--dest", folder]
        subprocess.run([*pip, *options, *dependencies, "hatchling"], check=True)
        print(f"wheels for Python {version}")


if __name__ == "__main__":
    fetch(sys.argv[1])
