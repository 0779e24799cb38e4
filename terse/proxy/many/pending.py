"""Requests of the client that are not answered yet, by what is to happen with the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Timer
from typing import NamedTuple

from terse.proxy.complaints import Complaints
from terse.proxy.many import merged
from terse.proxy.many.merged import UNKNOWN_METHOD, Answer
from terse.proxy.many.naming import Names
from terse.proxy.message import Message

_ITS_OWN = ("resources/", "prompts/", "completion/", "tasks/")


class One:
    """A request that one server was given, whose answer passes as it came.

    Attributes:
        others: servers that are asked next, one after another, where this one knows nothing of what is
            asked for: whose resource it is may not be known.
        forwarded: the request as the servers are given it.
    """

    def __init__(self, request: Message, server: str, forwarded: bytes, others: Sequence[str] = ()) -> None:
        self.request = request
        self.server = server
        self.forwarded = forwarded
        self.others = list(others)

    def asks_on(self, answer: Message) -> bool:
        """Whether the next server is to be asked, as this one answered that it has no such thing.

        Servers have many codes for a resource or task that is not theirs. Of a method that MCP does not know
        only one says that nothing was done.
        """
        if not self.others or "error" not in answer.members:
            return False
        is_known = (self.request.method or "").startswith(_ITS_OWN)
        return is_known or merged.error_code(answer) == b"%d" % UNKNOWN_METHOD


class Said(NamedTuple):
    """What the client is told in the name of all servers.

    Attributes:
        ends_tools: it is the last page of the tools.
    """

    message: bytes
    ends_tools: bool = False


class All:
    """A request that several servers were given, whose answers become one.

    Attributes:
        awaited: servers that have not answered.
        failures: what servers answered that refused.
        is_answered: the client has its answer; what comes now comes late.
        acknowledged: what servers said that they will tell of; None once the client was told that.
    """

    def __init__(self, request: Message, servers: Sequence[str]) -> None:
        self.request = request
        self.asked = tuple(servers)
        self.awaited = set(servers)
        self.answers: dict[str, Answer] = {}
        self.failures: dict[str, Message] = {}
        self.is_answered = False
        self.acknowledged: dict[str, Message] | None = {}
        self.timer: Timer | None = None

    def answer(
        self, names: Names, absent: Mapping[str, str], own_tool: bytes | None, complaints: Complaints
    ) -> Said:
        """The message that the client is given for all of them.

        Args:
            names: what the client calls the servers' tools.
            absent: what became of the servers that are away, by name.
            own_tool: a tool of ours.
        """
        request, answers, method = self.request, self.in_order(), self.request.method or ""
        if method == "initialize":
            version = request.param("protocolVersion") or ""
            result = merged.introduction(answers, names, absent, version)
            return Said(merged.response(request.raw_id, result))
        if method == "server/discover":
            if self.failures or not answers:
                # One that does not speak this version: the client is to begin with `initialize`.
                return Said(merged.failure(request.raw_id, UNKNOWN_METHOD, "Method not found"))
            return Said(merged.response(request.raw_id, merged.discovery(answers, names, absent)))
        if not answers and self.failures and not (absent and self._has_nobody()):
            return Said(next(iter(self.failures.values())).raw)
        if method in merged.ITEMS:

            def spoilt(server: str, error: BaseException) -> None:
                complaints.say_fault(f"reading {method} of {server}", error, "it is left out")

            page = merged.page(
                request,
                answers,
                names,
                own_tool if method == "tools/list" else None,
                is_whole=not absent and len(answers) == len(self.asked),
                spoilt=spoilt,
            )
            return Said(merged.response(request.raw_id, page.result), method == "tools/list" and page.is_last)
        # They agree, or have nothing to say but that it is done.
        span = answers[0].message.members["result"] if answers else None
        nothing = b'{"resultType":"complete"}' if request.is_modern else b"{}"
        result = nothing if span is None else answers[0].message.raw[slice(*span)]
        return Said(merged.response(request.raw_id, result))

    def in_order(self) -> list[Answer]:
        """The answers in the order of the servers, however they came in."""
        return [self.answers[name] for name in self.asked if name in self.answers]

    def _has_nobody(self) -> bool:
        """No server that is there knows the method: one that is away may."""
        return all(merged.error_code(each) == b"%d" % UNKNOWN_METHOD for each in self.failures.values())
