"""Many texts as one: whatever they are, exactly these come back, also by the documentation alone."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from terse.payload.blocks import NotJoined, join, split

HEAD = re.compile(
    r"([1-9][0-9]*) texts, (?:(one a line)|(an empty line between them)|(-{3,}) between them):\n"
)


class Num(str):
    """A JSON number by its spelling."""

    __slots__ = ()


def read(joined: str) -> list[Any]:
    """What the texts mean, by docs/format-blocks.md and nothing of the program's."""
    if joined.startswith("["):
        items: list[Any] = document(joined)
        assert all(isinstance(item, (list, tuple)) or type(item) is str for item in items)
        return items
    found = HEAD.match(joined)
    assert found
    between = "\n" if found[2] else "\n\n" if found[3] else f"\n{found[4]}\n"
    texts: list[Any] = joined[found.end() :].split(between)
    assert len(texts) == int(found[1])
    return list(map(meaning, texts))


def document(text: str) -> Any:
    return json.loads(text, parse_int=Num, parse_float=Num, object_pairs_hook=lambda pairs: ("object", pairs))


def meaning(text: str) -> Any:
    """A document as it reads; any other text as it is."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return document(text) if isinstance(value, (list, dict)) else text


@pytest.mark.parametrize(
    ("texts", "joined"),
    [
        (["airport:OSL", "airport:BGO"], "2 texts, one a line:\nairport:OSL\nairport:BGO"),
        (["a\nb", "c"], "2 texts, an empty line between them:\na\nb\n\nc"),
        (["a\n\nb", "c"], "2 texts, --- between them:\na\n\nb\n---\nc"),
        (["a\n\nb\n---\nc", "d"], "2 texts, ---- between them:\na\n\nb\n---\nc\n----\nd"),
        (["a\n", "b"], "2 texts, --- between them:\na\n\n---\nb"),
        (["", ""], "2 texts, one a line:\n\n"),
        (['{"a": 1.0}', "[2]"], '[{"a": 1.0},[2]]'),
        (['{"a": 1}', "one"], '[{"a": 1},"one"]'),
        (['{"a": 1}', "3.10", "true"], '3 texts, one a line:\n{"a": 1}\n3.10\ntrue'),
        (['"{}"', "{}"], '["\\"{}\\"",{}]'),
    ],
)
def test_the_forms(texts: list[str], joined: str) -> None:
    """Documents are items of a list, other texts stand below a line that says how many they are."""
    found = join(texts)

    assert found is not None
    assert found.text == joined
    assert found.is_list == all(text[0:1] in ("{", "[") for text in texts)


PIECES = st.lists(
    st.sampled_from(
        ["", "\n", "\n\n", "---", "\n---\n", "----", "x", "é", "\r", "[", "]", '{"a": 1}', " ", "5"]
    ),
    max_size=6,
).map("".join)
DOCUMENTS = st.sampled_from(
    ['{"a":1}', "[]", '{"b": [1.0, 1e5]}\n', "[[{}]]", '["x"]', "{", "[1", '{"a"}', '{"a":1,"a":2}', "[NaN]"]
)
TEXTS = st.lists(PIECES | DOCUMENTS | st.text(max_size=8), min_size=2, max_size=6)


@given(texts=TEXTS)
@example(texts=["\ud83d", "\ude00", "{}", "{}"])
@example(texts=["2 texts, one a line:\na\nb", "c"])
@example(texts=["[" * 200 + "]" * 200, "{}"])
@example(texts=["a" * 3, "\n\n\n\n"])
def test_what_is_joined_comes_back(texts: Sequence[str]) -> None:
    """By `split`, and by the documentation alone: every character, or every pair of every document."""
    joined = join(texts)

    if joined is None:
        assert any(re.search("[\ud800-\udfff]", text) or len(text) > 200 for text in texts)
        return
    assert [meaning(text) for text in split(joined.text)] == list(map(meaning, texts))
    assert read(joined.text) == list(map(meaning, texts))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain words",
        "2 texts, one a line:\na",
        "2 texts, one a line:\na\nb\nc",
        "02 texts, one a line:\na\nb",
        "2 texts, -- between them:\na\n--\nb",
        "3 texts, an empty line between them:\na\n\nb",
        "[1,2]",
        "[null]",
        "[{",
    ],
)
def test_what_stands_for_no_others_is_refused(text: str) -> None:
    """Another number of texts than it says, items that are none, or no such form at all."""
    with pytest.raises(NotJoined):
        split(text)
