"""Sessions of other people's programs: what one model has been sent."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

import terse

LOG = "\n".join(f"line {number}: {number * 7919 % 10007} items were done" for number in range(400))
RULES = """terse 1

rule pages {
  on docs/*
  use dedup then compact
  set aside body
}
"""


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> terse.Policy:
    path = tmp_path_factory.mktemp("rules") / "rules.terse"
    path.write_text(RULES, encoding="utf-8")
    return terse.load(path)


PAGE = json.dumps({"title": "A page", "body": LOG})


def test_a_result_is_spoken_of_only_within_its_session(policy: terse.Policy) -> None:
    """The same result again is one line in a session, and whole in another or in none."""
    session = policy.session()
    first = session.apply(PAGE, "docs/read")
    second = session.apply(PAGE, "docs/read")

    assert second.tokens_out < 100 < first.tokens_out
    assert policy.session().apply(PAGE, "docs/read").texts == first.texts
    assert policy.apply(PAGE, "docs/read").texts == policy.apply(PAGE, "docs/read").texts == first.texts


def test_what_was_forgotten_is_sent_in_full(policy: terse.Policy) -> None:
    """After `forget`, the next result speaks of nothing."""
    session = policy.session()
    first = session.apply(PAGE, "docs/read")
    session.forget("docs/read")

    assert session.apply(PAGE, "docs/read").texts == first.texts


def test_nothing_is_set_aside_that_no_tool_fetches(policy: terse.Policy) -> None:
    """Without the name of a tool, what a rule sets aside stays in the result."""
    for applied in (policy.apply(PAGE, "docs/read"), policy.session().apply(PAGE, "docs/read")):
        assert applied.handles == ()
        assert applied.guarantee.word in ("exact", "lossless")


def test_what_was_set_aside_is_fetched_by_its_handle(policy: terse.Policy) -> None:
    """The handle stands in the text, with the tool's name, and gives all of it, to program and model."""
    session = policy.session(retrieve_tool="fetch_more")
    applied = session.apply({"content": [{"type": "text", "text": PAGE}]}, "docs/read")

    assert applied.guarantee.word == "recoverable"
    (handle,) = applied.handles
    assert f"fetch_more {handle}" in applied.texts[0]
    assert session.retrieve(handle) == LOG
    assert session.tool()["name"] == "fetch_more"
    assert session.answer({"handle": handle, "lines": "3"}) == [LOG.split("\n")[2] + "\n"]


def test_handles_are_of_their_session(policy: terse.Policy) -> None:
    """What one session set aside is not there in another."""
    session = policy.session(retrieve_tool="fetch_more")
    (handle,) = session.apply(PAGE, "docs/read").handles
    other = policy.session(retrieve_tool="fetch_more")

    with pytest.raises(KeyError):
        other.retrieve(handle)
    with pytest.raises(terse.Refused, match="Nothing is kept"):
        other.answer({"handle": handle})


def test_a_session_is_safe_in_many_threads(policy: terse.Policy) -> None:
    """Of many same results at once, one is sent in full."""
    session = policy.session()

    with ThreadPoolExecutor(8) as pool:
        sent = list(pool.map(lambda _: session.apply(PAGE, "docs/read").tokens_out, range(16)))

    assert sum(tokens > 100 for tokens in sent) == 1


def test_a_result_that_could_not_be_noted_is_not_spoken_of(
    policy: terse.Policy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where noting fails, the result is sent all the same, and the next one is whole."""

    def fails(*_: object, **__: object) -> None:
        raise RuntimeError

    session = policy.session()
    with monkeypatch.context() as patched:
        patched.setattr("terse.api.session.sent", fails)
        first = session.apply(PAGE, "docs/read")

    assert session.apply(PAGE, "docs/read").texts == first.texts
