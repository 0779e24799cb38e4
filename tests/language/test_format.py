"""`terse fmt`: one style, and nothing changed but white space."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from terse.language import check, syntax
from terse.language.format import WIDTH, formatted
from terse.language.parse import parse_text
from terse.source import Source, Span
from tests.language.example import Files
from tests.language.rule_files import rule_files


def tree(text: str) -> syntax.File:
    parsed = parse_text(Source("x.terse", text))

    assert not parsed.diagnostics, f"{parsed.diagnostics[0].message} in\n{text}"
    return parsed.file


def fmt(text: str) -> str:
    return formatted(tree(text))


def without_positions(node: Any) -> Any:
    """The node with every span left out."""
    if isinstance(node, Span):
        return None
    if isinstance(node, tuple):
        return tuple(map(without_positions, node))
    if isinstance(node, msgspec.Struct):
        fields = {name: without_positions(getattr(node, name)) for name in node.__struct_fields__}
        return (type(node).__name__, fields)
    return node


def meaning(file: syntax.File) -> Any:
    return without_positions((file.edition, file.items))


@given(rule_files())
@settings(max_examples=100)
def test_meaning_and_comments_stay(text: str) -> None:
    """The formatted file parses to the same tree, with the same comments in the same order."""
    before, after = tree(text), tree(fmt(text))

    assert meaning(after) == meaning(before)
    assert [comment.text for comment in after.comments] == [comment.text for comment in before.comments]


@given(rule_files())
@settings(max_examples=100)
def test_formatting_twice_changes_nothing_more(text: str) -> None:
    """What `terse fmt` wrote passes `terse fmt --check`."""
    once = fmt(text)

    assert fmt(once) == once


@given(rule_files())
@settings(max_examples=100)
def test_white_space_is_the_styles(text: str) -> None:
    """No tab outside texts, no white space at a line's end, no two blank lines, one line end at the end."""
    lines = fmt(text).split("\n")

    assert lines.pop() == ""
    assert lines[-1] != ""
    assert all(line == line.rstrip() for line in lines)
    assert not any(a == b == "" for a, b in pairwise(lines))


@given(rule_files())
@settings(max_examples=200)
def test_an_allow_stays_with_its_line(text: str) -> None:
    """What stands on the line of an `# allow` comment is what stood there before."""

    def on_the_lines(source: str) -> list[str]:
        lines = source.splitlines()
        with_allow = (comment.line for comment in tree(source).comments if "# allow" in comment.text)
        return ["".join(lines[number - 1].split()) for number in with_allow]

    assert on_the_lines(fmt(text)) == on_the_lines(text)


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ("terse 1\nrule a{\non x/y\n}", "terse 1\n\nrule a {\n  on x/y\n}\n"),
        ("\n\n\nterse   1\r\n", "terse 1\n"),
        ("# first\nterse 1\n# below", "# first\nterse 1\n\n# below\n"),
        (
            "terse 1\nchain a=minify then\n\n  dictionary(min-uses   3)\n",
            "terse 1\n\nchain a = minify then dictionary(min-uses 3)\n",
        ),
        (
            'terse 1\n\nimport "a"\nimport "b"\nchain c = d\nchain longer = e\n# of r\nrule r {\n}\n',
            'terse 1\n\nimport "a"\nimport "b"\n\n'
            "chain c      = d\nchain longer = e\n\n# of r\nrule r {\n}\n",
        ),
        (
            "terse 1\n\nrule a {\n\n\n  # of on\n  on x/y # ours\n\n\n\n  use z\n\n}\n",
            "terse 1\n\nrule a {\n  # of on\n  on x/y  # ours\n\n  use z\n}\n",
        ),
        (
            "terse 1\n\nrule a {\n  keep x, # first\n # second\n y,\n z\n}\n",
            "terse 1\n\nrule a {\n  keep x,  # first\n      # second\n      y,\n      z\n}\n",
        ),
        (
            "terse 1\n\nrule a {\n  lose at   most 25 %\n  spend at most 15ms\n"
            "  set\taside b over 2_000tokens\n}\n",
            "terse 1\n\nrule a {\n  lose at most 25%\n  spend at most 15 ms\n"
            "  set aside b over 2_000 tokens\n}\n",
        ),
        (
            'terse 1\n\ntest "t" {\n  call a / b (x:[1,{k :"v"}],y:no)\n}\n',
            'terse 1\n\ntest "t" {\n  call a/b(x: [1, {k: "v"}], y: no)\n}\n',
        ),
    ],
    ids=["block", "edition", "comments", "chain", "kinds", "blank", "list", "units", "call"],
)
def test_the_style(written: str, right: str) -> None:
    """Each part of the style, by example."""
    assert fmt(written) == right


def test_a_long_list_has_one_member_a_line() -> None:
    """A list that does not fit in a line is broken at every comma, a chain at every `then`."""
    fields = ", ".join(f"issues.field_number_{n}" for n in range(6))
    chain = " then ".join(["minify", "tabularize", "dictionary(min-uses 3)"] * 4)
    lines = fmt(f"terse 1\nrule a {{\nkeep {fields}\nuse {chain}\n}}").splitlines()

    assert lines[3:6] == [
        "  keep issues.field_number_0,",
        "      issues.field_number_1,",
        "      issues.field_number_2,",
    ]
    assert lines[9:11] == ["  use minify then", "      tabularize then"]
    assert max(map(len, lines)) <= WIDTH


def test_a_broken_list_that_fits_is_joined() -> None:
    """How a list was broken before has no say: one style."""
    assert fmt("terse 1\nrule a {\n  keep x,\n    y,\n\n    z\n}\n").splitlines()[3] == "  keep x, y, z"


POLICIES = sorted((Path(__file__).parent.parent.parent / "policies").rglob("*.terse"))


def plan_of(text: str) -> Any:
    """What a policy without imports compiles to, but for the places in its files."""
    checked = check(["x.terse"], reader=Files({"x.terse": text.encode()}))

    assert checked.plan is not None, [diagnostic.message for diagnostic in checked.diagnostics]
    return without_places(msgspec.to_builtins(msgspec.structs.replace(checked.plan, hash="")))


def without_places(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_places(member) for key, member in value.items() if key != "at"}
    return [without_places(item) for item in value] if isinstance(value, (list, tuple)) else value


@pytest.mark.parametrize("path", POLICIES, ids=lambda path: path.name)
@given(st.data())
@settings(max_examples=5)
def test_the_plan_stays(path: Path, data: st.DataObject) -> None:
    """A shipped policy with any other white space is formatted to a file that compiles to the same plan."""
    alone = re.sub(r'^import ".*"$', "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    if check(["x.terse"], reader=Files({"x.terse": alone.encode()})).plan is None:
        # It needs a chain or a profile of the file that it imports.
        alone = "terse 1\n"
    spaced = re.sub(r"^ +", lambda _: data.draw(st.sampled_from(["", " ", "\t"])), alone, flags=re.MULTILINE)
    spaced = re.sub(r"\n", lambda _: data.draw(st.sampled_from(["\n", "\n", " \r\n", "\n\n"])), spaced)

    assert plan_of(fmt(spaced)) == plan_of(alone)
    assert fmt(spaced) == fmt(alone) or "\n\n" in spaced


@given(st.one_of(st.text(max_size=200), rule_files().map(lambda text: text.replace("\n", "", 1))))
def test_any_text_is_formatted_or_refused(text: str) -> None:
    """Whatever parses without findings is formatted without an error."""
    parsed = parse_text(Source("x.terse", text))
    if not parsed.diagnostics:
        assert fmt(formatted(parsed.file)) == formatted(parsed.file)
