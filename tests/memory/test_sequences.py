"""Sequences of calls: whatever is sent, a client that knows only the documentation has every result whole."""

from __future__ import annotations

import json
import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.memory.sessions import COMPACT, DEDUP, DIFF, Talk, is_delta, memory_rule

FEW = settings(max_examples=30, deadline=None)

# Lines that look like our own marks, that repeat, that are long, that hold odd characters.
LINES = st.one_of(
    st.sampled_from(
        [
            "",
            " ",
            "}",
            "-…",
            "…",
            "@@ -1 +1 @@",
            "@@ -2 @@ in this line",
            "+added",
            "-gone",
            "Renumbered: every uid=1_N is now uid=2_N",
            "Re-run now: identical to call #1 of this tool (same arguments).",
            "Re-run now: the text of call #1 of this tool (same arguments), but for this diff:",
            "carriage\rreturn\r",
            "nul\x00 and \u2028 and \x85",
        ]
    ),
    st.integers(0, 40).map(lambda number: f"    line {number} of a file that somebody reads again and again"),
    st.integers(0, 20).map(
        lambda number: (
            f"a long line with much in it, the state {number} among others, " * 2 + f"ends {number}"
        )
    ),
    st.integers(0, 30).map(
        lambda number: f'- button "Save" [ref=f{number % 3}e{number}] uid=1_{number} [{number}]'
    ),
)
FILES = st.lists(LINES, min_size=12, max_size=40)


@st.composite
def revisions(draw: st.DrawFn) -> list[str]:
    """A text, and what became of it, version after version."""
    lines = draw(FILES)
    made = ["\n".join(lines)]
    for _ in range(draw(st.integers(1, 7))):
        lines = list(lines)
        for _ in range(draw(st.integers(0, 3))):
            at = draw(st.integers(0, len(lines)))
            match draw(st.sampled_from(["insert", "delete", "replace", "renumber", "swap"])):
                case "insert":
                    lines[at:at] = draw(st.lists(LINES, max_size=4))
                case "delete":
                    del lines[at : at + draw(st.integers(0, 12))]
                case "replace" if at < len(lines):
                    lines[at] = draw(LINES)
                case "swap" if at < len(lines):
                    lines[at] = lines[at].replace("state", "condition")
                case "renumber":
                    lines = [line.replace("uid=1_", "uid=2_").replace("ref=f1e", "ref=f7e") for line in lines]
        made.append("\n".join(lines))
    return made


@FEW
@given(revisions())
def test_texts_that_change_are_read_back_byte_for_byte(texts: list[str]) -> None:
    """Lines inserted, deleted, replaced, moved, renumbered; lines that look like deltas."""
    talk = Talk()
    for text in texts:
        talk.ask(text)


SCALARS = st.one_of(
    st.sampled_from([0, 1, True, False, None, "", "1", "true", "null", "remove", "a\nb", 1.0, 1e300, 10**30]),
    st.sampled_from([float("nan"), float("-inf"), "NaN"]),
    st.integers(-5, 2000),
    st.text(max_size=8),
    st.integers(0, 9).map(lambda n: "\n".join(f"line {each} of a longer text" for each in range(n, n + 12))),
)
KEYS = st.sampled_from(["id", "name", "state", "after", "remove", "$", "a b", "", "é", "x-1", "9", "value"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=10,
)


@st.composite
def documents(draw: st.DrawFn) -> list[str]:
    """A document with a list of records, and what became of it."""
    rows: list[Any] = [
        {
            "id": number,
            "name": f"record number {number} of the list",
            "state": draw(SCALARS),
            "value": draw(VALUES),
        }
        for number in range(draw(st.integers(4, 14)))
    ]
    more: Any = draw(VALUES)
    made = [json.dumps({"rows": rows, "more": more})]
    for _ in range(draw(st.integers(1, 6))):
        rows = [dict(row) for row in rows]
        for _ in range(draw(st.integers(0, 4))):
            at = draw(st.integers(0, len(rows)))
            row = rows[min(at, len(rows) - 1)] if rows else {}
            match draw(
                st.sampled_from(["insert", "delete", "set", "move", "all", "drop", "order", "twice", "more"])
            ):
                case "insert":
                    rows.insert(at, {"id": draw(st.integers(0, 50)), "name": "new", "state": draw(SCALARS)})
                case "delete":
                    del rows[at : at + 2]
                case "set":
                    row[draw(KEYS)] = draw(VALUES)
                case "move" if rows:
                    rows.append(rows.pop(0))
                case "all":
                    rows = [{**each, "state": draw(SCALARS)} for each in rows]
                case "drop" if row:
                    row.pop(next(iter(row)))
                case "order":
                    items = list(row.items())[::-1]
                    row.clear()
                    row.update(items)
                case "twice" if rows:
                    rows.append(rows[0])
                case "more":
                    more = draw(VALUES)
        made.append(json.dumps({"rows": rows, "more": more}, indent=draw(st.sampled_from([None, 1]))))
    # Under one name, two keys stand in a row twice.
    twice = draw(st.sampled_from([None, None, '"id"', '"state"']))
    return [text.replace('"name"', twice) for text in made] if twice else made


@FEW
@given(documents())
def test_documents_that_change_are_read_back_exactly(texts: list[str]) -> None:
    """Rows inserted, removed, moved, doubled; keys added, dropped, reordered; values of any type."""
    talk = Talk()
    for text in texts:
        talk.ask(text)


@FEW
@given(documents())
def test_documents_as_python_prints_them_are_read_back_byte_for_byte(texts: list[str]) -> None:
    """The same for the `repr` of records, which some servers send."""
    talk = Talk()
    for text in texts:
        rows = json.loads(text)["rows"]
        talk.ask(repr(rows))
        talk.ask(repr(rows) + "\n", argument="ended")


@FEW
@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xy"), documents()), min_size=2, max_size=4))
def test_calls_that_interleave_never_take_one_for_another(asked: list[tuple[str, str, list[str]]]) -> None:
    """Tools, arguments and sessions: each result rests on results of its own call and session."""
    talks = [Talk(), Talk()]
    for turn in range(max(len(texts) for _, _, texts in asked)):
        for talk in talks:
            for tool, argument, texts in asked:
                talk.ask(texts[turn % len(texts)], tool=tool, argument=argument)


@FEW
@given(st.lists(st.lists(revisions(), min_size=2, max_size=5), min_size=1, max_size=2))
def test_results_of_many_texts_are_read_back(asked: list[list[list[str]]]) -> None:
    """Texts that stay, change, or change places within the result."""
    talk = Talk()
    for result in asked:
        for turn in range(3):
            talk.ask(*(versions[turn % len(versions)] for versions in result))
            talk.ask(*(versions[turn % len(versions)] for versions in reversed(result)))


def test_five_hundred_calls_stay_exact() -> None:
    """A long session of a few calls under the whole chain of compact forms, dedup and diff."""
    chance = random.Random(5)
    talk = Talk(memory_rule(*COMPACT, DEDUP, DIFF))
    rows = [{"id": n, "state": "open", "votes": n % 7, "title": f"Issue number {n}"} for n in range(25)]
    lines = [f"line {n}: something that a file says" for n in range(60)]
    deltas = 0
    for turn in range(500):
        if chance.random() < 0.5:
            rows[chance.randrange(len(rows))]["votes"] = turn
        if chance.random() < 0.1:
            rows.insert(0, {"id": 100 + turn, "state": "new", "votes": 0, "title": f"Issue of turn {turn}"})
            rows.pop()
        if chance.random() < 0.3:
            lines[chance.randrange(len(lines))] = f"line written in turn {turn}"
        if chance.random() < 0.5:
            (text,) = talk.ask(json.dumps({"issues": rows}, indent=2), tool="list", argument=str(turn % 3))
        else:
            (text,) = talk.ask("\n".join(lines), tool="read")
        deltas += is_delta(text)

    assert deltas > 250
