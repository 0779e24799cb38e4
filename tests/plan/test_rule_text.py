"""Rule files as people write them, through the compiler and the engine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path as File

import pytest

from terse.guarantee import Guarantee
from terse.language import check
from terse.memory.session import Session
from terse.memory.store import handle_of
from terse.payload.call import Call
from terse.payload.exact import dump, parse
from terse.payload.payload import Payload
from terse.plan.model import Plan
from terse.plan.run import run
from terse.plan.stored import decode, encode
from terse.plan.trace import Outcome, StepStatus
from terse.tiers.expand import expand
from terse.tokens import vocabulary
from tests.plan.plans import issues, told

ISSUES = issues()

GITHUB = """terse 1

chain records = minify then tabularize then dictionary

guard identifiers {
  on github/*
  keep every id
  because "an agent that loses an id cannot act on the result"
}

guard no-silent-loss {
  on */*
  except github/*
  require recoverable
  because "only teams that asked for it may lose data"
}

guard secrets {
  on vault/*
  require exact
  never store
  because "credentials are never rewritten"
}

rule issue-lists {
  on github/list_issues, jira/list_issues
  when payload has issues
  use records
  keep issues.title
  shorten issues.body to 40 characters
  remove every *_url, issues.user
  lose at most 40%
  because "triage reads titles"
}

rule big {
  on github/*
  when payload over 100 tokens
  use records
  fit in 700 tokens {
    set aside issues.body
    shorten everything to 5 rows
  }
}

rule everything {
  on */*
  when payload is json
  use records
}
"""

LOGS = """terse 1

rule build-logs {
  on ci/tail_*
  when payload is text
  keep lines matching /error|fatal/, lines matching /^Caused by/
  remove terminal codes, lines matching /\\bDEBUG\\b/
  shorten everything to 6 lines from both ends
  because "the end of a log and its errors decide"
}
"""


@pytest.fixture
def compiled(tmp_path: File, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Plan]:
    """Compiles rule text and sends the plan through its JSON form, as the proxy's cache does."""
    monkeypatch.chdir(tmp_path)

    def compile_(text: str) -> Plan:
        File("rules.terse").write_text(text, encoding="utf-8")
        checked = check(["rules.terse"])
        assert checked.plan is not None, [finding.message for finding in checked.diagnostics]
        return decode(encode(checked.plan))

    return compile_


def _run(plan: Plan, text: str, name: str, session: Session | None = None, **options: bool) -> Outcome:
    server, _, tool = name.partition("/")
    call = Call(server, tool)
    return run(plan, Payload.of(text), call, session or Session(), vocabulary(), detail=True, **options)


def test_a_triage_policy(compiled: Callable[[str], Plan]) -> None:
    """Titles and ids stay, links go, bodies are cut, what is left is a table."""
    session = Session()
    done = _run(compiled(GITHUB), ISSUES, "github/list_issues", session, can_retrieve=True)

    assert done.trace.rule is not None
    assert done.trace.rule.name == "issue-lists"
    assert done.guarantee is Guarantee.LOSSY
    assert done.trace.tokens_out < done.trace.tokens_in / 2
    left = parse(expand(done.text))
    before = parse(ISSUES)
    for issue, original in zip(left["issues"], before["issues"], strict=True):  # type: ignore[call-overload,index]
        assert list(issue) == ["id", "title", "state", "body", "user"]
        assert issue["user"] == {"id": original["user"]["id"]}
        assert issue["body"].startswith(original["body"][:40] + "[the last ")
        assert session.store.get(handle_of(original["body"])) == original["body"]


def test_the_same_rule_under_a_guard_loses_nothing(compiled: Callable[[str], Plan]) -> None:
    """Where only github may lose data, jira's links stay, and `explain` says why."""
    done = _run(compiled(GITHUB), ISSUES, "jira/list_issues", can_retrieve=True)

    assert done.guarantee is Guarantee.RECOVERABLE
    removal = next(step for step in told(done) if step.label.startswith("remove"))
    assert removal.status is StepStatus.FORBIDDEN
    assert removal.note == "guard no-silent-loss requires recoverable"
    assert '"html_url"' in dump(parse(expand(done.text)))


def test_a_guard_that_requires_exact_is_obeyed(compiled: Callable[[str], Plan]) -> None:
    """Nothing of a vault's answer is touched."""
    done = _run(compiled(GITHUB), ISSUES, "vault/read", can_retrieve=True)

    assert done.text == ISSUES
    assert all(step.status is StepStatus.FORBIDDEN for step in done.trace.steps)


def test_fit_in_stops_when_it_fits(compiled: Callable[[str], Plan]) -> None:
    """Bodies are set aside first; rows go only if that is not enough."""
    done = _run(compiled(GITHUB), ISSUES, "github/search_issues", can_retrieve=True)

    assert done.trace.tokens_out <= 700
    assert [step.label for step in told(done)[:3]] == [
        "fit in 700 tokens",
        "set aside issues.body",
        "shorten everything to 5 rows",
    ]


def test_a_log_policy(compiled: Callable[[str], Plan]) -> None:
    """Errors stay in their place, debug lines are counted, the middle can be fetched."""
    lines = [
        f"\x1b[32m12:00:{number:02d}\x1b[0m {'INFO' if number % 4 else 'DEBUG'} step {number} of the build"
        for number in range(60)
    ]
    lines[30] = "\x1b[31mfatal\x1b[0m: disk full"
    text = "\n".join(lines) + "\n"
    session = Session()
    done = _run(compiled(LOGS), text, "ci/tail_log", session, can_retrieve=True)

    assert lines[30] in done.text.split("\n")
    assert session.store.get(handle_of(text)) == text
    assert "[1 line removed]" in done.text
    assert done.trace.kept == ("lines matching /error|fatal/",)
    shown = done.text.replace(lines[30], "")
    assert "\x1b" not in shown
    assert "DEBUG" not in shown


def test_the_proxy_without_a_retrieve_tool_keeps_the_bodies(compiled: Callable[[str], Plan]) -> None:
    """What could not be fetched is not taken out."""
    done = _run(compiled(GITHUB), ISSUES, "github/list_issues")

    bodies = [issue["body"] for issue in parse(expand(done.text))["issues"]]  # type: ignore[call-overload,index]
    assert bodies == [issue["body"] for issue in parse(ISSUES)["issues"]]  # type: ignore[call-overload,index]
