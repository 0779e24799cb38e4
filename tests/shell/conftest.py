"""Command lines with folders of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.shell.lines import NOTEBOOK, Shell


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    """Nothing is known, and nothing runs."""
    made = Shell(tmp_path)
    yield made
    made.stop()


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    """One that knows the server `notebook`, for tests that change nothing of it."""
    made = Shell(tmp_path_factory.mktemp("notebook"))
    made.knows(notebook=NOTEBOOK)
    yield made
    made.stop()
