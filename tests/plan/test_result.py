"""A result of many texts: what rules see of it, when one text is sent for all, and that all come back."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terse.fields.selector import Everything, Path
from terse.guarantee import Guarantee
from terse.memory.session import Session
from terse.memory.store import handle_of
from terse.payload.blocks import join, split
from terse.payload.call import Call
from terse.payload.exact import NotExact, dump, parse
from terse.plan.model import (
    FitIn,
    Guard,
    Keep,
    PayloadIs,
    PayloadSize,
    Plan,
    Quantity,
    Remove,
    Rule,
    SetAside,
    Shorten,
)
from terse.plan.result import Answered, run_result
from terse.plan.run import sent
from terse.tiers import CHAINS
from terse.tiers.expand import expand
from terse.tokens import vocabulary
from tests.plan.plans import ALL, CALL, plan, rule, step

COMPACT = tuple(step(tier.name) for tier in CHAINS["compact"])
MEMORY = (*COMPACT, step("dedup"), step("diff"))
RECORDS = [
    json.dumps({"id": 4000 + n, "name": f"order {n}", "state": "open", "note": f"as asked by {n % 3}"})
    for n in range(30)
]
HITS = [
    f'FlightNum: "F{n}XK"\nCarrier: "BeatsWest"\nOrigin: "Adelaide International Airport"\nPrice: {800 + n}'
    for n in range(30)
]
LINES = [f"2026-11-30 10:00:{n:02} INFO worker {n % 3} took a job from the queue" for n in range(40)]
MIXED = ["Here are the orders:", *RECORDS, "That is all."]


def answered(
    of: Rule | Plan,
    texts: Sequence[str],
    session: Session | None = None,
    *,
    guards: tuple[Guard, ...] = (),
    joins: bool = True,
    call: Call = CALL,
    tool: str = "terse_retrieve",
) -> Answered:
    chosen = plan(of, guards=guards) if isinstance(of, Rule) else of
    session = session or Session()
    done = run_result(
        chosen,
        texts,
        call,
        session,
        vocabulary(),
        joined=join(texts) if joins else None,
        can_retrieve=True,
        retrieve_tool=tool,
    )
    sent(chosen, done.outcomes, call, session, vocabulary())
    return done


def tokens(texts: Sequence[str]) -> int:
    return sum(map(vocabulary().count, texts))


def meaning(text: str) -> str:
    try:
        return dump(parse(text))
    except NotExact:
        return text


# ---- one text for all --------------------------------------------------------------------------------


@pytest.mark.parametrize("texts", [RECORDS, HITS, LINES, MIXED], ids=["records", "hits", "lines", "mixed"])
def test_many_texts_become_one_and_come_back(texts: list[str]) -> None:
    """Documents, texts of several lines, lines, and documents between sentences: each in its place."""
    done = answered(rule(chain=COMPACT), texts)

    assert done.one is not None
    assert done.texts == (done.one,)
    assert split(expand(done.one)) == list(map(meaning, texts))
    assert tokens(done.texts) < tokens(answered(rule(chain=COMPACT), texts, joins=False).texts)
    assert [outcome.guarantee for outcome in done.outcomes] == [Guarantee.LOSSLESS]


@given(
    texts=st.lists(
        st.sampled_from([*RECORDS[:3], *HITS[:3], *LINES[:3], "", "\n", "---", "[]", '{"a": 1.0}', "x\n\ny"]),
        min_size=2,
        max_size=40,
    )
)
def test_whatever_the_texts_they_come_back_and_never_take_more(texts: list[str]) -> None:
    """As one or each for itself, repeated or not: exact, and never larger than what came."""
    session = Session()
    for _ in range(2):
        done = answered(rule(chain=COMPACT), texts, session)

        back = [meaning(expand(text)) for text in done.texts] if done.one is None else split(expand(done.one))
        assert list(map(meaning, back)) == list(map(meaning, texts))
        assert tokens(done.texts) <= tokens(texts)


def test_texts_that_are_shorter_apart_stay_apart() -> None:
    """Words that have nothing in common, and no border between them to pay for."""
    words = [f"{chr(97 + n % 26) * 2}{n * 7919 % 1000}" for n in range(300)]
    done = answered(rule(chain=COMPACT), words)

    assert done.one is None
    assert done.texts == tuple(words)


# ---- what rules see -----------------------------------------------------------------------------------


def test_of_documents_rules_see_the_list() -> None:
    """`rows` are the records, `fit` speaks of all of them, and a path finds its field in each."""
    shortened = answered(rule(fields=(Shorten((Everything(),), Quantity(10, "rows")),)), RECORDS)
    removed = answered(rule(fields=(Remove((Path(("note",)),)),)), RECORDS)
    fitted = answered(
        rule(fields=(FitIn(200, (Shorten((Everything(),), Quantity(3, "rows")),)),), chain=COMPACT), RECORDS
    )

    assert shortened.one is not None
    assert len(parse(shortened.one)) == 11
    assert removed.one is not None
    assert parse(removed.one) == [
        {key: value for key, value in parse(text).items() if key != "note"} for text in RECORDS
    ]
    assert tokens(fitted.texts) <= 200


def test_other_texts_are_for_rules_each_for_itself() -> None:
    """A line that removes reaches the documents among them, and they are not joined after it."""
    done = answered(rule(fields=(Remove((Path(("note",)),)),), chain=COMPACT), MIXED)

    assert done.one is None
    assert done.texts[0] == MIXED[0]
    assert all("note" not in text for text in done.texts)


def test_texts_with_several_rules_stay_apart() -> None:
    """Nobody says which of them is for the whole."""
    documents = rule("documents", when=(PayloadIs(("json",)),), chain=COMPACT)
    done = answered(plan(documents, rule("others", chain=COMPACT)), MIXED)

    assert done.one is None
    assert {outcome.trace.rule.name for outcome in done.outcomes if outcome.trace.rule} == {
        "documents",
        "others",
    }


def test_a_rule_that_is_for_none_of_the_texts_is_not_for_the_whole() -> None:
    """`payload over 300 tokens` says nothing of texts that are small each for itself; of a list it does."""
    large = rule("large", when=(PayloadSize("over", Quantity(300, "tokens")),), chain=COMPACT)

    assert answered(plan(large), MIXED).texts == tuple(MIXED)
    assert answered(plan(large), RECORDS).one is not None


def test_what_is_kept_is_no_reason_to_stay_apart() -> None:
    """A `keep` line takes nothing away."""
    done = answered(rule(fields=(Keep((Path(("id",)),)),), chain=COMPACT), MIXED)

    assert done.one is not None


def test_blocks_that_are_more_than_texts_stay_as_they_are() -> None:
    """Then there is nothing that could stand for all of them."""
    done = answered(rule(chain=COMPACT), RECORDS, joins=False)

    assert done.one is None
    assert len(done.texts) == len(RECORDS)


# ---- guards -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("texts", [RECORDS, HITS, MIXED], ids=["records", "hits", "mixed"])
def test_a_guard_that_requires_exact_leaves_them_as_they_came(texts: list[str]) -> None:
    """Joined texts are another form: no result under such a guard has it, not even a repeated one."""
    session = Session()
    exact = Guard("exact", "r.terse:1", ALL, require="exact")
    for _ in range(2):
        done = answered(rule(chain=MEMORY), texts, session, guards=(exact,))
        assert done.one is None
        assert done.texts == tuple(texts)


@pytest.mark.parametrize("texts", [RECORDS, HITS, MIXED], ids=["records", "hits", "mixed"])
def test_under_never_store_nothing_is_remembered(texts: list[str]) -> None:
    """The list is no way around the guard: a repeat is sent like the first, and the store stays empty."""
    session = Session()
    never = Guard("never", "r.terse:1", ALL, never_store=True)
    aside = rule(fields=(SetAside((Path(("note",)),)),), chain=MEMORY)
    for each in (rule(chain=MEMORY), aside):
        first = answered(each, texts, session, guards=(never,))
        again = answered(each, texts, session, guards=(never,))

        assert again.texts == first.texts
        assert not any("Re-run now" in text or "set aside" in text for text in again.texts)
    assert session.base_bytes == 0
    assert session.store.free_bytes == Session().store.free_bytes


def test_an_error_loses_nothing_of_its_list() -> None:
    """Its texts are not joined, and lines that take away do nothing, as for any error."""
    failed = Call("github", "list_issues", {}, is_error=True)
    done = answered(rule(fields=(Remove((Path(("note",)),)),)), RECORDS, call=failed, joins=False)

    assert done.texts == tuple(RECORDS)


# ---- repeats ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("texts", [RECORDS, HITS, LINES, MIXED], ids=["records", "hits", "lines", "mixed"])
def test_a_repeat_is_one_sentence_whatever_the_texts(texts: list[str]) -> None:
    """Of the one text that was sent for all; with a handle that gives all of them."""
    session = Session()
    answered(rule(chain=MEMORY), texts, session)
    (said,) = answered(rule(chain=MEMORY), texts, session, tool="terse_retrieve_2").texts

    assert said.startswith(
        "Re-run now: identical to call #1 of this tool (same arguments; terse_retrieve_2 h"
    )
    assert vocabulary().count(said) <= 40
    whole = session.store.get(said.split("terse_retrieve_2 ")[1][:10])
    assert whole is not None
    assert split(whole) == list(map(meaning, texts))


def test_texts_that_were_sent_apart_are_repeated_in_one_sentence() -> None:
    """Its handle gives all of them, as one text that says how many they are."""
    session = Session()
    texts = [f"{n}\n{'words ' * 100}" for n in range(3)]
    only = rule(chain=(step("dedup"),))
    assert answered(only, texts, session).texts == tuple(texts)
    done = answered(only, texts, session, tool="terse_retrieve_2")

    whole = "3 texts, an empty line between them:\n" + "\n\n".join(texts)
    assert done.texts == (
        "Re-run now: all 3 texts identical to those of call #1 of this tool (same arguments; "
        f"terse_retrieve_2 {handle_of(whole)} has them whole).",
    )
    assert session.store.get(handle_of(whole)) == whole
    assert vocabulary().count(done.texts[0]) <= 40


def test_one_more_record_is_said_as_one_more_row() -> None:
    """Texts that came after it have another number now, and that is no change."""
    session = Session()
    answered(rule(chain=MEMORY), RECORDS, session)
    more = json.dumps({"id": 1, "name": "order 1", "state": "new", "note": "first"})
    (said,) = answered(rule(chain=MEMORY), [more, *RECORDS], session).texts

    assert said.startswith("Re-run now: the JSON of call #1")
    assert said.split("\n")[1:] == [f"first in $: {dump([parse(more)])}"]


def test_what_was_sent_as_it_came_after_all_is_what_it_was() -> None:
    """The answer was late: the client has every text, and the next call may say so of each."""
    session = Session()
    of = plan(rule(chain=MEMORY))
    done = run_result(of, HITS, CALL, session, vocabulary(), joined=join(HITS))
    assert done.one is not None
    sent(of, done.as_they_came, CALL, session, vocabulary())

    assert [outcome.text for outcome in done.as_they_came] == HITS
    assert {outcome.guarantee for outcome in done.as_they_came} == {Guarantee.EXACT}
    assert [each.text for each in session.earlier(CALL)] == HITS
