"""Edits of text: whatever a file looks like, only the entry changes, and all of it comes back."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from terse.clients.document import MAX_DEPTH, Broken, Document, NotEditable, edited
from terse.clients.entry import Front, Shape, read, unwrap, wrap
from terse.clients.jsonc import Jsonc
from terse.clients.toml_document import Toml
from terse.clients.yaml_document import Yaml

FRONT = Front(("/opt/terse",))
SPACES = st.lists(
    st.sampled_from((" ", "\n", "\t", "\r\n", "// a } ] , \" '\n", "/* * / \n ] */")), max_size=3
).map("".join)
WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


def _escaped(text: str, draw: Any) -> str:
    return json.dumps(text, ensure_ascii=draw(st.booleans()))


def _written(value: object, draw: Any) -> str:
    """JSON with comments, white space and last commas wherever they may stand."""
    gap = lambda: draw(SPACES)  # noqa: E731 — one word for what stands between all tokens
    if isinstance(value, str):
        return _escaped(value, draw)
    if not isinstance(value, dict | list):
        return json.dumps(value)
    if isinstance(value, dict):
        parts = [
            f"{gap()}{_escaped(key, draw)}{gap()}:{gap()}{_written(each, draw)}{gap()}"
            for key, each in value.items()
        ]
        brackets = "{}"
    else:
        parts = [f"{gap()}{_written(each, draw)}{gap()}" for each in value]
        brackets = "[]"
    last = "," + gap() if parts and draw(st.booleans()) else ""
    return brackets[0] + (",".join(parts) or gap()) + last + brackets[1]


@st.composite
def configurations(draw: Any) -> tuple[str, dict[str, Any]]:
    """A text, and what it means."""
    entry: dict[str, Any] = {"command": draw(WORDS.filter(bool))}
    if draw(st.booleans()):
        entry["args"] = draw(st.lists(WORDS, max_size=4))
    if draw(st.booleans()):
        entry["env"] = draw(st.dictionaries(WORDS, WORDS, max_size=2))
    keys = draw(st.permutations(list(entry)))
    value = {
        **draw(st.dictionaries(WORDS, st.none() | WORDS | st.lists(st.booleans(), max_size=2), max_size=2)),
        "mcpServers": {"a b": {key: entry[key] for key in keys}, "other": {"command": "x"}},
    }
    return draw(SPACES) + _written(value, draw) + draw(SPACES), value


def _there_and_back(document: Document, path: tuple[str, ...], kind: type) -> None:
    change = wrap(Shape(), document, document.entry(path), path[-1], FRONT)
    text = edited(document.text, change.edits)
    after = kind(text)
    server = read(Shape(), after.entry(path).value)
    assert server.wrapped is not None
    assert server.inner == read(Shape(), document.entry(path).value).command
    back = unwrap(Shape(), after, after.entry(path), added_args=change.adds_args)
    assert edited(text, back.edits) == document.text


@given(configurations())
def test_json_with_comments_there_and_back(made: tuple[str, dict[str, Any]]) -> None:
    """Any comments, white space, order of keys and last commas: in and out gives the very text."""
    text, value = made
    document = Jsonc(text)

    assert document.value == value
    _there_and_back(document, ("mcpServers", "a b"), Jsonc)


@pytest.mark.parametrize(
    "entry",
    [
        'command = "npx"\nargs = ["-y", "a"]\n',
        "args = [ 'a', # one\n   'b' ]\ncommand = 'npx' # c\n",
        'command = "npx"\n[s.x.env]\nA = "1"\n',
        'command="npx"\nargs=[]\nenv = { A = "1" }\n[other]\nb = 1_000\n',
        'command = "a \\"b\\" \\u00e9"\r\nargs = [\r\n  "x",\r\n]\r\n',
    ],
)
def test_toml_there_and_back(entry: str) -> None:
    """Comments, quotes, line ends and tables below stay."""
    text = "# top\n[s.x]\n" + entry
    _there_and_back(Toml(text), ("s", "x"), Toml)
    assert tomllib.loads(text)["s"]["x"] == Toml(text).entry(("s", "x")).value


@pytest.mark.parametrize(
    "entry",
    [
        "command: npx\n    args:\n    - -y\n    - 'a: b'\n",
        "command: npx # c\n    args:\n      - -y\n      -   spaced\n    env: {A: b}\n",
        'command: "npx"\n    args: [a, "b", \'c\']\n',
        "command: npx\n    args: []\n",
        "command: npx\n",
        "args:\n    - a # one\n\n    # two\n    - b\n    command: 'it''s'\n",
    ],
)
def test_yaml_there_and_back(entry: str) -> None:
    """Lists in lines and in brackets, comments and quotes stay."""
    text = f"# top\ns:\n  x:\n    {entry}  y:\n    command: z\n"
    document = Yaml(text)
    _there_and_back(document, ("s", "x"), Yaml)
    assert yaml.safe_load(text)["s"]["x"] == document.entry(("s", "x")).value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file is empty"),
        ("  // nothing\n", "the file is empty"),
        ("[]", "line 1, column 1: it is no JSON object"),
        ('{"a": 1', "line 1, column 8: a , or } is expected, not the end of the file"),
        ('{"a": 1 "b": 2}', "line 1, column 9: a , or } is expected, not '\"'"),
        ('{\n "a": }', "line 2, column 7: a value is expected, not '}'"),
        ('{"a": 1, "a": 2}', 'line 1, column 10: the key "a" stands twice'),
        ('{"a": 1} {}', "line 1, column 10: there is more after the end of the JSON"),
        ("{'a': 1}", 'line 1, column 2: a string is expected, not "\'"'),
        ('{"a": 01}', "line 1, column 8: a , or } is expected, not '1'"),
        ('{"a": "\n"}', "line 1, column 7: a string is expected, not '\"'"),
        ('{"a": /* 1}', "line 1, column 7: a value is expected, not '/'"),
        ('{"a":' + "[" * 300, f"line 1, column 206: it is nested more than {MAX_DEPTH} deep"),
    ],
)
def test_broken_json_is_refused_with_its_place(text: str, said: str) -> None:
    """A file that was broken by hand is named with line and column."""
    with pytest.raises(Broken) as raised:
        Jsonc(text)

    assert str(raised.value) == said


@pytest.mark.parametrize("text", ["a: [1", "a: 1\na: 2\n", "- a\n", "", "a: 1\n---\nb: 2\n", "a:\n\t- b\n"])
def test_broken_yaml_is_refused(text: str) -> None:
    """So is YAML, with a key twice or two documents, too."""
    with pytest.raises(Broken):
        Yaml(text)


@pytest.mark.parametrize("text", ["a = ", "[a]\n[a]\n", "a = 1\na = 2\n", "a = [1", "=1"])
def test_broken_toml_is_refused(text: str) -> None:
    """So is TOML."""
    with pytest.raises(Broken):
        Toml(text)


def test_aliases_are_refused() -> None:
    """An edit of what an alias stands for would change another server, too."""
    document = Yaml(
        "s:\n  x: &a\n    command: npx\n    args: [a]\n  y: *a\n  z:\n    <<: *a\n    command: b\n"
    )

    with pytest.raises((Broken, NotEditable)):
        wrap(Shape(), document, document.entry(("s", "y")), "y", FRONT)


@pytest.mark.parametrize("options", [["-e", "A=1"], ["--cwd", "/tmp"], ["--no-watch"], ["--server-name=x"]])
def test_options_written_by_hand_are_not_lost(options: list[str]) -> None:
    """Who wrote `terse proxy` with more than we write takes it out by hand."""
    entry = {"command": "terse", "args": ["proxy", *options, "--", "npx", "-y"]}
    document = Jsonc(json.dumps({"s": entry}))

    with pytest.raises(NotEditable, match="by hand"):
        unwrap(Shape(), document, document.entry(("s",)), added_args=False)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"command": "a", "args": "b"}, "its args is no list"),
        ({"command": ["a"]}, "its command is no command line"),
        ({"command": ""}, "its command is empty"),
        ({"command": "a", "type": "http"}, "it has a command, and its type is not stdio"),
        ({}, "it has neither a command nor a url"),
        ({"url": "https://a", "type": "ws"}, "its type is unknown"),
        ({"command": "a", "env": []}, "its env is no mapping"),
        (None, "its entry is no mapping"),
        ({"url": "ftp://a"}, "its url does not begin with https:// or http://"),
        (
            {"url": "https://a/mcp?key=secret"},
            "what its url has beside host and path may be a key, and others can read the arguments of a "
            "process: it stays without terse",
        ),
        (
            {"url": "https://a", "oauth": {"x": 1}},
            "terse proxy cannot do what its oauth says: it stays without terse",
        ),
        ({"url": "https://a", "headers": {"a": 1}}, "its headers are not all text"),
    ],
)
def test_what_is_not_understood_is_left(entry: object, said: str) -> None:
    """An entry that is not known is not touched, and the reason is said."""
    document = Jsonc(json.dumps({"s": {"x": entry}}))

    with pytest.raises(NotEditable) as raised:
        wrap(Shape(), document, document.entry(("s", "x")), "x", FRONT)

    assert str(raised.value) == said
