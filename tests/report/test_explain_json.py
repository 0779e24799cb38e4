"""`terse explain --json`: a documented format that programs can rely on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from terse.plan.trace import NOT_COUNTED, StepStatus
from terse.report.explain import render as render_text
from terse.report.explain_json import render
from tests.report.traces import ERROR, ISSUES, NO_RULE, explanation, outcome

DOCS = Path(__file__).parent.parent.parent / "docs"
SCHEMA = json.loads((DOCS / "explain.schema.json").read_text(encoding="utf-8"))
EVERYTHING = explanation(
    outcome(ISSUES, "a\nb\n"), outcome(ERROR, "x"), outcome(NO_RULE, "y"), notes=("a note",)
)


def _properties(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, value in schema.get("properties", {}).items():
        yield name, value
        yield from _properties(value)
    for value in schema.get("$defs", {}).values():
        yield from _properties(value)


def _closed(schema: Any) -> Any:
    """The schema with no room for fields that it does not name."""
    if isinstance(schema, dict):
        closed = {key: _closed(value) for key, value in schema.items()}
        return {**closed, "additionalProperties": False} if "properties" in schema else closed
    return [_closed(value) for value in schema] if isinstance(schema, list) else schema


def test_the_output_is_what_the_schema_says() -> None:
    """Every field is in the schema, and every field of the schema is in the output."""
    value = json.loads(render(EVERYTHING))

    Draft202012Validator.check_schema(SCHEMA)
    Draft202012Validator(_closed(SCHEMA)).validate(value)


def test_the_schema_knows_every_status() -> None:
    """A step can end in no way that the schema and the page do not name."""
    page = (DOCS / "explain-json.md").read_text(encoding="utf-8")

    assert SCHEMA["$defs"]["step"]["properties"]["status"]["enum"] == [status.value for status in StepStatus]
    assert all(f"| `{status.value}` |" in page for status in StepStatus)


def test_every_field_is_on_the_page() -> None:
    """`docs/explain-json.md` names every field of the schema."""
    page = (DOCS / "explain-json.md").read_text(encoding="utf-8")

    missing = [
        name
        for name, _ in _properties(SCHEMA)
        if not any(written in page for written in (f"`{name}`", f"`{name}.", f".{name}`"))
    ]
    assert missing == []


@given(st.text())
def test_any_emitted_text_comes_out_as_it_was(text: str) -> None:
    """Lone surrogates, control characters and all: a reader of the JSON gets the text back."""
    value = json.loads(render(explanation(outcome(ERROR, text))))

    assert value["texts"][0]["emitted"] == text


def test_what_was_not_counted_is_null() -> None:
    """A count that could not be had is null in the JSON and said in the text."""
    trace = replace(ERROR, tokens_in=NOT_COUNTED, tokens_out=NOT_COUNTED, steps=())
    value = json.loads(render(explanation(outcome(trace, "x"))))

    Draft202012Validator(SCHEMA).validate(value)
    assert value["texts"][0]["tokens"] is None
    assert "not counted" in render_text(explanation(outcome(trace, "x")))
