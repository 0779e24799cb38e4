"""`terse explain` as text: what a reader finds in it, on 80 columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terse.plan.trace import GateTrace
from terse.report.columns import cells
from terse.report.explain import WIDTH, render
from terse.report.explanation import CallFrom
from tests.report.traces import ERROR, ISSUES, LONG_CHAIN, NO_RULE, explanation, outcome

TABLE = "issues[30]: number title\n" + "\n".join(f"  {n} issue {n}" for n in range(1, 31)) + "\n"
ONE_LONG_LINE = "".join(f'{{"number":{n}}},' for n in range(500))

Golden = Callable[[str, str], None]


@pytest.mark.parametrize(
    ("name", "given_explanation"),
    [
        ("issues", explanation(outcome(ISSUES, TABLE))),
        ("error", explanation(outcome(ERROR, "Error in the JQL Query:\nthe word nonsense\n"))),
        (
            "no-rule",
            explanation(
                outcome(NO_RULE, ONE_LONG_LINE),
                call_from=CallFrom.NOWHERE,
                notes=("no --call, and the file is in no samples folder: explained for a call of no name",),
            ),
        ),
        ("long-chain", explanation(outcome(LONG_CHAIN, "a text"))),
        ("two-texts", explanation(outcome(ERROR, "first"), outcome(ERROR, "second"))),
    ],
)
def test_an_explanation_reads_as_its_golden_file(name: str, given_explanation, golden: Golden) -> None:
    """The whole page, as people read it."""
    text = render(given_explanation)

    golden(f"explain/{name}.txt", text)
    assert max(len(line) for line in text.splitlines()) <= WIDTH


def test_whole_shows_every_line_uncut() -> None:
    """`--whole` leaves nothing of the emitted text out, however long a line is."""
    text = render(explanation(outcome(NO_RULE, ONE_LONG_LINE)), whole=True)

    assert ONE_LONG_LINE in text
    assert "shortened here" not in text


def test_what_is_left_out_is_said() -> None:
    """A shortened text says so and how to see the whole."""
    text = render(explanation(outcome(ISSUES, TABLE)))

    assert "--whole shows all of it" in text
    assert "9 lines not shown" in text


@pytest.mark.parametrize(
    "char", ["\x1b", "\r", "\x07", "\x9b", "\u202e", "\u2028", "\ud800", "\u200b", "\u3164"]
)
def test_a_payload_cannot_move_the_terminal(char: str) -> None:
    """Escape sequences, bells and direction marks of a payload are shown as escapes."""
    text = render(explanation(outcome(ERROR, f"a{char}[31mb")))

    assert char not in text
    assert ascii(char)[1:-1] in text


def test_an_original_that_was_sent_says_so() -> None:
    """A result that the gate sent as it came shows no saving."""
    trace = replace(ISSUES, tokens_out=ISSUES.tokens_in, gate=GateTrace("original", "it came back different"))

    text = render(explanation(outcome(trace, "x")))

    assert "as it came, 11,840 tokens" in text
    assert "it came back different" in text


def test_columns_are_columns_also_beside_wide_characters() -> None:
    """Numbers stand below each other where a statement has characters of two columns."""
    steps = [replace(ISSUES.steps[0], label=label, note="") for label in ("remove title", "remove 件名件名")]
    text = render(explanation(outcome(replace(ISSUES, steps=tuple(steps)), TABLE)))
    rows = [line for line in text.splitlines() if "  remove " in line]

    first, second = (cells(row[: row.index("lossy")]) for row in rows)
    assert first == second


@given(
    label=st.text(min_size=1, max_size=200),
    note=st.text(max_size=200),
    text=st.text(max_size=3000),
    name=st.text(min_size=1, max_size=120),
)
def test_no_line_is_wider_than_80_columns(label: str, note: str, text: str, name: str) -> None:
    """Whatever the names, statements and payloads are, every line fits and nothing raises."""
    step = replace(ISSUES.steps[0], label=label, note=note)
    trace = replace(ISSUES, steps=(step,), call=name, summary=name, why=name)

    for line in render(explanation(outcome(trace, text))).split("\n"):
        assert cells(line) <= WIDTH
        assert line.isprintable()
