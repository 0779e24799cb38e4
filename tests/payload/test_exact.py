"""JSON is carried exactly, or not at all."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from terse.payload import exact
from terse.payload.exact import MAX_DEPTH, NotExact, Number, dump, is_json, parse
from tests.layout.documents import DOCUMENTS, json_texts


@pytest.mark.parametrize(
    "text",
    [
        "[1.0,1e5,1E400,-0,-0.0,0.1000,12345678901234567890123,3.10]",
        '{"b":1,"a":{"d":null,"c":[true,false]}}',
        r'["\ud800","a\ud800b"]',
        '{"":"","a\\"b":"\\n\\t\\\\"}',
        "[[],{},[{}]]",
        "[" * MAX_DEPTH + "]" * MAX_DEPTH,
    ],
)
def test_compact_json_comes_back_to_the_byte(text: str) -> None:
    """Number text, key order, escapes that have to be, empty containers and depth survive."""
    assert dump(parse(text)) == text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a":1,"a":2}', "a key twice"),
        ('[{"b":[{"c":1,"c":1}]}]', "a key twice"),
        ("[NaN]", "NaN"),
        ("[-Infinity]", "Infinity"),
        ("3.10", "scalar"),
        ('"text"', "scalar"),
        ("null", "scalar"),
        ("[1", "not JSON"),
        ("[01]", "not JSON"),
        ("[1]]", "not JSON"),
        ("\ufeff[1]", "not JSON"),
        ("", "not JSON"),
        ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "nested"),
        ("[" * 100_000 + "]" * 100_000, "nested"),
        ("[" * 100_000, "nested"),
        ('{"a":' * 100_000, "nested"),
    ],
)
def test_what_cannot_be_carried_is_refused(text: str, reason: str) -> None:
    """Duplicate keys, NaN, scalars, depth and plain text are refused with a reason."""
    with pytest.raises(NotExact, match=reason):
        parse(text)


def test_a_number_is_no_string() -> None:
    """Equality, inequality and sets tell a number from a string of the same spelling."""
    assert Number("1") == Number("1")
    assert Number("1") != Number("1.0")
    assert Number("1") != "1"
    assert Number("1") != "1"
    assert len({Number("1"), "1"}) == 2


def test_json_with_a_key_twice_is_still_json() -> None:
    """`is_json` is about the text, not about whether it can be carried."""
    assert is_json('{"a":1,"a":2}')
    assert not is_json("[NaN]")
    assert not is_json("7")
    assert not is_json("[" * 100_000)


@given(DOCUMENTS)
def test_the_slow_writer_writes_the_same(value: exact.JsonValue) -> None:
    """Where CPython's encoder is missing, the text is the same."""
    text = dump(value)

    assert exact.dump(parse(exact._dump_slowly(value))) == text
    assert text.encode()  # no lone surrogate is left


@given(json_texts())
def test_any_json_text_is_carried_or_refused(text: str) -> None:
    """Whatever the spelling of numbers, strings and white space: the same tokens in the same order."""
    try:
        value = parse(text)
    except NotExact:
        return

    again = dump(value)
    assert dump(parse(again)) == again
    spelled = json.JSONDecoder(parse_int=lambda n: ["number", n], parse_float=lambda n: ["number", n])
    assert spelled.decode(again) == spelled.decode(text)
