"""What several servers answer, as the one answer of one server. Bytes in, bytes out."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import terse
from terse.proxy.many.naming import SEPARATOR, Names
from terse.proxy.message import Message
from terse.proxy.spans import MALFORMED, Span, encode_string, string, whole_objects

ITEMS = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "tasks/list": "tasks",
}
"""The lists that are joined, and the member of the result that holds what is listed."""
UNKNOWN_METHOD = -32601
_PREFIXED = ("tools/list", "prompts/list")
_SERVER_INFO = "io.modelcontextprotocol/serverInfo"


class Answer(NamedTuple):
    """A server's answer to a request that several were asked."""

    server: str
    message: Message

    @property
    def result(self) -> dict[str, Span]:
        """Where the members of the result lie; none if it is an error."""
        span = self.message.members.get("result")
        return {} if span is None else self.message.inside(span)

    def value(self, name: str) -> Any:
        """A member of the result as Python reads it; None if there is none."""
        span = self.result.get(name)
        return None if span is None else json.loads(self.message.raw[slice(*span)])


def response(request: bytes, result: bytes) -> bytes:
    """The message that answers a request.

    Args:
        request: the id as it stands in the request.
    """
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}\n' % (request, result)


def failure(request: bytes, code: int, text: str) -> bytes:
    """The message that refuses a request."""
    said = encode_string(text)
    return b'{"jsonrpc":"2.0","id":%b,"error":{"code":%d,"message":%b}}\n' % (request, code, said)


def tool_failure(request: Message, text: str) -> bytes:
    """The answer to a call that could not be made, which the model is shown."""
    said = encode_string(text)
    complete = b'"resultType":"complete",' if request.is_modern else b""
    result = b'{%b"content":[{"type":"text","text":%b}],"isError":true}' % (complete, said)
    return response(request.raw_id, result)


def error_code(answer: Message) -> bytes | None:
    """The code of the error that a server answered; None if it is none, or has no code."""
    error = answer.inside(answer.members["error"]) if "error" in answer.members else {}
    return answer.raw[slice(*error["code"])] if "code" in error else None


def introduction(answers: Sequence[Answer], names: Names, absent: Mapping[str, str], offered: str) -> bytes:
    """The result of `initialize`.

    Args:
        names: what the client calls the servers' tools.
        absent: what became of the servers that did not answer, by name.
        offered: the version that the client asked for, which holds if no server answered.
    """
    # Dates: the oldest is the one that all of them speak.
    versions = [str(answer.value("protocolVersion")) for answer in answers]
    return _encoded(
        {
            "protocolVersion": min(versions, default=offered),
            "capabilities": _capabilities(answers, absent),
            "serverInfo": {"name": "terse", "version": terse.__version__},
            **_instructions(answers, names, absent),
        }
    )


def discovery(answers: Sequence[Answer], names: Names, absent: Mapping[str, str]) -> bytes:
    """The result of `server/discover`: the versions that every server speaks."""
    spoken = [answer.value("supportedVersions") or [] for answer in answers]
    versions = [each for each in spoken[0] if all(each in others for others in spoken)] if spoken else []
    return _encoded(
        {
            "resultType": "complete",
            "supportedVersions": versions,
            "capabilities": _capabilities(answers, absent),
            **_instructions(answers, names, absent),
            **_lifetime(answers),
            "_meta": _identity(),
        }
    )


class Page(NamedTuple):
    """What all servers list, as the result of one list.

    Attributes:
        is_last: no server has more.
    """

    result: bytes
    is_last: bool


def page(
    request: Message,
    answers: Sequence[Answer],
    names: Names,
    own: bytes | None,
    *,
    is_whole: bool,
    spoilt: Callable[[str, BaseException], None],
) -> Page:
    """What all servers list, server by server, each item as it came but for its name.

    Args:
        own: an item of ours, at the end of the last page.
        is_whole: every server has answered. If not, what is missing may come at any time.
        spoilt: called with a server whose answer is no such list, and why: it is left out.
    """
    method = request.method or ""
    items: list[bytes] = []
    following: dict[str, str] = {}
    for answer in answers:
        try:
            items += _items(method, answer, names)
            cursor = answer.value("nextCursor")
        except (*MALFORMED, KeyError) as error:
            spoilt(answer.server, error)
            continue
        if isinstance(cursor, str):
            following[answer.server] = cursor
    rest: dict[str, Any] = {}
    if following:
        rest["nextCursor"] = joined_cursor(following)
    elif own is not None:
        items.append(own)
    if request.is_modern or any("resultType" in answer.result for answer in answers):
        lifetime = {**_lifetime(answers), **({} if is_whole else {"ttlMs": 0})}
        rest = {"resultType": "complete", **rest, **lifetime, "_meta": _identity()}
    end = b"," + _encoded(rest)[1:] if rest else b"}"
    return Page(b'{"%b":[%b]%b' % (ITEMS[method].encode(), b",".join(items), end), not following)


def _items(method: str, answer: Answer, names: Names) -> list[bytes]:
    """
    Raises:
        MALFORMED, KeyError: the answer is no such list.
    """
    raw = answer.message.raw
    items: list[bytes] = []
    for span, found in whole_objects(answer.message.structure, answer.result[ITEMS[method]]):
        if method not in _PREFIXED:
            items.append(raw[slice(*span)])
            continue
        place = found["name"]
        shown = encode_string(names.shown(answer.server, string(raw, place)))
        items.append(raw[span.start : place.start] + shown + raw[place.end : span.end])
    return items


def joined_cursor(cursors: Mapping[str, str]) -> str:
    """One cursor for those of several servers, opaque to the client."""
    return base64.urlsafe_b64encode(_encoded(dict(cursors))).decode()


def cursors_of(cursor: str) -> dict[str, str] | None:
    """The cursors that one stands for, by server; None if it is none of ours."""
    try:
        read = json.loads(base64.b64decode(cursor.encode(), altchars=b"-_", validate=True))
    except (ValueError, binascii.Error, RecursionError):
        return None
    if not isinstance(read, dict) or not all(isinstance(value, str) for value in read.values()):
        return None
    return read


def _capabilities(answers: Sequence[Answer], absent: Mapping[str, str]) -> dict[str, Any]:
    """What any server can do. Every list may change: a server that is away may come back, with whatever it
    has then."""
    joined: dict[str, Any] = {"tools": {}, "prompts": {}, "resources": {}} if absent else {"tools": {}}
    for answer in answers:
        found = answer.value("capabilities")
        if isinstance(found, dict):
            joined = _joined(joined, found)
    for name in ("tools", "prompts", "resources"):
        if name in joined:
            joined[name] = {**joined[name], "listChanged": True}
    return joined


def _joined(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    result = dict(one)
    for key, value in other.items():
        mine = result.get(key)
        if isinstance(mine, dict) and isinstance(value, dict):
            result[key] = _joined(mine, value)
        elif not mine:
            result[key] = value
    return result


def _instructions(answers: Sequence[Answer], names: Names, absent: Mapping[str, str]) -> dict[str, str]:
    parts = []
    for answer in answers:
        said = answer.value("instructions")
        if isinstance(said, str) and said:
            parts.append(f"{answer.server} (tools {names.prefix(answer.server)}{SEPARATOR}*): {said}")
    parts += [f"{name} is not available now: {why}" for name, why in absent.items()]
    return {"instructions": "\n\n".join(parts)} if parts else {}


def _lifetime(answers: Sequence[Answer]) -> dict[str, Any]:
    """How long the joined answer may be kept, and by whom: no longer, and by no more, than each part."""
    times = [value for answer in answers if isinstance(value := answer.value("ttlMs"), (int, float))]
    scopes = [answer.value("cacheScope") for answer in answers]
    scope: Literal["public", "private"] = (
        "public" if scopes and all(scope == "public" for scope in scopes) else "private"
    )
    return {"ttlMs": min(times, default=0), "cacheScope": scope}


def _identity() -> dict[str, Any]:
    return {_SERVER_INFO: {"name": "terse", "version": terse.__version__}}


def _encoded(value: Any) -> bytes:
    # Escaped to ASCII: no character in it can end a line for anybody.
    return json.dumps(value, separators=(",", ":")).encode()
