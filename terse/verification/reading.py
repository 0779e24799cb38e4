"""What a client has that decodes all it is sent: by the strict readers, and what it was sent before."""

from __future__ import annotations

from collections.abc import Sequence

from terse.memory.delta import apply, apply_to_all
from terse.memory.history import Earlier
from terse.memory.lines import NotDelta
from terse.payload.blocks import split
from terse.payload.exact import dump
from terse.payload.payload import Payload
from terse.tiers.expand import expand
from terse.verification.original import difference


class Reader:
    """One client's side of one session with one server."""

    def __init__(self) -> None:
        self._calls: dict[str, int] = {}
        self._earlier: dict[tuple[str, str], list[Earlier]] = {}

    def wrong(self, tool: str, arguments: str, received: Sequence[str], sent: Sequence[str]) -> str | None:
        """What a call's texts are not that were received, in a few words; None where they are the same.

        Args:
            sent: as many texts as were received, or one that stands for all of them.
        """
        number = self._calls[tool] = self._calls.get(tool, 0) + 1
        known = self._earlier.setdefault((tool, arguments), [])
        try:
            if len(sent) == len(received):
                back = [
                    text if text == original else _full(text, known)
                    for original, text in zip(received, sent, strict=True)
                ]
                bases = back
            elif len(sent) == 1:
                back, bases = self._apart(sent[0], known)
            else:
                return f"{len(received):,} texts became {len(sent):,}"
        except Exception as error:
            return f"decoding failed: {type(error).__name__}: {error}"[:200]
        known += [_base(number, part, len(bases), text) for part, text in enumerate(bases)]
        if len(back) != len(received):
            return f"{len(received):,} texts became {len(back):,}"
        differing = (difference(one, other) for one, other in zip(received, back, strict=True))
        return next((said for said in differing if said is not None), None)

    def _apart(self, text: str, known: Sequence[Earlier]) -> tuple[list[str], list[str]]:
        """The texts that one stands for, and what later results may speak of."""
        try:
            back = apply_to_all(text, known)
        except NotDelta:
            joined = _full(text, known)
            return split(joined), [joined]
        return back, back


def _full(text: str, known: Sequence[Earlier]) -> str:
    try:
        return apply(text, known)
    except NotDelta:
        return expand(text)


def _base(number: int, part: int, parts: int, text: str) -> Earlier:
    document = Payload.of(text).json
    is_json = document is not None
    return Earlier(number, part, parts, 1, 0, text if document is None else dump(document), is_json)
