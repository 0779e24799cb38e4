"""`terse` as a process, as a user starts it."""

from __future__ import annotations

import io
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


@pytest.fixture
def terse_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Terse:
    """As `terse`, in this process: for tests of a command's work, of which many start it again and again."""
    from terse.cli.main import run as run_here

    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, stdin: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
        with monkeypatch.context() as here:
            for name, value in {"COLUMNS": "80", **environment}.items():
                here.setenv(name, value)
            here.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
            capfdbinary.readouterr()
            code = run_here(list(arguments))
            sys.stderr.flush()
            out, error = capfdbinary.readouterr()
        return subprocess.CompletedProcess(list(arguments), code, out, error)

    return run
