"""What several servers answer, as the one answer of one server. Bytes in, bytes out."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import terse
from terse.proxy.message import Message
from terse.proxy.spans import Span, encode_string, string, whole_objects

SEPARATOR = "__"
"""Between the name of a server and that of its tool or prompt."""

ITEMS = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "tasks/list": "tasks",
}
"""The lists that are joined, and the member of the result that holds what is listed."""
_LACKS = (b"-32002", b"-32601", b"-32602")
_PREFIXED = ("tools/list", "prompts/list")
_SERVER_INFO = "io.modelcontextprotocol/serverInfo"


class Answer(NamedTuple):
    """A server's answer to a request that several were asked.

    Attributes:
        own_tools: tools of the proxy's own in it, which stand for all servers and keep their names.
    """

    server: str
    message: Message
    own_tools: frozenset[str] = frozenset()

    @property
    def result(self) -> dict[str, Span]:
        """Where the members of the result lie; none if it is an error."""
        span = self.message.members.get("result")
        return {} if span is None else self.message.inside(span)

    def value(self, name: str) -> Any:
        """A member of the result as Python reads it; None if there is none."""
        span = self.result.get(name)
        return None if span is None else json.loads(self.message.raw[slice(*span)])


def prefixed(server: str, name: str) -> str:
    """The name of a server's tool or prompt as the client is shown it."""
    return f"{server}{SEPARATOR}{name}"


def owner(shown: str, servers: Sequence[str]) -> tuple[str, str] | None:
    """The server and the name there of a tool or prompt of this shown name; None if no server is meant.

    Where the names of two servers fit, the longer one is meant: shown names are made from configuration,
    so a server whose name begins with another's and the separator takes these names.
    """
    fitting = [name for name in servers if shown.startswith(name + SEPARATOR)]
    if not fitting:
        return None
    server = max(fitting, key=len)
    return server, shown[len(server) + len(SEPARATOR) :]


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


def tool_failure(request: bytes, text: str) -> bytes:
    """The answer to a call that could not be made, which the model is shown."""
    said = encode_string(text)
    return response(request, b'{"content":[{"type":"text","text":%b}],"isError":true}' % said)


def lacks_it(answer: Message) -> bool:
    """Whether a server refuses a request because it does not have what is asked for."""
    error = answer.inside(answer.members["error"]) if "error" in answer.members else {}
    return "code" in error and answer.raw[slice(*error["code"])] in _LACKS


def introduction(answers: Sequence[Answer], absent: Mapping[str, str], offered: str) -> bytes:
    """The result of `initialize`.

    Args:
        absent: what became of the servers that did not answer, by name.
        offered: the version that the client asked for, which holds if no server answered.
    """
    # Dates: the oldest is the one that all of them speak.
    versions = [str(answer.value("protocolVersion")) for answer in answers]
    return _encoded(
        {
            "protocolVersion": min(versions, default=offered),
            "capabilities": _capabilities(answers),
            "serverInfo": {"name": "terse", "version": terse.__version__},
            **_instructions(answers, absent),
        }
    )


def discovery(answers: Sequence[Answer], absent: Mapping[str, str]) -> bytes:
    """The result of `server/discover`: the versions that every server speaks."""
    spoken = [answer.value("supportedVersions") or [] for answer in answers]
    versions = [each for each in spoken[0] if all(each in others for others in spoken)] if spoken else []
    return _encoded(
        {
            "resultType": "complete",
            "supportedVersions": versions,
            "capabilities": _capabilities(answers),
            **_instructions(answers, absent),
            **_lifetime(answers),
            "_meta": _identity(),
        }
    )


def page(method: str, answers: Sequence[Answer]) -> bytes:
    """The result of a list: what all servers list, server by server, each item as it came but for its name.

    Raises:
        MALFORMED, KeyError: an answer is no such list.
    """
    items: list[bytes] = []
    seen: set[str] = set()
    for answer in answers:
        raw = answer.message.raw
        for span, found in whole_objects(answer.message.structure, answer.result[ITEMS[method]]):
            if method not in _PREFIXED:
                items.append(raw[slice(*span)])
                continue
            place = found["name"]
            name = string(raw, place)
            if name in answer.own_tools:
                if name not in seen:
                    items.append(raw[slice(*span)])
                seen.add(name)
                continue
            shown = encode_string(prefixed(answer.server, name))
            items.append(raw[span.start : place.start] + shown + raw[place.end : span.end])
    rest: dict[str, Any] = {}
    cursors = {answer.server: answer.value("nextCursor") for answer in answers}
    if following := {name: cursor for name, cursor in cursors.items() if isinstance(cursor, str)}:
        rest["nextCursor"] = joined_cursor(following)
    if any("resultType" in answer.result for answer in answers):
        rest = {"resultType": "complete", **rest, **_lifetime(answers), "_meta": _identity()}
    end = b"," + _encoded(rest)[1:] if rest else b"}"
    return b'{"%b":[%b]%b' % (ITEMS[method].encode(), b",".join(items), end)


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


def _capabilities(answers: Sequence[Answer]) -> dict[str, Any]:
    """What any server can do. Every list may change: a server that is away may come back."""
    joined: dict[str, Any] = {"tools": {}}
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


def _instructions(answers: Sequence[Answer], absent: Mapping[str, str]) -> dict[str, str]:
    parts = []
    for answer in answers:
        said = answer.value("instructions")
        if isinstance(said, str) and said:
            parts.append(f"{answer.server} (tools {answer.server}{SEPARATOR}*): {said}")
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
