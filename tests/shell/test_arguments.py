"""Words as arguments, on any schema and any value: what flags take is what the schema allows."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from terse.payload.exact import dump, parse
from terse.shell.arguments import given as read_arguments
from terse.shell.flags import Flags, fold, kebab
from terse.shell.line import read as read_line
from terse.shell.unusable import Unusable, Wrong
from terse.shell.validity import _says_no_more, check

NAMES = st.from_regex(r"[a-z][A-Za-z0-9_]{0,8}", fullmatch=True)
SCALARS = st.one_of(
    st.sampled_from([{"type": kind} for kind in ("string", "integer", "number", "boolean")]),
    st.lists(st.text(min_size=1, max_size=5), min_size=1, max_size=3).map(lambda values: {"enum": values}),
    st.just({"type": ["integer", "string"]}),
    st.just({"anyOf": [{"type": "number"}, {"type": "null"}]}),
    st.just({"type": "integer", "minimum": 3}),
    st.just({}),
)
SCHEMAS = st.one_of(SCALARS, SCALARS.map(lambda items: {"type": "array", "items": items}))
WORDS = st.one_of(
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8),
    st.integers().map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(["true", "false", "null", "1.0", "1e400", "-0", "[1]", '["a"]', "{}", "0x10", "٣"]),
)


def _nothing(word: str) -> str:
    raise Unusable(word)


def _schema(properties: dict[str, Any], **more: Any) -> Any:
    schema = {"type": "object", "properties": properties, **more}
    parsed = parse(json.dumps(schema))
    assert isinstance(parsed, dict)
    return parsed


@given(NAMES, SCHEMAS, st.lists(WORDS, min_size=1, max_size=3))
@settings(max_examples=400)
def test_what_is_taken_is_valid(name: str, schema: dict[str, Any], words: list[str]) -> None:
    """Where flags take values, and say that they are sure, the validator finds nothing; nothing else but
    `Wrong` is raised."""
    whole = _schema({name: schema})
    flags = Flags(whole)
    line = [each for word in words for each in (f"--{kebab(name)}={word}",)]
    try:
        found = read_arguments(line, flags, _nothing)
    except Unusable:
        return
    plain = json.loads(dump(found.arguments))
    if found.is_sure and _says_no_more(whole, found.arguments):
        assert not list(Draft202012Validator(json.loads(dump(whole))).iter_errors(plain))


@given(NAMES, st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_sent_as_they_are_written(name: str, number: float) -> None:
    """No digit is lost, and none is made up."""
    flags = Flags(_schema({name: {"type": "number"}}))
    found = read_arguments([f"--{name}", json.dumps(number)], flags, _nothing)

    assert dump(found.arguments) == f'{{"{name}":{json.dumps(number)}}}'


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_a_text_is_sent_as_it_is(text: str) -> None:
    """Whatever is in it; only `@` and `-` at the beginning mean something."""
    flags = Flags(_schema({"text": {"type": "string"}}))
    word = f"@{text}" if text.startswith("@") else text
    if word == "-":
        return
    found = read_arguments([f"--text={word}"], flags, _nothing)

    assert found.arguments == {"text": text}


@given(NAMES)
def test_a_name_is_found_in_every_spelling(name: str) -> None:
    """As the schema has it, with dashes, with underscores, in lower case."""
    flags = Flags(_schema({name: {"type": "string"}}))
    for spelt in (name, kebab(name), kebab(name).replace("-", "_"), fold(name)):
        flag = flags.named(spelt)
        assert flag is not None
        assert flag.path == (name,)


def test_names_that_differ_in_their_spelling_alone() -> None:
    """Each is reached by its own."""
    flags = Flags(_schema({"a_b": {"type": "string"}, "a-b": {"type": "string"}, "aB": {"type": "string"}}))
    found = read_arguments(["--a_b", "1", "--a-b", "2", "--aB", "3"], flags, _nothing)

    assert found.arguments == {"a_b": "1", "a-b": "2", "aB": "3"}


def test_a_tools_own_names_go_first() -> None:
    """An argument that is called like an option of ours is the tool's, and `no-x` may be a name."""
    schema = _schema(
        {name: {"type": "string"} for name in ("json", "output", "help", "arguments")} | {"no_x": {}, "x": {}}
    )
    words = ["--json", "1", "--output", "2", "--help", "3", "--arguments", "4", "--no-x", "5"]
    found = read_arguments(words, Flags(schema), _nothing)

    assert (found.own, len(found.arguments)) == ({}, 5)


@pytest.mark.parametrize(
    ("schema", "words", "expected"),
    [
        ({"a": {"$ref": "#/$defs/n"}}, ["--a", "5"], '{"a":5}'),
        ({"a": {"type": ["integer", "string"]}}, ["--a", "5", "--a=x"], None),
        ({"a": {"type": ["integer", "string"]}}, ["--a", "five"], '{"a":"five"}'),
        ({"a": {}}, ["--a", "[1, 2]"], '{"a":[1,2]}'),
        ({"a": {}}, ["--a", "plain"], '{"a":"plain"}'),
        ({"a": {"type": "array", "items": {"type": "integer"}}}, ["--a", "1", "--a", "2"], '{"a":[1,2]}'),
        ({"a": {"type": "array", "items": {"type": "object"}}}, ["--a", '{"b":1}'], '{"a":[{"b":1}]}'),
        (
            {"a": {"type": "array", "items": {"type": "array"}}},
            ["--a", "[1]", "--a", "[2]"],
            '{"a":[[1],[2]]}',
        ),
        ({"a": {"type": "object"}}, ["--a.b.c", "1", "--a.d", "x"], '{"a":{"b":{"c":1},"d":"x"}}'),
        ({"a": {"type": "object", "additionalProperties": False}}, ["--a.b", "1"], None),
        ({"a": {"type": "integer"}}, ["--a", "-5"], '{"a":-5}'),
        ({"a": {"const": "x"}}, ["--a", "y"], None),
        ({"a": {"enum": [1, 2]}}, ["--a", "2"], '{"a":2}'),
        ({"a": True}, ["--a", "2"], '{"a":2}'),
    ],
)
def test_kinds_of_schemas(schema: dict[str, Any], words: list[str], expected: str | None) -> None:
    """References, several types, lists of anything, members that no schema names."""
    flags = Flags(_schema(schema, **{"$defs": {"n": {"type": "integer"}}}))
    if expected is None:
        with pytest.raises(Wrong):
            read_arguments(words, flags, _nothing)
        return

    assert dump(read_arguments(words, flags, _nothing).arguments) == expected


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/none"}}},
        {"type": "object", "properties": {"a": {"$ref": "https://example.invalid/schema"}}},
        {"type": "object", "properties": {"a": {"type": "wrong"}}},
        {"type": "object", "properties": {"a": {"$ref": "#/properties/a"}}},
        {"type": "object", "properties": "none"},
        {},
    ],
)
def test_a_schema_that_nobody_can_read(schema: dict[str, Any]) -> None:
    """What it means, the server has to say: nothing is refused, nothing fails, nothing is fetched."""
    parsed = parse(json.dumps(schema))
    assert isinstance(parsed, dict)
    Flags(parsed)
    check({"a": "x"}, parsed, is_sure=False)


@pytest.mark.parametrize(
    "words",
    [["\udcff"], ["notebook", "add", "\udcff"], ["notebook", "--", "\udcff"], ["--cwd", "\udcff", "x"]],
)
def test_bytes_that_are_no_text_are_refused(words: list[str]) -> None:
    """Wherever they stand: names, commands and arguments become JSON."""
    with pytest.raises(Unusable, match="is not UTF-8 text"):
        read_line(words)
