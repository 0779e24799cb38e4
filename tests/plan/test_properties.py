"""What holds for any document or text, any field lines and any chain."""

from __future__ import annotations

import re

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from terse.fields.selector import CodeBlocks, Everything, LinesMatching, Path, TerminalCodes
from terse.guarantee import Guarantee
from terse.memory.session import Session
from terse.payload.call import Call
from terse.payload.exact import dump, parse
from terse.payload.payload import Payload
from terse.plan.model import (
    Entry,
    FieldLine,
    FitIn,
    Guard,
    Keep,
    Pattern,
    Plan,
    Quantity,
    Remove,
    Rule,
    SetAside,
    Shorten,
    Step,
)
from terse.plan.run import run
from terse.plan.trace import Outcome, StepStatus
from terse.tiers import TIERS
from terse.tiers.expand import expand
from terse.tokens import vocabulary
from tests.fields.documents import DOCUMENTS, TARGETS
from tests.fields.test_text_actions import TEXTS
from tests.plan.plans import ALL, plan, rule, step, told

QUICK = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
CHAINS = st.lists(
    st.sampled_from([each.name for each in TIERS if not each.needs_memory]).map(step), max_size=4
).map(tuple)
SOME = st.lists(
    TARGETS
    | st.sampled_from([CodeBlocks(), TerminalCodes(), *map(LinesMatching, ("DEBUG|long", "^e", "^$"))]),
    min_size=1,
    max_size=2,
).map(tuple)
OVER = st.none() | st.builds(
    Quantity, st.integers(1, 200), st.sampled_from(["characters", "tokens", "lines"])
)
TO = st.builds(Quantity, st.integers(1, 30), st.sampled_from(["characters", "tokens", "lines", "rows"]))
LOSING: st.SearchStrategy[Remove | SetAside | Shorten] = (
    st.builds(Remove, SOME, OVER)
    | st.builds(SetAside, SOME, OVER)
    | st.builds(Shorten, SOME, TO, st.sampled_from(["first", "last", "both"]), st.booleans())
)
LINES: st.SearchStrategy[FieldLine] = (
    LOSING
    | st.builds(Keep, SOME)
    | st.builds(FitIn, st.integers(1, 300), st.lists(LOSING, max_size=2).map(tuple))
)
# Many rows, so that results are over the 200 tokens from which a chain runs.
RECORDS = st.lists(DOCUMENTS, min_size=1, max_size=3).map(lambda some: dump([*some * 12]))
RESULTS = DOCUMENTS.map(dump) | RECORDS | TEXTS | TEXTS.map(lambda text: text * 12)
RULES = st.builds(
    lambda fields, chain, lose: rule(fields=tuple(fields), chain=chain, lose=lose),
    st.lists(LINES, max_size=4),
    CHAINS,
    st.none() | st.sampled_from([0.5, 10.0, 50.0]),
)
GUARDS = st.lists(
    st.builds(
        lambda require, never_store, never_use, keep: Guard(
            "guard",
            "r.terse:1",
            ALL,
            require=require,
            never_store=never_store,
            never_use=never_use,
            keep=tuple(Keep(targets) for targets in keep),
        ),
        st.sampled_from([None, None, "recoverable", "lossless", "exact"]),
        st.booleans(),
        st.sampled_from([(), ("dictionary",)]),
        st.lists(SOME, max_size=1),
    ),
    max_size=2,
).map(tuple)
CALLS = st.sampled_from([Call("ci", "tail_log"), Call("ci", "tail_log", {}, True)])


def _run(of: Plan, text: str, call: Call, session: Session | None = None, **options: bool) -> Outcome:
    return run(of, Payload.of(text), call, session or Session(), vocabulary(), **options)


@given(text=RESULTS, of=RULES, guards=GUARDS, call=CALLS, can_retrieve=st.booleans())
@QUICK
def test_promises_of_every_run(
    text: str, of: Rule, guards: tuple[Guard, ...], call: Call, can_retrieve: bool
) -> None:
    """Never larger; never below the static class, the guards or the call; every handle resolves."""
    session = Session()
    done = _run(plan(of, guards=guards), text, call, session, can_retrieve=can_retrieve)
    count = vocabulary().count

    assert count(done.text) <= count(text)
    assert done.guarantee >= Guarantee.from_word(of.guarantee)
    assert all(done.guarantee >= Guarantee.from_word(guard.require) for guard in guards if guard.require)
    assert done.guarantee > Guarantee.LOSSY or not call.is_error
    assert (done.guarantee is Guarantee.EXACT) == (done.text == text)
    assert not done.trace.gate.failed, done.trace.gate.verdict
    if done.guarantee is Guarantee.LOSSY:
        assert done.trace.lost
        assert of.lose_percent is None or done.trace.lost_percent <= of.lose_percent
    if done.guarantee >= Guarantee.LOSSLESS and done.text != text:
        back = expand(done.text)
        assert dump(parse(back)) == dump(parse(text)) if Payload.of(text).json is not None else back == text
    if not can_retrieve or any(guard.never_store for guard in guards):
        assert done.guarantee is not Guarantee.RECOVERABLE
        assert session.store.free_bytes == Session().store.free_bytes
    handles = set(re.findall(r"terse_retrieve (h[0-9]{9})\b", done.text))
    assert all(session.store.get(each) is not None for each in handles if each not in text)


@given(text=RESULTS, of=RULES, guards=GUARDS)
@QUICK
def test_detail_changes_nothing_that_is_sent(text: str, of: Rule, guards: tuple[Guard, ...]) -> None:
    """What `explain` shows is what the proxy does."""
    call = Call("ci", "tail_log")
    of_plan = plan(of, guards=guards)
    short = _run(of_plan, text, call, can_retrieve=True)
    long = _run(of_plan, text, call, can_retrieve=True, detail=True)

    assert short.text == long.text
    assert short.guarantee == long.guarantee
    assert [each.status for each in told(short)] == [each.status for each in told(long)]
    assert short.trace.lost == long.trace.lost


@given(text=RESULTS, of=RULES)
@QUICK
def test_the_same_input_gives_the_same_bytes(text: str, of: Rule) -> None:
    """Whatever came before in the session, and however often."""
    session = Session()
    call = Call("ci", "tail_log")
    _run(plan(of), text + "\nsomething else", call, session, can_retrieve=True)
    first = _run(plan(of), text, call, session, can_retrieve=True)

    assert _run(plan(of), text, call, session, can_retrieve=True).text == first.text
    assert _run(plan(of), text, call, can_retrieve=True).text == first.text


@given(text=RESULTS, fields=st.lists(LOSING, max_size=3), kept=SOME, seed=st.randoms())
@QUICK
def test_kinds_of_lines_are_done_in_one_order(
    text: str, fields: list[FieldLine], kept: tuple[object, ...], seed: object
) -> None:
    """`keep` last in the file is `keep` first: only the order of lines of one kind can matter."""
    lines: list[FieldLine] = [*fields, Keep(kept)]  # type: ignore[arg-type]
    by_kind = sorted(lines, key=lambda line: type(line).__name__)
    call = Call("ci", "tail_log")

    one = _run(plan(rule(fields=tuple(lines))), text, call, can_retrieve=True)
    other = _run(plan(rule(fields=tuple(by_kind))), text, call, can_retrieve=True)
    assert one.text == other.text


@given(text=RESULTS, rules=st.lists(RULES, min_size=2, max_size=4), seed=st.randoms(use_true_random=False))
@QUICK
def test_the_order_of_rules_is_irrelevant(text: str, rules: list[Rule], seed: object) -> None:
    """Only `order` decides: rules and guards in another order in the plan give the same bytes."""
    patterns = [Pattern("ci", "tail_log"), Pattern("ci", "tail_*"), Pattern("ci", "*"), Pattern("*", "*")]
    named = [
        rule(f"r{index}", on=(patterns[index],), fields=each.fields, chain=each.chain)
        for index, each in enumerate(rules)
    ]
    shuffled = list(range(len(named)))
    seed.shuffle(shuffled)  # type: ignore[attr-defined]
    straight = plan(*named)
    other = Plan(
        1,
        tuple(named[index] for index in shuffled),
        (),
        tuple(Entry(shuffled.index(entry.rule), entry.pattern) for entry in straight.order),
    )
    call = Call("ci", "tail_log")

    assert (
        _run(straight, text, call, can_retrieve=True).text == _run(other, text, call, can_retrieve=True).text
    )


@given(rows=st.integers(3, 40), chain=CHAINS, unit=st.sampled_from(["rows", "characters"]))
@QUICK
def test_handles_come_through_any_chain(rows: int, chain: tuple[Step, ...], unit: str) -> None:
    """Whatever a chain makes of the notes, every handle stands in the result as it is fetched."""
    bodies = [
        f"body of issue {number}, in enough words that a note of ours is shorter " * 3
        for number in range(rows)
    ]
    text = dump({"issues": [{"id": f"i{n}", "body": body, "state": "open"} for n, body in enumerate(bodies)]})
    line = (
        Shorten((Everything(),), Quantity(2, "rows"))
        if unit == "rows"
        else Shorten((Path(("issues", "body")),), Quantity(9, "characters"))
    )
    session = Session()
    done = _run(plan(rule(fields=(line,), chain=chain)), text, Call("a", "b"), session, can_retrieve=True)

    handles = set(re.findall(r"terse_retrieve (h[0-9]{9})\b", done.text))
    assert len(handles) == (1 if unit == "rows" else rows)
    assert all(session.store.get(handle) for handle in handles)
    failed = [each for each in told(done) if each.status is StepStatus.FAILED]
    assert not failed
