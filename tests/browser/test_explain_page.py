"""`terse explain --html` in a real browser: what a reviewer sees, points at, and selects."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from terse.language import check
from terse.language.disk import Disk
from terse.memory.session import Session
from terse.payload.call import Call
from terse.payload.payload import Payload
from terse.plan.run import run
from terse.report.explain_html import render
from terse.report.explanation import CallFrom, Explanation
from terse.tokens import vocabulary
from tests.browser.any_page import CONTRAST, HOSTILE, check_nothing_ran
from tests.browser.chromium import Page, picture

RULES = """terse 1

rule issues {
  on */*
  remove every *_url
  shorten issues.body to 120 characters
  keep issues.title
  use minify then tabularize then dictionary
  because "titles are what triage reads"
}
"""
STEPS = {"remove": "#t1s2", "shorten": "#t1s3", "tabularize": "#t1s5"}


def explained(folder: Path, text: str, rules: str = RULES) -> Path:
    """The page of a text under rules, as a file."""
    (folder / "rules.terse").write_text(rules)
    plan = check([str(folder / "rules.terse")], reader=Disk()).plan
    assert plan is not None
    outcome = run(
        plan,
        Payload.of(text),
        Call("github", "list_issues", {}),
        Session(),
        vocabulary(),
        can_retrieve=True,
        detail=True,
        clock=lambda: 0.0,
    )
    explanation = Explanation(
        file="open.json",
        is_result=False,
        is_error=False,
        call_from=CallFrom.OPTION,
        policy="rules.terse",
        policy_hash=plan.hash,
        vocabulary="o200k_base",
        outcomes=(outcome,),
        originals=(text,),
    )
    path = folder / "page.html"
    path.write_text(render(explanation), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def issues(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of thirty issues; a title is hostile."""
    rows = [
        {
            "number": number,
            "html_url": f"https://code.example/issues/{number}",
            "title": HOSTILE if number == 3 else f"Crash on start {number}",
            "labels": ["bug", "urgent"],
            "body": f"It stops with an error when I open the file. {number} " * 12,
        }
        for number in range(30)
    ]
    return explained(tmp_path_factory.mktemp("issues"), json.dumps({"issues": rows}))


def marked(page: Page) -> list[str]:
    """The original's lines that are lit up."""
    found = page.ask("[...document.querySelectorAll('.left .l.hit')].map((line) => line.textContent.trim())")
    assert isinstance(found, list)
    return found


def titles(page: Page) -> list[str]:
    found = page.ask("[...document.querySelectorAll('.pane h3')].map((title) => title.textContent)")
    assert isinstance(found, list)
    return found


def test_a_payload_cannot_become_part_of_the_page(page: Page, issues: Path) -> None:
    """Markup and scripts in a result are text; nothing is loaded from anywhere."""
    page.open(issues)

    check_nothing_ran(page, "terse explain open.json", scripts=1)
    assert HOSTILE in page.ask("JSON.parse(document.querySelector('.left .text').innerText).issues[3].title")


def test_pointing_at_a_field_line_shows_what_it_took(page: Page, issues: Path) -> None:
    """Exactly the removed values are lit up in the original, and the other side shows the text after it."""
    page.size(1400, 900)
    page.open(issues)
    assert marked(page) == []

    page.point_at(f"{STEPS['remove']} button")

    assert marked(page) == [f'"html_url": "https://code.example/issues/{n}",' for n in range(30)]
    assert titles(page) == ["Original", "After"]
    assert "html_url" not in page.ask("document.querySelector('.right .text').innerText")
    assert "30 places" in page.ask("document.querySelector('.now').textContent")


def test_pointing_at_a_tier_shows_before_and_after(page: Page, issues: Path) -> None:
    """A step of the chain has its own two texts."""
    page.size(1400, 900)
    page.open(issues)

    page.point_at(f"{STEPS['tabularize']} button")
    before, after = page.ask("[...document.querySelectorAll('.pane .text')].map((text) => text.innerText)")

    assert titles(page) == ["Before", "After"]
    assert '"issues": [' in before
    assert "30 rows" in after


def test_the_keyboard_does_what_the_mouse_does(page: Page, issues: Path) -> None:
    """Tab reaches a step and shows it, Enter holds it, Escape lets go; the focus can be seen."""
    page.size(1400, 900)
    page.open(issues)
    page.ask("document.querySelector('.steps button').focus()")
    page.press("Tab")

    assert len(marked(page)) == 30
    assert page.ask("document.activeElement.closest('tr').id") == STEPS["remove"][1:]
    assert page.ask("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.press("Enter")
    assert page.ask("document.activeElement.getAttribute('aria-pressed')") == "true"
    assert page.ask("location.hash") == STEPS["remove"]
    page.press("Escape")
    assert page.ask("document.activeElement.getAttribute('aria-pressed')") == "false"
    assert titles(page) == ["Original", "Emitted"]


def test_a_held_step_stays_while_the_mouse_moves_on(page: Page, issues: Path) -> None:
    """After a click the texts can be read without the view changing under the mouse."""
    page.size(1400, 900)
    page.open(issues)

    page.click(f"{STEPS['remove']} button")
    page.point_at(f"{STEPS['tabularize']} button")

    assert len(marked(page)) == 30
    page.click(".whole")
    assert titles(page) == ["Original", "Emitted"]


def test_a_link_opens_the_page_at_a_step(page: Page, issues: Path) -> None:
    """The address of a held step can be sent to somebody."""
    page.open(issues, STEPS["shorten"])

    assert len(marked(page)) == 30
    assert all(line.startswith('"body": "It stops') for line in marked(page))


def test_without_scripts_the_facts_are_there(page: Page, issues: Path) -> None:
    """Rule, reasons, steps, places and both texts are in the document itself."""
    page.open(issues, scripts=False)
    text = page.ask("document.body.textContent")

    for fact in ("rule issues", "titles are what triage reads", "remove every *_url", "/issues/29/html_url"):
        assert fact in text
    assert titles(page) == ["Original", "Emitted"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 820, 1400])
def test_it_can_be_read_on_every_screen(page: Page, issues: Path, scheme: str, width: int) -> None:
    """Nothing is wider than the screen, words stand out from their ground (WCAG AA), and it is painted."""
    page.size(width, 900)
    page.scheme(scheme)
    ratios = []
    for fragment in ("", STEPS["remove"], STEPS["tabularize"]):
        page.open(issues, fragment)
        ratios.append(page.ask(CONTRAST))
    page.open(issues)
    taken = picture(page.screenshot())
    dark = page.ask("getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0] < 128")

    assert page.ask("document.documentElement.scrollWidth") <= width
    assert min(ratios)[0] >= 4.5, min(ratios)
    assert taken[:2] == (width, 900)
    assert taken[2] > 200
    assert dark == (scheme == "dark")


def test_a_large_result_opens(page: Page, tmp_path: Path) -> None:
    """The page of a result of megabytes has a bounded number of lines, says so, and answers."""
    rows = [
        {"id": number, "self_url": f"https://x.example/{number}", "n": "x" * 40} for number in range(30_000)
    ]
    path = explained(tmp_path, json.dumps({"issues": rows}))
    page.size(1400, 900)
    page.open(path, STEPS["remove"])

    assert path.stat().st_size < 4_000_000
    assert page.ask("document.querySelectorAll('*').length") < 10_000
    assert "lines not shown" in page.ask("document.querySelector('.left .text').innerText")
    assert "30,000 places" in page.ask("document.querySelector('.now').textContent")
