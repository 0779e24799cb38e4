"""Scripts that a framework's own environment runs: its dependencies are not ours."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent


def only_with(variable: str, what: str) -> pytest.MarkDecorator:
    """The tests need the Python that a variable names: `.ci/run` makes it."""
    return pytest.mark.skipif(
        not os.environ.get(variable),
        reason=f"{variable} names no Python with {what}, tiktoken, msgspec and lark",
    )


def answers_of(variable: str, script: str, *arguments: str) -> Any:
    """What a script prints, as JSON."""
    done = subprocess.run(
        [os.environ[variable], Path(__file__).with_name(script), *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])
