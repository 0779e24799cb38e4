"""JSON documents and selectors for the tests of fields, and what selectors mean, spelt out slowly."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

from hypothesis import strategies as st

from terse.fields.selector import Every, Everything, Path, Target
from terse.payload.exact import JsonValue, Number, as_object

KEYS = ("id", "a", "b", "a_url", "b_url", "rows", "…", "rows…")

NUMBERS = st.sampled_from(
    [Number(text) for text in ("0", "-0", "1.0", "1e5", "3.10", "12345678901234567890", "NaN")]
)
STRINGS = st.sampled_from(
    [
        "",
        "short",
        "two\nlines\n",
        "long text that goes on and on, word after word, and says nothing at all " * 3,
        "[4 rows set aside: terse_retrieve h123456789]",
        "[[1 line removed]]",
        "h123456789",
    ]
) | st.text(max_size=8)
SCALARS = st.none() | st.booleans() | NUMBERS | STRINGS

VALUES: st.SearchStrategy[JsonValue] = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
        | st.lists(st.dictionaries(st.sampled_from(KEYS), inner, max_size=3), max_size=6)
        | st.lists(st.tuples(st.sampled_from(KEYS), inner), max_size=4).map(as_object)
    ),
    max_leaves=25,
)
DOCUMENTS = VALUES.filter(lambda value: isinstance(value, (dict, list)))

KEY_GLOBS = st.sampled_from([*KEYS, "*_url", "*", "a*", "row*s"])
_KEY_LISTS = st.lists(KEY_GLOBS, min_size=1, max_size=2).map(tuple)
TARGETS: st.SearchStrategy[Target] = (
    st.builds(Path, _KEY_LISTS) | st.builds(Every, _KEY_LISTS) | st.just(Everything())
)

Way = tuple[str | int, ...]


def every_way(value: JsonValue, way: Way = ()) -> list[tuple[Way, JsonValue]]:
    """All values of a document with the way to each, in document order."""
    ways: list[tuple[Way, JsonValue]] = [(way, value)]
    if isinstance(value, dict):
        for key, item in value.items():
            ways += every_way(item, (*way, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            ways += every_way(item, (*way, index))
    return ways


def found_ways(document: JsonValue, target: Target) -> set[Way]:
    """The ways that a target speaks of, by comparing the keys of every way there is."""
    if isinstance(target, Everything):
        return {()}
    keys: tuple[str, ...] = target.keys  # type: ignore[union-attr]
    found: set[Way] = set()
    for way, _ in every_way(document):
        names = [part for part in way if isinstance(part, str)]
        if not way or isinstance(way[-1], int) or len(names) < len(keys):
            continue
        if isinstance(target, Path) and len(names) != len(keys):
            continue
        if all(
            fnmatchcase(name, glob) for name, glob in zip(names[len(names) - len(keys) :], keys, strict=True)
        ):
            found.add(way)
    return found


def at(document: Any, way: Way) -> Any:
    """The value at the end of a way."""
    for part in way:
        document = document[part]
    return document


def within(way: Way, ways: set[Way]) -> bool:
    """Whether the way is one of these, or goes on from one."""
    return any(way[:length] in ways for length in range(len(way) + 1))


def leads(way: Way, ways: set[Way]) -> bool:
    """Whether one of these goes on from the way."""
    return any(other[: len(way)] == way for other in ways)
