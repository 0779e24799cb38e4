"""Several servers and one set of rules, as one server for one client."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from terse.proxy.client_memory import ClientMemory
from terse.proxy.clients import may_show_structured
from terse.proxy.complaints import Complaints
from terse.proxy.connection import Connection, Upstream
from terse.proxy.many.naming import Names
from terse.proxy.many.retrieving import Retrieving
from terse.proxy.many.router import LIMIT_SECONDS, Router, Start

# What runs rules is imported once they are loaded: servers boot until then.
if TYPE_CHECKING:
    from terse.memory.received_session import Receipts
    from terse.memory.session import Session
    from terse.memory.store import Store
    from terse.plan.model import Plan
    from terse.plan.result import Answered
    from terse.proxy import replicated
    from terse.proxy.retrieval import OwnCall
    from terse.proxy.session import ProxySession, Recording
    from terse.record import Observer
    from terse.tokens import Vocabulary


class Policy(Protocol):
    """The rules that hold, and will."""

    @property
    def plan(self) -> Plan:
        """Those that hold now."""

    def follow(self, follower: Connection) -> None:
        """Tell a connection of all that come later."""


Rules = Callable[[], "tuple[Policy, Vocabulary]"]
"""Gives the rules, which all servers share, and what tokens are counted with. It is called often, by threads
that may wait. `Refused`: they must not run."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How results are made for the client, whatever server they come from: see `ProxySession`.

    Attributes:
        has_rules: rules were asked for. Without them it is the default policy, which has no `tools` block and
            sets nothing aside.
        store: makes what keeps values that were set aside, once the rules are loaded; None: in memory, for as
            long as the client has its session. `Refused`: it cannot be had.
        replicas: gives, by the name of a server, what other replicas know of the session with it; called each
            time it is started. None: there are none.
        limit: see `LIMIT_SECONDS`.
    """

    has_rules: bool
    client: str | None = None
    retrieves: bool = True
    store: Callable[[], Store | None] | None = None
    memory_bytes: int | None = None
    receipts: Receipts | None = None
    replicas: Callable[[str], replicated.Receipts] | None = None
    remembers: bool = True
    observe: Observer | None = None
    record: Recording | None = None
    run: Callable[..., Answered] | None = None
    limit: float = LIMIT_SECONDS


def router(
    servers: Mapping[str, Start],
    rules: Rules,
    manner: Manner,
    complaints: Complaints,
    refused: Callable[[], None],
) -> Router:
    """The servers as one. What the client was sent counts as a whole: conditions on the session, the bound of
    its memory, and what was set aside are the same for all servers.

    Args:
        servers: how each is started, by the name that rules call it.
        complaints: says what there is to say; each line with the server's name.
        refused: called when the rules are refused.

    Raises:
        SameName: two servers would have one name.
    """
    return _Assembly(servers, rules, manner, complaints, refused).router()


class _Assembly:
    """The connections of one client, each with the rules for its server."""

    def __init__(
        self,
        servers: Mapping[str, Start],
        rules: Rules,
        manner: Manner,
        complaints: Complaints,
        refused: Callable[[], None],
    ) -> None:
        self._servers = servers
        self._rules = rules
        self._manner = manner
        self._complaints = complaints
        self._refused = refused
        self._names = Names(tuple(servers))
        self._policy: Policy | None = None
        self._store: Store | None = None
        self._memory = ClientMemory(self._new_session)
        self._lock = Lock()
        self._sessions: dict[str, ProxySession] = {}
        self._connections: dict[str, Connection] = {}

    def router(self) -> Router:
        return Router(
            self._servers,
            self._connect,
            self._complaints,
            limit=self._manner.limit,
            retrieving=self._retrieving,
        )

    def _retrieving(self, put: Callable[[bytes], None]) -> Retrieving:
        note = None if self._manner.observe is None else self._note_retrieved
        receipts = self._manner.receipts
        return Retrieving(self._memory, self._is_offered, self._count, put, self._complaints, note, receipts)

    def _note_retrieved(self, call: OwnCall, answer: bytes, seconds: float) -> None:
        """It costs the server whose result holds the handle; one that nobody made, the first of them."""
        known = [name for name, session in list(self._sessions.items()) if session.set_aside(call.arguments)]
        for name in (known or list(self._sessions))[:1]:
            self._connections[name].note_retrieved(call, answer, seconds)

    def _is_offered(self) -> bool:
        policy, manner = self._policy, self._manner
        if policy is None or not manner.retrieves or not manner.has_rules:
            return False
        from terse.proxy.rules_at_hand import offers

        return any(offers(policy.plan, server, remembers=manner.remembers) for server in self._servers)

    def _count(self, text: str) -> int:
        return self._rules()[1].count(text)

    def _new_session(self) -> Session:
        from terse.memory import history
        from terse.memory.shared_session import SharedSession

        most, receipts = self._manner.memory_bytes, self._manner.receipts
        most = history.MAX_BYTES if most is None else most
        if receipts is None:
            made = SharedSession(max_base_bytes=most)
        else:
            from terse.memory.received_session import ReceivedSession

            made = ReceivedSession(receipts, max_base_bytes=most)
        if self._store is not None:
            made.store = self._store
        return made

    def _connect(
        self,
        server: str,
        upstream: Upstream,
        send: Callable[[bytes], None],
        ended: Callable[[BaseException | None], None],
    ) -> Connection:
        complaints = self._complaints.of(server)
        before = self._connections.get(server)

        def load() -> ProxySession:
            return self._load(server, before, connection, complaints)

        connection = Connection(
            upstream,
            send,
            load,
            ended=ended,
            refused=self._refused,
            complaints=complaints,
            rewrites_lists=self._rewrites_lists,
            # Replicas count the calls, which the rules do.
            holds_calls=self._manner.has_rules or self._manner.replicas is not None,
            counts=lambda: self._memory.calls(server),
        )
        self._connections[server] = connection
        return connection

    def _rewrites_lists(self, introduction: bytes) -> bool:
        client = self._manner.client
        return self._manner.has_rules or may_show_structured(
            introduction if client is None else client.encode()
        )

    def _load(
        self, server: str, before: Connection | None, connection: Connection, complaints: Complaints
    ) -> ProxySession:
        """The rules for a server, with what is known of its client; also where the server was started again.

        Raises:
            Refused: the rules must not run.
        """
        policy, vocabulary = self._rules()
        policy.follow(connection)
        with self._lock:
            self._take_store()
            self._policy = policy
            known = self._sessions.get(server)
            # INVARIANT: one thread at a time uses a session. One that works on is left alone.
            if known is not None and before is not None and before.is_finished():
                known.follow(policy.plan)
            else:
                known = self._sessions[server] = self._new(server, policy.plan, vocabulary, complaints)
            return known

    def _new(self, server: str, plan: Plan, vocabulary: Vocabulary, complaints: Complaints) -> ProxySession:
        from terse.proxy.session import ProxySession

        manner = self._manner
        if manner.replicas is not None:
            return self._replicated(server, manner.replicas(server), plan, vocabulary, complaints)
        return ProxySession(
            plan,
            server,
            vocabulary,
            complaints,
            client=manner.client,
            retrieves=manner.retrieves,
            shared=self._memory,
            shown_as=partial(self._names.shown, server),
            remembers=manner.remembers,
            observe=manner.observe,
            record=manner.record,
            run=manner.run,
        )

    def _replicated(
        self,
        server: str,
        receipts: replicated.Receipts,
        plan: Plan,
        vocabulary: Vocabulary,
        complaints: Complaints,
    ) -> ProxySession:
        from terse.proxy.replicated import ReplicatedSession

        manner = self._manner
        try:
            return ReplicatedSession(
                plan,
                server,
                vocabulary,
                complaints,
                receipts,
                client=manner.client,
                retrieves=manner.retrieves,
                shared=self._memory,
                shown_as=partial(self._names.shown, server),
                observe=manner.observe,
                record=manner.record,
                run=manner.run,
            )
        except BaseException:
            # Without it calls are not counted here, and no replica has the right numbers.
            receipts.log.doubt()
            raise

    def _take_store(self) -> None:
        if self._manner.store is not None and self._store is None:
            self._store = self._manner.store()
            if self._store is not None:
                self._memory.session.store = self._store
