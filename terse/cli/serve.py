"""`terse serve [OPTION]… -- COMMAND…`, or a URL: servers over HTTP for many clients, with smaller results.

Its own options are taken out of the arguments; what is left is read as `terse proxy` reads it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from terse.cli.console import complain, write
from terse.cli.proxy_options import USAGE as USAGE_OF_PROXY
from terse.cli.proxy_options import Unusable, read, seconds, size

if TYPE_CHECKING:
    import socket

    from terse.cli.serving import Behind
    from terse.memory.redis_counts import RedisCounts
    from terse.memory.redis_link import RedisLink
    from terse.serve.access import Access
    from terse.serve.limits import Limits
    from terse.serve.service import Service
    from terse.serve.tally import Tally

PASSWORD = "TERSE_REDIS_PASSWORD"
DEFAULT_LISTEN = "127.0.0.1:8000"
USAGE = "terse serve [OPTION]… -- COMMAND [ARGUMENT]…, or terse serve [OPTION]… URL"
HELP = f"""Usage: terse serve [OPTION]… -- COMMAND [ARGUMENT]…
       terse serve [OPTION]… URL
       terse serve [OPTION]… --config FILE [NAME]

Serve MCP over streamable HTTP at http://HOST:PORT/mcp, to many clients at once, and make tool results
smaller, by rules. Behind it is a server that speaks over stdio (each session has a process of its own;
clients of 2026-07-28, which have no sessions, share one), one behind a URL, or, of a document without NAME,
all its servers as one. Where it listens is said on stderr.

Options:
  --listen HOST:PORT       where to listen: {DEFAULT_LISTEN} if not given; port 0 is any that is free
  --token-file FILE        ask for a bearer token: `NAME TOKEN` a line, for each user. Users do not reach each
                           other's sessions and set-aside values
  --token-env VARIABLE     the same, from the environment
  --oauth-issuer URL       ask for an access token (JWT) that this authorization server has signed for
  --oauth-audience URL     this service, by the address that clients know it by: https://example.com/mcp
  --oauth-scope NAME       a scope that tokens must have; as often as needed
  --allow-host NAME        a name that clients call this service by; as often as needed. Where it listens on a
                           loopback address, that and `localhost` are such names
  --allow-origin ORIGIN    web pages of this origin may ask (https://example.com); as often as needed
  --no-metrics             have no /metrics
  --workers N              processes that make large results smaller, beside the one that serves: 2 if not
                           given, 1 on a single processor; 0: that one does it itself
  --redis URL              be one of several replicas, any of which serves any request: what clients were sent
                           and what was set aside is kept in this Redis or Valkey (redis://HOST:6379/0; rediss://
                           for TLS). Its password is TERSE_REDIS_PASSWORD in the environment

Limits:
  --max-body SIZE          of one request: 16MB if not given
  --max-sessions N         sessions that are open at once: 1000 if not given
  --max-sessions-each N    those of one user: as many if not given
  --max-requests N         requests under way at once: 2000 if not given
  --idle SECONDS           close a session that nobody listens to after: 1800 if not given
  --request-timeout SECONDS  give up a request that is not answered after: 600 if not given
  --grace SECONDS          what is under way may take when the service is stopped: 10 if not given

Of `terse proxy`, which says more of them:
  --rules PATH, --no-watch, --server-name NAME, --client NAME, --no-retrieve, --config FILE, --wait SECONDS,
  -e NAME=VALUE, --cwd FOLDER, -H 'NAME: VALUE', --transport KIND, --timeout SECONDS, --no-ledger,
  --capture[=FOLDER] with its --redact…, and those of a login
  --store FILE             keep what was set aside in this file; with tokens, in one beside it for each user
  --memory SIZE            what earlier results of one session may take in memory: 4MB if not given
  --help                   this page

SIGTERM or Ctrl-C: new requests are refused, those under way are answered, the servers are ended. A second one
ends at once.

Example:
  terse serve --listen 127.0.0.1:8000 -- npx -y @modelcontextprotocol/server-memory

Exit codes: 0 after a signal; 128+n where a second signal n cut it short; 2 when it cannot begin: the rules
do not compile, the address is in use, a wrong argument.
"""

_ONCE = (
    *("--listen", "--token-file", "--token-env", "--oauth-issuer", "--oauth-audience", "--max-body"),
    *("--max-sessions", "--max-sessions-each", "--max-requests", "--idle", "--request-timeout", "--grace"),
    *("--redis", "--workers"),
)
_OFTEN = ("--oauth-scope", "--allow-host", "--allow-origin")
_FLAGS = ("--no-metrics",)
_MAX_NUMBER = 1_000_000


class Shared(NamedTuple):
    """What replicas share."""

    link: RedisLink
    counts: RedisCounts


def main(arguments: list[str]) -> int:
    """Serve until a signal comes, and return the exit code.

    Args:
        arguments: what follows `terse serve`.
    """
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if "--help" in options or "-h" in options:
        write(HELP)
        return 0
    if not hasattr(os, "fork"):
        return complain("the service runs on Linux and macOS only")
    from terse.proxy.connection import Refused

    try:
        given, rest = _split(arguments)
        shared = _shared(given, rest)
        host, port = _address(given.get("--listen", [DEFAULT_LISTEN])[0])
        access, callers = _access(given, host)
        limits = _limits(given)
        tally = _tally(given)
        behind = _behind(rest, shared, tally, limits.idle, _workers(given))
        behind.check_stores(callers)
        listener = _listener(host, port)
    except (Unusable, Refused) as reason:
        return complain(_said(reason))
    return _run(behind, access, limits, listener, shared, tally)


def _run(
    behind: Behind,
    access: Access,
    limits: Limits,
    listener: socket.socket,
    shared: Shared | None,
    tally: Tally | None,
) -> int:
    from terse.serve.running import run
    from terse.serve.service import PATH, Servers, Service

    replicas = None
    if shared is not None:
        from terse.serve.replicas import Replicas

        replicas = Replicas(
            shared.link,
            behind.for_replicas,
            behind.kept_seconds,
            asks_for_tools=behind.has_several,
            counted=shared.counts.today,
        )

    def service() -> Service:
        servers = Servers(behind.for_session, behind.to_share, behind.kind)
        return Service(servers, access, limits, tally=tally, replicas=replicas)

    code = run(service, listener, limits, lambda: _say(f"listening on http://{_shown(listener)}{PATH}"))
    behind.close()
    if shared is not None:
        shared.counts.flush()
    # At once: a thread may be waiting for what never comes, and nothing is left to clean up.
    os._exit(code)


# ---- arguments -----------------------------------------------------------------------------------------


def _split(arguments: list[str]) -> tuple[dict[str, list[str]], list[str]]:
    """Our own options, and the rest.

    Raises:
        Unusable: one of them has no value, or is given twice.
    """
    given: dict[str, list[str]] = {}
    rest: list[str] = []
    words = iter(arguments)
    for word in words:
        name, equals, value = word.partition("=")
        if word == "--":
            rest += [word, *words]
        elif word in _FLAGS:
            given[word] = []
        elif name in _ONCE or name in _OFTEN:
            value = value if equals else next(words, "")
            if not value or (value.startswith("--") and not equals):
                raise Unusable(f"{name} needs a value: {USAGE}")
            if name in given and name in _ONCE:
                raise Unusable(f"{name} is given twice")
            given.setdefault(name, []).append(value)
        else:
            rest.append(word)
    return given, rest


def _shared(given: dict[str, list[str]], rest: list[str]) -> Shared | None:
    """The Redis that replicas share.

    Raises:
        Unusable: it cannot be reached, or is no safe place.
    """
    if "--redis" not in given:
        return None
    url = given["--redis"][0]
    options = rest[: rest.index("--")] if "--" in rest else rest
    if any(word.partition("=")[0] == "--store" for word in options):
        raise Unusable("--redis and --store do not go together: what is set aside is kept in one place")
    try:
        parts = urlsplit(url)
        shown = url.replace(f"{parts.netloc.rpartition('@')[0]}@", "", 1)
        password = parts.password
    except ValueError:
        raise Unusable("--redis: it is no address: write redis://HOST:6379/0") from None
    if password is not None:
        raise Unusable(
            f"--redis {shown}: everybody on this machine can read the password there: "
            f"put it into {PASSWORD} in the environment"
        )
    from importlib.util import find_spec

    if find_spec("redis") is None:
        raise Unusable("--redis needs redis-py: pip install 'terse[redis]'")
    from terse.memory import redis_counts, redis_link

    try:
        link = redis_link.RedisLink(url, password=os.environ.get(PASSWORD))
        link.check()
    except (redis_link.Away, redis_link.Unusable) as reason:
        raise Unusable(f"--redis {shown}: {reason}") from None
    return Shared(link, redis_counts.RedisCounts(link))


def _behind(rest: list[str], shared: Shared | None, tally: Tally | None, idle: float, workers: int) -> Behind:
    """
    Raises:
        Unusable: it is not said what to serve.
        Refused: the rules must not run.
    """
    from terse.cli.proxied import Unusable as UnusableServer
    from terse.cli.serving import Behind

    kept = (tally, None if shared is None else shared.counts)
    observers = [each.observe for each in kept if each is not None]
    link = None if shared is None else shared.link
    try:
        return Behind(read(rest), link, idle, observers, workers)
    except UnusableServer as reason:
        raise Unusable(str(reason)) from None


def _address(listen: str) -> tuple[str, int]:
    """
    Raises:
        Unusable: it is none.
    """
    host, colon, port = listen.rpartition(":")
    host = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    is_port = port.isascii() and port.isdigit() and int(port) < 65536
    if not colon or not host or not is_port:
        raise Unusable(f"--listen {listen!r} is no address: write HOST:PORT, such as {DEFAULT_LISTEN}")
    return host, int(port)


def _access(given: dict[str, list[str]], host: str) -> tuple[Access, list[str]]:
    """What is asked of every request, and the callers that are known.

    Raises:
        Unusable: it cannot be asked for, or would let anybody in.
    """
    from terse.serve.access import ANYBODY, LOOPBACK, Access, Keys
    from terse.serve.issuer import Issuer
    from terse.serve.named_tokens import NamedTokens, tokens_in_file, tokens_in_variable
    from terse.serve.named_tokens import Unusable as UnusableTokens

    keys: list[Keys] = []
    callers: list[str] = []
    tokens: dict[str, str] = {}
    try:
        for path in given.get("--token-file", []):
            tokens |= tokens_in_file(path)
        for name in given.get("--token-env", []):
            tokens |= tokens_in_variable(name)
    except UnusableTokens as reason:
        raise Unusable(f"tokens: {reason}") from None
    if tokens:
        keys.append(NamedTokens(tokens))
        callers += NamedTokens(tokens).callers
    issuer, audience = given.get("--oauth-issuer"), given.get("--oauth-audience")
    if issuer and audience:
        _check_url("--oauth-issuer", issuer[0])
        _check_url("--oauth-audience", audience[0])
        keys.append(Issuer(issuer[0], audience[0], tuple(given.get("--oauth-scope", ()))))
    elif issuer or audience or given.get("--oauth-scope"):
        raise Unusable("--oauth-issuer and --oauth-audience belong together: give both")
    is_local = host in LOOPBACK or host.startswith("127.")
    if not is_local and not keys:
        raise Unusable(
            f"--listen {host} lets everybody in who can reach this machine: ask for tokens with "
            "--token-file, --token-env or --oauth-issuer, or listen on 127.0.0.1"
        )
    hosts = tuple(name.lower() for name in given.get("--allow-host", ()))
    if is_local:
        hosts = (*LOOPBACK, host, *hosts)
    elif hosts:
        hosts = (host.lower(), *hosts)
    for origin in given.get("--allow-origin", ()):
        parts = urlsplit(origin)
        if not parts.scheme or not parts.netloc or parts.path or parts.query:
            raise Unusable(f"--allow-origin {origin!r} is no origin: write https://example.com")
    return Access(hosts, tuple(given.get("--allow-origin", ())), keys), callers or [ANYBODY]


def _check_url(option: str, url: str) -> None:
    """
    Raises:
        Unusable: it is none that can be trusted.
    """
    from terse.proxy.servers import url_problem
    from terse.serve.access import LOOPBACK

    if problem := url_problem(url):
        raise Unusable(f"{option} {url}: {problem}")
    parts = urlsplit(url)
    if parts.scheme == "http" and parts.hostname not in LOOPBACK and option == "--oauth-issuer":
        raise Unusable(f"{option} {url}: what comes over http:// can be forged: write https://")


def _limits(given: dict[str, list[str]]) -> Limits:
    """
    Raises:
        Unusable: one is no number.
    """
    from terse.serve.limits import Limits

    usual = Limits()
    sessions = _number("--max-sessions", given, usual.sessions)
    body = given.get("--max-body")
    return Limits(
        body_bytes=usual.body_bytes if body is None else size("--max-body", body[0]),
        sessions=sessions,
        sessions_each=_number("--max-sessions-each", given, sessions),
        requests=_number("--max-requests", given, usual.requests),
        idle=_seconds("--idle", given, usual.idle),
        request_seconds=_seconds("--request-timeout", given, usual.request_seconds),
        grace=_seconds("--grace", given, usual.grace),
    )


def _workers(given: dict[str, list[str]]) -> int:
    """
    Raises:
        Unusable: it is no number.
    """
    from terse.workers.pool import usual_count

    return _number("--workers", given, usual_count(), least=0, most=64)


def _number(
    name: str, given: dict[str, list[str]], usual: int, *, least: int = 1, most: int = _MAX_NUMBER
) -> int:
    if name not in given:
        return usual
    text = given[name][0]
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 8 else -1
    if not least <= number <= most:
        raise Unusable(f"{name} {text!r} is no number: write a whole one, from {least} to {most:,}")
    return number


def _seconds(name: str, given: dict[str, list[str]], usual: float) -> float:
    found = seconds(name, {each: values[0] for each, values in given.items() if values})
    return usual if found is None else found


def _tally(given: dict[str, list[str]]) -> Tally | None:
    """What `/metrics` says of what was sent; None where there are none."""
    from importlib.util import find_spec

    if "--no-metrics" in given or find_spec("prometheus_client") is None:
        return None
    from terse.serve.tally import Tally

    return Tally()


# ---- where it listens ----------------------------------------------------------------------------------


def _listener(host: str, port: int) -> socket.socket:
    """
    Raises:
        Unusable: it cannot be listened on.
    """
    import errno

    from terse.serve.running import listening

    try:
        return listening(host, port)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        if error.errno == errno.EADDRINUSE:
            reason = "the address is in use: take another port, or 0 for any that is free"
        raise Unusable(f"cannot listen on {host}:{port}: {reason}") from None


def _shown(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _say(message: str) -> None:
    os.write(2, f"terse: {message}\n".encode("utf-8", "backslashreplace"))


def _said(reason: Exception) -> str:
    return str(reason).replace(USAGE_OF_PROXY, USAGE).replace("terse proxy ", "terse serve ")
