"""One JSON-RPC message with the places of what decides where it goes; every other byte stays as it came."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from terse.proxy.spans import MALFORMED, Span, envelope, members, string
from terse.proxy.wire import JsonRpcId, request_id


class Message(NamedTuple):
    """A message that was read.

    Attributes:
        raw: its bytes, line end included.
        structure: the bytes to look for members in: see `spans.envelope`.
        members: where the values of its members lie.
        method: None of a response.
        id: as a key; None of a notification, and of what has an id that no request can have.
        params: where the members of `params` lie; none if it has none.
    """

    raw: bytes
    structure: bytes
    members: dict[str, Span]
    method: str | None
    id: JsonRpcId | None
    params: dict[str, Span]

    @property
    def raw_id(self) -> bytes:
        """The id as it stands."""
        return self.raw[slice(*self.members["id"])]

    def text(self, span: Span) -> str | None:
        """The text of the string at a span; None if it is no string."""
        try:
            return string(self.raw, span)
        except MALFORMED:
            return None

    def param(self, name: str) -> str | None:
        """A member of `params` that is a string; None if it is none, or there is none."""
        span = self.params.get(name)
        return None if span is None else self.text(span)

    @property
    def is_modern(self) -> bool:
        """Whether it is a request as they are since 2026-07-28: each says which version it is of."""
        return self.meta("io.modelcontextprotocol/protocolVersion") is not None

    def inside(self, span: Span) -> dict[str, Span]:
        """The members of the object at a span; none if it is no object."""
        try:
            return members(self.structure, *span)
        except MALFORMED:
            return {}

    def meta(self, name: str) -> Span | None:
        """Where a member of `params._meta` lies."""
        return self.inside(self.params["_meta"]).get(name) if "_meta" in self.params else None


def read(raw: bytes) -> Message:
    """
    Raises:
        MALFORMED: it is not one JSON object, or says something twice.
    """
    structure, found = envelope(raw)
    method = string(raw, found["method"]) if "method" in found else None
    key = request_id(raw, found["id"]) if "id" in found else None
    params: dict[str, Span] = {}
    if "params" in found and structure[found["params"].start] == ord("{"):
        params = members(structure, *found["params"])
    return Message(raw, structure, found, method, key, params)


def replaced(raw: bytes, replacements: Mapping[Span, bytes]) -> bytes:
    """The bytes with some spans replaced, which do not overlap; every other byte as it came."""
    pieces: list[bytes] = []
    position = 0
    for span, text in sorted(replacements.items()):
        pieces += (raw[position : span.start], text)
        position = span.end
    pieces.append(raw[position:])
    return b"".join(pieces)
