"""Where lines of a known shape may be cut into heading and rest. Every expression is linear in the line."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

_STAMP = re.compile(
    r"[^0-9A-Za-z]{0,2}"
    r"(?:"
    r"[0-9]{4}[-/.][0-9]{2}[-/.][0-9]{2}(?:[T ,_][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?)?"
    r"|(?:[0-9]{1,2}[/ -])?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[/ -] ?[0-9]{1,4}"
    r"(?:[: ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?)?"
    r"|[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,9})?"
    r")"
)
_EPOCH = re.compile(r"[^0-9\s]{0,12}1[0-9]{9}(?=[0-9]{3}(?![0-9]))")
_SIGN = re.compile(r"[^0-9A-Za-z]+|(?<=[0-9])T(?=[0-9])")


def stamp(line: str) -> tuple[int, ...]:
    """After the parts of the time that the line starts with: year, month, day, hour, minute, second."""
    found = _STAMP.match(line)
    if not found:
        epoch = _EPOCH.match(line)
        return (epoch.end(),) if epoch else ()
    return _parts(found[0].translate(_ALIKE))


_ALIKE = dict.fromkeys(map(ord, "123456789"), "0")


@lru_cache(maxsize=64)
def _parts(time: str) -> tuple[int, ...]:
    """Where the parts of a time begin, all but the first. Digits do not matter: few times are looked at."""
    cuts = [sign.end() for sign in _SIGN.finditer(time) if 5 <= sign.end() < len(time)]
    return tuple(cuts[-5:])


_HIT = re.compile(r"((?:[A-Za-z]:)?[^:\s\"'<>|(){}\[\],;=]{2,240}?[A-Za-z0-9_])[:(-](?=[0-9]{1,7}[:,)-])")


def hit(line: str) -> tuple[int, ...]:
    """After each folder, the file and the sign behind it: `file:12:`, `file-12-` or `file(12,`."""
    if ":" not in line and "-" not in line and "(" not in line:
        return ()
    found = _HIT.match(line)
    if not found or _STAMP.match(line):
        return ()
    return (*folders(line, found.end(1)), found.end(1), found.end())


_PATH = re.compile(r"(?:[^\s\"'<>|(){}\[\],;=]{0,200}/)")


def folders(line: str, end: int | None = None) -> tuple[int, ...]:
    """After each folder of the path that the line starts with; at most the last four."""
    if end is None:
        path = _PATH.match(line)
        if not path:
            return ()
        end = path.end() + 1
    cuts = []
    at = line.find("/", 1, end)
    while at >= 0:
        cuts.append(at + 1)
        at = line.find("/", at + 1, end)
    return tuple(cuts[-4:])


_NODE_WITHIN = 220
_NODE = re.compile(r"(?:[A-Z]{4,8} |, )?[^\s:]{1,200}::")


def node(line: str) -> tuple[int, ...]:
    """After the file and after each `::` of a test's name, as in `tests/test_a.py::TestB::test_c PASSED`."""
    if "::" not in line[:_NODE_WITHIN] or not _NODE.match(line):
        return ()
    cuts: list[int] = []
    stop = line.find("[")
    at = line.find("::", 0, stop if stop > 0 else len(line))
    while at >= 0 and len(cuts) < 4:
        cuts.append(at + 2)
        at = line.find("::", at + 2, stop if stop > 0 else len(line))
    return tuple(cuts)


def first_cells(delimiter: str) -> Callable[[str], tuple[int, ...]]:
    """After the first and the second cell of a row."""

    def cells(line: str) -> tuple[int, ...]:
        first = line.find(delimiter)
        if first < 1 or line.startswith('"'):
            return ()
        second = line.find(delimiter, first + 1)
        return (first + 1, second + 1) if second > first + 1 else (first + 1,)

    return cells
