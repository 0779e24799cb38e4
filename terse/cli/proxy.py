"""`terse proxy [OPTION]… -- COMMAND…`, or a URL: a server with its results made smaller.

A server that is a process is started first; everything else is imported while it boots. That is why the
arguments are read by hand here: an option parser takes longer to import than a small server takes to start.
"""

from __future__ import annotations

import os
import signal
import sys

from terse.proxy.child import Child, occupy_standard_descriptors

# Type checkers know the name; importing `typing` for it would delay the start of the server.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from terse.cli.live import LivePolicy
    from terse.cli.observers import Observers
    from terse.cli.policy import FixedPolicy
    from terse.memory.store import Store
    from terse.plan.model import Plan
    from terse.proxy.complaints import Complaints
    from terse.proxy.connection import Refused, Upstream
    from terse.proxy.remote.login import Login
    from terse.proxy.servers import Remote
    from terse.proxy.session import ProxySession
    from terse.proxy.stdio import Relay
    from terse.record import Observer

USAGE = "terse proxy [OPTION]… -- COMMAND [ARGUMENT]…, or terse proxy [OPTION]… URL"

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
  terse proxy -- npx -y @modelcontextprotocol/server-everything
  terse proxy -H 'Authorization: Bearer ${TOKEN}' https://mcp.example.com/mcp

Exit codes: the server's own, 0 for one behind a URL and for several; 128+n after signal n; 2 when the rules
do not compile; 126 or 127 when the command cannot be run.
"""

_OAUTH = (
    *("--client-id", "--client-secret-file", "--client-secret-env", "--client-key-file", "--client-issuer"),
    *("--client-metadata-url", "--callback-port"),
)
_ALONE = "--client-credentials"
_ONCE = frozenset(
    (
        *("--rules", "--server-name", "--client", "--store", "--memory", "--config", "--wait", "--cwd"),
        *("--transport", "--timeout", "--login-timeout", *_OAUTH),
    )
)
_OFTEN = {"-e": "-e", "--env": "-e", "-H": "-H", "--header": "-H"}
_FLAGS = frozenset(("--no-retrieve", "--no-login", "--no-watch", "--no-ledger", "--telemetry", _ALONE))
_OF_PROCESSES = ("-e", "--cwd")
_OF_URLS = ("-H", "--transport", "--timeout", "--no-login", "--login-timeout", *_OAUTH, _ALONE)
LOGIN_SECONDS = 300.0

_UNITS = {"KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}


class _Arguments:
    """
    Raises:
        _Unusable: a value makes no sense.
    """

    def __init__(
        self,
        command: list[str],
        word: str | None,
        values: dict[str, str],
        lists: dict[str, list[str]],
        flags: set[str],
    ) -> None:
        self.command = command
        self.config = values.get("--config")
        self.wait = _seconds("--wait", values)
        self.url = None if self.config is not None else word
        self.name = None if self.config is None else word
        self.env = lists.get("-e", [])
        self.cwd = values.get("--cwd")
        self.headers = lists.get("-H", [])
        self.transport = values.get("--transport")
        self.timeout = _seconds("--timeout", values)
        self.login_seconds = _seconds("--login-timeout", values) or LOGIN_SECONDS
        self.logs_in = "--no-login" not in flags
        self.oauth = {name: values[name] for name in _OAUTH if name in values}
        if _ALONE in flags:
            self.oauth[_ALONE] = ""
        self.given = {*values, *lists, *flags}
        self.rules = values.get("--rules")
        self.server_name = values.get("--server-name")
        self.client = values.get("--client")
        self.store = values.get("--store")
        self.memory_bytes = _bytes(values["--memory"]) if "--memory" in values else None
        self.retrieves = "--no-retrieve" not in flags
        self.watches = "--no-watch" not in flags
        self.telemetry = "--telemetry" in flags
        self.notes = "--no-ledger" not in flags

    def reject(self, options: tuple[str, ...], why: str) -> None:
        """
        Raises:
            _Unusable: one of the options was given.
        """
        for option in options:
            if option in self.given:
                raise _Unusable(f"{option} is for a server {why}")


class _Unusable(Exception):  # noqa: N818 — says what the arguments are
    """The arguments make no sense. The message is one line."""


def main(arguments: list[str]) -> int:
    """Run the proxy and return its exit code.

    Args:
        arguments: what follows `terse proxy`.
    """
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if "--help" in options or "-h" in options:
        sys.stdout.write(HELP)
        return 0
    if not hasattr(os, "fork"):
        return _complain("the proxy runs on Linux and macOS only", 2)
    # Until the relay takes the signals, Ctrl-C ends us without a word, as SIGTERM does.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        given = _read(arguments)
        if given.telemetry:
            _check_telemetry()
        if given.config is not None and given.name is None:
            from terse.cli.many import run

            code = run(given)
            if code is not None:
                # At once, as below.
                os._exit(code)
        upstream = _start(given)
    except _Unusable as reason:
        return _complain(str(reason), 2)
    except OSError as error:
        code = 127 if isinstance(error, FileNotFoundError) else 126
        return _complain(f"cannot run {error.filename!r}: {error.strerror}", code)

    from terse.proxy.stdio import Relay

    observed: list[Observers] = []

    def load(complaints: Complaints) -> ProxySession:
        from terse.cli.observers import observers

        observed.append(observers(complaints, telemetry=given.telemetry, notes=given.notes))
        return _loaded(given, complaints, relay, observed[0].observe)

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
    # At once: threads may be waiting for input that never comes, and nothing is left to clean up.
    os._exit(code)


def _read(arguments: list[str]) -> _Arguments:
    """
    Raises:
        _Unusable: with what is wrong, and what to write instead.
    """
    values: dict[str, str] = {}
    lists: dict[str, list[str]] = {}
    flags: set[str] = set()
    words: list[str] = []
    rest = iter(arguments)
    command: list[str] | None = None
    for word in rest:
        name, equals, value = word.partition("=")
        if word == "--":
            command = list(rest)
        elif word in _FLAGS:
            flags.add(word)
        elif word in _OFTEN or (name in _OFTEN and name.startswith("--")):
            lists.setdefault(_OFTEN[name], []).append(_value(name, value if equals else next(rest, "")))
        elif name in _ONCE:
            given = value if equals else next(rest, "")
            if name in values:
                raise _Unusable(f"{name} is given twice")
            values[name] = _value(name, given, is_joined=bool(equals))
        elif word.startswith("-"):
            raise _Unusable(f"there is no option {name}: {USAGE}")
        elif _is_url(word) or any(each.partition("=")[0] == "--config" for each in arguments):
            words.append(word)
        else:
            raise _Unusable(f"write `--` before the server's command: terse proxy -- {word} …")
    _check_source(command, words, values)
    if (rules := values.get("--rules")) is not None and not os.path.exists(rules):
        raise _Unusable(f"no such file or folder: {rules}")
    if (folder := values.get("--cwd")) is not None and not os.path.isdir(folder):
        raise _Unusable(f"--cwd: no such folder: {folder}")
    return _Arguments(command or [], words[0] if words else None, values, lists, flags)


def _value(name: str, given: str, *, is_joined: bool = False) -> str:
    """
    Raises:
        _Unusable: there is none.
    """
    if not given or (given.startswith("--") and not is_joined):
        raise _Unusable(f"{name} needs a value: {USAGE}")
    return given


def _check_source(command: list[str] | None, words: list[str], values: dict[str, str]) -> None:
    """
    Raises:
        _Unusable: it is not said which server to run, or that in two ways.
    """
    is_url = any(_is_url(word) for word in words)
    if "--config" in values:
        if command is not None or is_url:
            raise _Unusable("--config says which server to run: leave out the command or URL")
    elif is_url and command is not None:
        raise _Unusable("a URL and a command are two servers: leave out one of them")
    elif not is_url and not command:
        raise _Unusable(f"the server's command is missing: {USAGE}")
    if len(words) > 1:
        raise _Unusable(f"one server at a time: leave out {words[1]}")


def _is_url(word: str) -> bool:
    return word.startswith(("http://", "https://"))


def _seconds(name: str, values: dict[str, str]) -> float | None:
    """
    Raises:
        _Unusable: it is no number of seconds.
    """
    if name not in values:
        return None
    try:
        seconds = float(values[name])
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 1e6:
        raise _Unusable(f"{name} {values[name]!r} is no time: write a number of seconds, such as 30")
    return seconds


def _start(given: _Arguments) -> Upstream:
    """The server, running or about to.

    Raises:
        _Unusable: it cannot be what was asked for.
        OSError: the command cannot be run.
    """
    if given.command:
        given.reject(_OF_URLS, "behind a URL: this one is a command")
        return Child.spawn(given.command, _environment(given), given.cwd)
    from terse.cli.proxied import Unusable, chosen_server
    from terse.proxy.servers import Local

    try:
        name, server = chosen_server(given.url, given.config, given.name, given.headers, given.transport)
    except Unusable as reason:
        raise _Unusable(str(reason)) from None
    given.server_name = given.server_name or name
    if isinstance(server, Local):
        given.reject(_OF_URLS, "behind a URL: this one is a command")
        given.command = [server.command, *server.args]
        environment = {**server.env, **(_environment(given) or {})}
        return Child.spawn(given.command, environment, given.cwd or server.cwd)
    given.reject(_OF_PROCESSES, "that is a process: this one is behind a URL")
    given.url = server.url
    occupy_standard_descriptors()
    from terse.proxy.complaints import Complaints
    from terse.proxy.remote.server import RemoteServer

    return RemoteServer(server, Complaints(), timeout=given.timeout, auth=_login(given, server))


def _login(given: _Arguments, server: Remote) -> Callable[[], Login] | None:
    """What logs in to the server; nothing where a token was given by hand.

    Raises:
        _Unusable: as whom, makes no sense.
    """
    if not given.logs_in or any(name.lower() == "authorization" for name in server.headers):
        if given.oauth:
            why = "an Authorization header is a login already" if given.logs_in else "--no-login"
            raise _Unusable(f"{next(iter(given.oauth))}: there is no login: {why}")
        return None
    client = None
    if given.oauth or server.oauth is not None:
        from terse.cli.oauth_options import Unusable, chosen_client

        try:
            client = chosen_client(given.oauth, server.oauth)
        except Unusable as reason:
            raise _Unusable(str(reason)) from None

    def login() -> Login:
        from terse.proxy.complaints import Complaints
        from terse.proxy.remote.login import Login

        return Login(server.url, given.login_seconds, Complaints(), client)

    return login


def _environment(given: _Arguments) -> dict[str, str] | None:
    """
    Raises:
        _Unusable: an entry is none.
    """
    if not given.env:
        return None
    from terse.proxy.servers import Unusable, expand_variables

    environment: dict[str, str] = {}
    for entry in given.env:
        name, equals, value = entry.partition("=")
        if not equals or not name or "\0" in entry:
            raise _Unusable(f"-e {name}: write NAME=VALUE")
        try:
            environment[name] = expand_variables(value, os.environ)
        except Unusable as reason:
            raise _Unusable(f"-e {name}: {reason}") from None
    return environment


def _bytes(size: str) -> int:
    """
    Raises:
        _Unusable: it is no size.
    """
    unit = size[-2:].upper()
    number = size[:-2].strip()
    if unit not in _UNITS or not (number.isascii() and number.isdigit() and len(number) < 7):
        raise _Unusable(f"--memory {size!r} is no size: write a whole number of KB, MB or GB, such as 64MB")
    return int(number) * _UNITS[unit]


def _check_telemetry() -> None:
    """
    Raises:
        _Unusable: it cannot be had.
    """
    from terse.telemetry.wanted import Unusable, is_wanted

    try:
        is_wanted(os.environ, asked=True)
    except Unusable as reason:
        raise _Unusable(f"--telemetry: {reason}") from None


def _loaded(
    given: _Arguments, complaints: Complaints, relay: Relay, observe: Observer | None
) -> ProxySession:
    """As `_session`.

    Raises:
        Refused: as `_session`; or, where rules were asked for, whatever else kept them from being loaded.
    """
    try:
        return _session(given, complaints, relay, observe)
    except BaseException as error:
        refused = as_refused(given, error)
        if refused is None:
            raise
        raise refused from error


def as_refused(given: _Arguments, error: BaseException) -> Refused | None:
    """What the failure of loading the rules means where rules were asked for; None: what it says itself."""
    from terse.proxy.complaints import place_of
    from terse.proxy.connection import Refused

    if given.rules is None or isinstance(error, (Refused, KeyboardInterrupt, SystemExit)):
        return None
    # INVARIANT: rules that were asked for hold, or nothing is sent: a guard, a `remove`, a hidden tool.
    fault = f"{type(error).__name__} at {place_of(error)}"
    return Refused(f"the rules could not be loaded: a fault of terse's own ({fault})")


def _session(
    given: _Arguments, complaints: Complaints, relay: Relay, observe: Observer | None
) -> ProxySession:
    """The rules, ready to run; called in a thread while the server boots. The relay follows them then.

    Raises:
        Refused: the rules do not compile, or name servers and nobody said which one this is.
    """
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
        store=None if given.store is None else _store(given.store),
        memory_bytes=given.memory_bytes,
        observe=observe,
    )


def policy_of(
    given: _Arguments, complaints: Complaints, *, is_alone: bool = True
) -> FixedPolicy | LivePolicy:
    """The rules that hold, and will.

    Args:
        is_alone: there is one server, and rules that name one need its name.

    Raises:
        Refused: they must not run.
    """
    from terse.cli.policy import DoesNotCompile, FixedPolicy, default_plan, load_plan
    from terse.proxy.connection import Refused

    def refusal(plan: Plan) -> str | None:
        from terse.proxy.session import named_server

        named = named_server(plan)
        if named is None or not is_alone or given.server_name is not None:
            return None
        server, place = named
        return f"the rules name the server {server} ({place}): say which one this is, with --server-name NAME"

    made: FixedPolicy | LivePolicy
    try:
        if given.rules is None:
            made = FixedPolicy(default_plan())
        elif not given.watches:
            made = FixedPolicy(load_plan(given.rules))
        else:
            from terse.cli.live import LivePolicy

            made = LivePolicy(given.rules, complaints, refusal)
    except DoesNotCompile as reason:
        raise Refused(str(reason)) from None
    if (why := refusal(made.plan)) is not None:
        raise Refused(why)
    made.start()
    return made


def _store(path: str) -> Store:
    """
    Raises:
        Refused: what is set aside cannot be kept there.
    """
    from terse.memory.sqlite_store import SqliteStore, Unusable
    from terse.proxy.connection import Refused

    try:
        return SqliteStore(path)
    except Unusable as reason:
        raise Refused(f"--store {path}: {reason}") from None


def _complain(message: str, code: int) -> int:
    line = f"terse: {''.join(char if char.isprintable() else ascii(char)[1:-1] for char in message)}\n"
    os.write(2, line.encode("utf-8", "backslashreplace"))
    return code
