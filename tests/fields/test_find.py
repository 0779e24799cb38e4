"""What selectors find."""

from __future__ import annotations

import pytest
from hypothesis import given

from terse.fields.find import Spot, find, first, longest_list_of_objects
from terse.fields.selector import CodeBlocks, Every, Everything, LinesMatching, Path, Target, TerminalCodes
from terse.fields.wildcard import matches
from terse.payload.exact import JsonValue, parse
from tests.fields.documents import DOCUMENTS, TARGETS, Way, every_way, found_ways

ISSUES = parse(
    '{"issues": [{"id": 1, "labels": [{"name": "bug"}, {"name": "ui"}], "user": {"id": 7}},'
    ' {"id": 2, "labels": [], "user": null, "html_url": "x"}], "total": 2}'
)


def _way(spot: Spot) -> Way:
    return tuple(reversed([each.key for each in spot.way() if each.parent is not None]))


def _ways(document: JsonValue, target: Target) -> list[Way]:
    return [_way(spot) for spot in find(document, target)]


def test_keys_lead_from_the_root_and_lists_are_seen_through() -> None:
    """`issues.labels.name` finds the name of every label of every issue, in order."""
    found = [spot.value for spot in find(ISSUES, Path(("issues", "labels", "name")))]

    assert found == ["bug", "ui"]


def test_a_list_at_the_end_is_found_whole() -> None:
    """`issues` finds the list, and not its elements."""
    assert _ways(ISSUES, Path(("issues",))) == [("issues",)]


def test_every_starts_at_any_depth() -> None:
    """`every id` finds ids of issues and of their users; `every user.id` those of users."""
    assert _ways(ISSUES, Every(("id",))) == [
        ("issues", 0, "id"),
        ("issues", 0, "user", "id"),
        ("issues", 1, "id"),
    ]
    assert _ways(ISSUES, Every(("user", "id"))) == [("issues", 0, "user", "id")]


def test_a_star_stands_for_any_part_of_a_key() -> None:
    """`every *_url` finds html_url."""
    assert _ways(ISSUES, Every(("*_url",))) == [("issues", 1, "html_url")]


def test_everything_is_the_document() -> None:
    """`everything` is the root."""
    assert _ways(ISSUES, Everything()) == [()]


@pytest.mark.parametrize("target", [LinesMatching("x"), CodeBlocks(), TerminalCodes()])
def test_parts_of_a_text_are_not_in_a_document(target: Target) -> None:
    """Nothing found is nothing done, never an error."""
    assert first(ISSUES, target) is None


@given(document=DOCUMENTS, target=TARGETS)
def test_finding_is_what_the_language_says(document: JsonValue, target: Target) -> None:
    """On any document, a selector finds exactly the ways whose keys it names, each once."""
    ways = _ways(document, target)

    assert len(ways) == len(set(ways))
    assert set(ways) == found_ways(document, target)


@given(document=DOCUMENTS, target=TARGETS.filter(lambda target: isinstance(target, Path)))
def test_the_first_match_is_the_first_in_the_document(document: JsonValue, target: Target) -> None:
    """`field a.b is …` asks about the match that a reader meets first."""
    in_order = [way for way, _ in every_way(document)]
    found = first(document, target)

    assert found is None or _way(found) == min(found_ways(document, target), key=in_order.index)


@given(document=DOCUMENTS)
def test_rows_of_everything_are_the_longest_list_of_objects(document: JsonValue) -> None:
    """`shorten everything to 100 rows` cuts the longest list of objects, of equals the first."""
    lists = [
        value
        for _, value in every_way(document)
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value)
    ]
    longest = max(lists, key=len, default=None)
    found = longest_list_of_objects(document)

    assert (found.value if found else None) is longest


@pytest.mark.parametrize(
    ("glob", "text", "expected"),
    [
        ("*", "", True),
        ("*", "any", True),
        ("list_*", "list_issues", True),
        ("list_*", "list_", True),
        ("list_*", "list", False),
        ("*_url", "html_url", True),
        ("a*b*c", "abc", True),
        ("a*b*c", "axxbyyc", True),
        ("a*b*c", "acb", False),
        ("ab*ba", "aba", False),
        ("**", "x", True),
        ("plain", "plain", True),
        ("plain", "Plain", False),
        ("a.b", "axb", False),
        ("*a*a*", "a", False),
    ],
)
def test_the_wildcard(glob: str, text: str, expected: bool) -> None:
    """`*` stands for any run of characters, everything else for itself."""
    assert matches(glob, text) is expected


def test_many_stars_take_no_time() -> None:
    """A glob and a text made to be slow are not."""
    assert not matches("a*" * 200 + "b", "a" * 50_000)
