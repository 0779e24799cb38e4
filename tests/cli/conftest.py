"""`terse` as a process, as a user starts it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Terse = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture
def terse(tmp_path: Path) -> Terse:
    """`terse("explain", "x.json", stdin=b"")`: the finished process; it runs in an empty folder."""

    def run(*arguments: str, stdin: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-m", "terse", *arguments],
            cwd=tmp_path,
            input=stdin,
            capture_output=True,
            timeout=120,
            env={**os.environ, "COLUMNS": "80", **environment},
            check=False,
        )

    return run
