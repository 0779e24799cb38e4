"""The names of samples."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terse.capture.sample import LONGEST_NAME, NoPlace, files, name_of, place
from terse.language import parse_call
from terse.payload.call import Call
from terse.payload.sample import place_in_samples

ARGUMENTS = st.dictionaries(st.text(max_size=8), st.text(max_size=60), max_size=4)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("a/b", "result"),
        ('a/b(state: "OPEN")', "state-OPEN"),
        ("a/b(limit: 50, deep: true)", "deep-true-limit-50"),
    ],
)
def test_a_short_call_is_its_own_name(call: str, name: str) -> None:
    """A reader sees from the name which call it was."""
    assert name_of(parse_call(call)) == name


@given(ARGUMENTS, ARGUMENTS)
def test_names_are_fit_for_files_and_tell_calls_apart(a: dict[str, str], b: dict[str, str]) -> None:
    """Names have plain characters, are short, and are equal for equal calls only."""
    first, second = name_of(Call("s", "t", a)), name_of(Call("s", "t", b))

    assert re.fullmatch(rf"[A-Za-z0-9._-]{{1,{LONGEST_NAME + 7}}}", first)
    assert not first.startswith(".")
    assert (first == second) == (a == b)
    assert first == name_of(Call("s", "t", dict(reversed(a.items()))))


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a\\b", "a\0", "a\n", "\udcff", "x" * 129])
def test_what_cannot_be_a_folder_is_refused(name: str) -> None:
    """A server decides its tools' names: none of them leads out of the folder."""
    with pytest.raises(NoPlace):
        place("server", name)
    with pytest.raises(NoPlace):
        list(files(Call(name, "tool"), ("x",), False))


def test_the_place_is_where_samples_are_looked_for() -> None:
    """Server and tool are read back from the place."""
    path, text = next(files(Call("git hub", "list.issues"), ("[1]",), False))

    assert place_in_samples(("policies", *path.parts)) == ("git hub", "list.issues")
    assert (path.name, text) == ("result.json", "[1]")
