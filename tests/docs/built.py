"""The site that `make site` makes, for tests."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


def build(folder: Path) -> Path:
    """The site in this folder, built with `--strict`: what mkdocs warns of is an error."""
    if importlib.util.find_spec("material") is None:
        said = "no mkdocs-material here: pip install 'terse[docs]'"
        if os.environ.get("CI"):
            pytest.fail(said)
        pytest.skip(said)
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder
