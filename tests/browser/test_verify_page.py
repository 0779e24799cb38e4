"""`terse verify --html` in a real browser: on a desk, on a phone, in the dark."""

from __future__ import annotations

from pathlib import Path

import pytest

from terse.report.verified_html import render
from tests.browser.any_page import CONTRAST
from tests.browser.chromium import Page, picture
from tests.report.test_verified import BROKEN, HOSTILE, OPEN, verified


@pytest.fixture(scope="module")
def verify_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of thirty tools, with a promise that does not hold and one that cannot be told."""
    path = tmp_path_factory.mktemp("verify") / "page.html"
    path.write_text(render(verified(BROKEN, OPEN, tools=30, notes=("left out",))), encoding="utf-8")
    return path


def test_a_result_cannot_become_part_of_the_page(page: Page, verify_page: Path) -> None:
    """It is text, in examples as in names; nothing is loaded, and no script runs."""
    page.open(verify_page)

    assert page.ask("document.title") == "terse verify"
    assert page.ask("document.scripts.length") == 0
    assert page.ask("document.images.length") == 0
    assert page.ask("performance.getEntriesByType('resource').length") == 0
    assert HOSTILE[:40] in page.ask("document.querySelector('table').textContent")


def test_what_does_not_hold_is_seen_first(page: Page, verify_page: Path) -> None:
    """In the title, and in its own colour, which is not that of what holds."""
    page.open(verify_page)
    colours = page.ask(
        "['.broken', '.open'].map((kind) => "
        "getComputedStyle(document.querySelector(kind + ' .verdict')).color)"
    )

    assert page.ask("document.querySelector('h1').textContent") == "terse 1.2.3: does not hold: exact"
    assert page.ask("document.querySelector('.broken ul').textContent").startswith("shop/tool0, call 1")
    assert colours[0] != colours[1]


def test_an_example_opens_with_the_keyboard(page: Page, verify_page: Path) -> None:
    """Both sides of it are there, and the focus can be seen."""
    page.open(verify_page)
    page.ask("document.querySelector('summary').focus()")
    page.press("Enter")

    assert page.ask("document.querySelector('details').open") is True
    assert (
        page.ask("[...document.querySelectorAll('details pre')].map((text) => text.checkVisibility())")
        == [True] * 2
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 820, 1400])
def test_it_can_be_read_on_every_screen(page: Page, verify_page: Path, scheme: str, width: int) -> None:
    """Nothing sticks out, words are large enough and stand out from their ground, and it is painted."""
    page.size(width, 900)
    page.scheme(scheme)
    page.open(verify_page)
    page.ask("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    smallest = page.ask(
        "Math.min(...[...document.querySelectorAll('svg text')].map((text) => "
        "parseFloat(getComputedStyle(text).fontSize) * text.ownerSVGElement.getScreenCTM().a))"
    )
    ratio, where = page.ask(CONTRAST)
    taken = picture(page.screenshot())
    page.scheme("light")

    assert page.ask("document.documentElement.scrollWidth") <= width
    assert smallest >= 9
    assert ratio >= 4.5, where
    assert taken[:2] == (width, 900)
    assert taken[2] > 100
