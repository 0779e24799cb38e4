"""Which rule a call gets does not depend on the order of rules or files, nor on other servers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from terse.language import Checked, check
from terse.language.conditions import facts as known_of
from terse.language.conditions import implies_all
from terse.language.globs import Names, covers_pattern
from terse.memory.session import Session
from terse.payload.call import Call
from terse.payload.payload import Payload
from terse.plan.choose import choose, names
from terse.plan.conditions import Facts
from terse.plan.model import Entry, Plan
from terse.tokens import vocabulary
from tests.language.example import Files

PATTERNS = ["a/x", "a/xy", "a/x*", "a/*y", "a/*", "*/x", "*/*", "b/x", "b/*", "*/*y", "a*/x"]
CONDITIONS = [
    "payload is json",
    "payload is text",
    "payload has k",
    "payload has k.l",
    'argument p is "1", "2"',
    'argument p is "1"',
    'argument p matches "1*"',
    "argument p is missing",
    "payload over 20 bytes",
    "payload over 10 bytes",
]
CALLS = [
    Call(server, tool, arguments)
    for server, tool in product(("a", "ab", "b", "c"), ("x", "xy", "y", "z"))
    for arguments in ({}, {"p": "1"}, {"p": 1}, {"p": "12"})
]
PAYLOADS = [Payload.of(text) for text in ('{"k":{"l":1}}', '{"k":1}', "text", '{"k":"a longer value here"}')]


@st.composite
def rules(draw: st.DrawFn, patterns: Sequence[str] = PATTERNS, prefix: str = "rule") -> list[str]:
    """The texts of a few rules."""
    texts = []
    for number in range(draw(st.integers(1, 5))):
        on = draw(st.lists(st.sampled_from(patterns), min_size=1, max_size=2, unique=True))
        whens = draw(st.lists(st.sampled_from(CONDITIONS), max_size=2, unique=True))
        excepted = draw(st.lists(st.sampled_from(patterns), max_size=1))
        lines = [f"on {', '.join(on)}"]
        lines += [f"except {pattern}" for pattern in excepted]
        lines += [f"when {condition}" for condition in whens]
        texts.append(f"rule {prefix}-{number} {{\n" + "".join(f"  {line}\n" for line in lines) + "}\n")
    return texts


def _check(files: dict[str, list[str]]) -> Checked:
    texts = {f"p/{name}": "terse 1\n\n" + "\n".join(items) for name, items in files.items()}
    return check(["p"], reader=Files({path: text.encode() for path, text in texts.items()}))


def _told(checked: Checked, path: str = "") -> list[tuple[str, str]]:
    """What is found (in one file), without its place. Which of two rules is named first follows their places.

    Whether there is a rule for every call is a finding about all rules together.
    """
    return sorted(
        (d.code.code, " ".join(sorted(d.message.replace(",", " ").split())))
        for d in checked.diagnostics
        if d.primary.span.source.path.startswith(path) and not (path and d.code.code == "T208")
    )


def _choices(plan: Plan, calls: Sequence[Call]) -> list[str | None]:
    counted = vocabulary()
    chosen = []
    for call, payload in product(calls, PAYLOADS):
        choice = choose(plan, call, Facts(payload, call, Session(), counted))
        chosen.append(choice.rule.name if choice.rule is not None else None)
    return chosen


@settings(max_examples=60)
@given(st.data())
def test_the_order_of_rules_and_files_means_nothing(data: st.DataObject) -> None:
    """Shuffled within a file and over files, rules give the same findings and the same choices."""
    texts = data.draw(rules())
    shuffled = data.draw(st.permutations(texts))
    cut = data.draw(st.integers(0, len(texts)))
    one = _check({"a.terse": texts})
    other = _check({"b.terse": list(shuffled[:cut]), "a.terse": list(shuffled[cut:])})

    assert _told(one) == _told(other)
    assert (one.plan is None) == (other.plan is None)
    if one.plan is not None and other.plan is not None:
        assert _choices(one.plan, CALLS) == _choices(other.plan, CALLS)


@settings(max_examples=60)
@given(rules(), rules(["z/x", "z/*", "z/*y"], "other"))
def test_a_rule_for_another_server_changes_nothing(texts: list[str], others: list[str]) -> None:
    """What the calls of these servers get is the same whatever stands for a server of its own."""
    alone = _check({"a.terse": texts})
    beside = _check({"a.terse": texts, "z.terse": others})

    assert _told(beside, "p/a.terse") == _told(alone, "p/a.terse")
    if alone.plan is not None and beside.plan is not None:
        assert _choices(alone.plan, CALLS) == _choices(beside.plan, CALLS)


@settings(max_examples=100)
@given(rules())
def test_a_policy_that_compiles_is_never_ambiguous(texts: list[str]) -> None:
    """On every call, each entry of another rule that holds is broader than one of the rule that is chosen."""
    checked = _check({"a.terse": texts})
    if checked.plan is None:
        return
    plan = checked.plan
    counted = vocabulary()
    for call, payload in product(CALLS, PAYLOADS):
        facts = Facts(payload, call, Session(), counted)
        holding = [entry for entry in plan.order if _applies(plan, entry, call, facts)]
        chosen = [entry for entry in holding if entry.rule == holding[0].rule]
        for other in holding:
            assert other in chosen or any(_narrower(plan, entry, other) for entry in chosen)


def _applies(plan: Plan, entry: Entry, call: Call, facts: Facts) -> bool:
    rule = plan.rules[entry.rule]
    return (
        names(rule.on[entry.pattern], call)
        and not any(names(excepted, call) for excepted in rule.except_)
        and all(facts.holds(condition) for condition in rule.when)
    )


def _narrower(plan: Plan, a: Entry, b: Entry) -> bool:
    rule_a, rule_b = plan.rules[a.rule], plan.rules[b.rule]
    x, y = rule_a.on[a.pattern], rule_b.on[b.pattern]
    if x != y:
        return covers_pattern(Names(y.server, y.tool), Names(x.server, x.tool))
    return implies_all(known_of(rule_a.when), rule_b.when)
