"""`terse proxy [OPTION]… -- COMMAND…`: a server with its results made smaller.

The server is started first; everything else is imported while it boots. That is why the arguments are read
by hand here: an option parser takes longer to import than a small server takes to start.
"""

from __future__ import annotations

import os
import signal
import sys

from terse.proxy.child import Child

# Type checkers know the name; importing `typing` for it would delay the start of the server.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from terse.memory.store import Store
    from terse.proxy.complaints import Complaints
    from terse.proxy.session import ProxySession

USAGE = "terse proxy [--rules PATH] [--server-name NAME] [OPTION]… -- COMMAND [ARGUMENT]…"

HELP = f"""Usage: {USAGE}

Run an MCP server and make its tool results smaller, by rules. Put this in front of the server's command
in your client's configuration. Everything but the results of tool calls passes byte for byte; the list of
tools, too, unless rules set something aside or the client shows structuredContent.

Options:
  --rules PATH         a rule file, or a folder of rule files; without it, the default policy
  --server-name NAME   the name that rules call this server by; needed as soon as a rule names a server
  --client NAME        treat the client as one that shows its model `text`, or `structured` content, or as
                       the client of this name; without it, the client is asked for its name
  --no-retrieve        do not offer the client the tool that fetches what was set aside
  --store FILE         keep what was set aside in this file, so that it outlives a restart
  --memory SIZE        what earlier results may take in memory, for `dedup` and `diff` to speak of: 64MB if
                       not given; the oldest are forgotten first
  --help               this page

Without --server-name a name is derived from the command, for reports: `npx -y
@modelcontextprotocol/server-github` is `github`.

Example:
  terse proxy -- npx -y @modelcontextprotocol/server-everything

Exit codes: the server's own; 128+n after signal n; 2 when the rules do not compile; 126 or 127 when the
command cannot be run.
"""

_UNITS = {"KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}


class _Arguments:
    """
    Raises:
        _Unusable: a value makes no sense.
    """

    def __init__(self, command: list[str], values: dict[str, str], flags: set[str]) -> None:
        self.command = command
        self.rules = values.get("--rules")
        self.server_name = values.get("--server-name")
        self.client = values.get("--client")
        self.store = values.get("--store")
        self.memory_bytes = _bytes(values["--memory"]) if "--memory" in values else None
        self.retrieves = "--no-retrieve" not in flags


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
        child = Child.spawn(given.command)
    except _Unusable as reason:
        return _complain(str(reason), 2)
    except OSError as error:
        code = 127 if isinstance(error, FileNotFoundError) else 126
        return _complain(f"cannot run {given.command[0]!r}: {error.strerror}", code)

    from terse.proxy.stdio import Relay

    def load(complaints: Complaints) -> ProxySession:
        return _session(given, complaints)

    def rewrites_lists(introduction: bytes) -> bool:
        from terse.proxy.clients import may_show_structured

        # The default policy sets nothing aside, and has no `tools` block.
        return given.rules is not None or may_show_structured(
            introduction if given.client is None else given.client.encode()
        )

    may_refuse = given.rules is not None or given.store is not None
    code = Relay(
        child,
        load,
        must_load=may_refuse,
        rewrites_lists=rewrites_lists,
        holds_calls=given.rules is not None,
    ).run()
    # At once: threads may be waiting for input that never comes, and nothing is left to clean up.
    os._exit(code)


def _read(arguments: list[str]) -> _Arguments:
    """
    Raises:
        _Unusable: with what is wrong, and what to write instead.
    """
    values: dict[str, str] = {}
    flags: set[str] = set()
    rest = iter(arguments)
    command: list[str] = []
    for word in rest:
        name, equals, value = word.partition("=")
        if word == "--":
            command = list(rest)
        elif word == "--no-retrieve":
            flags.add(word)
        elif name in ("--rules", "--server-name", "--client", "--store", "--memory"):
            given = value if equals else next(rest, "")
            if not given or (given.startswith("--") and not equals):
                raise _Unusable(f"{name} needs a value: {USAGE}")
            if name in values:
                raise _Unusable(f"{name} is given twice")
            values[name] = given
        elif word.startswith("-"):
            raise _Unusable(f"there is no option {name}: {USAGE}")
        else:
            raise _Unusable(f"write `--` before the server's command: terse proxy -- {word} …")
    if not command:
        raise _Unusable(f"the server's command is missing: {USAGE}")
    rules = values.get("--rules")
    if rules is not None and not os.path.exists(rules):
        raise _Unusable(f"no such file or folder: {rules}")
    return _Arguments(command, values, flags)


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


def _session(given: _Arguments, complaints: Complaints) -> ProxySession:
    """The rules, ready to run; called in a thread while the server boots.

    Raises:
        Refused: the rules do not compile, or name servers and nobody said which one this is.
    """
    from terse.cli.policy import DoesNotCompile, default_plan, load_plan
    from terse.proxy.connection import Refused
    from terse.proxy.server_name import derived_name
    from terse.proxy.session import ProxySession, named_server
    from terse.tokens import vocabulary

    try:
        plan = default_plan() if given.rules is None else load_plan(given.rules)
    except DoesNotCompile as reason:
        raise Refused(str(reason)) from None
    named = named_server(plan)
    if named is not None and given.server_name is None:
        server, place = named
        raise Refused(
            f"the rules name the server {server} ({place}): say which one this is, with --server-name NAME"
        )
    name = given.server_name or derived_name(given.command)
    return ProxySession(
        plan,
        name,
        vocabulary(),
        complaints,
        client=given.client,
        retrieves=given.retrieves,
        store=None if given.store is None else _store(given.store),
        memory_bytes=given.memory_bytes,
    )


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
