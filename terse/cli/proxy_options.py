"""The options of `terse proxy`, which `terse serve` and `terse cli` have as well.

They are read by hand, and this file imports nothing: an option parser takes longer to import than a small
server takes to start.
"""

from __future__ import annotations

import os

# Type checkers know the name; importing `typing` for it would delay the start of the server.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

USAGE = "terse proxy [OPTION]… -- COMMAND [ARGUMENT]…, or terse proxy [OPTION]… URL"

_OAUTH = (
    *("--client-id", "--client-secret-file", "--client-secret-env", "--client-key-file", "--client-issuer"),
    *("--client-metadata-url", "--callback-port"),
)
_ALONE = "--client-credentials"
_CAPTURE = "--capture"
_ONCE = frozenset(
    (
        *("--rules", "--server-name", "--client", "--store", "--memory", "--config", "--wait", "--cwd"),
        *("--transport", "--timeout", "--login-timeout", *_OAUTH),
    )
)
_REDACTION = ("--redact", "--redact-name", "--redact-file")
_OFTEN = {"-e": "-e", "--env": "-e", "-H": "-H", "--header": "-H", **{name: name for name in _REDACTION}}
_FLAGS = frozenset(
    (
        "--no-retrieve",
        "--no-login",
        "--no-watch",
        "--no-ledger",
        "--telemetry",
        "--restart",
        "--no-arguments",
        _ALONE,
    )
)
OF_PROCESSES = ("-e", "--cwd", "--restart")
"""What only a server that is a process has."""
OF_URLS = ("-H", "--transport", "--timeout", "--no-login", "--login-timeout", *_OAUTH, _ALONE)
"""What only a server behind a URL has."""
OF_ONE = ("--server-name", "-e", "--cwd", "--restart", "-H", "--transport")
"""What a document says of each of its servers."""
LOGIN_SECONDS = 300.0

_UNITS = {"KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}


class Options:
    """What was asked for. Made by `read`.

    Attributes:
        given: the names of the options that were given, `-e` and `-H` by these.
        capture: the folder to capture calls in; empty: the user's own; None: only if that is asked for
            otherwise.

    Raises:
        Unusable: a value makes no sense.
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
        self.wait = seconds("--wait", values)
        self.url = None if self.config is not None else word
        self.name = None if self.config is None else word
        self.env = lists.get("-e", [])
        self.cwd = values.get("--cwd")
        self.headers = lists.get("-H", [])
        self.transport = values.get("--transport")
        self.timeout = seconds("--timeout", values)
        self.login_seconds = seconds("--login-timeout", values) or LOGIN_SECONDS
        self.logs_in = "--no-login" not in flags
        self.oauth = {name: values[name] for name in _OAUTH if name in values}
        if _ALONE in flags:
            self.oauth[_ALONE] = ""
        self.given = {*values, *lists, *flags}
        self.rules = values.get("--rules")
        self.server_name = values.get("--server-name")
        self.client = values.get("--client")
        self.store = values.get("--store")
        self.memory_bytes = size("--memory", values["--memory"]) if "--memory" in values else None
        self.retrieves = "--no-retrieve" not in flags
        self.watches = "--no-watch" not in flags
        self.telemetry = "--telemetry" in flags
        self.restarts = "--restart" in flags
        self.notes = "--no-ledger" not in flags
        self.capture = values.get(_CAPTURE)
        self.redaction = {name: lists[name] for name in _REDACTION if name in lists}
        self.captures_arguments = "--no-arguments" not in flags
        for option in (*self.redaction, *(("--no-arguments",) if not self.captures_arguments else ())):
            if self.capture is None:
                raise Unusable(f"{option} goes with --capture")

    def reject(self, options: tuple[str, ...], why: str) -> None:
        """
        Raises:
            Unusable: one of the options was given.
        """
        for option in options:
            if option in self.given:
                raise Unusable(f"{option} is for a server {why}")

    def environment(self) -> dict[str, str] | None:
        """What `-e` adds to the environment of a server; None: nothing.

        Raises:
            Unusable: an entry is none.
        """
        if not self.env:
            return None
        from terse.proxy.servers import Unusable as NoVariable
        from terse.proxy.servers import expand_variables

        environment: dict[str, str] = {}
        for entry in self.env:
            name, equals, value = entry.partition("=")
            if not equals or not name or "\0" in entry:
                raise Unusable(f"-e {name}: write NAME=VALUE")
            try:
                environment[name] = expand_variables(value, os.environ)
            except NoVariable as reason:
                raise Unusable(f"-e {name}: {reason}") from None
        return environment


class Unusable(Exception):  # noqa: N818 — says what the arguments are
    """The arguments make no sense. The message is one line."""


def read(arguments: list[str]) -> Options:
    """The options in a command line.

    Args:
        arguments: what follows `terse proxy`.

    Raises:
        Unusable: with what is wrong, and what to write instead.
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
        elif name == _CAPTURE:
            # The folder stands with it: a word of its own could be the server's URL.
            values[name] = _value(name, value, is_joined=True) if equals else ""
        elif word in _FLAGS:
            flags.add(word)
        elif word in _OFTEN or (name in _OFTEN and name.startswith("--")):
            lists.setdefault(_OFTEN[name], []).append(_value(name, value if equals else next(rest, "")))
        elif name in _ONCE:
            given = value if equals else next(rest, "")
            if name in values:
                raise Unusable(f"{name} is given twice")
            values[name] = _value(name, given, is_joined=bool(equals))
        elif word.startswith("-"):
            raise Unusable(f"there is no option {name}: {USAGE}")
        elif _is_url(word) or any(each.partition("=")[0] == "--config" for each in arguments):
            words.append(word)
        else:
            raise Unusable(f"write `--` before the server's command: terse proxy -- {word} …")
    _check_source(command, words, values)
    if (rules := values.get("--rules")) is not None and not os.path.exists(rules):
        raise Unusable(f"no such file or folder: {rules}")
    if (folder := values.get("--cwd")) is not None and not os.path.isdir(folder):
        raise Unusable(f"--cwd: no such folder: {folder}")
    return Options(command or [], words[0] if words else None, values, lists, flags)


def _value(name: str, given: str, *, is_joined: bool = False) -> str:
    """
    Raises:
        Unusable: there is none.
    """
    if not given or (given.startswith("--") and not is_joined):
        raise Unusable(f"{name} needs a value: {USAGE}")
    return given


def _check_source(command: list[str] | None, words: list[str], values: dict[str, str]) -> None:
    """
    Raises:
        Unusable: it is not said which server to run, or that in two ways.
    """
    is_url = any(_is_url(word) for word in words)
    if "--config" in values:
        if command is not None or is_url:
            raise Unusable("--config says which server to run: leave out the command or URL")
    elif is_url and command is not None:
        raise Unusable("a URL and a command are two servers: leave out one of them")
    elif not is_url and not command:
        raise Unusable(f"the server's command is missing: {USAGE}")
    if len(words) > 1:
        raise Unusable(f"one server at a time: leave out {words[1]}")


def _is_url(word: str) -> bool:
    return word.startswith(("http://", "https://"))


def seconds(name: str, values: Mapping[str, str]) -> float | None:
    """The time that an option was given; None: it was not given.

    Raises:
        Unusable: it is no number of seconds.
    """
    if name not in values:
        return None
    try:
        found = float(values[name])
    except ValueError:
        found = 0.0
    if not 0 < found <= 1e6:
        raise Unusable(f"{name} {values[name]!r} is no time: write a number of seconds, such as 30")
    return found


def size(name: str, text: str) -> int:
    """The bytes that are the value of an option of this name.

    Raises:
        Unusable: it is no size.
    """
    unit = text[-2:].upper()
    number = text[:-2].strip()
    if unit not in _UNITS or not (number.isascii() and number.isdigit() and len(number) < 7):
        raise Unusable(f"{name} {text!r} is no size: write a whole number of KB, MB or GB, such as 64MB")
    return int(number) * _UNITS[unit]
