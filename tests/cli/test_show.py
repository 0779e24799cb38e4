"""`terse show`: the order of the rules, and why."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from terse.cli.show import COMMAND
from tests.cli.conftest import Terse

RULES = """terse 1

chain records = minify then tabularize

guard no-loss {
  on */*
  except ci/*
  require recoverable
  because "only teams that asked for it may lose data"
}

guard secrets {
  on vault/*
  require exact
  never store
}

rule issues {
  on github/list_issues, github/search_issues
  when payload has issues
  use records
  keep issues.title
  set aside every *_url
  shorten issues.body to 400 characters
  because "triage reads titles"
}

rule open-issues {
  on github/list_issues
  when payload has issues
  when argument state is "open"
  use minify
  fit in 2k tokens {
    shorten everything to 20 rows
  }
}

rule github {
  on github/*
  except github/get_*
  use minify
}

rule json {
  on */*
  when payload is json
  use records
}

rule text {
  on */*
  when payload is text
  remove terminal codes
  because "colours say nothing to an agent"
}
"""


@pytest.fixture
def terse(terse_here: Terse) -> Terse:
    """The command, without the cost of a process for each run."""
    return terse_here


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    """The rules above as policies/all.terse."""
    folder = tmp_path / "policies"
    folder.mkdir()
    (folder / "all.terse").write_text(RULES)
    return folder


def test_the_example_of_the_help(terse: Terse, policy: Path, golden: Callable[[str, str], None]) -> None:
    """For a tool: every rule that speaks of it, first asked first, what guards leave of it, and why."""
    done = terse(*shlex.split(COMMAND.example)[1:])

    assert (done.returncode, done.stderr) == (0, b"")
    golden("show/tool.txt", done.stdout.decode())


def test_all_rules(terse: Terse, policy: Path, golden: Callable[[str, str], None]) -> None:
    """Without a tool every pattern of every rule stands where it is asked; policies/ is the default."""
    done = terse("show")

    assert (done.returncode, done.stderr) == (0, b"")
    golden("show/all.txt", done.stdout.decode())


def test_an_excepted_tool_is_named(terse: Terse, policy: Path) -> None:
    """A rule that excepts the tool is shown, and that it never applies."""
    text = terse("show", "github/get_issue").stdout.decode()

    assert "except    github/get_*" in text
    assert "it never applies: the tool is excepted" in text


def test_a_rule_that_is_never_asked_is_told(terse: Terse, policy: Path) -> None:
    """Below a rule that takes every call of the tool the others are shown as never asked."""
    facts = json.loads(terse("show", "github/list_issues", "--json").stdout)

    assert [
        rule["name"] for rule in facts["rules"] if rule["why"].startswith("never asked: rule github")
    ] == [
        "json",
        "text",
    ]
    assert facts["rest"] == ""


def test_the_guards_of_the_tool_hold(terse: Terse, policy: Path) -> None:
    """What a guard forbids is told as left out, and the class is the one that is left."""
    facts = json.loads(terse("show", "vault/read", "--json").stdout)

    assert [rule["name"] for rule in facts["rules"]] == ["json", "text"]
    assert all(rule["guarantee"] == "exact" for rule in facts["rules"])
    assert all(line["forbidden"] for rule in facts["rules"] for line in rule["lines"])
    assert [guard["name"] for guard in facts["guards"] if guard["applies"]] == ["no-loss", "secrets"]


def test_a_tool_that_no_rule_speaks_of(terse: Terse, tmp_path: Path) -> None:
    """It is said what happens to its results."""
    (tmp_path / "x.terse").write_text("terse 1\n\nrule a {\n  on x/*\n  use minify\n}\n")
    done = terse("show", "y/tool", "--rules", "x.terse")

    assert done.returncode == 0
    assert "no rule of x.terse speaks of it" in done.stdout.decode()
    assert "the result passes as it came" in done.stdout.decode()


def test_what_is_shown_of_a_tool(terse: Terse, tmp_path: Path) -> None:
    """The blocks that speak of it, and what they come to."""
    (tmp_path / "x.terse").write_text(
        "terse 1\n\ntools x/* {\n  compress high\n  compress low for get_*\n  hide del*\n"
        '  rename get_a to a\n  because "short"\n}\n\ntools y/* {\n  present wrapped\n}\n'
    )
    everything = terse("show", "--rules", "x.terse").stdout.decode()
    one = terse("show", "x/get_a", "--rules", "x.terse").stdout.decode()
    hidden = terse("show", "x/delete", "--rules", "x.terse").stdout.decode()

    for said in (
        "compress high",
        "compress low for get_*",
        "hide del*",
        "rename get_a to a",
        "present wrapped",
    ):
        assert said in everything
    assert "present wrapped" not in one
    assert "The tool is shown in place at level low, as a." in one
    assert "The tool is hidden, and cannot be called: x.terse:6" in hidden


def test_without_rules_the_embedded_policy_is_shown(terse: Terse) -> None:
    """Where there is no policies/ it is the policy that every other command falls back on."""
    text = terse("show").stdout.decode()

    assert "the embedded default policy" in text
    assert "rule everything" in text


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["github"], 2, "github: "),
        (["github/*"], 2, "is a pattern"),
        (["a/b(x: 1)"], 2, "write a/b"),
        (["a/b", "--rules", "nowhere"], 2, "--rules nowhere: no such file or folder"),
        (["a/b", "--rules", "broken.terse"], 1, "do not compile"),
        (["a/b", "c/d"], 2, ""),
    ],
)
def test_what_cannot_be_shown(
    terse: Terse, tmp_path: Path, arguments: list[str], code: int, says: str
) -> None:
    """A reason on stderr, nothing on stdout, no traceback."""
    (tmp_path / "broken.terse").write_text("terse 1\n\nrule a {\n")
    done = terse("show", *arguments)

    assert (done.returncode, done.stdout) == (code, b"")
    assert says in done.stderr.decode()
    assert b"Traceback" not in done.stderr
