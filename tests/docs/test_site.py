"""`make site`: the pages in docs/ as a site that needs nothing from the network."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from tests.docs.built import ROOT, build

PAGES = sorted((ROOT / "docs").glob("*.md"))
COUNTED = ("h1", "h2", "h3", "h4", "li", "table", "tr", "pre", "blockquote")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site: a page outside the navigation, or a link to nowhere, is an error."""
    return build(tmp_path_factory.mktemp("site"))


class Parts(HTMLParser):
    """How often each kind of element stands in the article of a page, and what the page loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.counts: Counter[str] = Counter()
        self.loads: list[str] = []
        self._depth = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        named = dict(attributes)
        if tag in ("script", "img", "iframe", "source"):
            self.loads.append(named.get("src") or "")
        if tag == "link" and named.get("rel") in ("stylesheet", "preconnect", "icon", "prefetch"):
            self.loads.append(named.get("href") or "")
        if tag == "article" or self._depth:
            self._depth += tag == "article"
            self.counts[tag] += 1

    def handle_endtag(self, tag: str) -> None:
        self._depth -= tag == "article"


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    """No font, no script, no picture: a reader's visit is nobody else's business."""
    loaded = {
        load
        for page in site.rglob("*.html")
        for load in Parts(page.read_text(encoding="utf-8")).loads
        if load.startswith(("http:", "https:", "//"))
    }
    styles = "".join(style.read_text(encoding="utf-8") for style in site.rglob("*.css"))

    assert loaded == set()
    assert re.findall(r"url\(\s*[\"']?(?:https?:)?//", styles) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_looks_the_same_there(site: Path, page: Path) -> None:
    """Lists, tables and blocks are what a code host makes of the same text: dialects of Markdown differ."""
    text = re.sub(r"<!--.*?-->", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    hosted = Parts(f"<article>{MarkdownIt('commonmark').enable('table').render(text)}</article>").counts
    built = Parts((site / f"{page.stem}.html").read_text(encoding="utf-8")).counts

    assert {tag: built[tag] for tag in COUNTED} == {tag: hosted[tag] for tag in COUNTED}


def test_every_page_can_be_found(site: Path) -> None:
    """The search knows each page of docs/, those of codes as well."""
    index = (site / "search" / "search_index.json").read_text(encoding="utf-8")

    for page in (*PAGES, *(ROOT / "docs" / "codes").glob("T*.md")):
        assert f'"{page.relative_to(ROOT / "docs").with_suffix(".html")}"' in index
