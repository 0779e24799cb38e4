"""A large table is written in parts, and reads as if it had been written whole."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terse.layout import parts as module
from terse.layout.document import Column, Document
from terse.layout.parts import parts
from terse.layout.tabulate import tabulate
from terse.layout.write import write
from terse.payload.exact import dump, parse
from terse.tiers.expand import expand
from tests.layout.documents import records


def last(columns: list[Column], count: int) -> Column:
    return columns[-1]


def first(columns: list[Column], count: int) -> Column:
    return columns[0]


@given(records(), st.integers(1, 4), st.sampled_from([first, last]), st.sampled_from([",", " "]))
def test_parts_write_what_the_whole_writes(
    rows: list[object], size: int, choose: object, separator: str
) -> None:
    """Rows of any shape: nested, ragged, with child rows, and with values that are no records."""
    table = tabulate(rows, choose)  # type: ignore[arg-type]
    if table is None:
        return
    whole = write(Document(table)).split("\n", 1)[1]

    made = list(parts(table, size))

    assert "\n".join(write(Document(part)).split("\n", 1)[1] for part in made) == whole
    assert sum(part.count for part in made) == table.count
    assert all(part.count <= size for part in made)


def test_a_small_table_is_its_only_part() -> None:
    """Most tables are."""
    table = tabulate([{"a": None}, {"a": True}], last)
    assert table is not None

    assert list(parts(table)) == [table]


def test_a_table_of_many_parts_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """With child rows below their rows, wherever a part ends."""
    rows = [{"id": n, "items": [{"sku": f"s{n}-{m}"} for m in range(n % 4)]} for n in range(50)]
    table = tabulate(parse(json.dumps(rows)), first)  # type: ignore[arg-type]
    assert table is not None
    monkeypatch.setattr(module, "PART_ROWS", 7)

    text = write(Document(table))

    assert text.count("\n") == 50 + sum(n % 4 for n in range(50))
    assert expand(text) == dump(parse(json.dumps(rows)))
