"""Patches as `git apply` and `patch` read them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from terse.tuning.patch import patch
from tests.tuning.test_properties import TOOLS, folder

TEXTS = st.text(st.sampled_from("ab\n\n\t #\x0c\u2028é-+@"), max_size=40)
NAMES = st.sampled_from(("a.terse", "with space.terse", 'quo"te.terse', "ümlaut.terse", "back\\slash.terse"))


@pytest.mark.parametrize("command", TOOLS, ids=lambda command: command[0])
@settings(max_examples=15)
@given(NAMES, TEXTS, TEXTS)
def test_a_patch_makes_the_new_text(command: tuple[str, ...], name: str, old: str, new: str) -> None:
    """Of any text, with and without an end of the last line, in a file of any name."""
    if old == new or not old or not new:
        return
    with folder():
        Path(name).write_bytes(old.encode())
        done = subprocess.run(
            command, input=patch({name: (old, new)}).encode(), capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr + done.stdout
        assert Path(name).read_bytes() == new.encode()


@pytest.mark.skipif(shutil.which("git") is None, reason="no git here")
@given(TEXTS)
@settings(max_examples=10)
def test_a_new_file_is_made(new: str) -> None:
    """With its folder."""
    if not new:
        return
    with folder():
        sent = patch({"policies/deep/new.terse": (None, new)}).encode()
        done = subprocess.run(("git", "apply"), input=sent, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        assert Path("policies/deep/new.terse").read_bytes() == new.encode()
