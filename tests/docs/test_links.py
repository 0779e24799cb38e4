"""Links to a part of a page lead to a heading that is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGES = sorted([ROOT / "README.md", ROOT / "SECURITY.md", *(ROOT / "docs").rglob("*.md")])
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]+`(?!\])")
LINK = re.compile(r"\]\(([^)#\s]*)#([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} (.+?)\s*$", re.MULTILINE)


def _prose(page: Path) -> str:
    return FENCED.sub("", page.read_text(encoding="utf-8"))


def _anchors(page: Path) -> set[str]:
    """As GitHub makes them: in lower case, without punctuation, a dash for each space, repeats numbered."""
    seen: dict[str, int] = {}
    anchors = set()
    for heading in HEADING.findall(_prose(page)):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        anchor = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        anchors.add(f"{anchor}-{seen[anchor]}" if anchor in seen else anchor)
        seen[anchor] = seen.get(anchor, 0) + 1
    return anchors | set(re.findall(r'<a (?:id|name)="([^"]+)"', _prose(page)))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_to_a_heading_leads_to_one(page: Path) -> None:
    """In the same page, or in another one."""
    lost = []
    for target, anchor in LINK.findall(CODE.sub("", _prose(page))):
        if "://" not in target:
            there = page.parent / target if target else page
            if not there.is_file() or (there.suffix == ".md" and anchor not in _anchors(there)):
                lost.append(f"{target}#{anchor}")
    assert lost == []
