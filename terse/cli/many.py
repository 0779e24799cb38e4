"""`terse proxy --config FILE`: all servers of a document behind one proxy.

The servers that are processes are started first; everything else is imported while they boot.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from threading import Event
from typing import TYPE_CHECKING

from terse.cli.asked_rules import as_refused, policy_of, store_in
from terse.cli.oauth_options import login_to
from terse.cli.proxied import Unusable, read_config
from terse.cli.proxy_options import OF_ONE, Options
from terse.cli.proxy_options import Unusable as UnusableOptions
from terse.proxy.child import Child
from terse.proxy.servers import Local, Remote

if TYPE_CHECKING:
    from terse.memory.store import Store
    from terse.proxy.complaints import Complaints
    from terse.proxy.connection import Upstream
    from terse.proxy.many.assembled import Policy
    from terse.tokens import Vocabulary


def run(given: Options) -> int | None:
    """Run all servers of the document that are not disabled. Returns the exit code; None if there is only
    one, which is then run as if it had been named.

    Raises:
        UnusableOptions: the document or an option makes no sense.
    """
    try:
        servers = read_config(given.config or "")
    except Unusable as reason:
        raise UnusableOptions(str(reason)) from None
    servers = {name: server for name, server in servers.items() if not server.disabled}
    if len(servers) < 2:
        return None
    given.reject(OF_ONE, "that is alone: those of a document have their own, or say which one: FILE NAME")
    capture = None
    if given.capture is not None:
        from terse.cli.capturing import asked_of

        capture = asked_of(given)
    starts: dict[str, Callable[[], Upstream]] = {
        name: _Process(name, server) for name, server in servers.items() if isinstance(server, Local)
    }

    from terse.cli.capturing import CLOSE_SECONDS, recorder_of
    from terse.cli.observers import observers
    from terse.proxy.complaints import Complaints
    from terse.proxy.many.assembled import Manner, router
    from terse.proxy.many.naming import SameName
    from terse.proxy.many.router import LIMIT_SECONDS
    from terse.proxy.stdio import Relay

    complaints = Complaints()
    observed = observers(complaints, telemetry=given.telemetry, notes=given.notes)
    recorder = recorder_of(capture, complaints)
    rules = _Rules(given)
    manner = Manner(
        has_rules=given.rules is not None,
        client=given.client,
        retrieves=given.retrieves,
        store=rules.store,
        memory_bytes=given.memory_bytes,
        observe=observed.observe,
        record=recorder.sent,
        limit=given.wait or LIMIT_SECONDS,
    )
    for name, server in servers.items():
        if isinstance(server, Remote):
            starts[name] = partial(_remote, given, name, server, complaints.of(name))
    in_order = {name: starts[name] for name in servers}
    try:
        # Refused rules are refused by the relay's own connection, for all.
        upstream = router(in_order, rules, manner, complaints, lambda: None)
    except SameName as reason:
        raise UnusableOptions(str(reason)) from None
    code = Relay(
        upstream,
        rules.load,
        must_load=given.rules is not None or given.store is not None,
        rewrites=False,
        complaints=complaints,
    ).run()
    observed.close()
    recorder.close(CLOSE_SECONDS)
    return code


class _Process:
    """Starts a server that is a process: the first time at once, so that it boots while we do."""

    def __init__(self, name: str, server: Local) -> None:
        self._name = name
        self._server = server
        self._failure: Exception | None = None
        self._first: Child | None = None
        try:
            self._first = self._start()
        except (OSError, Unusable) as failure:
            self._failure = failure

    def __call__(self) -> Upstream:
        """
        Raises:
            OSError: it cannot be started.
            Unusable: it never can be: a variable is missing.
        """
        first, failure = self._first, self._failure
        self._first = self._failure = None
        if failure is not None:
            raise failure
        return first if first is not None else self._start()

    def _start(self) -> Child:
        server = self._server.expanded(os.environ, self._name)
        return Child.spawn([server.command, *server.args], server.env, server.cwd)


class _Rules:
    """The rules, loaded once for all servers."""

    def __init__(self, given: Options) -> None:
        self._given = given
        self._loaded = Event()
        self._failure: BaseException | None = None
        self._made: tuple[Policy, Vocabulary] | None = None
        self._store: Store | None = None

    def load(self, complaints: Complaints) -> None:
        """Load them.

        Raises:
            Refused: they must not run, or what is set aside cannot be kept.
        """
        from terse.tokens import vocabulary

        given = self._given
        try:
            policy = policy_of(given, complaints, is_alone=False)
            self._store = None if given.store is None else store_in(given.store)
            self._made = (policy, vocabulary())
        except BaseException as failure:
            self._failure = as_refused(given, failure) or failure
            raise self._failure from failure
        finally:
            self._loaded.set()

    def __call__(self) -> tuple[Policy, Vocabulary]:
        """Wait for them.

        Raises:
            BaseException: what `load` raised.
        """
        self._loaded.wait()
        if self._made is None:
            assert self._failure is not None
            raise self._failure
        return self._made

    def store(self) -> Store | None:
        """Where values are kept that were set aside; None: in memory."""
        return self._store


def _remote(given: Options, name: str, server: Remote, complaints: Complaints) -> Upstream:
    """
    Raises:
        Unusable: a variable is missing.
    """
    from terse.proxy.remote.server import RemoteServer

    expanded = server.expanded(os.environ, name)
    return RemoteServer(expanded, complaints, timeout=given.timeout, auth=login_to(expanded, given))
