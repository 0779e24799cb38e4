"""YAML samples: a document stands for exactly one JSON text, or is refused with a line."""

from __future__ import annotations

import re

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from terse.payload.exact import JsonValue, Number, dump, parse
from terse.payload.sample import Sample
from terse.payload.yaml_sample import MAX_TEXT, NotYaml, to_json

TEXTS = st.text(
    st.characters(
        min_codepoint=32,
        max_codepoint=0xD7FF,
        exclude_characters="\x7f",
        exclude_categories=["Cc", "Zl", "Zp"],
    ),
    max_size=40,
)
NUMBERS = st.from_regex(r"-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?", fullmatch=True).map(
    Number
)
SCALARS: st.SearchStrategy[JsonValue] = st.none() | st.booleans() | NUMBERS | TEXTS
VALUES: st.SearchStrategy[JsonValue] = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(TEXTS, inner, max_size=5)
)
DOCUMENTS = st.lists(VALUES, max_size=5) | st.dictionaries(TEXTS, VALUES, max_size=5)


def _block(value: JsonValue, indent: str = "") -> str:
    """The value as block YAML, every text in double quotes."""
    if isinstance(value, dict) and value:
        rows = (f"\n{indent}{dump_text(key)}: {_block(item, indent + '  ')}" for key, item in value.items())
        return "".join(rows)
    if isinstance(value, list) and value:
        return "".join(f"\n{indent}- {_block(item, indent + '  ')}" for item in value)
    return dump_text(value) if isinstance(value, str) else dump(value)


def dump_text(value: str) -> str:
    return dump([value])[1:-1]


@given(DOCUMENTS)
def test_block_style_stands_for_the_same_document(value: JsonValue) -> None:
    """Whatever a document holds, block style with quoted texts is read as exactly that document."""
    assert to_json(_block(value)) == dump(value)


@given(DOCUMENTS)
def test_json_is_yaml(value: JsonValue) -> None:
    """JSON text, which is YAML, stands for itself."""
    assert to_json(dump(value)) == dump(value)


@given(st.text(max_size=200) | st.text("-:[]{}&*a1 \n'\"|>!?#", max_size=80))
def test_any_text_is_a_document_or_refused_with_a_line(text: str) -> None:
    """No input ends in any other way than JSON or one line that says where and why."""
    said = made = ""
    try:
        made = to_json(text)
    except NotYaml as error:
        said = str(error)

    assert dump(parse(made)) == made if made else re.fullmatch(r"line [0-9]+: .+", said)


@given(st.dictionaries(TEXTS, st.lists(TEXTS, max_size=3), max_size=4))
def test_what_the_library_writes_is_read_back(value: dict[str, list[str]]) -> None:
    """Texts that PyYAML quotes where it must come back, in its own style."""
    assert to_json(yaml.safe_dump(value, default_style='"', allow_unicode=True)) == dump(
        parse(dump(dict(sorted(value.items()))))  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("written", "json"),
    [
        ("1.0", "1.0"),
        ("1e5", "1e5"),
        ("-0", "-0"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ("2024-01-31", '"2024-01-31"'),
        ("2024-01-31T10:00:00Z", '"2024-01-31T10:00:00Z"'),
        ("12:30:45", '"12:30:45"'),
        ("1_000", '"1_000"'),
        ("yes", '"yes"'),
        ("No", '"No"'),
        ("on", '"on"'),
        ("true", "true"),
        ("~", "null"),
        ("", "null"),
        ("Null", "null"),
        ('"1"', '"1"'),
        ("!!str 1", '"1"'),
        ("|\n    two\n    lines\n", '"two\\nlines\\n"'),
    ],
)
def test_scalars_are_those_of_the_core_schema(written: str, json: str) -> None:
    """Numbers keep their spelling; dates, times and the words of YAML 1.1 are texts."""
    assert to_json(f"a: {written}") == f'{{"a":{json}}}'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\nb: 2\na: 3\n", "line 3: the key 'a' stands here a second time"),
        ("a: 1\nb: 007\n", "line 2: 007 is a number that JSON cannot spell so"),
        ("a: .nan", "line 1: .nan is a number"),
        ("a: 0x1F", "line 1: 0x1F is a number"),
        ("a: 1\n---\nb: 2\n", "line 2: a second document"),
        ("just words", "line 1: nothing but a scalar"),
        ("", "line 1: there is no document"),
        ("a:\n  <<: {b: 1}\n", "line 2: `<<` merges in YAML 1.1 only"),
        ("a: *b", "line 1: *b has no anchor before it"),
        ("a: &b\n  - *b\n", "line 2: *b stands inside itself"),
        ("? [1]\n: 2\n", "line 1: a key that is no text"),
        ("a: !!binary YQ==", "line 1: the tag !!binary: JSON has no such type"),
        ("a: !!python/object:os.system x", "line 1: the tag !!python/object:os.system"),
        ("a: [1\nb: 2\n", "line 2: "),
        ("a: \x01", "line 1: "),
        ('a: 1\nb: "x\u2028y"', "line 2: U+2028, which ended lines in YAML 1.1"),
        ("[" * 300 + "]" * 300, "line 1: nested more than 200 deep"),
        ("a: " + "x" * MAX_TEXT, "line 1: over 2,000,000 characters"),
    ],
)
def test_what_stands_for_no_json_is_refused(text: str, said: str) -> None:
    """Each refusal names the line and what is wrong with it."""
    with pytest.raises(NotYaml) as refused:
        to_json(text)

    assert str(refused.value).startswith(said)


def test_an_alias_is_what_its_anchor_marks() -> None:
    """Values, keys and scalars can be marked and repeated."""
    made = to_json("a: &x {n: 1.0}\nb: *x\nc: &y k\n*y : *y\n")

    assert made == '{"a":{"n":1.0},"b":{"n":1.0},"c":"k","k":"k"}'


def test_a_few_lines_cannot_fill_the_memory() -> None:
    """Aliases of aliases of aliases are bounded by what they would spell, and in depth."""
    laughs = ["a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    laughs += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
    deep = ["a0: &a0 [x]"] + [f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 300)]

    with pytest.raises(NotYaml, match=r"line \d+: aliases stand for more than 8,000,000 characters"):
        to_json("\n".join(laughs))
    with pytest.raises(NotYaml, match=r"line \d+: nested more than 200 deep"):
        to_json("\n".join(deep))


def test_only_yaml_in_a_folder_of_samples_stands_for_json() -> None:
    """YAML elsewhere is a text: a tool that answers in YAML can be explained too."""
    assert Sample.saved("a: 1.0\n", "samples/k8s/get/x.yaml").texts == ('{"a":1.0}',)
    assert Sample.saved("a: 1.0\n", "out/x.yaml").texts == ("a: 1.0\n",)
    assert Sample.saved("a: 1.0\n", "samples/k8s/get/x.txt").texts == ("a: 1.0\n",)


def test_a_whole_mcp_result_can_be_yaml() -> None:
    """Text blocks are what reads best in YAML."""
    result = "isError: true\ncontent:\n- type: text\n  text: |\n    no such\n    project\n"
    sample = Sample.saved(result, "samples/jira/search/error.yml")

    assert sample.is_result
    assert sample.is_error
    assert sample.texts == ("no such\nproject\n",)
