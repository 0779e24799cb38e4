"""What the trace says was touched is what was touched."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from terse.fields.selector import LinesMatching, Path
from terse.plan.model import FieldLine, Keep, Quantity, Remove, SetAside, Shorten
from terse.plan.trace import Outcome, StepStatus
from terse.report.laid_out import lay_out
from tests.plan.plans import RECORDS, characters, outcome, rule

TEXT = "word and word again " * 20
URL, BODY, ID = (Path((key,)) for key in ("url", "body", "id"))


def _run(*fields: FieldLine, text: str, detail: bool = True) -> Outcome:
    return outcome(rule(fields=fields, chain=RECORDS), text, detail=detail, clock=lambda: 0.0)


def _touched(outcome: Outcome) -> dict[str, Any]:
    return {
        step.action: step.touched.places or step.touched.lines
        for step in outcome.trace.steps
        if step.touched is not None
    }


def test_places_are_json_pointers_of_the_original() -> None:
    """Each field line has its places; a key with `/` or `~` is escaped as RFC 6901 says."""
    rows = [{"a/b~c": n, "body": TEXT, "note": TEXT, "id": n} for n in range(2)]
    lines = (Remove((Path(("a/b~c",)),)), SetAside((BODY,)), Keep((ID,)))
    done = _run(*lines, text=json.dumps(rows))

    assert _touched(done) == {
        "removed": ("/0/a~1b~0c", "/1/a~1b~0c"),
        "set aside": ("/0/body", "/1/body"),
    }
    assert done.trace.kept_places is not None
    assert done.trace.kept_places.places == ("/0/id", "/1/id")


def test_one_of_two_keys_that_are_the_same_has_a_place_of_its_own() -> None:
    """`/0/body#2` is the second `body` of the first row, in the trace and on the page of `explain`."""
    text = f'[{{"body":"short","body":"{TEXT}"}},{{"body":"{TEXT}","body":"short"}}]'
    done = _run(Remove((BODY,), Quantity(100, "characters")), text=text)
    (touched,) = (step.touched for step in done.trace.steps if step.touched is not None)
    shown = lay_out(text, [touched])

    assert touched.places == ("/0/body#2", "/1/body")
    assert [shown.lines[first].strip()[:14] for first, _ in shown.ranges(touched)] == 2 * ['"body": "word ']


def test_rows_that_were_cut_are_places() -> None:
    """`shorten … to 3 rows` touched the rows that are gone, not those that stay."""
    rows = json.dumps({"rows": [{"n": n, "t": TEXT} for n in range(9)]})
    done = _run(Shorten((Path(("rows",)),), Quantity(3, "rows"), "first"), text=rows)

    assert _touched(done) == {"shortened": tuple(f"/rows/{n}" for n in range(3, 9))}


def test_lines_of_a_text_are_those_that_went() -> None:
    """Of a text the line numbers are told, from 1, and kept lines are not among them."""
    lines = [f"DEBUG step {n} of many, nothing to see here" for n in range(40)]
    lines[0], lines[20], lines[39] = "start of the run", "DEBUG ERROR disk full", "end of the run"
    fields = (Remove((LinesMatching("^DEBUG"),)), Keep((LinesMatching("ERROR"),)))
    done = _run(*fields, text="\n".join(lines) + "\n")

    assert _touched(done) == {"removed": ((2, 20), (22, 39))}
    assert done.trace.kept_places is not None
    assert done.trace.kept_places.lines == ((21, 21),)


def test_every_applied_step_has_the_text_after_it() -> None:
    """The last of them is what is sent; steps that did nothing have none."""
    rows = [{"id": n, "url": f"https://x.example/{n}", "name": "same name"} for n in range(50)]
    done = _run(Remove((URL,)), text=json.dumps(rows))
    steps = done.trace.steps

    assert all((step.after is not None) == (step.status is StepStatus.APPLIED) for step in steps)
    assert [step.after for step in steps if step.after is not None][-1] == done.text


DOCUMENTS = st.lists(
    st.fixed_dictionaries({"id": st.integers()}, optional={"url": st.text(), "body": st.text(max_size=300)}),
    min_size=20,
    max_size=60,
)


@given(DOCUMENTS)
def test_looking_on_changes_nothing(rows: list[dict[str, Any]]) -> None:
    """With and without detail the same text is sent; and only detail has places and texts."""
    lines = (Remove((URL,)), Shorten((BODY,), characters(40)), Keep((ID,)))
    seen, unseen = (_run(*lines, text=json.dumps(rows), detail=detail) for detail in (True, False))

    assert seen.text == unseen.text
    assert seen.guarantee == unseen.guarantee
    assert unseen.trace.kept_places is None
    assert all(step.touched is None and step.after is None for step in unseen.trace.steps)


@given(DOCUMENTS)
def test_every_place_was_there(rows: list[dict[str, Any]]) -> None:
    """Exactly the values that a line removes are its places."""
    removed = _touched(_run(Remove((URL,)), text=json.dumps(rows))).get("removed", ())

    assert list(removed) == [f"/{number}/url" for number, row in enumerate(rows) if "url" in row]
