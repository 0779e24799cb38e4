"""The comparison that believes nobody: what counts as the same, and what is said where it is not."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terse.payload.exact import dump, parse
from terse.verification.original import difference, parsed, written

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("received", "back", "said"),
    [
        ('{"a": 1.0}', '{"a":1}', "$.a: 1.0 became 1"),
        ('{"a": 1E400}', '{"a":Infinity}', "$.a: 1E400 became Infinity"),
        ('[{"a":-0}]', '[{"a":0}]', "$[0].a: -0 became 0"),
        ('{"a":1,"a":2}', '{"a":2}', "$: other keys, or in another order"),
        ('{"a":1,"b":2}', '{"b":2,"a":1}', "$: other keys, or in another order"),
        ('{"a":1}', '{"a":"1"}', "$.a: a number became a string"),
        ('{"a":1}', '{"a":true}', "$.a: a number became true or false"),
        ('{"a":null}', '{"a":{}}', "$.a: null became an object"),
        ("[1,2]", "[1,2,3]", "$: 2 items became 3"),
        ("[true]", "[false]", "$[0]: true became false"),
        ('["a"]', '["b"]', "$[0]: another string"),
        ("[1]", "one", "it is no JSON document"),
        ("3.10", "3.1", "character 4 of 4 is another"),
        ("a\r\nb", "a\nb", "character 2 of 4 is another"),
        ("abc", "abcd", "character 4 of 3 is another"),
    ],
)
def test_what_is_another_is_found(received: str, back: str, said: str) -> None:
    """Number text, types, keys that stand twice, order, and every character of what is no document."""
    assert difference(received, back) == said


@given(JSON)
def test_white_space_and_escapes_are_no_difference(value: object) -> None:
    """However a document is spelt, it is the same: `null`, numbers, keys and strings are."""
    text = json.dumps(value, indent=3)

    assert difference(text, json.dumps(value, ensure_ascii=False)) is None or not text.startswith(("[", "{"))
    document = parsed(text)
    assert parsed(written(document)) == document


@given(st.text())
def test_a_text_is_the_same_by_its_characters_alone(text: str) -> None:
    """Nothing that is no JSON document is read as anything but its characters."""
    assert difference(text, text) is None
    assert difference(f"x{text}", f"x{text} ") is not None


def test_deep_nesting_is_a_text() -> None:
    """As everywhere in terse: deeper than 200, no two Pythons agree on what can be read."""
    deep = "[" * 5_000 + "]" * 5_000

    assert difference(deep, deep) is None
    assert difference(deep, f" {deep}") == "character 1 of 10,000 is another"
    level = "[" * 200 + "]" * 200
    assert difference(level, f" {level}") is None


def test_it_agrees_with_the_gate_on_what_a_document_is() -> None:
    """What `dump` writes of a document, number by number, is the same document."""
    text = '{"a":[1.0,1E400,-0,NaN,{"b":"\\ud83d","b":null}]}'

    assert difference(text, dump(parse(text))) is None
    assert parsed(written(parsed(text))) == parsed(text)
