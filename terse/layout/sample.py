"""A few of many: what a decision is measured on."""

from __future__ import annotations

from terse.layout.document import Cell


def spread(count: int, size: int) -> list[int]:
    """`size` row numbers (all, if there are no more) spread evenly over `count` rows."""
    if count <= size:
        return list(range(count))
    return [index * count // size for index in range(size)]


def clip(value: Cell, limit: int) -> Cell:
    """The value; of a long string, its beginning and its end."""
    if type(value) is str and len(value) > limit:
        return value[: limit // 2] + value[-(limit // 2) :]
    return value
