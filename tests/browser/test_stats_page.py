"""`terse stats --html` in a real browser: on a desk, on a phone, in the dark."""

from __future__ import annotations

from pathlib import Path

import pytest

from terse.report.stats import Stats
from terse.report.stats_html import render
from tests.browser.any_page import HOSTILE, check_nothing_ran, check_read_on_a_phone
from tests.browser.chromium import Page
from tests.ledger.notes import AT, record


@pytest.fixture(scope="module")
def stats_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of forty days of three tools, one with a hostile name, one with a long one."""
    records = [
        record(at=AT + 86400 * (number % 40), tool=tool, tokens_out=100 + number)
        for number in range(120)
        for tool in ("list", HOSTILE, "a_very_long_name_of_a_tool_" * 5)
    ]
    path = tmp_path_factory.mktemp("stats") / "page.html"
    path.write_text(render(Stats.of(records, "tool"), "since then"), encoding="utf-8")
    return path


def test_a_name_cannot_become_part_of_the_page(page: Page, stats_page: Path) -> None:
    """It is text, in the charts as well; nothing is loaded, and no script runs."""
    page.open(stats_page)

    check_nothing_ran(page, "terse stats", scripts=0)
    assert HOSTILE in page.ask("document.querySelector('table').textContent")


def test_the_charts_show_the_figures(page: Page, stats_page: Path) -> None:
    """A column per day and a bar per tool, as long as what they stand for."""
    page.size(1200, 900)
    page.open(stats_page)
    columns, bars = page.ask(
        "[...document.querySelectorAll('svg[role=img]')]"
        ".map((chart) => [...chart.querySelectorAll('rect.sent')]"
        ".map((bar) => Math.max(bar.getBBox().width, bar.getBBox().height)))"
    )

    assert len(columns) == 40
    assert len(bars) == 3
    sent = sum(100 + number for number in range(120)) / 120_000
    spared = page.ask(
        "document.querySelectorAll('svg[role=img]')[1].querySelector('rect.saved').getBBox().width"
    )
    assert bars[0] / (bars[0] + spared) == pytest.approx(sent, abs=0.01)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_read_on_a_phone(page: Page, stats_page: Path, scheme: str) -> None:
    """Nothing sticks out, words are large enough, and stand out from what is behind them."""
    page.size(390, 800)
    page.scheme(scheme)
    page.open(stats_page)

    check_read_on_a_phone(page)
    page.scheme("light")
