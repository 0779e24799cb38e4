"""`make demo`: a real server, the official client, and the proxy between them."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
TOTAL = re.compile(r"^total: ([\d,]+) tokens direct, ([\d,]+) through terse: ([\d.]+)% saved$", re.MULTILINE)

pytestmark = pytest.mark.servers


def _demo(**environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "demo/run.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **environment},
        check=False,
    )


def test_the_demo_shows_what_is_saved_and_that_nothing_is_lost() -> None:
    """A table of calls, one explain, the total, and every result compared."""
    done = _demo()

    assert done.returncode == 0, done.stderr
    total = TOTAL.search(done.stdout)
    assert total is not None
    direct, through = (int(number.replace(",", "")) for number in total.groups()[:2])
    assert through < direct
    assert "results expanded and compared with the direct ones: equal" in done.stdout
    assert "demo/list_packages  →  rule" in done.stdout
    assert "Traceback" not in done.stderr


def test_the_demo_needs_no_git(tmp_path: Path) -> None:
    """Without git the log is an error result of the server, shown as one, and the rest goes on."""
    done = _demo(PATH=str(tmp_path))

    assert done.returncode == 0, done.stderr
    assert "git is not installed here" in done.stdout
    assert TOTAL.search(done.stdout)


def test_a_difference_fails_the_demo(capsys: pytest.CaptureFixture[str]) -> None:
    """One result that does not come back as it was is exit code 1 and named."""
    demo = runpy.run_path(str(ROOT / "demo" / "run.py"))
    rows = [demo["Row"]("read_file()", 10, 10, 5, equal=False), demo["Row"]("a()", 10, 10, 5, equal=True)]

    assert demo["_verdict"](rows) == 1
    assert "read_file()" in capsys.readouterr().err
