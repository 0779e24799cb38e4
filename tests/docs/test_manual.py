"""docs/terse.1, the page that `man terse` shows."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from terse.cli.main import COMMANDS

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "terse.1"
OF_OURS_ALONE = {"TERSE_VERIFICATION_DENIED", "TERSE_COMPLETE"}
"""Variables that one process of terse, or a shell's completion, sets for another."""


def _needed(program: str) -> None:
    if shutil.which(program) is None:
        said = f"no {program} on this machine: apt-get install groff man-db"
        if os.environ.get("CI"):
            pytest.fail(said)
        pytest.skip(said)


def test_it_is_well_formed() -> None:
    """groff has nothing to warn of; nor has mandoc, where that is installed."""
    _needed("groff")
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-Kutf8", "-ww", "-z", PAGE], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    if shutil.which("mandoc") is not None:
        linted = subprocess.run(
            ["mandoc", "-T", "lint", "-W", "error", PAGE], capture_output=True, text=True, check=False
        )
        assert (linted.returncode, linted.stdout) == (0, "")


def test_man_shows_every_command_with_its_options() -> None:
    """On 80 columns, each under its own heading."""
    _needed("man")
    done = subprocess.run(
        ["man", "-l", PAGE],
        env={
            **os.environ,
            "MANWIDTH": "80",
            "LC_ALL": "C.UTF-8",
            "MANPAGER": "cat",
            "MAN_KEEP_FORMATTING": "",
        },
        capture_output=True,
        check=True,
    )
    shown = re.sub(".\b", "", done.stdout.decode())

    assert [name for name in COMMANDS if f"\n   terse {name.name}\n" not in shown] == []
    for words in (
        "EXIT STATUS",
        "--since TIME",
        "--no-ledger",
        "TERSE_LEDGER",
        "~/.config/terse/prices.toml",
    ):
        assert words in shown
    assert "`" not in shown


def test_every_variable_of_the_environment_is_named() -> None:
    """Those of terse itself."""
    text = PAGE.read_text(encoding="utf-8")
    used = {
        name
        for file in (ROOT / "terse").rglob("*.py")
        for name in re.findall(r'"_?(TERSE_[A-Z_]+)"', file.read_text(encoding="utf-8"))
    }

    assert {name for name in used - OF_OURS_ALONE if name not in text} == set()
