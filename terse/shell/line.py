"""A command line of `terse cli`, but for what is about a tool: which server, how it is run, what is asked."""

from __future__ import annotations

import os
from collections.abc import Sequence

from terse.shell import known
from terse.shell.source import Source
from terse.shell.unusable import Unusable

USAGE = "terse cli NAME [TOOL [--FLAG VALUE]…]"
IDLE_SECONDS = 600.0
WAIT_SECONDS = 600.0

_PATHS = ("--rules", "--store", "--cwd")
_PASSED = (*_PATHS, "--memory", "--transport", "--timeout", "--login-timeout")
_PASSED_OFTEN = {"-e": "-e", "--env": "-e", "-H": "-H", "--header": "-H"}
_PASSED_FLAGS = ("--no-login",)
_WITH_VALUE = ("--config", "--idle", "--wait", "--output")
_FLAGS = ("--json", "--raw", "--no-daemon", "--stop", "--forget", "--list", "--alias", "--help", "-h")
BEFORE_A_TOOL = (*_PASSED, *_PASSED_OFTEN, *_PASSED_FLAGS, *_WITH_VALUE, "--arguments", *_FLAGS)
WITH_VALUE = (*_PASSED, *_PASSED_OFTEN, *_WITH_VALUE, "--arguments")


class Line:
    """What a command line says.

    Attributes:
        name: of the server; None if none is named.
        tool: None if none is named.
        words: what follows the tool.
        server: the command, or URL, of a server that is to be known by that name; empty without one.
        values, flags: options of `terse cli` by name.
        passed: options of `terse proxy`, one after the other, each once or as often as it may be.
    """

    def __init__(self) -> None:
        self.name: str | None = None
        self.tool: str | None = None
        self.words: list[str] = []
        self.server: list[str] = []
        self.values: dict[str, str] = {}
        self.flags: set[str] = set()
        self.passed: dict[str, list[str]] = {}

    def seconds(self, name: str, usual: float) -> float:
        """
        Raises:
            Unusable: it is no time.
        """
        text = self.values.get(name)
        if text is None:
            return usual
        try:
            found = float(text)
        except ValueError:
            found = 0.0
        if not 0 < found <= 1e6:
            raise Unusable(f"{name} {text!r} is no time: write a number of seconds, such as 30")
        return found

    def source(self) -> Source:
        """
        Raises:
            Unusable: there is no private place for its process.
        """
        assert self.name is not None
        config = self.values.get("--config")
        if config is None:
            config, home = known.path(), os.path.expanduser("~")
        elif config.lstrip().startswith("{"):
            config, home = config.lstrip(), os.getcwd()
        else:
            config = os.path.abspath(config)
            home = os.path.dirname(config)
        rules = self.passed.get("--rules", [None])[0]
        if rules is not None and not os.path.exists(rules):
            raise Unusable(f"no such file or folder: {rules}")
        idle = self.seconds("--idle", IDLE_SECONDS)
        cwd = self.passed.get("--cwd", [home])[0]
        if not os.path.isdir(cwd):
            raise Unusable(f"--cwd: no such folder: {cwd}")
        is_own = "--no-daemon" in self.flags
        return Source(self.name, config, rules, self.options(), cwd, idle, is_own=is_own)

    def options(self) -> list[str]:
        """The options of `terse proxy` as it is given them."""
        made: list[str] = []
        for name, values in self.passed.items():
            made += [word for value in values for word in (name, value)] if values else [name]
        return made


def read(arguments: Sequence[str]) -> Line:
    """What the words after `terse cli` say.

    Raises:
        Unusable: they make no sense.
    """
    line = Line()
    words = list(arguments)
    for word in words:
        try:
            word.encode()
        except UnicodeEncodeError:
            # Names, commands and arguments are written as JSON.
            raise Unusable(f"{word} is not UTF-8 text") from None
    if "--" in words:
        at = words.index("--")
        words, line.server = words[:at], words[at + 1 :]
        if not line.server:
            raise Unusable("write the server's command, or its URL, after `--`")
    while words:
        word = words.pop(0)
        if word.startswith("-"):
            _option(line, word, words)
        elif line.name is None:
            line.name = word
        elif word.startswith(("http://", "https://")) and not line.server:
            line.server = [word]
        else:
            line.tool, line.words = word, line.words + words
            break
    if line.name is not None and (not line.name.strip() or line.name.startswith(("http://", "https://"))):
        raise Unusable(f"write a name for the server first: {USAGE}")
    return line


def _option(line: Line, word: str, rest: list[str]) -> None:
    name, equals, value = word.partition("=")
    if name in _FLAGS and not equals:
        line.flags.add(name)
    elif name in _PASSED_FLAGS and not equals:
        line.passed[name] = []
    elif name == "--arguments":
        # About the tool that is still to come.
        line.words += [name, value if equals else _next(name, rest)]
    elif name in _WITH_VALUE:
        if name in line.values:
            raise Unusable(f"{name} is given twice")
        line.values[name] = value if equals else _next(name, rest)
    elif name in _PASSED:
        if name in line.passed:
            raise Unusable(f"{name} is given twice")
        found = value if equals else _next(name, rest)
        line.passed[name] = [os.path.abspath(found) if name in _PATHS else found]
    elif name in _PASSED_OFTEN:
        line.passed.setdefault(_PASSED_OFTEN[name], []).append(value if equals else _next(name, rest))
    else:
        from terse.listing.arguments import nearest

        meant = nearest(name, BEFORE_A_TOOL)
        hint = f"did you mean {meant}?" if meant else "flags of a tool stand after its name"
        raise Unusable(f"there is no option {name}: {hint}")


def _next(name: str, rest: list[str]) -> str:
    if not rest or not rest[0]:
        raise Unusable(f"{name} needs a value")
    return rest.pop(0)
