"""Calls as the rule language writes them."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from terse.language.call import BadCall, parse_call
from terse.payload.call import Call
from terse.payload.exact import Number


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("a/b", Call("a", "b")),
        ("  a/b  ", Call("a", "b")),
        ("a/b()", Call("a", "b")),
        ("a/b( ) ", Call("a", "b")),
        ('github/list_issues(state: "OPEN")', Call("github", "list_issues", {"state": "OPEN"})),
        ("a/b(limit: 50, exact: 2.50)", Call("a", "b", {"limit": Number("50"), "exact": Number("2.50")})),
        ("a/b(x: true, y: null, z: word)", Call("a", "b", {"x": True, "y": None, "z": "word"})),
        ('a/b(x: "true", y: "5")', Call("a", "b", {"x": "true", "y": "5"})),
        ("a/b(x: [1, {k: no}])", Call("a", "b", {"x": [Number("1"), {"k": "no"}]})),
        ('"my server"/"odd tool"', Call("my server", "odd tool")),
    ],
)
def test_a_call_names_server_tool_and_arguments(text: str, call: Call) -> None:
    """Numbers keep their text, bare words are texts unless JSON has a meaning for them."""
    assert parse_call(text) == call


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("github", "end of the line at character 7"),
        ("a/b(", "end of the line at character 5"),
        ("a/b(x: 1) more", "`more` at character 11"),
        ("github/*", "is a pattern"),
        ("*/b", "is a pattern"),
        ('a/b\n}\ntest "x" {\n  call c/d', "more than one call"),
        ("a/b\n  call c/d", "more than one call"),
        ("a/b(x: 1, x: 2)", "`x` stands in it twice"),
        ("a/b(x: {y: 1, y: 1})", "`y` stands in it twice"),
    ],
)
def test_what_is_no_call_is_refused_in_one_line(text: str, says: str) -> None:
    """The message says what is wrong, where, and what to write."""
    with pytest.raises(BadCall) as error:
        parse_call(text)

    assert says in str(error.value)
    assert "write server/tool(argument: value, …), or server/tool" in str(error.value)
    assert "\n" not in str(error.value)


@given(st.text())
@example("a/b(" + "[" * 5000)
def test_any_text_is_a_call_or_refused(text: str) -> None:
    """No text gets anything but a call or a `BadCall` out of the parser."""
    refusal = ""
    try:
        assert isinstance(parse_call(text), Call)
    except BadCall as error:
        refusal = str(error)

    assert len(refusal.splitlines()) <= 1
