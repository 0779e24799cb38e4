"""What is sent in place of a result that the client has already, whole or in part. docs/format-delta.md.

Re-run now: identical to call #3 of this tool (same arguments).

Re-run now: the text of call #3 of this tool (same arguments), but for this diff:
@@ -14 +14 @@
-retries = 2
+retries = 3
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from terse.layout.python import read_python, spell_python
from terse.memory import edited, text_delta
from terse.memory.edits import Changes
from terse.memory.history import Earlier
from terse.memory.lines import NotDelta
from terse.payload.exact import JsonValue, dump, parse

_HEAD = re.compile(
    r"Re-run now: (?P<what>identical to|the text of|the JSON of|the Python data of) "
    r"(?:text (?P<part>[1-9][0-9]{0,5}) of )?"
    r"call #(?P<number>[1-9][0-9]{0,8}) of this tool "
    r"\(same arguments(?:; terse_retrieve(?:_[1-9][0-9]{0,5})? h[0-9]{9} has it whole)?\)"
    r"(?P<end>\.|, but for this diff:|, but for:)"
)

_ALL = re.compile(
    r"Re-run now: all (?P<parts>[1-9][0-9]{0,5}) texts identical to those of "
    r"call #(?P<number>[1-9][0-9]{0,8}) of this tool "
    r"\(same arguments(?:; terse_retrieve(?:_[1-9][0-9]{0,5})? h[0-9]{9} has them whole)?\)\."
)


class Changed(NamedTuple):
    """A delta, and in a few words what stays: `718 of 729 lines unchanged`."""

    text: str
    note: str


def _head(what: str, base: Earlier, fetch: str | None, end: str) -> str:
    which = f"text {base.part + 1} of " if base.parts > 1 else ""
    whole = f"; {fetch} has it whole" if fetch else ""
    return f"Re-run now: {what} {which}call #{base.number} of this tool (same arguments{whole}){end}"


def identical(base: Earlier, fetch: str | None = None) -> str:
    """Says that a result is the earlier one.

    Args:
        fetch: the tool and the handle that the client can fetch the whole with: `terse_retrieve h482913007`;
            None where it cannot.
    """
    return _head("identical to", base, fetch, ".")


def changed(
    base: Earlier,
    text: str,
    value: JsonValue,
    fetch: str | None = None,
    expired: Callable[[], bool] = lambda: False,
) -> Changed:
    """Says what became of the earlier result.

    Args:
        value: the document of a JSON `text`, where the base is JSON too.
        fetch: as for `identical`.

    Raises:
        OutOfTime: `expired` said so.
    """
    if not base.is_json:
        old, new = _python(base.text), _python(text)
        if old is not None and new is not None and text[-1] == base.text[-1]:
            return _statements("the Python data of", base, old, new, fetch, expired)
        written = text_delta.write(base.text, text, expired)
        body, note = written.lines, f"{written.same:,} of {written.of:,} lines unchanged"
        if written.renumbered:
            note += " but for renumbered references"
        return Changed("\n".join((_head("the text of", base, fetch, ", but for this diff:"), *body)), note)
    return _statements("the JSON of", base, parse(base.text), value, fetch, expired)


def _python(text: str) -> JsonValue | None:
    """The list or dict that a text is as Python prints it, a line end after it or not."""
    value = read_python(text.removesuffix("\n")) if text.startswith(("[", "{")) else None
    return value if isinstance(value, (list, dict)) else None


def _statements(
    what: str,
    base: Earlier,
    old: JsonValue,
    new: JsonValue,
    fetch: str | None,
    expired: Callable[[], bool],
) -> Changed:
    changes = Changes(expired)
    statements = changes.find(old, new)
    if changes.rows:
        note = f"{changes.rows_same:,} of {changes.rows:,} rows unchanged"
    else:
        note = "1 place changed" if len(statements) == 1 else f"{len(statements):,} places changed"
    return Changed("\n".join((_head(what, base, fetch, ", but for:"), *statements)), note)


def identical_to(text: str) -> int | None:
    """Which call's result a text says it is identical to, by number; None where it says no such thing."""
    found = _HEAD.fullmatch(text)
    return int(found["number"]) if found is not None and found["what"] == "identical to" else None


def all_identical(number: int, parts: int, fetch: str | None = None) -> str:
    """Says that all texts of a result are those of an earlier one.

    Args:
        fetch: as for `identical`; what it gives is all of them joined (`terse.payload.blocks`).
    """
    whole = f"; {fetch} has them whole" if fetch else ""
    return (
        f"Re-run now: all {parts} texts identical to those of call #{number} of this tool "
        f"(same arguments{whole})."
    )


def apply_to_all(text: str, earlier: Sequence[Earlier]) -> list[str]:
    """The texts of the result for which one sentence was sent.

    Raises:
        NotDelta: `text` is no such sentence, or speaks of what is not there.
    """
    found = _ALL.fullmatch(text)
    if found is None:
        raise NotDelta("no sentence about all texts")
    of_call = sorted(
        (each for each in earlier if each.number == int(found["number"])), key=lambda each: each.part
    )
    if [each.part for each in of_call] != list(range(int(found["parts"]))):
        raise NotDelta("its base is not there")
    return [each.text for each in of_call]


def apply(delta: str, earlier: Sequence[Earlier]) -> str:
    """The full text that a delta stands for; of a JSON document, its compact text.

    Args:
        earlier: what the client has; the delta says which one it speaks of.

    Raises:
        NotDelta: `delta` is none, or speaks of what is not there.
    """
    head, *lines = delta.split("\n")
    found = _HEAD.fullmatch(head)
    if found is None:
        raise NotDelta("no first line of a delta")
    number, part = int(found["number"]), int(found["part"] or 1) - 1
    base = next((each for each in earlier if (each.number, each.part) == (number, part)), None)
    if base is None:
        raise NotDelta("its base is not there")
    match found["what"], found["end"]:
        case "identical to", "." if not lines:
            return base.text
        case "the text of", ", but for this diff:" if not base.is_json:
            return text_delta.read(lines, base.text)
        case "the JSON of", ", but for:" if base.is_json:
            return dump(edited.read(lines, parse(base.text)))
        case "the Python data of", ", but for:" if (value := _python(base.text)) is not None:
            return spell_python(edited.read(lines, value)) + ("\n" if base.text.endswith("\n") else "")
    raise NotDelta("a first line that does not fit")
