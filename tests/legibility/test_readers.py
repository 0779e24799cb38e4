"""The docs suffice: readers written from them alone read each example, and all that tiers and folds write."""

from __future__ import annotations

import ast
import json
import re
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from terse.payload.exact import JsonValue, dump
from terse.payload.payload import Payload
from terse.tiers.spec import Draft
from tests.folds.shapes import FOLDED
from tests.folds.test_exact import FOLDS, folded, mixed
from tests.layout.documents import DOCUMENTS
from tests.layout.test_chains import JSON_TIERS, steps
from tests.legibility import layout_reader, text_reader

ROOT = Path(__file__).parent.parent.parent
CONFORMANCE = sorted((ROOT / "tests" / "format").glob("*.txt"))
PAGE = (ROOT / "docs" / "format-text.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```text\n([^`]*?)^```\n\nbecomes[^\n]*\n\n```text\n(.*?)^```$", PAGE, re.M | re.S)
SOME = settings(max_examples=150, suppress_health_check=list(HealthCheck))


def as_read(text: str) -> Any:
    """JSON as the readers give it: numbers as decimals."""
    return json.loads(
        text,
        parse_int=Decimal,
        parse_float=Decimal,
        parse_constant=Decimal,
        object_pairs_hook=layout_reader.as_object,
    )


def same(one: Any, other: Any) -> bool:
    """Equal in values, types, the text of numbers and the order of keys."""
    return repr(one) == repr(other)


@pytest.mark.parametrize("reader", ["layout_reader", "text_reader"])
def test_the_readers_know_nothing_of_terse(reader: str) -> None:
    """What they read, they read by the docs: no line of the program helps them."""
    tree = ast.parse((Path(__file__).parent / f"{reader}.py").read_text(encoding="utf-8"))
    modules = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    modules |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}

    assert not [module for module in modules if module.split(".")[0] in ("terse", "tests")]


@pytest.mark.parametrize("path", CONFORMANCE, ids=lambda path: path.stem)
def test_the_conformance_set_is_read(path: Path) -> None:
    """Each layout of tests/format is read to the document beside it."""
    document = path.with_suffix(".json").read_text(encoding="utf-8")

    assert same(layout_reader.read(path.read_text(encoding="utf-8")), as_read(document))


@pytest.mark.parametrize(("text", "emitted"), EXAMPLES, ids=lambda each: each.split("\n", 1)[0][:40])
def test_every_example_of_the_text_forms_is_read(text: str, emitted: str) -> None:
    """Each folded text of docs/format-text.md is read to the text before it."""
    assert text_reader.read(emitted) == text


@SOME
@given(DOCUMENTS)
def test_whatever_the_tiers_write_is_read(document: JsonValue) -> None:
    """Any document, laid out by all tiers: values, types, number text and order are read off the layout."""
    text = dump(document)
    laid = steps(Draft.of(Payload.of(text)), JSON_TIERS, "few signs").text
    if laid.startswith("JSON outline:"):
        assert same(layout_reader.read(laid), as_read(text))


@pytest.mark.parametrize("kind", sorted(FOLDED))
def test_every_kind_of_text_is_read(kind: str) -> None:
    """What each fold writes of the text it is made for is read back, line by line."""
    text = FOLDED[kind](Random(7))

    emitted = folded(text, FOLDS).text

    assert emitted != text
    assert text_reader.read(emitted) == text


@SOME
@given(mixed())
def test_whatever_the_folds_write_is_read(text: str) -> None:
    """Damaged texts, and texts with marks that look like ours: all of them are read off the folded text."""
    emitted = folded(text, FOLDS).text
    if emitted != text:
        assert text_reader.read(emitted) == text
