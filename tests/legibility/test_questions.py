"""Lookup, count, filter and compare, answered from the emitted text by its visible rules alone.

The answers are worked out from the original; the reader sees nothing but what a model would see.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from random import Random
from typing import Any

import pytest

from terse.cli.policy import default_plan
from terse.fluency.questions import Count, Kind, document, is_lines, questions
from terse.memory.session import Session
from terse.payload.call import Call
from terse.payload.payload import Payload
from terse.plan.run import run
from terse.tokens import vocabulary
from tests.folds.shapes import FOLDED
from tests.legibility import layout_reader, text_reader


def _records(random: Random) -> list[dict[str, Any]]:
    return [
        {
            "number": 400 + at,
            "title": f"{random.choice(('fix', 'add', 'drop'))} the {random.choice(('parser', 'lexer'))} {at}",
            "comments": random.randint(0, 40),
            "state": "closed" if at % 9 == 0 else "open",
        }
        for at in range(40)
    ]


def records(random: Random) -> Any:
    return {"total": 40, "items": _records(random)}


def nested(random: Random) -> Any:
    people = [
        {"login": name, "id": 70 + at, "admin": at == 2} for at, name in enumerate(("ana", "bob", "cy"))
    ]
    return [{**record, "user": random.choice(people), "labels": ["bug"]} for record in _records(random)]


def ragged(random: Random) -> Any:
    rows = _records(random)
    for row in random.sample(rows, 15):
        del row["comments"]
    for row in random.sample(rows, 5):
        row["closed_by"] = None
    return rows


def child_tables(random: Random) -> Any:
    return {
        "orders": [
            {
                "order": f"A-{at}",
                "paid": at % 5 == 0,
                "total": at * 7.25,
                "lines": [
                    {"sku": f"s{line}", "qty": random.randint(1, 9)} for line in range(random.randint(0, 4))
                ],
            }
            for at in range(30)
        ]
    }


def constants(random: Random) -> Any:
    return [
        {**row, "kind": "issue", "locked": False, "draft": at % 8 == 3}
        for at, row in enumerate(_records(random))
    ]


def templates(random: Random) -> Any:
    return [
        {
            "name": name,
            "url": f"https://api.example.org/repos/acme/{name}",
            "forks_url": f"https://api.example.org/repos/acme/{name}/forks",
            "stars": random.randint(0, 9000),
        }
        for name in (
            f"{one}-{other}" for one in ("web", "cli", "db") for other in ("core", "docs", "tests", "ui")
        )
    ]


def keyed(random: Random) -> Any:
    return {
        "hosts": {f"node-{at}": {"cpu": random.randint(1, 64), "zone": "eu-1"} for at in range(25)},
        "rows": _records(random),
    }


def kinds(random: Random) -> Any:
    return [
        {"id": at, "type": "push", "commits": random.randint(1, 9), "ref": "refs/heads/main", "by": "ana"}
        if at % 3
        else {"id": at, "type": "issue", "title": f"Wrong count {at}", "state": "open"}
        for at in range(30)
    ]


def look_alikes(random: Random) -> Any:
    words = (
        "null",
        "12",
        "007",
        "-",
        ".",
        "",
        "*1",
        "a,b",
        "x y",
        "=null",
        "true",
        "{id}",
        "(2 lines)",
        "1e5",
    )
    return [
        {"id": at, "code": words[at % len(words)], "size": random.randint(1, 99), "note": "a note"}
        for at in range(42)
    ]


DOCUMENTS: dict[str, Callable[[Random], Any]] = {
    made.__name__: made
    for made in (records, nested, ragged, child_tables, constants, templates, keyed, kinds, look_alikes)
}
TEXTS = {
    **{name: lambda random, make=make: json.dumps(make(random)) for name, make in DOCUMENTS.items()},
    **{name: make for name, make in FOLDED.items() if name != "fold-lists"},
}
"""A text of a few long lines, as `fold-lists` is made for, has nothing to ask by the line."""


def emitted(text: str) -> str:
    """What the default policy sends, however busy the machine."""
    plan, call = default_plan(), Call("made", "up")
    return run(plan, Payload.of(text), call, Session(), vocabulary(), clock=lambda: 0.0).text


def read(text: str) -> Any:
    """The document or the lines that a reader has, who knows the docs and sees the emitted text."""
    if text.startswith("[terse: "):
        return text_reader.read(text).splitlines()
    return layout_reader.read(text)


@pytest.mark.parametrize("name", sorted(TEXTS))
@pytest.mark.parametrize("seed", [1, 2])
def test_questions_are_answered_from_what_is_sent(name: str, seed: int) -> None:
    """Every question on the original has the same answer from the emitted text, which is another text."""
    text = TEXTS[name](Random(seed))
    sent = emitted(text)
    asked = questions(text, seed)

    assert sent != text
    assert asked
    original, seen = document(text), read(sent)
    assert [question.answer(seen) for question in asked] == [question.answer(original) for question in asked]


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_the_number_of_records_is_declared(name: str) -> None:
    """How many records there are is read off the line above them, without counting."""
    text = TEXTS[name](Random(3))
    declared = layout_reader.declared(emitted(text))

    for question in questions(text):
        if isinstance(question, Count):
            title = question.path[-1] if question.path else "JSON outline"
            assert str(declared[title]) == question.answer(document(text))


@pytest.mark.parametrize("name", sorted(FOLDED))
def test_the_number_of_lines_is_declared(name: str) -> None:
    """How many lines the original has stands in the first line."""
    text = FOLDED[name](Random(3))

    assert text_reader.declared(emitted(text)) == text.count("\n")


def test_all_four_kinds_are_asked() -> None:
    """Of records and of lines: lookup, count, filter and compare."""
    for text in (TEXTS["records"](Random(1)), FOLDED["fold-log"](Random(1))):
        assert {question.kind for question in questions(text)} == set(Kind)


def test_a_null_is_no_missing_field() -> None:
    """A filter for null finds the records that say null, not those that say nothing."""
    rows = [
        {"id": at, **({"owner": None} if at in (2, 4) else {"owner": f"o{at}"} if at % 2 else {})}
        for at in range(9)
    ]
    asked = [question for question in questions(json.dumps(rows)) if "equal to null" in question.words]

    assert [question.answer(document(json.dumps(rows))) for question in asked] == ["2, 4"]


def test_the_same_seed_asks_the_same() -> None:
    """A run can be repeated; another seed asks otherwise."""
    text = TEXTS["nested"](Random(1))

    assert questions(text, 5) == questions(text, 5)
    assert questions(text, 5) != questions(text, 6)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        '["a","b","c","d","e","f"]',
        "one line",
        "[1,2,3]",
        '{"a":[{}]}',
        "[" + ",".join(f'{{"id":{n},"name":"n{n}","id":"x{n}"}}' for n in range(9)) + "]",
    ],
)
def test_a_result_with_nothing_to_ask_has_no_questions(text: str) -> None:
    """Small and odd results are passed over, without an error."""
    assert questions(text) == []


def test_numbers_keep_their_text() -> None:
    """An answer is written as the document writes it: 1.50 is not 1.5."""
    rows = [{"id": f"r{at}", "price": Decimal("1.50")} for at in range(6)]
    text = json.dumps(rows, default=lambda value: 0).replace("0}", "1.50}")

    assert not is_lines(document(text))
    assert {q.answer(document(text)) for q in questions(text) if q.kind is Kind.LOOKUP} == {"1.50"}
