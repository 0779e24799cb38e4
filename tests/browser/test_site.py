"""The documentation's pages in a real browser: on a phone, in the dark."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.chromium import Page
from tests.docs.built import build


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `make site` makes."""
    return build(tmp_path_factory.mktemp("site"))


def test_no_page_is_wider_than_a_phone(page: Page, site: Path) -> None:
    """Tables and blocks scroll in themselves; nothing is loaded from elsewhere."""
    page.size(390, 800)
    wide = []
    for file in sorted(site.glob("*.html")):
        page.open(file)
        if page.ask("document.documentElement.scrollWidth") > 390:
            wide.append(file.name)
        loaded = page.ask("performance.getEntriesByType('resource').map((each) => each.name)")
        assert [name for name in loaded if not name.startswith("file:")] == []

    assert wide == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_reader_s_own_scheme_is_used(page: Page, site: Path, scheme: str) -> None:
    """Dark where the system is dark."""
    page.scheme(scheme)
    page.open(site / "index.html")
    dark = page.ask("getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0] < 128")

    assert dark == (scheme == "dark")
    page.scheme("light")
