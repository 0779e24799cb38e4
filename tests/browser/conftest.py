"""A browser for the tests; where none can be had they say so, and on CI that is a failure."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.browser.chromium import Page, executable


@pytest.fixture(scope="session")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A page in a real browser."""
    program = executable()
    if program is None:
        said = "no Chromium on this machine: apt-get install chromium"
        if os.environ.get("CI"):
            pytest.fail(said)
        pytest.skip(said)
    page = Page(program, tmp_path_factory.mktemp("profile"))
    yield page
    page.close()
