"""Requests of the client that are not answered yet, by what is to happen with the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Timer

from terse.proxy.complaints import Complaints
from terse.proxy.many import merged
from terse.proxy.many.merged import Answer
from terse.proxy.message import Message
from terse.proxy.spans import MALFORMED


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


class All:
    """A request that several servers were given, whose answers become one.

    Attributes:
        awaited: servers that have not answered.
        failures: what servers answered that refused.
        is_answered: the client has its answer; what comes now comes late.
        acknowledged: the first of the servers has said that it listens.
    """

    def __init__(self, request: Message, servers: Sequence[str]) -> None:
        self.request = request
        self.asked = tuple(servers)
        self.awaited = set(servers)
        self.answers: dict[str, Answer] = {}
        self.failures: dict[str, Message] = {}
        self.is_answered = False
        self.acknowledged = False
        self.timer: Timer | None = None

    def answer(self, absent: Mapping[str, str], complaints: Complaints) -> bytes:
        """The message that the client is given for all of them.

        Args:
            absent: what became of the servers that were not asked, by name.
        """
        request, answers, method = self.request, self.in_order(), self.request.method
        if method == "initialize":
            version = request.param("protocolVersion") or ""
            return merged.response(request.raw_id, merged.introduction(answers, absent, version))
        if method == "server/discover":
            if self.failures or not answers:
                # One that does not speak this version: the client is to begin with `initialize`.
                return merged.failure(request.raw_id, -32601, "Method not found")
            return merged.response(request.raw_id, merged.discovery(answers, absent))
        if not answers and self.failures:
            return next(iter(self.failures.values())).raw
        if method in merged.ITEMS:
            try:
                return merged.response(request.raw_id, merged.page(method, answers))
            except (*MALFORMED, KeyError) as error:
                complaints.say_failed(f"joining the answers to {method}", error)
                return merged.failure(request.raw_id, -32603, f"{method}: what a server answered is no list")
        # They agree, or have nothing to say but that it is done.
        span = answers[0].message.members["result"] if answers else None
        return merged.response(
            request.raw_id, b"{}" if span is None else answers[0].message.raw[slice(*span)]
        )

    def in_order(self) -> list[Answer]:
        """The answers in the order of the servers, however they came in."""
        return [self.answers[name] for name in self.asked if name in self.answers]
