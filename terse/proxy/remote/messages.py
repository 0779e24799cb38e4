"""What the HTTP client has to know of a message, and the messages that it writes itself. No I/O."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

import msgspec
from msgspec import Raw

Members = dict[str, Raw]

CONNECTION_FAILED = -32000
"""The code of errors that we answer with: the server could not be reached, or did not answer."""
HEADER_MISMATCH = -32020
INTERNAL_ERROR = -32603

_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
_MEMBERS = msgspec.json.Decoder(Members)
_LIST = msgspec.json.Decoder(list[Raw])
_ERRORS = (msgspec.DecodeError, msgspec.ValidationError, RecursionError, ValueError)
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_LINE_ENDS = bytes.maketrans(b"\r\n", b"  ")


class ClientMessage(NamedTuple):
    """A message of the client's, as far as it is understood.

    Attributes:
        raw: its bytes, without the line end.
        ids: of the requests in it, as they are spelt: one, or those of a batch; empty if it has none.
        method: of a request or notification; None for a response, a batch, and what is not understood.
        params: of a request or notification; empty where there are none.
        version: the protocol version that the message itself names, as all do since 2026-07-28.
    """

    raw: bytes
    ids: tuple[bytes, ...]
    method: str | None
    params: Members
    version: str | None

    @property
    def is_request(self) -> bool:
        """Whether it is to be answered."""
        return bool(self.ids)

    def text(self, name: str) -> str | None:
        """The parameter of this name, if it is a text."""
        return text(self.params.get(name))


def read_client_message(line: bytes) -> ClientMessage:
    """What a line of the client's is. Raises nothing: what is not understood has no ids and no method."""
    raw = line.rstrip(b"\r\n")
    found = members(raw)
    if not found:
        return ClientMessage(raw, _ids_of_batch(raw), None, {}, None)
    method = text(found.get("method"))
    if method is None:
        return ClientMessage(raw, (), None, {}, None)
    params = members(bytes(found["params"])) if "params" in found else {}
    meta = members(bytes(params["_meta"])) if "_meta" in params else {}
    identifier = _id(found.get("id"))
    ids = () if identifier is None else (identifier,)
    return ClientMessage(raw, ids, method, params, text(meta.get(_VERSION_KEY)))


def members(raw: bytes) -> Members:
    """The members of an object; none of what is no object."""
    try:
        return _MEMBERS.decode(raw)
    except _ERRORS:
        pass
    masked = _SURROGATE.sub(rb"\\u0000", raw)
    if masked == raw:
        return {}
    try:
        # A lone surrogate is JSON to most clients. Values keep their bytes: both have the same length.
        return _MEMBERS.decode(masked)
    except _ERRORS:
        return {}


def text(raw: Raw | None) -> str | None:
    """The text that a value is; None if it is none."""
    if raw is None:
        return None
    try:
        value = json.loads(bytes(raw))
    except ValueError:
        return None
    return value if isinstance(value, str) else None


def value_of(raw: Raw | bytes) -> Any:
    """The value as Python has it; None if it cannot be read."""
    try:
        return json.loads(bytes(raw))
    except (ValueError, RecursionError):
        return None


def answered(message: bytes) -> tuple[tuple[bytes, ...], Members]:
    """The ids that a message from the server answers, as they are spelt there, and its members if it is one
    answer. Of a batch, those of the answers in it."""
    found = members(message)
    if found:
        identifier = None if "method" in found else _id(found.get("id"))
        return (() if identifier is None else (identifier,)), found
    try:
        items = _LIST.decode(message)
    except _ERRORS:
        return (), {}
    return tuple(each for item in items for each in answered(bytes(item))[0]), {}


def error_member(body: bytes) -> bytes | None:
    """The `error` of a message that says what is wrong; None if it is no such message.

    Bodies of other kinds, OAuth's for one, have an `error` that is only a word.
    """
    error = members(body).get("error")
    return None if error is None or "code" not in members(bytes(error)) else bytes(error)


def is_json(data: bytes) -> bool:
    """Whether it can be a message: an object or a list, or so like one that the client may judge."""
    return data.lstrip()[:1] in (b"{", b"[") and data.rstrip()[-1:] in (b"}", b"]")


def as_line(data: bytes) -> bytes:
    """The message as a line: line ends in JSON are white space, and become spaces. All else stays."""
    if b"\n" in data or b"\r" in data:
        data = data.translate(_LINE_ENDS)
    return data + b"\n"


def id_key(raw: bytes) -> bytes | str:
    """An id to compare: a string by its value, a number by its spelling."""
    if raw.startswith(b'"'):
        try:
            return str(json.loads(raw))
        except ValueError:
            return raw
    return raw


def error(identifier: bytes, said: str, code: int = CONNECTION_FAILED) -> bytes:
    """An answer to the request of this id that says what is wrong."""
    return error_with(identifier, json.dumps({"code": code, "message": said}).encode())


def error_with(identifier: bytes, error_member: bytes) -> bytes:
    """An answer to the request of this id, with the `error` that a server wrote."""
    return b'{"jsonrpc":"2.0","id":' + identifier + b',"error":' + error_member + b"}"


def _id(raw: Raw | None) -> bytes | None:
    if raw is None:
        return None
    spelt = bytes(raw)
    return spelt if spelt[:1] in (b'"', b"-") or spelt[:1].isdigit() else None


def _ids_of_batch(raw: bytes) -> tuple[bytes, ...]:
    if not raw.lstrip().startswith(b"["):
        return ()
    try:
        items = _LIST.decode(raw)
    except _ERRORS:
        return ()
    messages = [members(bytes(item)) for item in items]
    found = [_id(each.get("id")) for each in messages if "method" in each]
    return tuple(each for each in found if each is not None)
