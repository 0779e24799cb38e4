"""The gate: nothing is sent that does not decode to what it should, with all that is kept in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from terse.fields.find import find
from terse.fields.selector import Target
from terse.payload.exact import JsonValue, dump, parse


class Refused(Exception):  # noqa: N818 — the gate refuses; nothing has failed
    """The result must not be sent. The message says why, in a few words."""


def check_document(
    text: str,
    document: JsonValue,
    expand: Callable[[str], str],
    canonical: str | None = None,
    received: str | None = None,
) -> None:
    """Decode a result and compare it with the JSON document that it must be.

    Args:
        canonical: `dump(document)`, if it is at hand.
        received: a text that `document` was parsed from, if there is one.

    Raises:
        Refused: it decodes to another document, or not at all.
    """
    back = _expanded(text, expand)
    if back != received:
        _compare(back, dump(document) if canonical is None else canonical)


def check_canonical(text: str, expected: str, expand: Callable[[str], str]) -> None:
    """Decode a result and compare it with the JSON document that it must be.

    Args:
        expected: the document as `dump` writes it, or a text that it was parsed from.

    Raises:
        Refused: it decodes to another document, or not at all.
    """
    back = _expanded(text, expand)
    if back != expected:
        _compare(back, dump(parse(expected)))


def _compare(back: str, expected: str) -> None:
    if back == expected:
        return
    try:
        same = dump(parse(back)) == expected
    except ValueError as error:
        raise Refused(f"it does not decode to JSON: {error}") from error
    if not same:
        raise Refused("it decodes to another document")


def check_text(text: str, expected: str, expand: Callable[[str], str]) -> None:
    """Decode a result and compare it with the text that it must be, byte for byte.

    Raises:
        Refused: it decodes to another text, or not at all.
    """
    if _expanded(text, expand) != expected:
        raise Refused("it decodes to another text")


def check_kept(received: JsonValue, left: JsonValue, targets: Iterable[Target], notes: set[str]) -> None:
    """Compare what `keep` lines find before and after the field lines: the same values, in order.

    Args:
        received: the document as it came.
        left: the document that the field lines left, as it was compared with the decoded result.
        notes: notes of ours in `left`, which are no values of the document.

    Raises:
        Refused: a kept value is missing, changed, or another was added.
    """
    for target in targets:
        before = dump([spot.value for spot in find(received, target)])
        after = dump([spot.value for spot in find(left, target) if not _is_note(spot.value, notes)])
        if before != after:
            raise Refused("a kept value is not what it was")


def check_kept_lines(kept: Iterable[str], text: str) -> None:
    """Look for the kept lines of a text in what the field lines left, in order.

    Raises:
        Refused: a kept line is missing or changed.
    """
    lines = iter(text.split("\n"))
    for line in kept:
        wanted = line.removesuffix("\n")
        if not any(wanted == candidate for candidate in lines):
            raise Refused("a kept line is not what it was")


def _expanded(text: str, expand: Callable[[str], str]) -> str:
    try:
        return expand(text)
    except Exception as error:
        raise Refused(f"decoding failed: {type(error).__name__}: {error}"[:200]) from error


def _is_note(value: Any, notes: set[str]) -> bool:
    return type(value) is str and value in notes
