"""Faults on the way: whatever lies, raises, hangs or grows, the original is sent and the trace says why."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from terse.fields.selector import Every, Path
from terse.guarantee import Guarantee
from terse.memory.session import Session
from terse.payload.exact import JsonValue, Number, dump, parse
from terse.payload.payload import Payload
from terse.plan import gate
from terse.plan.model import Keep, PayloadSize, Quantity, SetAside, Step
from terse.plan.run import run
from terse.plan.trace import Outcome, StepStatus
from terse.tiers import BY_NAME
from terse.tiers.spec import Applied, Context, Draft, Skip
from terse.tokens import TokenizerError, Vocabulary, vocabulary
from tests.plan.plans import CALL, RECORDS, issues, outcome, plan, rule, steps, tier, written

ISSUES = issues()
BROKEN = (Step("broken", {}, "r.terse:9"),)


def _with(work: Callable[[Draft, object, Context], Applied | Skip], **doubles: object) -> Outcome:
    """A chain that minifies, and then runs a step with a fault."""
    tiers = BY_NAME | {"broken": tier("broken", work)}
    return outcome(rule(chain=(*RECORDS[:1], *BROKEN), spend=100), ISSUES, tiers=tiers, **doubles)


def _original(done: Outcome) -> bool:
    return done.text == ISSUES and done.guarantee is Guarantee.EXACT and done.trace.gate.sent == "original"


@pytest.mark.parametrize(
    ("lie", "verdict"),
    [
        (dump(parse(ISSUES)).replace("1003", "1004"), "it decodes to another document"),
        (dump(parse(ISSUES)).replace('"total":30', '"total":30.0'), "it decodes to another document"),
        (dump(parse(ISSUES)).replace('"total":30', '"total":"30"'), "it decodes to another document"),
        ("a summary of thirty issues", "it does not decode to JSON: not JSON"),
    ],
)
def test_a_tier_that_lies_sends_the_original(lie: str, verdict: str) -> None:
    """A smaller text that decodes to something else never reaches the client."""
    short = lie.replace(" with enough words in it to be worth a handle", "") if "a body" in lie else lie
    done = _with(lambda draft, options, context: Applied(written(short)))

    assert _original(done)
    assert done.trace.gate.verdict == f"the gate refused the result: {verdict}"


@pytest.mark.parametrize(
    "lie",
    [
        '{"a":1,"a":3}',
        '{"a":1}',
        '{"a":2,"a":1}',
        '{"a":1,"a":"2"}',
        '{"a":1,"a":2.0}',
        '{"a":1,"a":2,"a":2}',
    ],
)
def test_a_key_twice_is_compared_pair_by_pair(lie: str) -> None:
    """Every pair of the object is compared, in order."""
    document = parse('{ "a": 1,\n "a": 2 }')

    gate.check_document('{"a": 1, "a": 2}', document, lambda text: text)
    with pytest.raises(gate.Refused, match="it decodes to another document"):
        gate.check_document(lie, document, lambda text: text)


def test_a_tier_that_raises_is_left_out() -> None:
    """Its input stands, and the steps before it count."""

    def raising(draft: Draft, options: object, context: Context) -> Applied:
        raise KeyError("boom")

    done = _with(raising)

    assert done.text == dump(parse(ISSUES))
    assert steps(done)["broken"].status is StepStatus.FAILED
    assert steps(done)["broken"].note == "KeyError: 'boom'"


def test_a_tier_that_recurses_without_end_is_left_out() -> None:
    """Also when it exhausts the stack."""

    def recursing(draft: Draft, options: object, context: Context) -> Applied:
        return recursing(draft, options, context)

    assert steps(_with(recursing))["broken"].status is StepStatus.FAILED


def test_a_tier_that_grows_the_text_is_left_out() -> None:
    """Per step, the shorter of input and output stands."""
    done = _with(lambda draft, options, context: Applied(written(draft.text + " and more")))

    assert done.text == dump(parse(ISSUES))
    assert steps(done)["broken"].status is StepStatus.NO_GAIN


def test_a_step_after_the_budget_is_not_run() -> None:
    """A step that hangs past the budget ends the chain; what was done until then is checked and sent."""
    now = [0.0]

    def hanging(draft: Draft, options: Mapping[str, int | str], context: Context) -> Applied | Skip:
        now[0] += 100.0
        return BY_NAME["minify"].run(draft, options, context)

    tiers = BY_NAME | {
        "minify": replace(BY_NAME["minify"], run=hanging),
        "broken": tier("broken", lambda draft, options, context: Skip("never asked")),
    }
    of = rule(chain=(*RECORDS[:1], *BROKEN), spend=100)
    done = outcome(of, ISSUES, tiers=tiers, clock=lambda: now[0])

    assert steps(done)["broken"].status is StepStatus.OUT_OF_TIME
    assert steps(done)["broken"].note == "after 100 ms"
    assert steps(done)["minify"].milliseconds == 100_000
    assert done.text == dump(parse(ISSUES))


def test_a_tier_can_ask_whether_its_time_is_up() -> None:
    """`expired` turns true when the budget of the whole chain is used up."""
    now = [0.0]
    asked = []

    def asking(draft: Draft, options: object, context: Context) -> Skip:
        asked.append(context.expired())
        now[0] += 0.2
        asked.append(context.expired())
        return Skip("asked")

    _with(asking, clock=lambda: now[0])

    assert asked == [False, True]


def test_a_decoder_that_raises_sends_the_original() -> None:
    """What cannot be decoded is not sent."""

    def raising(text: str) -> str:
        raise RecursionError("too deep")

    done = outcome(rule(chain=RECORDS), ISSUES, expand=raising)

    assert _original(done)
    assert "decoding failed: RecursionError: too deep" in done.trace.gate.verdict


class Panicking(Vocabulary):
    """A tokenizer that gives up from its n-th text on."""

    def __init__(self, good: int) -> None:
        super().__init__("o200k_base")
        self._good = good

    def count(self, text: str) -> int:
        self._good -= 1
        if self._good < 0:
            raise TokenizerError("it panicked")
        return vocabulary().count(text)


@pytest.mark.parametrize("good", range(5))
@pytest.mark.parametrize("detail", [False, True])
def test_a_tokenizer_that_panics_sends_what_is_known_to_be_smaller(good: int, detail: bool) -> None:
    """Wherever a count fails, the outcome is the original or a checked result; nothing is raised."""
    when = (PayloadSize("over", Quantity(10, "tokens")),)
    of = plan(rule(when=when, fields=(SetAside((Path(("issues", "body")),)),), chain=RECORDS))
    done = run(of, Payload.of(ISSUES), CALL, Session(), Panicking(good), can_retrieve=True, detail=detail)

    assert _original(done) or done.trace.tokens_out < done.trace.tokens_in
    if good == 0:
        assert "TokenizerError: it panicked" in done.trace.gate.verdict


def test_a_result_that_comes_out_larger_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Never larger, whatever the steps say of themselves."""
    monkeypatch.setattr("terse.fields.desk.Desk.pays_to_fetch", lambda self, text, note: True)
    text = '{"a": "b", "c": [1, 2, 3]}'
    done = outcome(rule(fields=(SetAside((Every(("a",)),)),)), text)

    assert done.text == text
    assert done.trace.gate.verdict.startswith("the result would be larger")


def test_a_kept_value_that_changed_is_found() -> None:
    """The gate compares kept values with their types and number text."""
    before = parse('{"a": [{"id": 1}, {"id": 1.0}]}')
    for left in ('{"a": [{"id": 1}, {"id": 1}]}', '{"a": [{"id": 1}, {"id": "1.0"}]}', '{"a": [{"id": 1}]}'):
        with pytest.raises(gate.Refused, match="a kept value is not what it was"):
            gate.check_kept(before, parse(left), [Every(("id",))], set())


def test_notes_of_ours_are_no_kept_values() -> None:
    """`keep *` finds the note beside a list too; it is not compared."""
    before: JsonValue = {"rows": [Number("1")]}

    gate.check_kept(before, {"rows": [Number("1")], "rows…": "[note]"}, [Path(("*",))], {"[note]"})


@pytest.mark.parametrize("left", ["a\nc\n", "a\nb \nc\n", "b\na\nc", "a\nxb\nc"])
def test_a_kept_line_that_changed_is_found(left: str) -> None:
    """Kept lines must be there as they were, in order."""
    with pytest.raises(gate.Refused, match="a kept line is not what it was"):
        gate.check_kept_lines(["a\n", "b\n", "c"], left)


def test_kept_lines_may_have_notes_between_them() -> None:
    """Other lines and notes between kept lines are none of the check's business."""
    gate.check_kept_lines(["a\n", "c"], "x\na\n[1 line removed]\nc\n")


def test_a_step_that_takes_a_handle_apart_is_left_out() -> None:
    """INVARIANT: a handle in a result can be read and quoted as it stands."""

    def hiding(draft: Draft, options: object, context: Context) -> Applied:
        return Applied(Draft(draft.state, draft.text.replace(": terse_retrieve h", ""), draft.document))

    tiers = BY_NAME | {"broken": tier("broken", hiding)}
    of = rule(fields=(SetAside((Path(("issues", "body")),)), Keep((Every(("id",)),))), chain=BROKEN)
    done = outcome(of, ISSUES, tiers=tiers)

    assert steps(done)["broken"].note == "it would take a handle apart"
    assert done.guarantee is Guarantee.RECOVERABLE


def test_an_unknown_tier_sends_the_original() -> None:
    """A plan of a newer terse with a tier that this one does not know changes nothing."""
    done = outcome(rule(chain=(Step("unheard-of", {}, "r.terse:9"),)), ISSUES)

    assert _original(done)
    assert "running rule records failed: KeyError: 'unheard-of'" in done.trace.gate.verdict


def test_a_regex_that_is_none_sends_the_original() -> None:
    """A broken plan is no reason to lose a result."""
    from terse.fields.selector import LinesMatching

    done = outcome(rule(fields=(Keep((LinesMatching("("),)),)), "some text\n" * 100)

    assert done.guarantee is Guarantee.EXACT
    assert "running rule records failed" in done.trace.gate.verdict
