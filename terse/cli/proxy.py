"""`terse proxy [OPTION]… -- COMMAND…`, or a URL: a server with its results made smaller.

A server that is a process is started first; everything else is imported while it boots.
"""

from __future__ import annotations

import os
import signal

from terse.cli.proxy_options import OF_PROCESSES, OF_URLS, Options, Unusable, read
from terse.proxy.child import Child, occupy_standard_descriptors

# Type checkers know the name; importing `typing` for it would delay the start of the server.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from terse.capture.recorder import Recorder
    from terse.cli.observers import Observers
    from terse.proxy.complaints import Complaints
    from terse.proxy.connection import Upstream
    from terse.proxy.session import ProxySession, Recording
    from terse.proxy.stdio import Relay
    from terse.record import Observer

HELP = """Usage: terse proxy [OPTION]… -- COMMAND [ARGUMENT]…
       terse proxy [OPTION]… URL
       terse proxy [OPTION]… --config FILE [NAME]

Run an MCP server and make its tool results smaller, by rules. Put this in front of the server's command
in your client's configuration, or in the place of its URL. Everything but the results of tool calls passes
byte for byte; the list of tools, too, unless a `tools` block speaks of them, rules set something aside, or
the client shows structuredContent.

Options:
  --rules PATH         a rule file, or a folder of rule files; without it, the default policy
  --server-name NAME   the name that rules call this server by; needed as soon as a rule names a server
  --client NAME        treat the client as one that shows its model `text`, or `structured` content, or as
                       the client of this name; without it, the client is asked for its name
  --no-retrieve        do not offer the client tools of the proxy's own: those that fetch what was set aside,
                       or left out of the list of tools
  --no-watch           do not look whether rule files change: without it, rules that were changed, and are
                       valid, hold from the next result on
  --no-ledger          do not note sizes, names and times of what is sent, which `terse stats` tells of, and
                       say nothing of it at the end; TERSE_LEDGER=off does the same
  --capture[=FOLDER]   write calls and their results, redacted, to a folder that only you can read, for `terse
                       measure` and `terse tune`; `terse capture` says more, and does it without a restart
  --redact PATTERN, --redact-name GLOB, --redact-file FILE, --no-arguments
                       with --capture: what else is redacted; arguments of calls are left out
  --telemetry          export metrics and spans with OpenTelemetry, as its OTEL_ variables say; without this,
                       that is done where they name an endpoint. It needs the extra `telemetry`
  --store FILE         keep what was set aside in this file, so that it outlives a restart
  --memory SIZE        what earlier results may take in memory, for `dedup` and `diff` to speak of: 64MB if
                       not given; the oldest are forgotten first
  --config FILE        take the servers from a client's `mcpServers` document, in JSON or YAML: a file, or the
                       document itself. Without NAME, all of them are run as one: the tool `search` of the
                       server `docs` is `docs__search`, and rules call it `docs/search`
  --wait SECONDS       of several: how long one of them may hold up the answer of all: 8 if not given. What it
                       has later is told as a change
  --help               this page

For a server that is a process:
  -e NAME=VALUE        add this to its environment; as often as needed
  --cwd FOLDER         start it there
  --restart            where it ends by itself, start it again and go on with the session: what it was asked
                       is answered with an error, and never asked twice. Without it, its end is that of the
                       proxy. Several servers of a document are started again without it

For a server behind a URL:
  -H 'NAME: VALUE'     send this header with every request; as often as needed. ${VARIABLE} in it stands for
                       what the environment says
  --transport KIND     `http` (streamable HTTP) or `sse` (that of 2024-11-05); without it, the first is tried,
                       then the second
  --timeout SECONDS    give up on a connection, and on an answer of which nothing was heard for so long;
                       without it, answers may take any time
  --no-login           do not log in where the server asks for it (OAuth): its refusal goes to the client
  --login-timeout SECONDS  how long a login in the browser may take: 300 if not given

For a login to a server that gives out client ids beforehand (others give terse one by themselves):
  --client-id ID       the id
  --client-secret-file FILE, --client-secret-env VARIABLE
                       the secret that goes with it, where there is one
  --client-credentials log in as this client itself, without a user (the grant of that name): for machines
  --client-key-file FILE   for that: a private key in PEM to sign with, in place of a secret
  --client-issuer URL  the authorization server that the id is of: the secret goes to no other. Without it,
                       that is the one that the server names at the first login
  --client-metadata-url URL  the address of a document that describes the client, which is its id then
  --callback-port PORT where the browser comes back to: http://127.0.0.1:PORT/callback. Any port if not given

Without --server-name a name is derived from the command or URL, for reports: `npx -y
@modelcontextprotocol/server-github` is `github`.

Examples:
  terse proxy -- npx -y @modelcontextprotocol/server-memory
  terse proxy -H 'Authorization: Bearer ${TOKEN}' https://mcp.example.com/mcp

Exit codes: the server's own, 0 for one behind a URL and for several; 128+n after signal n; 2 when the rules
do not compile; 126 or 127 when the command cannot be run.
"""


def main(arguments: list[str]) -> int:
    """Run the proxy and return its exit code.

    Args:
        arguments: what follows `terse proxy`.
    """
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if "--help" in options or "-h" in options:
        from terse.cli.console import write

        write(HELP)
        return 0
    if not hasattr(os, "fork"):
        from terse.cli.console import complain

        return complain("the proxy runs on Linux and macOS only")
    # Until the relay takes the signals, Ctrl-C ends us without a word, as SIGTERM does.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        given = read(arguments)
        if given.telemetry:
            _check_telemetry()
        if given.config is not None and given.name is None:
            from terse.cli.many import run

            code = run(given)
            if code is not None:
                # At once, as below.
                os._exit(code)
        capture = None
        if given.capture is not None:
            from terse.cli.capturing import asked_of

            capture = asked_of(given)
        upstream = _start(given)
    except Unusable as reason:
        from terse.cli.console import complain

        return complain(str(reason))
    except OSError as error:
        from terse.cli.console import complain

        code = 127 if isinstance(error, FileNotFoundError) else 126
        return complain(f"cannot run {error.filename!r}: {error.strerror}", code)

    from terse.proxy.stdio import Relay

    observed: list[Observers] = []
    recorders: list[Recorder] = []

    def load(complaints: Complaints) -> ProxySession:
        from terse.cli.capturing import recorder_of
        from terse.cli.observers import observers

        observed.append(observers(complaints, telemetry=given.telemetry, notes=given.notes))
        recorders.append(recorder_of(capture, complaints))
        return _loaded(given, complaints, relay, observed[0].observe, recorders[0].sent)

    def rewrites_lists(introduction: bytes) -> bool:
        from terse.proxy.clients import may_show_structured

        # The default policy sets nothing aside, and has no `tools` block.
        return given.rules is not None or may_show_structured(
            introduction if given.client is None else given.client.encode()
        )

    may_refuse = given.rules is not None or given.store is not None
    relay = Relay(
        upstream,
        load,
        must_load=may_refuse,
        rewrites_lists=rewrites_lists,
        holds_calls=given.rules is not None,
    )
    code = relay.run()
    for each in observed:
        each.close()
    for recorder in recorders:
        recorder.close(2.0)
    # At once: threads may be waiting for input that never comes, and nothing is left to clean up.
    os._exit(code)


def _start(given: Options) -> Upstream:
    """The server, running or about to.

    Raises:
        Unusable: it cannot be what was asked for.
        OSError: the command cannot be run.
    """
    if given.command:
        given.reject(OF_URLS, "behind a URL: this one is a command")
        return _process(given, given.environment(), given.cwd)
    from terse.cli.proxied import Unusable as UnusableServer
    from terse.cli.proxied import chosen_server
    from terse.proxy.servers import Local

    try:
        name, server = chosen_server(given.url, given.config, given.name, given.headers, given.transport)
    except UnusableServer as reason:
        raise Unusable(str(reason)) from None
    given.server_name = given.server_name or name
    if isinstance(server, Local):
        given.reject(OF_URLS, "behind a URL: this one is a command")
        given.command = [server.command, *server.args]
        environment = {**server.env, **(given.environment() or {})}
        return _process(given, environment, given.cwd or server.cwd)
    given.reject(OF_PROCESSES, "that is a process: this one is behind a URL")
    given.url = server.url
    occupy_standard_descriptors()
    from terse.cli.oauth_options import login_to
    from terse.proxy.complaints import Complaints
    from terse.proxy.remote.server import RemoteServer

    return RemoteServer(server, Complaints(), timeout=given.timeout, auth=login_to(server, given))


def _process(given: Options, environment: dict[str, str] | None, folder: str | None) -> Upstream:
    """The command, running.

    Raises:
        OSError: it cannot be run.
    """
    first = Child.spawn(given.command, environment, folder)
    if not given.restarts:
        return first
    from functools import partial

    from terse.proxy.complaints import Complaints
    from terse.proxy.restarting import Restarting

    return Restarting(first, partial(Child.spawn, given.command, environment, folder), Complaints().tell)


def _check_telemetry() -> None:
    """
    Raises:
        Unusable: it cannot be had.
    """
    from terse.telemetry.wanted import Unusable as NoTelemetry
    from terse.telemetry.wanted import is_wanted

    try:
        is_wanted(os.environ, asked=True)
    except NoTelemetry as reason:
        raise Unusable(f"--telemetry: {reason}") from None


def _loaded(
    given: Options, complaints: Complaints, relay: Relay, observe: Observer | None, record: Recording
) -> ProxySession:
    """As `_session`.

    Raises:
        Refused: as `_session`; or, where rules were asked for, whatever else kept them from being loaded.
    """
    try:
        return _session(given, complaints, relay, observe, record)
    except BaseException as error:
        from terse.cli.asked_rules import as_refused

        refused = as_refused(given, error)
        if refused is None:
            raise
        raise refused from error


def _session(
    given: Options, complaints: Complaints, relay: Relay, observe: Observer | None, record: Recording
) -> ProxySession:
    """The rules, ready to run; called in a thread while the server boots. The relay follows them then.

    Raises:
        Refused: the rules do not compile, or name servers and nobody said which one this is.
    """
    from terse.cli.asked_rules import policy_of, store_in
    from terse.proxy.server_name import derived_name, derived_name_of_url
    from terse.proxy.session import ProxySession
    from terse.tokens import vocabulary

    policy = policy_of(given, complaints)
    policy.follow(relay)
    derived = derived_name_of_url(given.url) if given.url is not None else derived_name(given.command)
    name = given.server_name or derived
    return ProxySession(
        policy.plan,
        name,
        vocabulary(),
        complaints,
        client=given.client,
        retrieves=given.retrieves,
        store=None if given.store is None else store_in(given.store),
        memory_bytes=given.memory_bytes,
        observe=observe,
        record=record,
    )
