"""JSON is carried exactly, or not at all."""

from __future__ import annotations

import json
from copy import deepcopy

import pytest
from hypothesis import given

from terse.payload import exact
from terse.payload.exact import (
    MAX_DEPTH,
    NotExact,
    Number,
    RepeatedKey,
    as_object,
    compacted,
    dump,
    parse,
    parse_unambiguous,
)
from tests.layout.documents import DOCUMENTS, json_texts


@given(json_texts())
def test_a_huge_text_is_parsed_like_any_other(text: str) -> None:
    """Its numbers are shared, and keep their spelling."""

    def parsed() -> str:
        try:
            return dump(parse(text))
        except NotExact as reason:
            return f"not exact: {reason}"

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact, "HUGE", 0)
        shared = parsed()
    assert shared == parsed()


@pytest.mark.parametrize(
    "text",
    [
        "[1.0,1e5,1E400,-0,-0.0,0.1000,12345678901234567890123,3.10]",
        '{"b":1,"a":{"d":null,"c":[true,false]}}',
        r'["\ud800","a\ud800b"]',
        '{"":"","a\\"b":"\\n\\t\\\\"}',
        "[[],{},[{}]]",
        "[" * MAX_DEPTH + "]" * MAX_DEPTH,
        "[NaN,Infinity,-Infinity]",
        '{"a":1,"b":[{"c":1,"c":1.0,"a":null,"c":{}}],"a":2}',
    ],
)
def test_compact_json_comes_back_to_the_byte(text: str) -> None:
    """Number text, key order, keys twice, escapes that have to be, empty containers and depth survive."""
    assert dump(parse(text)) == text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("NaN", "scalar"),
        ("[nan]", "not JSON"),
        ("[+Infinity]", "not JSON"),
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
    """Scalars, depth and plain text are refused with a reason."""
    with pytest.raises(NotExact, match=reason):
        parse(text)


def test_a_number_is_no_string() -> None:
    """Equality, inequality and sets tell a number from a string of the same spelling."""
    assert Number("1") == Number("1")
    assert Number("1") != Number("1.0")
    assert Number("1") != "1"
    assert Number("1") != "1"
    assert len({Number("1"), "1"}) == 2


def test_a_key_that_stands_twice_is_two_keys() -> None:
    """Every value is there, in order, under a key that equals no other; the first is the key itself."""
    value = parse('{"a":1,"b":2,"a":3,"a":4}')

    assert isinstance(value, dict)
    assert list(value) == ["a", "b", RepeatedKey("a", 2), RepeatedKey("a", 3)]
    assert value["a"] == Number("1")
    assert RepeatedKey("a", 2) != "a"
    assert RepeatedKey("a", 2) not in {"a": 1}
    assert RepeatedKey("a", 2) != RepeatedKey("a", 3)
    assert as_object([("a", 1), ("a", 1)]) != {"a": 1}
    assert value != parse('{"a":1,"b":2,"a":4,"a":3}')
    assert deepcopy(value) == value


def test_one_key_many_times_takes_no_longer_than_many_keys() -> None:
    """A hostile object is carried too."""
    text = "{" + ",".join(f'"a":{number}' for number in range(100_000)) + "}"

    assert dump(parse(text)) == text


@pytest.mark.parametrize(
    ("text", "reason"), [('[{"a":1,"a":1}]', "a key twice"), ("[NaN]", "NaN is"), ('{"a":-Infinity}', "-Inf")]
)
def test_what_readers_could_differ_about_can_be_refused(text: str, reason: str) -> None:
    """Where a decision hangs on what a document says, it has to say the same to everyone."""
    with pytest.raises(NotExact, match=reason):
        parse_unambiguous(text)
    assert parse_unambiguous('{"a":1.0}') == parse('{"a":1.0}')


@given(DOCUMENTS)
def test_the_slow_writer_writes_the_same(value: exact.JsonValue) -> None:
    """Where CPython's encoder is missing, the text is the same."""
    text = dump(value)

    assert exact.dump(parse(exact._dump_slowly(value))) == text
    assert text.encode()  # no lone surrogate is left


@given(json_texts())
def test_a_text_without_its_white_space_is_what_is_written(text: str) -> None:
    """What stands for writing a document is what is written of it, whatever the text; or it is not there."""
    try:
        written = dump(parse(text))
    except NotExact:
        return

    assert compacted(text) in (None, written)


@pytest.mark.parametrize(
    "text",
    [
        '{"a" : 1, "a" : 2}',
        '{"a":1,"\\u0061":2}',
        '{"a\\":1":1,"a\\":1":2}',
        '[{"a":"\\":"},{"b":1,"b":"x\\\\"}]',
        '{"":1,"":{"":1,"":2}}',
    ],
)
def test_no_key_that_stands_twice_goes_unnoticed(text: str) -> None:
    """However keys are spelt, spaced or quoted: there are as many as in the text."""
    pairs: list[tuple[str, object]] = []
    json.loads(text, object_pairs_hook=pairs.extend)

    assert exact._keys_within(parse(text), MAX_DEPTH) == len(pairs)


@given(json_texts())
def test_any_json_text_is_carried_or_refused(text: str) -> None:
    """Whatever the spelling of numbers, strings and white space: the same tokens in the same order."""
    try:
        value = parse(text)
    except NotExact:
        return

    again = dump(value)
    assert dump(parse(again)) == again
    spelled = json.JSONDecoder(
        parse_int=lambda number: ["number", number],
        parse_float=lambda number: ["number", number],
        parse_constant=lambda number: ["number", number],
        object_pairs_hook=lambda pairs: ["object", *pairs],
    )
    assert spelled.decode(again) == spelled.decode(text)
