"""docs/format.md and tests/format say what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from terse.layout.read import read
from terse.payload.exact import dump, parse
from terse.payload.payload import Payload
from terse.tiers import TIERS
from terse.tiers.spec import Applied, Context, Draft, State
from terse.tokens import vocabulary

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "format.md").read_text(encoding="utf-8")
CONFORMANCE = sorted((ROOT / "tests" / "format").glob("*.json"))
ALONE = [tier for tier in TIERS if not tier.needs_memory]
LAYOUT_TIERS = [
    tier for tier in ALONE if tier.takes & {State.JSON, State.LAYOUT} or tier.leaves is State.LAYOUT
]


def test_every_layout_on_the_page_can_be_read() -> None:
    """The examples of the specification are layouts."""
    shown = re.findall(r"^```\n(JSON outline:.*?)\n```$", PAGE, re.MULTILINE | re.DOTALL)

    assert shown
    for layout in shown:
        read(layout)


@pytest.mark.parametrize("tier", LAYOUT_TIERS, ids=lambda tier: tier.name)
def test_every_tier_stands_on_the_page(tier: object) -> None:
    """Each JSON tier is named, with its own sentence and how it reads."""
    name, sentence, reads = (getattr(tier, each) for each in ("name", "sentence", "reads"))

    if name != "minify":  # it writes JSON, not the layout
        assert f"**{name}**: {sentence}\nHow it reads: {reads}" in PAGE


def test_the_conformance_set_is_there() -> None:
    """Another implementation has something to test itself with."""
    assert len(CONFORMANCE) >= 12


@pytest.mark.parametrize("path", CONFORMANCE, ids=lambda path: path.stem)
def test_conformance(path: Path) -> None:
    """Reading the layout gives the document: values, types, number text, key order."""
    layout = path.with_suffix(".txt").read_bytes().decode()

    assert dump(read(layout)) == dump(parse(path.read_bytes().decode()))


@pytest.mark.parametrize("path", CONFORMANCE, ids=lambda path: path.stem)
def test_conformance_files_are_what_the_tiers_write(path: Path, request: pytest.FixtureRequest) -> None:
    """The set shows today's output; `--update-golden` writes it anew, to be read in the diff."""
    count = vocabulary().count
    draft = Draft.of(Payload.of(path.read_bytes().decode()))
    for tier in ALONE:
        if draft.state in tier.takes:
            result = tier.run(draft, {option.name: option.default for option in tier.options}, Context(count))
            if isinstance(result, Applied) and count(result.draft.text) < count(draft.text):
                draft = result.draft

    layout = path.with_suffix(".txt")
    if request.config.getoption("--update-golden"):
        layout.write_bytes(draft.text.encode())
    assert layout.read_bytes().decode() == draft.text
