"""A session that other replicas serve as well: what the client has is read before it is spoken of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import RLock
from typing import TYPE_CHECKING

import msgspec

from terse.memory.logged_session import LoggedSession
from terse.memory.redis_link import Away
from terse.memory.session import Session, request_key
from terse.memory.session_log import Page, SessionLog, Shown
from terse.memory.store import Store
from terse.plan.model import Plan
from terse.proxy.complaints import Complaints
from terse.proxy.session import ProxySession, Recording
from terse.proxy.shown_tools import ShownTools
from terse.proxy.spans import MALFORMED, envelope
from terse.proxy.tool_list import ToolList
from terse.proxy.tool_request import ToolRequest, Unclear
from terse.proxy.wire import JsonRpcId, request_id
from terse.tokens import Vocabulary

if TYPE_CHECKING:
    from terse.plan.result import Answered
    from terse.proxy.answer import Answer
    from terse.proxy.client_memory import ClientMemory
    from terse.proxy.listing import Request
    from terse.proxy.retrieval import OwnCall
    from terse.record import Observer

MAX_PAGES = 64
"""Pages of the tools that were sent and of which nobody knows yet whether the client has them."""


class _Sent(msgspec.Struct, array_like=True, frozen=True):
    """A page of the tools as the server gave it, and whether it was sent so.

    Attributes:
        client: the client's name as it gave it; None if it gave none.
    """

    message: bytes
    client: bytes | None
    is_first: bool
    is_rewritten: bool


class Receipts:
    """What is told of answers that reached the client, in a session with one server. From any thread.

    Args:
        log: what all replicas know of the session.
        store: where values are set aside.
    """

    def __init__(self, log: SessionLog, store: Store) -> None:
        self.log = log
        self.memory = LoggedSession(log, store)
        self.pages: dict[str, Page] = {}

    def asked(self, request: JsonRpcId) -> None:
        """A request is about to be made. Calls are counted, and noted, once the rules are there."""

    def given_up(self, request: JsonRpcId) -> None:
        """The client is given an error in place of the answer: that is one, too. See `cancelled`."""

    def awaits(self, request: JsonRpcId) -> bool:
        """Whether it matters that the client has the answer to the request."""
        key = request_key(request)
        return self.memory.awaits(key) or key in self.pages

    def delivered(self, request: JsonRpcId) -> list[Callable[[], None]]:
        """The client has the answer to a request.

        Returns:
            what notes it, and waits for Redis: to be called by a thread that may.
        """
        key = request_key(request)
        found = self.memory.delivered(key)
        work = [] if found is None else [found]
        page = self.pages.pop(key, None)
        if page is not None:
            work.append(lambda: self.show(page))
        return work

    def cancelled(self, request: JsonRpcId) -> None:
        """The client does not read the answer to a request, whichever replica gives it. Waits for Redis."""
        self.pages.pop(request_key(request), None)
        self.memory.cancelled(request_key(request))

    def show(self, page: Page | None) -> None:
        """The client has a page of the tools; None: one that nobody looked at. Waits for Redis."""
        try:
            self.log.show(page)
        except Away:
            # A list that other replicas do not know of: none of them may rely on an older one.
            self.log.show_later()


class JointReceipts:
    """Those of several servers as one: a request is one of theirs. From any thread."""

    def __init__(self, each: Sequence[Receipts]) -> None:
        self._each = tuple(each)

    def asked(self, request: JsonRpcId) -> None:
        """See `Receipts.asked`."""

    def given_up(self, request: JsonRpcId) -> None:
        """See `Receipts.given_up`."""

    def awaits(self, request: JsonRpcId) -> bool:
        """See `Receipts.awaits`."""
        return any(one.awaits(request) for one in self._each)

    def delivered(self, request: JsonRpcId) -> list[Callable[[], None]]:
        """See `Receipts.delivered`."""
        return [work for one in self._each for work in one.delivered(request)]

    def cancelled(self, request: JsonRpcId) -> None:
        """See `Receipts.cancelled`."""
        for one in self._each:
            one.cancelled(request)


class ReplicatedSession(ProxySession):
    """See `ProxySession`. Where Redis cannot be asked, results go in full and nothing is set aside.

    Args:
        receipts: of this session with this server; by them it learns what the client has.
        shared: see `ProxySession`. Lists are then joined before the client has them, and each replica asks
            for its own: what was shown is not read from others.
    """

    def __init__(
        self,
        plan: Plan,
        server: str,
        vocabulary: Vocabulary,
        complaints: Complaints,
        receipts: Receipts,
        *,
        client: str | None = None,
        retrieves: bool = True,
        shared: ClientMemory | None = None,
        shown_as: Callable[[str], str] | None = None,
        run: Callable[..., Answered] | None = None,
        observe: Observer | None = None,
        record: Recording | None = None,
    ) -> None:
        self._shared_receipts = receipts
        self._version = -1
        self._answering: str | None = None
        self._page: ToolList | None = None
        self._has_counted = False
        # What the client was shown is read by the thread that takes its calls, too.
        self._lists = RLock()
        super().__init__(
            plan,
            server,
            vocabulary,
            complaints,
            client=client,
            retrieves=retrieves,
            shared=shared,
            shown_as=shown_as,
            run=run,
            observe=observe,
            record=record,
        )
        self._read_lists()

    def _new_memory(self) -> Session:
        return self._shared_receipts.memory

    @property
    def own_tool(self) -> str | None:
        """See `ProxySession`; as any replica showed it."""
        self._read_lists()
        return self._shown.own_tool

    def request(self, message: bytes) -> Request:
        """See `ProxySession.request`. Calls are counted for all replicas."""
        self._read_lists()
        made = super().request(message)
        if made.to_server:
            self._count(made.to_server)
        return made

    def rewrite(self, answer: Answer) -> bytes:
        """See `ProxySession.rewrite`."""
        if not self.touches(answer.tool):
            return answer.message
        with self._lists:
            self._read_lists()
            self._read_history(answer.tool)
            self._answering = _key_in(answer.message)
            # As it was counted for all replicas, not by this one alone.
            answer.number = self._shared_receipts.memory.number_of(self._answering)
            return super().rewrite(answer)

    def retrieve(self, call: OwnCall) -> bytes:
        """See `ProxySession.retrieve`."""
        with self._lists:
            return super().retrieve(call)

    def rewrite_list(self, page: ToolList) -> bytes:
        """See `ProxySession.rewrite_list`."""
        with self._lists:
            self._read_lists()
            self._answering, self._page = _key_in(page.message), page
            return super().rewrite_list(page)

    def list_passed(self) -> None:
        """See `ProxySession.list_passed`."""
        with self._lists:
            super().list_passed()
            if self._shared is None:
                self._shared_receipts.show(None)

    def settle(self, *, rewritten: bool) -> None:
        """See `ProxySession.settle`. It counts once the client is known to have it."""
        with self._lists:
            answering, self._answering = self._answering, None
            page, self._page = self._page, None
            super().settle(rewritten=rewritten)
            if page is not None and answering is not None and self._shared is None:
                self._note_page(answering, page, is_rewritten=rewritten)

    def begin(self) -> None:
        """See `ProxySession.begin`."""
        with self._lists:
            # Of several servers each is told of every beginning, the first one included.
            if self._shared is None or self._has_counted:
                self._shared_receipts.memory.begin_anew()
            super().begin()

    def _count(self, message: bytes) -> None:
        try:
            call = ToolRequest.read(message)
        except Unclear:
            return
        key = None if call is None else _key_in(message)
        if call is not None and key is not None:
            self._has_counted = True
            self._shared_receipts.memory.count(call.name, key)

    def _note_page(self, answering: str, page: ToolList, *, is_rewritten: bool) -> None:
        client = None if page.client is None else page.client.encode("utf-8", "surrogatepass")
        data = msgspec.msgpack.encode(_Sent(page.message, client, page.is_first, is_rewritten))
        shown, pages = self._shown, self._shared_receipts.pages
        own = shown.own_tool if shown.can_retrieve else None
        pages[answering] = Page(data, page.is_first, page.is_last(), own, shown.bare, shown.with_schema)
        while len(pages) > MAX_PAGES:
            pages.pop(next(iter(pages)), None)

    # ---- what other replicas did -------------------------------------------------------------------------

    def _read_history(self, tool: str) -> None:
        try:
            self._shared_receipts.memory.refresh(tool)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            self._complaints.say_failed("reading what other replicas sent", error)

    def _read_lists(self) -> None:
        """Know of the tools what the client was shown, by whichever replica."""
        if self._shared is not None:
            return
        try:
            found = self._shared_receipts.log.shown(self._version)
        except Away:
            found = None
        if found is not None and found.version == self._version:
            return
        with self._lists:
            try:
                self._take(found)
            except (KeyboardInterrupt, SystemExit):
                raise
            except BaseException as error:
                self._take(None)
                self._complaints.say_failed("reading what other replicas showed", error)

    def _take(self, found: Shown | None) -> None:
        if found is None:
            # Nobody knows: as if every tool had been shown as the server has it.
            self._version = -1
            self._shown.passed()
            return
        self._shown = ShownTools(found.own_tool)
        for data in found.pages:
            sent = msgspec.msgpack.decode(data, type=_Sent)
            structure, members = envelope(sent.message)
            client = None if sent.client is None else sent.client.decode("utf-8", "surrogatepass")
            # Made anew for what is remembered on the way: what a call means hangs on it.
            super().rewrite_list(ToolList(sent.message, structure, members["result"], sent.is_first, client))
            super().settle(rewritten=sent.is_rewritten)
        self._shown.told(any_schema=found.any_schema, bare=found.bare, with_schema=found.typed)
        self._shown.can_retrieve = found.can_retrieve
        if found.own_tool is not None:
            self._shown.own_tool = found.own_tool
        self._version = found.version


def _key_in(message: bytes) -> str | None:
    try:
        _, found = envelope(message)
        request = request_id(message, found["id"])
    except (*MALFORMED, KeyError):
        return None
    return None if request is None else request_key(request)
