"""`terse measure --html` in a real browser: on a desk, on a phone, in the dark."""

from __future__ import annotations

from pathlib import Path

import pytest

from terse.report.measured_html import render
from tests.browser.any_page import HOSTILE, check_nothing_ran, check_read_on_a_phone
from tests.browser.chromium import Page
from tests.report.measured import measured

TOOLS = ("list", HOSTILE, "a_very_long_name_of_a_tool_" * 5)


@pytest.fixture(scope="module")
def measure_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of three tools, one with a hostile name, one with a long one; of some all is told."""
    path = tmp_path_factory.mktemp("measure") / "page.html"
    path.write_text(render(measured(TOOLS, HOSTILE)), encoding="utf-8")
    return path


def test_a_name_cannot_become_part_of_the_page(page: Page, measure_page: Path) -> None:
    """Of a tool, a file, a policy: it is text; nothing is loaded, and no script runs."""
    page.open(measure_page)

    check_nothing_ran(page, "terse measure", scripts=0)
    assert HOSTILE in page.ask("document.querySelector('table').textContent")


def test_the_charts_show_the_figures(page: Page, measure_page: Path) -> None:
    """A bar per tool and per kind, as long as what they stand for."""
    page.size(1200, 900)
    page.open(measure_page)
    tools, kinds = page.ask(
        "[...document.querySelectorAll('svg[role=img]')].map((chart) => "
        "[...chart.querySelectorAll('rect')].map((bar) => bar.getBBox().width))"
    )

    assert len(tools) == 6
    sent, spared = kinds
    assert sent / (sent + spared) == pytest.approx((12 * 1000 + 48 * 400) / 60_000, abs=0.01)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_read_on_a_phone(page: Page, measure_page: Path, scheme: str) -> None:
    """Nothing sticks out, words are large enough, and stand out from what is behind them."""
    page.size(390, 800)
    page.scheme(scheme)
    page.open(measure_page)

    check_read_on_a_phone(page)
    page.scheme("light")
