"""Records as a Table: the union of their keys, nested objects as groups, lists as child tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from operator import itemgetter
from typing import Any

from terse.layout.document import ABSENT, Cell, Cells, Child, Column, Group, Kinds, Mark, Rows, Table
from terse.layout.sample import spread
from terse.layout.template import KEY_NAME
from terse.payload.exact import NON_FINITE, JsonValue, is_number

MIN_FILL = 0.35
"""Nested objects share a group when at least this part of its cells would be filled."""
MIN_CHILDREN = 4
"""Fewer child rows of objects by key are no table."""
MAX_KINDS = 6
"""A list with more kinds of record is not split."""
MIN_COMMON = 0.6
"""Records with at least this part of all their keys in common are of one kind."""
MANY = 8
"""Rows of one shape that are shorter in columns for certain."""
MAX_COLUMNS = 400
"""A table (with its groups) has no more columns; wider objects stay values on the spot."""


Choose = Callable[[Sequence[Column], int], Column]
"""Which of several columns that say the same is to be taken, for so many rows."""


def repeated_names(objects: Collection[Mapping[str, Any]]) -> int:
    """How many names some objects have less if each stands once: none, and there is nothing to save."""
    return sum(map(len, objects)) - len(set().union(*objects))


def tabulate(records: Sequence[JsonValue], choose: Choose) -> Table | None:
    """A table of a list's values; `None` where they are not records of a kind."""
    rows = _objects(records)
    columns, misfits = _columns(rows, choose)
    if not columns:
        return None
    if rows is records and not misfits:
        return Table(Rows.RECORDS, len(records), columns)
    whole: dict[int, Cell] = {
        row: record for row, record in enumerate(records) if (type(record) is not dict) or row in misfits
    }
    if len(whole) * 2 > len(records):
        return None
    return Table(Rows.RECORDS, len(records), columns, whole)


def _objects(values: Sequence[Any]) -> Sequence[Any]:
    """The values that are objects with keys, `ABSENT` for any other; the values themselves where all are."""
    if set(map(type, values)) == {dict} and all(values):
        return values
    return [value if type(value) is dict and value else ABSENT for value in values]


def tabulate_regular(records: Sequence[JsonValue], choose: Choose) -> Table | None:
    """A table of objects that all have the same keys in the same order; `None` where they are no such."""
    columns = _of_one_shape(records, choose)
    return Table(Rows.RECORDS, len(records), columns) if columns else None


def _of_one_shape(records: Sequence[Any], choose: Choose) -> list[Column]:
    """The columns of objects with the same keys in the same order; none where they are no such."""
    first = records[0]
    if type(first) is not dict or len(first) > MAX_COLUMNS or set(map(type, records)) != {dict}:
        return []
    shape = tuple(first)
    if not all(map(shape.__eq__, map(tuple, records))):
        return []
    return [_column(name, list(map(itemgetter(name), records)), choose) for name in shape]


def tabulate_kinds(records: Sequence[JsonValue], choose: Choose) -> Kinds | None:
    """A table for each kind of record, where their keys differ too much for one; `None` where they do not."""
    kinds: list[tuple[list[str], list[int]]] = []
    by_shape: dict[tuple[str, ...], int] = {}
    order: list[int] = []
    for row, record in enumerate(records):
        if not isinstance(record, dict) or not record:
            return None
        shape = tuple(record)
        kind = by_shape.get(shape)
        if kind is None:
            kind = by_shape[shape] = _kind_of(shape, kinds)
            if kind == MAX_KINDS:
                return None
        kinds[kind][1].append(row)
        order.append(kind)
    if len(kinds) < 2 or any(len(rows) < 2 for _, rows in kinds):
        return None
    tables = [tabulate([records[row] for row in rows], choose) for _, rows in kinds]
    made = [table for table in tables if table is not None]
    return Kinds(made, order) if len(made) == len(kinds) else None


def _kind_of(shape: tuple[str, ...], kinds: list[tuple[list[str], list[int]]]) -> int:
    """The number of the kind whose keys are nearly these; a new one if there is none."""
    for number, (names, _) in enumerate(kinds):
        common = len(set(names) & set(shape))
        merged = _merge(names, shape)
        if merged is not None and common >= MIN_COMMON * len(merged):
            kinds[number] = (merged, kinds[number][1])
            return number
    kinds.append((list(shape), []))
    return len(kinds) - 1


def tabulate_keyed(holder: dict[str, JsonValue], choose: Choose) -> Table | None:
    """A table of an object whose values are records: its keys become the first column."""
    table = tabulate(list(holder.values()), choose)
    if table is None:
        return None
    keys = Cells(KEY_NAME, list(holder), text=True)
    return Table(Rows.KEYED, table.count, [keys, *table.columns], table.whole)


def tabulate_lists(lists: Sequence[JsonValue], choose: Choose) -> Table | None:
    """A table of lists that all have the same length."""
    widths = {len(each) if type(each) is list else 0 for each in lists}
    if len(widths) != 1:
        return None
    (width,) = widths
    if not 1 < width <= MAX_COLUMNS:
        return None
    columns = [
        _column(f"#{place}", list(cells), choose) for place, cells in enumerate(zip(*lists, strict=True), 1)
    ]
    return Table(Rows.LISTS, len(lists), columns)


def _columns(rows: Sequence[Any], choose: Choose) -> tuple[list[Column], set[int]]:
    """The columns of the rows that are objects, and the rows that do not fit the common order of keys."""
    has_gaps = Mark in set(map(type, rows))
    shapes = Counter(map(tuple, [row for row in rows if row is not ABSENT] if has_gaps else rows))
    names, fitting = _common_order(shapes)
    if not names or len(names) > MAX_COLUMNS:
        return [], set()
    misfits: set[int] = set()
    if len(fitting) < len(shapes):
        misfits = {
            row for row, record in enumerate(rows) if record is not ABSENT and tuple(record) not in fitting
        }
        rows = [ABSENT if row in misfits else record for row, record in enumerate(rows)]
    if not has_gaps and not misfits:
        if len(fitting) == 1:
            return [_column(name, list(map(itemgetter(name), rows)), choose) for name in names], misfits
        present = rows
    else:
        present = [record if record is not ABSENT else {} for record in rows]
    return [
        _column(name, [record.get(name, ABSENT) for record in present], choose) for name in names
    ], misfits


def _common_order(shapes: Mapping[tuple[str, ...], int]) -> tuple[list[str], set[tuple[str, ...]]]:
    """An order that the shapes' keys follow; a shape that contradicts more frequent ones is left out."""
    order: list[str] = []
    fitting: set[tuple[str, ...]] = set()
    for shape in sorted(shapes, key=lambda each: (-shapes[each], -len(each))):
        merged = _merge(order, shape)
        if merged is not None and len(merged) > MAX_COLUMNS:
            return [], set()
        if merged is not None:
            order = merged
            fitting.add(shape)
    return order, fitting


def _merge(order: list[str], shape: tuple[str, ...]) -> list[str] | None:
    """`order` with the keys of `shape` put in; `None` if they stand in another order there."""
    place = {name: at for at, name in enumerate(order)}
    last = -1
    for name in shape:
        at = place.get(name, last + 0.5)
        if name in place:
            if at < last:
                return None
            last = int(at)
    # New keys go right behind the key they follow in their record.
    merged: list[str] = []
    rest = iter(order)
    for name in shape:
        if name in place:
            for known in rest:
                merged.append(known)
                if known == name:
                    break
        else:
            merged.append(name)
    merged.extend(rest)
    return merged


def _column(name: str, cells: list[Cell], choose: Choose) -> Column:
    kinds = set(map(type, cells))
    if dict in kinds or list in kinds:
        if len(cells) >= MANY and (columns := _of_one_shape(cells, choose)):
            # Every name is written once for each row otherwise: there is nothing to weigh.
            return Group(name, columns, {}, cells)
        group = _group(name, cells, choose) if dict in kinds else None
        keyed = _keyed_child(name, cells, choose) if dict in kinds else None
        child = _child(name, cells, choose) if list in kinds else None
        ways: list[Column | None] = [group, keyed, child, Cells(name, cells)]
        return choose([way for way in ways if way is not None], len(cells))
    text = str in kinds and kinds <= _TEXT_KINDS and _look_like_numbers(cells)
    return Cells(name, cells, text=text)


_TEXT_KINDS = {str, type(None), type(ABSENT)}


def _look_like_numbers(cells: list[Cell]) -> bool:
    """Whether so many strings would need quotes that `:text` in the header is shorter."""
    found = 0
    for at in spread(len(cells), LOOK_ROWS):
        cell = cells[at]
        if type(cell) is str and (cell in _WORDS or (cell[:1] in _NUMBER_STARTS and is_number(cell))):
            found += 1
            if found == 2:
                return True
    return False


LOOK_ROWS = 400
"""Rows of a column that are looked at for strings that look like numbers."""

_NUMBER_STARTS = frozenset("-0123456789")
_WORDS = frozenset(("true", "false", *NON_FINITE))


def _group(name: str, cells: list[Cell], choose: Choose) -> Group | None:
    rows = _objects(cells)
    objects = rows if rows is cells else [row for row in rows if row is not ABSENT]
    if not objects:
        return None
    keys = set().union(*objects)
    names = sum(map(len, objects))
    if names == len(keys) and not any(map(_holds_objects, objects)):
        # Each name stands once anyway.
        return None
    if names < MIN_FILL * len(objects) * len(keys) or len(keys) > MAX_COLUMNS:
        return None
    columns, misfits = _columns(rows, choose)
    if not columns:
        return None
    whole = {}
    if rows is not cells or misfits:
        whole = {
            row: cell
            for row, cell in enumerate(cells)
            if cell is not ABSENT and (rows[row] is ABSENT or row in misfits)
        }
    # More exceptions than objects: the cells read better as they are.
    if len(whole) * 2 > len(objects) + len(whole):
        return None
    return Group(name, columns, whole, cells)


def _holds_objects(value: Mapping[str, Any]) -> bool:
    """Whether an object has objects in it, or lists with objects, whose names may repeat."""
    return any(
        type(item) is dict or (type(item) is list and dict in set(map(type, item))) for item in value.values()
    )


def _child(name: str, cells: list[Cell], choose: Choose) -> Child | None:
    lists: list[list[JsonValue]] = [cell for cell in cells if isinstance(cell, list)]
    rows = [item for each in lists for item in each if isinstance(item, dict) and item]
    if len(rows) < 2 or len(rows) < sum(map(len, lists)) or not repeated_names(rows):
        return None
    columns, misfits = _columns(rows, choose)
    if not columns or len(misfits) * 3 > len(rows):
        return None
    filled = sum(map(len, rows))
    if filled < MIN_FILL * len(rows) * len(columns):
        return None
    table = Table(Rows.RECORDS, len(rows), columns, {row: rows[row] for row in misfits})
    return Child(name, [len(cell) if type(cell) is list else cell for cell in cells], table, cells)


def _keyed_child(name: str, cells: list[Cell], choose: Choose) -> Child | None:
    """Objects of objects, under keys that differ from row to row."""
    objects = [cell for cell in cells if isinstance(cell, dict)]
    keys = [key for each in objects for key in each]
    rows = [item for each in objects for item in each.values() if isinstance(item, dict) and item]
    if len(rows) < MIN_CHILDREN or len(rows) < len(keys) or len(set(keys)) * 2 < len(keys):
        return None
    if not repeated_names(rows):
        return None
    columns, misfits = _columns(rows, choose)
    if not columns or misfits:
        return None
    keyed = Cells(KEY_NAME, keys, text=True)
    table = Table(Rows.KEYED, len(rows), [keyed, *columns])
    return Child(name, [len(cell) if isinstance(cell, dict) else cell for cell in cells], table, cells)
