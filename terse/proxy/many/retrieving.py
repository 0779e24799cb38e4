"""The tool that gives what was set aside, once for all servers: what it is called, and its answers."""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING

from terse.proxy.client_memory import ClientMemory
from terse.proxy.complaints import Complaints
from terse.proxy.message import Message

# What reads and answers is imported once rules are there: servers boot until then.
if TYPE_CHECKING:
    from terse.memory.received_session import Receipts
    from terse.proxy.retrieval import OwnCall
    from terse.proxy.wire import JsonRpcId

MAX_WAITING = 256
"""Calls of the tool that wait; more are refused."""


class Retrieving:
    """INVARIANT: no server holds up an answer of the tool, and no answer of the tool a server.

    Its name is free: every other tool has a server's name before it (see `naming.Names`).

    Args:
        memory: what the client has.
        is_offered: whether rules that are loaded could set something aside for the client.
        count: tokens of a text.
        put: tells the client something.
        receipts: learn which lists of the tools the client has; None: each that it is sent.
        note: told of each call that was answered, with the answer and the seconds it took; None: nobody asks.
    """

    def __init__(
        self,
        memory: ClientMemory,
        is_offered: Callable[[], bool],
        count: Callable[[str], int],
        put: Callable[[bytes], None],
        complaints: Complaints,
        note: Callable[[OwnCall, bytes, float], None] | None = None,
        receipts: Receipts | None = None,
    ) -> None:
        self._memory = memory
        self._is_offered = is_offered
        self._count = count
        self._put = put
        self._complaints = complaints
        self._note = note
        self._receipts = receipts
        self._calls: SimpleQueue[OwnCall | None] = SimpleQueue()
        self._is_working = False

    def definition(self) -> bytes | None:
        """The tool as the list has it; None where nothing is ever set aside."""
        if not self._is_offered():
            return None
        from terse.fields.marks import RETRIEVE
        from terse.proxy.retrieval import definition

        return definition(RETRIEVE).encode()

    def showing(self, request: JsonRpcId | None, *, is_offered: bool) -> Callable[[], None]:
        """The client is about to be given a list of the tools, to its end.

        Returns:
            what is to be called once it was put. A result that speaks of the tool comes after the list that
            has it.
        """
        memory = self._memory

        def noted() -> None:
            memory.can_retrieve = is_offered

        if self._receipts is None or not is_offered:
            return noted
        began_with = memory.session

        def arrived() -> None:
            # Not where the client has begun anew since.
            if memory.session is began_with:
                noted()

        if request is not None:
            from terse.memory.session import request_key

            self._receipts.sent(request_key(request), b"page", 0, arrived)
        return lambda: None

    def begin(self) -> None:
        """The client begins anew."""
        self._memory.begin()

    def take(self, message: Message) -> bool:
        """Answer a call of the tool; False of any other message. One thread at a time."""
        if not self._is_offered():
            return False
        from terse.fields.marks import RETRIEVE
        from terse.proxy.retrieval import own_call

        if message.param("name") != RETRIEVE:
            return False
        call = own_call(message.raw, RETRIEVE)
        if call is None:
            return False
        if self._calls.qsize() >= MAX_WAITING:
            self._put(call.message)
            return True
        if not self._is_working:
            self._is_working = True
            Thread(target=self._work, daemon=True).start()
        self._calls.put(call)
        return True

    def close(self) -> None:
        """End the thread, once what was asked is answered."""
        self._calls.put(None)

    def _work(self) -> None:
        while (call := self._calls.get()) is not None:
            began = monotonic()
            answer = self._answer(call)
            self._put(answer)
            if self._note is not None:
                self._note(call, answer, monotonic() - began)

    def _answer(self, call: OwnCall) -> bytes:
        from terse.proxy.retrieval import Refused, retrieve

        try:
            return call.answer(retrieve(call.arguments, self._memory.session.store, self._count, call.tool))
        except Refused as reason:
            return call.answer(reason)
        except BaseException as error:
            self._complaints.say_fault("fetching what was set aside", error, "the call was refused")
            return call.answer(Refused("It could not be read: call the tool again whose result had it."))
