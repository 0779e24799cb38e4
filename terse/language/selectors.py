"""How selectors relate: whether one's values lie inside another's, and whether two can meet."""

from __future__ import annotations

from collections.abc import Sequence

from terse.fields.selector import Every, Everything, Path, Target
from terse.language import globs


def covers(kept: Target, target: Target) -> bool:
    """Whether every value that `target` finds is, or is inside, a value that `kept` finds."""
    if kept == target or isinstance(kept, Everything):
        return True
    match kept, target:
        case Path(keys=outer), Path(keys=keys):
            return len(outer) <= len(keys) and _all_cover(outer, keys)
        case Every(keys=outer), (Path(keys=keys) | Every(keys=keys)):
            return any(_all_cover(outer, keys[i:]) for i in range(len(keys) - len(outer) + 1))
    return False


def overlap(a: Target, b: Target) -> bool:
    """Whether the two find one value, or a value and its parent, by what they say alone.

    `every id` may lie in what `every user` finds, in some payload; that is not said by either, and is
    no overlap. `everything` is shortened by its rows or lines, and overlaps itself only.
    """
    match a, b:
        case Path(keys=x), Path(keys=y):
            return _all_meet(x, y)
        case (Path(keys=x), Every(keys=y)) | (Every(keys=y), Path(keys=x)):
            return _inside(y, x)
        case Every(keys=x), Every(keys=y):
            return _inside(x, y) or _inside(y, x)
    return a == b


def _inside(inner: Sequence[str], keys: Sequence[str]) -> bool:
    """Whether the keys go through a run that `inner` can name."""
    return any(_all_meet(inner, keys[i : i + len(inner)]) for i in range(len(keys) - len(inner) + 1))


def _all_cover(outer: Sequence[str], keys: Sequence[str]) -> bool:
    return all(globs.covers(a, b) for a, b in zip(outer, keys, strict=False))


def _all_meet(x: Sequence[str], y: Sequence[str]) -> bool:
    return all(globs.meet(a, b) is not None for a, b in zip(x, y, strict=False))
