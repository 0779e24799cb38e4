"""What stands behind `terse serve`: the servers, the rules, and what is kept for whom."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING

from terse.cli.asked_rules import policy_of
from terse.cli.capturing import CLOSE_SECONDS, asked_of, recorder_of
from terse.cli.oauth_options import login_to
from terse.cli.observers import observers as all_observers
from terse.cli.proxied import Unusable, chosen_server, read_config
from terse.cli.proxy_options import OF_ONE, OF_URLS, Options
from terse.cli.proxy_options import Unusable as UnusableOptions
from terse.memory.expiring_store import ExpiringStore
from terse.memory.received_session import Receipts
from terse.memory.sqlite_store import SqliteStore
from terse.memory.sqlite_store import Unusable as UnusableStore
from terse.memory.store import Store
from terse.proxy.child import Child
from terse.proxy.clients import may_show_structured, shown_by
from terse.proxy.complaints import Complaints
from terse.proxy.connection import Connection, Refused, Upstream
from terse.proxy.many.assembled import Manner, router
from terse.proxy.many.naming import Names, SameName
from terse.proxy.many.router import LIMIT_SECONDS
from terse.proxy.remote.server import RemoteServer
from terse.proxy.server_name import derived_name, derived_name_of_url
from terse.proxy.servers import Local, Server
from terse.proxy.session import ProxySession
from terse.serve.access import ANYBODY
from terse.serve.attached import Open, Opened
from terse.serve.attached import Receipts as AnyReceipts
from terse.tokens import vocabulary
from terse.workers.pool import Workers

if TYPE_CHECKING:
    from terse.memory.redis_link import RedisLink
    from terse.proxy.remote.login import Login
    from terse.record import Observer

MEMORY_BYTES = 4 << 20
"""What earlier results of one session may take: there may be a thousand of them."""
MAX_STORES = 4096
"""Users whose set-aside values are kept in memory at once."""

Send = Callable[[bytes], None]
Ended = Callable[[BaseException | None], None]
Start = Callable[[], Upstream]


class Behind:
    """What a service is in front of. Its methods may be called from any thread.

    Args:
        given: the options of `terse proxy`.
        link: where replicas keep what they share; None: this is the only one.
        observers: are given a record of each message that was sent.
        workers: processes that run the rules on large results; 0: they are run in this one.
        idle: seconds after which a session that nobody uses is closed.

    Attributes:
        session: what runs the rules on the results of one connection.

    Raises:
        Unusable: they make no sense.
        Refused: the rules must not run.
    """

    session = ProxySession

    def __init__(
        self,
        given: Options,
        link: RedisLink | None = None,
        idle: float = 0.0,
        observers: Sequence[Observer] = (),
        workers: int = 0,
    ) -> None:
        self._given = given
        self._link = link
        # A client that only listens may use a session for longer than its calls say.
        self.kept_seconds = 2 * idle + 3600
        self._complaints = Complaints()
        self._observers = all_observers(
            self._complaints, telemetry=given.telemetry, notes=given.notes, others=observers
        )
        self._observe = self._observers.observe
        try:
            self._recorder = recorder_of(asked_of(given), self._complaints)
        except UnusableOptions as reason:
            raise Unusable(str(reason)) from None
        self._servers = _servers(given, self._complaints)
        self._names = tuple(self._servers)
        self._stores: dict[str, Store] = {}
        # A document names its servers.
        is_nameless = given.server_name is None and given.config is None
        self._policy = policy_of(given, self._complaints, is_alone=is_nameless)
        self._vocabulary = vocabulary()
        self._workers = Workers(workers, self._complaints.say)

    def close(self) -> None:
        """Finish what is noted of what was sent: to be called when the service has ended."""
        self._workers.close()
        self._observers.close()
        self._recorder.close(CLOSE_SECONDS)

    def for_session(self, caller: str, send: Send, ended: Ended) -> Opened:
        """See `terse.serve.session.Open`."""
        return self._open(caller, send, ended, is_shared=False)

    def to_share(self, caller: str, send: Send, ended: Ended) -> Opened:
        """See `terse.serve.session.Open`."""
        return self._open(caller, send, ended, is_shared=True)

    def for_replicas(self, session: str, is_new: bool) -> Open:
        """What starts a server for a session that replicas share: see `terse.serve.replicas.Replicas`."""

        def opens(caller: str, send: Send, ended: Ended) -> Opened:
            if len(self._names) > 1:
                return self._all_replicated(session, is_new, caller, send, ended)
            return self._replicated(session, is_new, caller, send, ended)

        return opens

    @property
    def has_several(self) -> bool:
        """Whether there are several servers, shown as one."""
        return len(self._names) > 1

    def kind(self, client: str | None) -> str:
        """What is made for a client depends on what it shows its model, and on nothing else."""
        return shown_by(client if self._given.client is None else self._given.client)

    def check_stores(self, callers: list[str]) -> None:
        """
        Raises:
            Refused: what is set aside cannot be kept.
        """
        if self._given.store is not None:
            for caller in callers:
                self._store(caller, is_shared=False)

    def _open(self, caller: str, send: Send, ended: Ended, *, is_shared: bool) -> Opened:
        if len(self._names) > 1:
            return self._open_all(caller, send, ended, is_shared=is_shared)
        given, name = self._given, self._names[0]
        upstream = self._servers[name]()
        most = MEMORY_BYTES if given.memory_bytes is None else given.memory_bytes
        receipts = None if is_shared else Receipts(most)

        def load() -> ProxySession:
            self._policy.follow(connection)
            return self.session(
                self._policy.plan,
                name,
                self._vocabulary,
                self._complaints,
                client=given.client,
                retrieves=given.retrieves,
                store=self._store(caller, is_shared=is_shared),
                memory_bytes=most,
                receipts=receipts,
                remembers=not is_shared,
                run=self._workers.run,
                observe=self._observe,
                record=self._recorder.sent,
            )

        connection = Connection(
            upstream,
            send,
            load,
            ended=ended,
            refused=lambda: ended(None),
            complaints=self._complaints,
            rewrites_lists=self._rewrites_lists,
            holds_calls=given.rules is not None,
        )
        return Opened(upstream, connection, receipts, isinstance(upstream, RemoteServer))

    def _open_all(self, caller: str, send: Send, ended: Ended, *, is_shared: bool) -> Opened:
        """All servers as one, each with the rules for it."""
        receipts = None if is_shared else Receipts(self._most)
        manner = self._manner(caller, is_shared=is_shared)
        manner = replace(manner, receipts=receipts, remembers=not is_shared)
        return self._joined(manner, receipts, send, ended)

    def _all_replicated(self, session: str, is_new: bool, caller: str, send: Send, ended: Ended) -> Opened:
        """All servers as one, in a session that other replicas serve as well."""
        from terse.memory.session_log import SessionLog
        from terse.proxy import replicated

        link, store = self._link, self._store(caller, is_shared=True)
        assert link is not None, "INVARIANT: replicas share a Redis"
        assert store is not None
        most = max(self._most // len(self._names), 1 << 16)
        logs = {name: SessionLog(link, session, name, most, self.kept_seconds) for name in self._names}
        receipts = {name: replicated.Receipts(log, store) for name, log in logs.items()}
        begun: set[str] = set() if is_new else set(logs)

        def known(server: str) -> replicated.Receipts:
            # Once: a server that is started again goes on with the session.
            if server not in begun:
                begun.add(server)
                logs[server].begin()
            return receipts[server]

        manner = replace(self._manner(caller, is_shared=True), replicas=known)
        return self._joined(manner, replicated.JointReceipts(list(receipts.values())), send, ended)

    @property
    def _most(self) -> int:
        given = self._given.memory_bytes
        return MEMORY_BYTES if given is None else given

    def _manner(self, caller: str, *, is_shared: bool) -> Manner:
        given = self._given
        return Manner(
            has_rules=given.rules is not None,
            client=given.client,
            retrieves=given.retrieves,
            store=lambda: self._store(caller, is_shared=is_shared),
            memory_bytes=self._most,
            observe=self._observe,
            record=self._recorder.sent,
            run=self._workers.run,
            limit=given.wait or LIMIT_SECONDS,
        )

    def _joined(self, manner: Manner, receipts: AnyReceipts | None, send: Send, ended: Ended) -> Opened:
        all_of_them = router(
            self._servers,
            lambda: (self._policy, self._vocabulary),
            manner,
            self._complaints,
            lambda: ended(None),
        )
        # Each server behind it has its rules: here there are none.
        connection = Connection(
            all_of_them,
            send,
            lambda: None,
            ended=ended,
            refused=lambda: ended(None),
            complaints=self._complaints,
        )
        return Opened(all_of_them, connection, receipts)

    def _replicated(self, session: str, is_new: bool, caller: str, send: Send, ended: Ended) -> Opened:
        """A server with the rules for it, in a session that other replicas serve as well."""
        from terse.memory.session_log import SessionLog
        from terse.proxy import replicated

        given, link, name = self._given, self._link, self._names[0]
        store = self._store(caller, is_shared=True)
        assert link is not None, "INVARIANT: replicas share a Redis"
        assert store is not None
        most = MEMORY_BYTES if given.memory_bytes is None else given.memory_bytes
        log = SessionLog(link, session, name, most, self.kept_seconds)
        receipts = replicated.Receipts(log, store)

        def load() -> ProxySession:
            try:
                if is_new:
                    log.begin()
                self._policy.follow(connection)
                return replicated.ReplicatedSession(
                    self._policy.plan,
                    name,
                    self._vocabulary,
                    self._complaints,
                    receipts,
                    client=given.client,
                    retrieves=given.retrieves,
                    run=self._workers.run,
                    observe=self._observe,
                    record=self._recorder.sent,
                )
            except BaseException:
                # Without it calls are not counted here, and no replica has the right numbers.
                log.doubt()
                raise

        upstream = self._servers[name]()
        # Calls wait for the rules, which count them.
        connection = Connection(
            upstream,
            send,
            load,
            ended=ended,
            refused=lambda: ended(None),
            complaints=self._complaints,
            rewrites_lists=self._rewrites_lists,
            holds_calls=True,
        )
        # A call is counted in Redis before it is made, which may wait.
        return Opened(upstream, connection, receipts)

    def _rewrites_lists(self, introduction: bytes) -> bool:
        # The default policy sets nothing aside, and has no `tools` block.
        given = self._given
        return given.rules is not None or may_show_structured(
            introduction if given.client is None else given.client.encode()
        )

    def _store(self, caller: str, *, is_shared: bool) -> Store | None:
        """Where values are kept that were set aside for somebody; None: as long as the session lasts.

        INVARIANT: nobody's values are in a store of somebody else's: handles can be guessed.

        Raises:
            Refused: it cannot be.
        """
        path = self._given.store
        if path is None and not is_shared:
            return None
        found = self._stores.get(caller)
        if found is None:
            found = self._new_store(path, caller)
            self._stores[caller] = found
            while len(self._stores) > MAX_STORES:
                self._stores.pop(next(iter(self._stores)))
        return found

    def _new_store(self, path: str | None, caller: str) -> Store:
        if self._link is not None:
            from terse.memory.redis_store import RedisStore

            return RedisStore(self._link, caller)
        return ExpiringStore() if path is None else _sqlite_store(path, caller)


def _sqlite_store(path: str, caller: str) -> Store:
    own = path if caller == ANYBODY else f"{path}.{sha256(caller.encode()).hexdigest()[:16]}"
    try:
        return SqliteStore(own)
    except UnusableStore as reason:
        raise Refused(f"--store {own}: {reason}") from None


def _servers(given: Options, complaints: Complaints) -> Mapping[str, Start]:
    """How each server is started, by its name.

    Raises:
        Unusable: there is none.
    """
    environment = given.environment()
    given.reject(
        ("--restart",), "that one client has: here each session has its own, and may begin another one"
    )
    if given.command:
        given.reject(OF_URLS, "behind a URL: this one is a command")
        name = given.server_name or derived_name(given.command)
        return {name: partial(Child.spawn, given.command, environment, given.cwd)}
    if given.config is not None and given.name is None:
        enabled = [name for name, each in read_config(given.config).items() if not each.disabled]
        if len(enabled) > 1:
            given.reject(OF_ONE, "that is alone: those of a document have their own, or name one of them")
            try:
                Names(enabled)
            except SameName as reason:
                raise Unusable(str(reason)) from None
            return {
                name: _start(given, chosen_server(None, given.config, name, [], None)[1], complaints)
                for name in enabled
            }
    named, server = chosen_server(given.url, given.config, given.name, given.headers, given.transport)
    name = given.server_name or named or derived_name_of_url(given.url or "")
    return {name: _start(given, server, complaints)}


def _start(given: Options, server: Server, complaints: Complaints) -> Start:
    if isinstance(server, Local):
        environment = {**server.env, **(given.environment() or {})}
        return partial(Child.spawn, [server.command, *server.args], environment, given.cwd or server.cwd)
    login = login_to(server, given)
    # One for all sessions: a user is asked to log in once.
    shared = None if login is None else _once(login)
    return partial(RemoteServer, server, complaints, timeout=given.timeout, auth=shared)


def _once(make: Callable[[], Login]) -> Callable[[], Login]:
    made: list[Login] = []

    def first() -> Login:
        if not made:
            made.append(make())
        return made[0]

    return first
