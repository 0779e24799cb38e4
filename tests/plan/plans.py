"""Small plans, payloads and doubles for the tests of the engine."""

from __future__ import annotations

from collections.abc import Iterable

from terse.guarantee import Guarantee, lowest
from terse.memory.session import Session
from terse.payload.call import Call
from terse.payload.exact import dump, parse
from terse.payload.payload import Payload
from terse.plan.field_lines import class_of
from terse.plan.model import (
    Condition,
    Entry,
    FieldLine,
    FitIn,
    Guard,
    Keep,
    Pattern,
    Plan,
    Quantity,
    Rule,
    Step,
)
from terse.plan.run import run
from terse.plan.trace import Outcome, StepTrace
from terse.tiers import BY_NAME
from terse.tiers.spec import Draft, State, Tier
from terse.tokens import vocabulary

ALL = (Pattern("*", "*"),)
CALL = Call("github", "list_issues", {"state": "OPEN"})
PATIENT = 60_000
"""Milliseconds: a budget that no test on a slow machine uses up."""


def step(tier: str, **options: int) -> Step:
    """A step with every option spelt out, as the compiler writes them."""
    defaults: dict[str, int | str] = {option.name: option.default for option in BY_NAME[tier].options}
    return Step(
        tier, defaults | {name.replace("_", "-"): value for name, value in options.items()}, "r.terse:9"
    )


RECORDS = (step("minify"), step("tabularize"), step("dictionary"))


def rule(
    name: str = "records",
    *,
    on: tuple[Pattern, ...] = ALL,
    except_: tuple[Pattern, ...] = (),
    when: tuple[Condition, ...] = (),
    fields: tuple[FieldLine, ...] = (),
    chain: tuple[Step, ...] = (),
    lose: float | None = None,
    spend: int | None = PATIENT,
) -> Rule:
    """A rule with the static class that the compiler would give it."""
    static = lowest(_classes(fields, chain))
    return Rule(
        name,
        "r.terse:3",
        on,
        except_,
        when,
        fields,
        chain,
        lose_percent=lose,
        spend_ms=spend,
        guarantee=static.word,  # type: ignore[arg-type]
    )


def _classes(fields: Iterable[FieldLine], chain: tuple[Step, ...]) -> list[Guarantee]:
    classes = [Guarantee.LOSSLESS for _ in chain]
    for line in fields:
        if isinstance(line, FitIn):
            classes += map(class_of, line.lines)
        elif not isinstance(line, Keep):
            classes.append(class_of(line))
    return classes


def plan(*rules: Rule, guards: tuple[Guard, ...] = ()) -> Plan:
    """A plan whose rules, in the order given, are narrower before broader."""
    order = tuple(
        Entry(index, pattern) for index, each in enumerate(rules) for pattern in range(len(each.on))
    )
    return Plan(1, rules, guards, order)


def outcome(
    of: Plan | Rule,
    text: str,
    *,
    call: Call = CALL,
    session: Session | None = None,
    guards: tuple[Guard, ...] = (),
    can_retrieve: bool = True,
    detail: bool = True,
    **doubles: object,
) -> Outcome:
    """What a rule or plan makes of a text."""
    return run(
        plan(of, guards=guards) if isinstance(of, Rule) else of,
        Payload.of(text),
        call,
        session or Session(),
        vocabulary(),
        can_retrieve=can_retrieve,
        detail=detail,
        **doubles,  # type: ignore[arg-type]
    )


def steps(of: Outcome) -> dict[str, StepTrace]:
    """The traces of the steps by the first word of their labels."""
    return {each.label.split("(")[0]: each for each in of.trace.steps}


def told(of: Outcome) -> list[StepTrace]:
    """The traces of what the rule says, without the row on white space that a changed document loses."""
    return [each for each in of.trace.steps if each.label != "(JSON written anew)"]


def issues(number: int = 30, body: str = "a body with enough words in it to be worth a handle " * 6) -> str:
    """A list of issues, pretty-printed, well over two hundred tokens."""
    rows = ",\n".join(
        f'  {{"id": {1000 + each}, "title": "Issue number {each}", "state": "open",'
        f' "html_url": "https://example.com/issues/{each}", "body": "{body}{each}",'
        f' "user": {{"login": "someone", "id": {each % 3}}}}}'
        for each in range(number)
    )
    return f'{{"issues": [\n{rows}\n], "total": {number}}}'


def characters(amount: int) -> Quantity:
    return Quantity(amount, "characters")


def tier(name: str, work: object) -> Tier:
    """A tier that does whatever a test needs."""
    return Tier(
        name=name,
        sentence="A tier for a test.",
        reads="Not at all.",
        takes=frozenset({State.JSON, State.LAYOUT, State.TEXT}),
        leaves=None,
        run=work,  # type: ignore[arg-type]
    )


def written(text: str) -> Draft:
    """A draft of some text, as a tier that lies would return it."""
    return Draft(State.TEXT, text)


def same_document(one: str, other: str) -> bool:
    return dump(parse(one)) == dump(parse(other))
