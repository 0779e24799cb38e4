"""Which rule applies, why, and which came near."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terse.fields.selector import Every, LinesMatching, Path
from terse.memory.session import Session
from terse.payload.call import Call
from terse.payload.exact import Number
from terse.payload.payload import Payload
from terse.plan.choose import Choice, choose
from terse.plan.conditions import Facts
from terse.plan.model import (
    ArgumentIs,
    ArgumentMatches,
    ArgumentPresence,
    CallRepeats,
    Condition,
    FieldIs,
    FieldSize,
    Guard,
    Pattern,
    PayloadHas,
    PayloadIs,
    PayloadSize,
    Plan,
    Quantity,
    Rule,
    SessionSize,
)
from terse.tokens import vocabulary
from tests.plan.plans import ALL, CALL, plan, rule

RECORDS = '{"issues": [{"id": 1, "body": "some words"}, {"id": 2, "body": "[1, 2]"}], "total": 2}'


def _choice(of: Plan, call: Call = CALL, text: str = RECORDS, session: Session | None = None) -> Choice:
    facts = Facts(Payload.of(text), call, session or Session(), vocabulary())
    return choose(of, call, facts, detail=True)


def _holds(
    condition: Condition, call: Call = CALL, text: str = RECORDS, session: Session | None = None
) -> bool:
    return _choice(plan(rule(when=(condition,))), call, text, session).rule is not None


def _reason(
    condition: Condition, call: Call = CALL, text: str = RECORDS, session: Session | None = None
) -> str:
    of = plan(rule(when=(condition,)), rule("other"))
    choice = _choice(of, call, text, session)
    traces = [choice.trace, *choice.nearest]
    found = next(trace for trace in traces if trace is not None and trace.name == "records")
    return found.conditions[-1].reason


TEXT = "one two three\nfour\n"
SPENT = Session()
SPENT.record(CALL, 500)
SPENT.record(Call("other", "tool"), 1)


@pytest.mark.parametrize(
    ("condition", "text", "held", "reason"),
    [
        (PayloadIs(("json",)), RECORDS, True, "the payload is object"),
        (PayloadIs(("records", "text")), RECORDS, False, "the payload is object"),
        (PayloadIs(("json",)), TEXT, False, "the payload is text"),
        (PayloadHas((Path(("issues", "id")),)), RECORDS, True, ""),
        (PayloadHas((Path(("issues",)), Every(("key",)))), RECORDS, False, "no every key"),
        (PayloadHas((Path(("issues",)),)), TEXT, False, "the payload is text"),
        (PayloadHas((LinesMatching("^four$"),)), TEXT, True, ""),
        (PayloadSize("over", Quantity(2, "tokens")), TEXT, True, "6 tokens"),
        (PayloadSize("over", Quantity(6, "tokens")), TEXT, False, "6 tokens"),
        (PayloadSize("under", Quantity(6, "tokens")), TEXT, False, "6 tokens"),
        (PayloadSize("under", Quantity(7, "tokens")), TEXT, True, "6 tokens"),
        (PayloadSize("over", Quantity(18, "bytes")), TEXT, True, "19 bytes"),
        (PayloadSize("under", Quantity(19, "bytes")), TEXT, False, "19 bytes"),
        (PayloadSize("over", Quantity(1, "lines")), TEXT, True, "2 lines"),
        (PayloadSize("under", Quantity(20, "characters")), TEXT, True, "19 characters"),
        (FieldIs(("issues", "body"), ("text",)), RECORDS, True, "it is text"),
        (FieldIs(("issues",), ("records",)), RECORDS, True, "it is records"),
        (FieldIs(("total",), ("text", "json")), RECORDS, False, "it is a number, true, false or null"),
        (FieldIs(("nowhere",), ("text",)), RECORDS, False, "there is no such field"),
        (FieldSize(("issues", "body"), "over", Quantity(9, "characters")), RECORDS, True, "10 characters"),
        (FieldSize(("issues", "body"), "over", Quantity(10, "characters")), RECORDS, False, "10 characters"),
        (
            FieldSize(("nowhere",), "under", Quantity(9, "characters")),
            RECORDS,
            False,
            "there is no such field",
        ),
    ],
)
def test_conditions_on_the_payload(condition: Condition, text: str, held: bool, reason: str) -> None:
    """Each kind of line, where it holds and where not, and what a reader is told."""
    assert _holds(condition, text=text) is held
    assert _reason(condition, text=text) == reason


ARGUMENTS = {
    "method": "get_files",
    "page": Number("2"),
    "draft": True,
    "path": "a/uv.lock",
    "none": None,
    "n": 3,
    "ids": [Number("1.0"), "1"],
}


@pytest.mark.parametrize(
    ("condition", "held", "reason"),
    [
        (ArgumentIs("method", ("get_diff", "get_files")), True, 'it is "get_files"'),
        (ArgumentIs("method", ("get_diff",)), False, 'it is "get_files"'),
        (ArgumentIs("page", ("2",)), True, "it is 2"),
        (ArgumentIs("n", ("3",)), True, "it is 3"),
        (ArgumentIs("ids", ('[1.0,"1"]',)), True, 'it is [1.0,"1"]'),
        (ArgumentIs("draft", ("true",)), True, "it is true"),
        (ArgumentIs("none", ("null",)), True, "it is null"),
        (ArgumentIs("other", ("x",)), False, "the call has no such argument"),
        (ArgumentMatches("path", "*.lock"), True, 'it is "a/uv.lock"'),
        (ArgumentMatches("path", "*.md"), False, 'it is "a/uv.lock"'),
        (ArgumentMatches("page", "*"), False, "it is 2"),
        (ArgumentPresence("none", True), True, "it is null"),
        (ArgumentPresence("other", True), False, "the call has no such argument"),
        (ArgumentPresence("other", False), True, "the call has no such argument"),
    ],
)
def test_conditions_on_the_call(condition: Condition, held: bool, reason: str) -> None:
    """Arguments compare as strings, anything else by its JSON text; a glob is for strings."""
    call = Call("github", "pull_request_read", ARGUMENTS)

    assert _holds(condition, call) is held
    assert _reason(condition, call) == reason


@pytest.mark.parametrize(
    ("condition", "held", "reason"),
    [
        (CallRepeats(), True, "last called 2 calls ago"),
        (CallRepeats(2), True, "last called 2 calls ago"),
        (CallRepeats(1), False, "last called 2 calls ago"),
        (SessionSize("over", 500), True, "501 tokens so far"),
        (SessionSize("over", 501), False, "501 tokens so far"),
        (SessionSize("under", 502), True, "501 tokens so far"),
    ],
)
def test_conditions_on_the_session(condition: Condition, held: bool, reason: str) -> None:
    """What was called before, and how much was sent so far."""
    assert _holds(condition, session=SPENT) is held
    assert _reason(condition, session=SPENT) == reason


def test_a_call_never_made_does_not_repeat() -> None:
    """In a fresh session nothing repeats."""
    assert not _holds(CallRepeats())
    assert _reason(CallRepeats()) == "not called before"


def test_the_narrower_rule_is_chosen_and_named() -> None:
    """The order of the plan decides; the broader rule is named as the reason."""
    of = plan(rule("lists", on=(Pattern("github", "list_*"),)), rule("everything"))
    choice = _choice(of)

    assert choice.rule is of.rules[0]
    assert choice.why == "github/list_* is narrower than */* (rule everything)"


def test_conditions_make_a_rule_narrower() -> None:
    """Of two rules with one pattern, the one with conditions comes first where they hold."""
    of = plan(rule("json", when=(PayloadIs(("json",)),)), rule("everything"))

    assert _choice(of).why == "*/* with these conditions is narrower than */* (rule everything)"
    choice = _choice(of, text=TEXT)
    assert choice.rule is of.rules[1]
    assert choice.why == "the only rule that matches"
    assert [(near.name, near.conditions[-1].held) for near in choice.nearest] == [("json", False)]


def test_an_exception_takes_a_call_out() -> None:
    """`except` subtracts, and a near miss says so."""
    of = plan(
        rule("lists", on=(Pattern("github", "*"),), except_=(Pattern("*", "list_*"),)), rule("everything")
    )
    choice = _choice(of)

    assert choice.rule is of.rules[1]
    assert choice.nearest[0].conditions[-1].text == "except */list_*"


def test_without_a_rule_the_nearest_speak_of_the_server() -> None:
    """A misspelt tool name is easy to see."""
    choice = _choice(
        plan(rule("typo", on=(Pattern("github", "list_isues"),)), rule("far", on=(Pattern("x", "y"),)))
    )

    assert choice.rule is None
    assert choice.why == "no rule applies"
    assert [near.name for near in choice.nearest] == ["typo"]
    assert choice.nearest[0].conditions[0].reason == "the call is github/list_issues"


def test_every_guard_that_matches_applies() -> None:
    """Guards do not choose: all of them restrict, and the others say why they do not."""
    guards = (
        Guard("one", "g:1", ALL, require="recoverable", never_store=True),
        Guard("two", "g:2", (Pattern("github", "*"),), never_use=("dedup",)),
        Guard("three", "g:3", (Pattern("vault", "*"),)),
        Guard("four", "g:4", ALL, (Pattern("github", "*"),)),
    )
    choice = _choice(plan(rule(), guards=guards))

    assert [guard.name for guard in choice.guards] == ["one", "two"]
    assert [trace.text for trace in choice.guard_traces] == [
        "requires recoverable; never stores",
        "never uses dedup",
        "it speaks of vault/*",
        "it excepts github/*",
    ]


def test_nothing_is_explained_unless_asked_for() -> None:
    """The proxy needs the rule and the guards, and no words."""
    facts = Facts(Payload.of(RECORDS), CALL, Session(), vocabulary())
    choice = choose(plan(rule("lists"), guards=(Guard("g", "g:1", ALL),)), CALL, facts)

    assert choice.rule is not None
    assert choice.why == ""
    assert choice.nearest == choice.guard_traces == ()


# ---- against a slow reading of the language -----------------------------------------------------------

HALVES = st.sampled_from(["*", "a", "b", "a*", "*b", "ab", "*a*b*"])
NAMES = st.sampled_from(["a", "b", "ab", "aab", "ba", "axb", ""])
PATTERNS = st.builds(Pattern, HALVES, HALVES)
CONDITIONS: st.SearchStrategy[Condition] = st.sampled_from(
    [
        PayloadIs(("json",)),
        PayloadIs(("text",)),
        PayloadHas((Every(("id",)),)),
        PayloadSize("over", Quantity(8, "tokens")),
        PayloadSize("under", Quantity(30, "bytes")),
        ArgumentIs("q", ("x",)),
        ArgumentPresence("q", False),
    ]
)
RULES = st.builds(
    lambda on, except_, when: rule(on=tuple(on), except_=tuple(except_), when=tuple(when)),
    st.lists(PATTERNS, min_size=1, max_size=3),
    st.lists(PATTERNS, max_size=1),
    st.lists(CONDITIONS, max_size=2),
)


def _matches(pattern: Pattern, call: Call) -> bool:
    return fnmatchcase(call.server, pattern.server) and fnmatchcase(call.tool, pattern.tool)


def _true(condition: Condition, call: Call, text: str) -> bool:
    is_json = text.startswith("{")
    match condition:
        case PayloadIs((kind,)):
            return (kind == "json") is is_json
        case PayloadHas():
            return '"id"' in text
        case PayloadSize("over"):
            return vocabulary().count(text) > 8
        case PayloadSize():
            return len(text.encode()) < 30
        case ArgumentIs():
            return call.arguments.get("q") == "x"
        case _:
            return "q" not in call.arguments


@given(
    rules=st.lists(RULES, max_size=5),
    server=NAMES,
    tool=NAMES,
    arguments=st.sampled_from([{}, {"q": "x"}, {"q": "y"}]),
    text=st.sampled_from(['{"id": 1}', '{"a": {"id": [1, 2, 3, 4, 5]}}', '{"x": 1}', "words", "words " * 20]),
)
def test_choosing_is_what_the_language_says(
    rules: list[Rule], server: str, tool: str, arguments: dict[str, str], text: str
) -> None:
    """The first entry of the order whose pattern, exceptions and conditions all hold; else none."""
    call = Call(server, tool, arguments)
    of = plan(*rules)
    expected = [
        entry.rule
        for entry in of.order
        for candidate in (of.rules[entry.rule],)
        if _matches(candidate.on[entry.pattern], call)
        and not any(_matches(pattern, call) for pattern in candidate.except_)
        and all(_true(condition, call, text) for condition in candidate.when)
    ]
    choice = _choice(of, call, text)

    assert choice.rule is (of.rules[expected[0]] if expected else None)
    short = choose(of, call, Facts(Payload.of(text), call, Session(), vocabulary()))
    assert short.rule is choice.rule
