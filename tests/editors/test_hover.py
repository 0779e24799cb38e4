"""Hover says what a thing is in its own sentence."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from terse.editors.hover import hover
from terse.editors.positions import Position
from terse.editors.project import Project
from terse.language.codes import BY_CODE
from terse.language.parse import grammar
from terse.language.words import INSIDE, ITEMS, LINES, SENTENCES
from terse.tiers import BY_NAME
from tests.editors.conftest import BASE, TEAM

Write = Callable[[str], Position]


def said(project: Project, at: Position) -> str:
    found = hover(project, "team.terse", at)
    return found.text if found is not None else ""


def with_cursor(mark: str) -> str:
    """team.terse with the cursor at a piece of its text."""
    return TEAM.replace(mark, mark[0] + "|" + mark[1:], 1)


@pytest.mark.parametrize("word", ["apply", "keep", "because", "when", "payload", "has"])
def test_words_of_the_language(project: Project, write: Write, word: str) -> None:
    """Over a word of the language stands the sentence of that word."""
    text = TEAM.replace(f" {word} ", f" {word[0]}|{word[1:]} ", 1)

    assert SENTENCES[word] in said(project, write(text))


def test_two_words_that_are_one(project: Project, write: Write) -> None:
    """`set aside` and `lose at most` are one word, wherever in it the cursor is."""
    text = TEAM.replace("  apply noise", "  set as|ide issues.body over 2k characters")

    assert said(project, write(text)).startswith("`set aside …")


def test_a_tier(project: Project, write: Write) -> None:
    """Over a tier stand its sentence, how its form reads, and its options."""
    tier = next(tier for tier in BY_NAME.values() if tier.options)
    text = said(project, write(TEAM.replace("use records", f"use {tier.name[0]}|{tier.name[1:]}")))

    assert tier.sentence in text
    assert tier.reads in text
    assert all(option.sentence in text for option in tier.options)


def test_a_chain_and_a_profile(project: Project, write: Write) -> None:
    """Over a name that is defined elsewhere stands its definition, and where."""
    assert "chain records = minify then tabularize" in said(project, write(with_cursor("records")))
    assert "remove every *_url" in said(project, write(with_cursor("noise\n  keep")))


def test_a_rule_says_what_it_does_to_its_samples(project: Project, write: Write) -> None:
    """Over a rule's name: its class, its reason, and for each sample the tokens, the class and the steps."""
    text = said(project, write(with_cursor("issue-lists {")))

    assert "**rule issue-lists**, lossy at worst. triage reads titles" in text
    assert re.search(
        r"\| github/list_issues/open\.json \| [\d,]+ → [\d,]+, [\d.]+% saved \| lossy \| .*remove every", text
    )


def test_a_rule_that_asks_for_arguments(project: Project, write: Write) -> None:
    """A sample tells no arguments: a rule that asks for one says that it applied to none."""
    text = TEAM.replace("when payload has issues", 'when argument state is "OPEN"')

    found = said(project, write(text.replace("issue-lists {", "is|sue-lists {", 1)))

    assert "It applies to none of 1 samples when the call has no arguments." in found


def test_a_rule_is_explained_while_the_next_line_is_being_written(project: Project, write: Write) -> None:
    """With a half-written line the last policy that compiled is explained."""
    write("|" + TEAM)
    project.check("team.terse")

    text = said(project, write(with_cursor("issue-lists {").replace("  apply noise", "  appl")))

    assert "github/list_issues/open.json" in text


def test_a_finding(project: Project, write: Write) -> None:
    """Inside a finding, its code's page is at hand: the summary, and why it is a fault."""
    text = said(project, write(TEAM.replace("use records", "use min|fy")))

    assert "**T301 unknown-tier** (error)" in text
    assert BY_CODE["T301"].why in text


def test_an_allow_comment(project: Project, write: Write) -> None:
    """Over a name in `# allow …` stands what it silences."""
    text = said(project, write(TEAM.replace("profile noise {", "profile noise { # allow unused|-profile")))

    assert "T305 unused-profile" in text


def test_nothing_in_texts_and_fields(project: Project, write: Write) -> None:
    """Words in a text or a comment are not the language's."""
    assert said(project, write(TEAM.replace("titles stay", "titles re|quire nothing"))) == ""
    assert said(project, write(TEAM.replace("terse 1\n", "terse 1\n\n# keep| this\n", 1))) == ""


def test_every_word_of_the_grammar_has_a_sentence() -> None:
    """A keyword without a sentence would have no hover text and no line in the docs."""
    text = re.sub(r"^\s*//.*$", "", grammar(), flags=re.MULTILINE)
    words = set(re.findall(r'"([a-z]{2,})"', text))
    said_of = {part for word in SENTENCES for part in word.split()} | {"in"}

    assert words - said_of == set()
    for word in (*ITEMS, *LINES):
        assert word.split()[0] in SENTENCES[word]
    assert set(INSIDE) <= set(SENTENCES)


def test_a_file_that_is_not_there(project: Project, workspace: Path) -> None:
    """No file, no hover, no error."""
    (workspace / "base.terse").unlink()

    assert hover(project, "base.terse", Position(0, 0)) is None
    assert BASE
