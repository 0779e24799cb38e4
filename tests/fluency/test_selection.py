"""What a model is asked: fair questions, on results that are sent in another form."""

from __future__ import annotations

import json

from terse.capture.results import Result
from terse.cli.policy import default_plan
from terse.fields.selector import Every
from terse.fluency.questions import Kind
from terse.fluency.selection import items
from terse.memory.session import Session
from terse.payload.call import Call
from terse.payload.payload import Payload
from terse.plan.model import Entry, Pattern, Plan, Remove, Rule
from terse.plan.run import run
from terse.tokens import vocabulary

ROWS = json.dumps(
    [{"id": n, "state": "open" if n % 7 else "shut", "size": n * 3, "note": f"note {n}"} for n in range(40)]
)
PROSE = "\n".join(f"This is sentence {n}, unlike every other one{'!' * (n % 3)}" for n in range(3))


def _result(name: str, text: str) -> Result:
    return Result(name, "", Call("shop", "list"), text)


def test_only_results_that_are_sent_otherwise_are_asked_about() -> None:
    """A small result stays as it is, and one that is too large would cost more than it tells."""
    found = [_result("small", '[{"id":1}]'), _result("prose", PROSE), _result("rows", ROWS)]

    asked = items(found, default_plan(), vocabulary(), 50, 8000)

    assert {item.name for item in asked} == {"rows"}
    assert all(item.raw == ROWS and item.emitted != ROWS for item in asked)
    assert items(found, default_plan(), vocabulary(), 50, most_tokens=100) == []


def test_a_result_that_a_rule_reduces_is_no_fair_question() -> None:
    """What a rule has taken away cannot be asked for."""
    fields = (Remove((Every(("note",)),)),)
    rule = Rule("less", "x:1", (Pattern("*", "*"),), fields=fields, guarantee="lossy")
    plan = Plan(1, (rule,), (), (Entry(0, 0),))

    sent = run(plan, Payload.of(ROWS), Call("shop", "list"), Session(), vocabulary()).text
    assert "note 7" not in sent
    assert items([_result("rows", ROWS)], plan, vocabulary(), 50, 8000) == []


def test_all_kinds_are_asked_of_few_questions_on_many_results() -> None:
    """Eight questions on eight results are not eight times the same."""
    found = [_result(f"rows {n}", ROWS.replace("note", f"note{n}")) for n in range(8)]

    asked = items(found, default_plan(), vocabulary(), 8, 8000)

    assert len(asked) == 8
    assert {item.question.kind for item in asked} == set(Kind)


def test_a_text_that_is_laid_out_as_records_is_not_asked_by_the_line() -> None:
    """A reader of the layout never sees the lines that Python printed."""
    printed = repr([{"id": n, "name": f"customer {n}", "city": "Oslo"} for n in range(60)]).replace(
        "}, ", "},\n "
    )

    for item in items([_result("repr", printed)], default_plan(), vocabulary(), 50, 8000):
        assert item.emitted.startswith("[terse: ")
