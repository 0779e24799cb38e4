"""Completion offers what could stand at the cursor, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from terse.editors.completion import completion
from terse.editors.positions import Position
from terse.editors.project import Project
from terse.tiers import BY_NAME

RULE = 'terse 1\n\nimport "base.terse"\n\nrule lists {{\n  on github/list_issues\n  {}\n}}\n'
TEST = 'terse 1\n\nrule lists {{\n  on github/*\n}}\n\ntest "a" {{\n  {}\n}}\n'

Write = Callable[[str], Position]


def offered(project: Project, at: Position) -> list[str]:
    return [offer.label for offer in completion(project, "team.terse", at).offers]


@pytest.mark.parametrize(
    ("line", "labels"),
    [
        ("requ|", ["require"]),
        ("require lo|", ["lossless", "lossy"]),
        ("when payload is rec|", ["records"]),
        ("when argument |", ["labels", "state"]),
        ("when argument state is |", ["CLOSED", "OPEN"]),
        ("keep issues.t|", ["html_url", "state", "title"]),
        ("keep totalC|", ["totalCount"]),
        ("remove every html|", ["html_url"]),
        ("on git|", ["github"]),
        ("on github/get|", ["get_file_contents"]),
        ("except github/|", ["get_file_contents", "list_issues"]),
        ("shorten issues.title to 400 char|", ["character", "characters"]),
        ("use rec|", ["records"]),
        ("use minify then tabul|", ["tabularize"]),
        ("use minify # ti|", []),
        ("use minify # allow unused-ch|", ["unused-chain"]),
    ],
)
def test_in_a_rule(project: Project, write: Write, line: str, labels: list[str]) -> None:
    """Statements, classes, kinds, arguments, fields, tools, units, tiers; in a comment only codes."""
    at = write(RULE.format(line))

    assert offered(project, at) == labels


@pytest.mark.parametrize(
    ("line", "labels"),
    [
        ("call github/list_issues(sta|", ["state"]),
        ("call github/list_issues(state: |", ["CLOSED", "OPEN"]),
        ('given "|', ["samples/github/list_issues/open.json"]),
        ("expect rule |", ["everything", "lists"]),
        ("expect los|", ["lossless", "lossy"]),
    ],
)
def test_in_a_test(project: Project, write: Write, line: str, labels: list[str]) -> None:
    """Arguments and their values from tools.lock, samples as files, rules by name."""
    at = write(TEST.format(line))

    assert offered(project, at) == labels


def test_a_key_that_stands_twice_is_offered_once(workspace: Path, project: Project, write: Write) -> None:
    """A path means both of two keys that are the same, so it is one path."""
    sample = workspace / "samples" / "github" / "list_issues" / "open.json"
    sample.write_text('{"issues":[{"title":"a","title":{"text":"b"}}]}', encoding="utf-8")

    assert offered(project, write(RULE.format("keep issues.t|"))) == ["title"]
    assert offered(project, write(RULE.format("keep issues.title.t|"))) == ["text"]


def test_options_of_a_tier(project: Project, write: Write) -> None:
    """Inside the brackets of a tier its options are offered, with their default and unit."""
    tier = next(tier for tier in BY_NAME.values() if tier.options)

    at = write(RULE.format(f"use {tier.name}(|"))

    assert offered(project, at) == sorted(option.name for option in tier.options)


def test_items_and_files(project: Project, write: Write) -> None:
    """Between items the words that begin one, after `import` the other rule files."""
    assert offered(project, write("terse 1\n\ngu|")) == ["guard"]
    assert offered(project, write('terse 1\n\nimport "b|')) == ["base.terse"]


def test_an_error_above_does_not_matter(project: Project, write: Write) -> None:
    """A line that cannot be read is passed over, in this item and in others."""
    broken = "terse 1\n\nrule a {\n  on on on\n}\n\nrule b {\n  on github/*\n  whenn payload is\n  requ|\n}\n"

    assert offered(project, write(broken)) == ["require"]


def test_what_is_replaced_is_the_word_that_is_being_written(project: Project, write: Write) -> None:
    """The stretch begins where the word begins, behind the dot of a path and at the quote of a text."""
    for line, typed in (("keep issues.ti|", "ti"), ("on github/li|", "li"), ("requ|", "requ")):
        at = write(RULE.format(line))

        stretch = completion(project, "team.terse", at).range

        assert stretch.end == at
        assert at.character - stretch.start.character == len(typed)
