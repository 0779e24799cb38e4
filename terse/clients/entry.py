"""A server's entry: what it says, with terse put in front of it, and with terse taken out again. No I/O."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from terse.clients.document import Document, Edit, Member, Node, NotEditable, bracket_list, inserted, removed

_SIMPLE = re.compile(r"[A-Za-z0-9_./@-]+")
_HEADER = "TERSE_HEADER_{}"
"""The variable that a header's value moves to: others can read a process's arguments, not its environment."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How a client writes an entry.

    Attributes:
        args: the key of the arguments; None where `command` is a list that has them, too.
        urls: keys that a remote server's address stands at, each with its transport (None: what `kind` says).
        kind: the key that says what sort of server it is.
        local: what stands there for a process.
        remote: what may stand there for a server behind a URL, with its transport.
        token_variable: a key with the name of a variable that has a bearer token.
        passes_variables: a key with the names of variables that the process is given.
        beside: other keys of a remote entry that mean the same for a process.
    """

    command: str = "command"
    args: str | None = "args"
    env: str = "env"
    urls: Mapping[str, str | None] = field(default_factory=lambda: {"url": None})
    headers: str | None = "headers"
    kind: str = "type"
    local: str = "stdio"
    remote: Mapping[str, str | None] = field(
        default_factory=lambda: {"http": "http", "streamable-http": "http", "sse": "sse"}
    )
    token_variable: str | None = None
    passes_variables: str | None = None
    beside: frozenset[str] = frozenset(("disabled", "enabled", "timeout", "description"))


@dataclass(frozen=True, slots=True)
class Wrapped:
    """terse in front of a server.

    Attributes:
        terse: the command that starts it.
        rules: its rule file or folder; None for the default policy.
        words: how many words of the command line are terse's own, with `terse` itself.
    """

    terse: tuple[str, ...]
    rules: str | None
    words: int


@dataclass(frozen=True, slots=True)
class Server:
    """What an entry says.

    Attributes:
        command: the command line as it stands, of a local server.
        url: of one behind a URL.
        wrapped: terse is in front of it.
        is_off: the entry says that the client is not to use it.
    """

    command: tuple[str, ...] = ()
    url: str | None = None
    transport: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    token_variable: str | None = None
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    cwd: str | None = None
    wrapped: Wrapped | None = None
    is_off: bool = False

    @property
    def inner(self) -> tuple[str, ...]:
        """The server's own command line, without terse; a URL with the options for it, where it has one."""
        return self.command if self.wrapped is None else self.command[self.wrapped.words :]


@dataclass(frozen=True, slots=True)
class Front:
    """What is put in front: the words that start terse, and the rules."""

    terse: tuple[str, ...]
    rules: str | None = None

    def words(self, name: str) -> tuple[str, ...]:
        """The command line up to where the server's own begins."""
        rules = () if self.rules is None else ("--rules", self.rules)
        return (*self.terse, "proxy", "--server-name", name, *rules)


@dataclass(frozen=True, slots=True)
class Change:
    """Edits of the file, and what the entry has to mean afterwards."""

    edits: tuple[Edit, ...]
    value: Mapping[str, Any]
    adds_args: bool = False


def read(shape: Shape, entry: object) -> Server:
    """What an entry says.

    Raises:
        NotEditable: it is no entry of this client.
    """
    if not isinstance(entry, Mapping):
        raise NotEditable("its entry is no mapping")
    is_off = entry.get("disabled") is True or _is_false(entry.get("enabled"))
    kind = entry.get(shape.kind)
    cwd = entry.get("cwd")
    env = _texts(entry, shape.env)
    if shape.command in entry:
        if kind not in (None, shape.local):
            raise NotEditable(f"it has a {shape.command}, and its {shape.kind} is not {shape.local}")
        command = _command(shape, entry)
        return Server(
            command=command,
            env=env,
            cwd=cwd if isinstance(cwd, str) else None,
            wrapped=_wrapped(command),
            is_off=is_off,
        )
    url_key = next((key for key in shape.urls if key in entry), None)
    if url_key is None or not isinstance(entry[url_key], str):
        raise NotEditable(f"it has neither a {shape.command} nor a {' or '.join(shape.urls)}")
    if kind is not None and kind not in shape.remote:
        raise NotEditable(f"its {shape.kind} is unknown")
    token = entry.get(shape.token_variable) if shape.token_variable else None
    return Server(
        url=entry[url_key],
        transport=shape.urls[url_key] or (None if kind is None else shape.remote[kind]),
        headers=_texts(entry, shape.headers) if shape.headers else {},
        token_variable=token if isinstance(token, str) else None,
        is_off=is_off,
    )


def wrap(shape: Shape, document: Document, entry: Node, name: str, front: Front) -> Change:
    """terse put in front of a server.

    Raises:
        NotEditable: it is already there, or the entry cannot be written as a process.
    """
    server = read(shape, entry.value)
    if not name or name.startswith("--"):
        raise NotEditable("terse proxy takes no server of this name")
    if server.wrapped is not None:
        raise NotEditable("terse is already in front of it")
    if server.url is not None:
        return _wrap_remote(shape, document, entry, server, front.words(name))
    words = (*front.words(name), "--")
    command = entry.members[shape.command].node
    if shape.args is None:
        edit = inserted(document, command, [document.string(word) for word in words])
        return Change((edit,), {**entry.value, shape.command: [*words, *server.command]})
    raw = document.text[command.start : command.end]
    # A word that means the same in a list; else anew.
    is_own = _SIMPLE.fullmatch(raw) or (raw[:1] in "\"'" and "\n" not in raw)
    own = raw if is_own else document.string(server.command[0])
    front_args = [*(document.string(word) for word in words[1:]), own]
    edits = [Edit(command.start, command.end, document.string(words[0]))]
    value = {**entry.value, shape.command: words[0], shape.args: [*words[1:], *server.command]}
    if shape.args in entry.members:
        args = entry.members[shape.args].node
        if len(args.items) != len(server.command) - 1:
            raise NotEditable(f"its {shape.args} are written in a way that cannot be edited")
        edits.append(inserted(document, args, front_args))
        return Change(tuple(edits), value)
    separator = document.separator(entry, entry.members[shape.command])
    added = document.member(shape.args, "[" + ", ".join(front_args) + "]")
    # One edit: two that touch would have no order.
    edits = [Edit(command.start, command.end, document.string(words[0]) + separator + added)]
    return Change(tuple(edits), value, adds_args=True)


def unwrap(shape: Shape, document: Document, entry: Node, *, added_args: bool) -> Change:
    """terse taken out from in front of a server that is a process.

    Raises:
        NotEditable: it is not there, or the server is behind a URL: its entry cannot be told from this one.
    """
    server = read(shape, entry.value)
    if server.wrapped is None:
        raise NotEditable("terse is not in front of it")
    options = server.command[len(server.wrapped.terse) + 1 : server.wrapped.words]
    if set(options[:-1:2]) - {"--server-name", "--rules"} and "--" in options:
        raise NotEditable("terse has options there that `terse install` does not write: take it out by hand")
    if "--" not in options:
        raise NotEditable("its entry was changed since, and the one it had before cannot be told from it")
    count = server.wrapped.words
    if shape.args is None:
        edit = removed(document, entry.members[shape.command].node, count)
        return Change((edit,), {**entry.value, shape.command: list(server.inner)})
    command, args = entry.members[shape.command].node, entry.members[shape.args].node
    if len(args.items) != len(server.command) - 1:
        raise NotEditable(f"its {shape.args} are written in a way that cannot be edited")
    own = args.items[count - 1]
    edits = [Edit(command.start, command.end, document.text[own.start : own.end])]
    value = {**entry.value, shape.command: server.inner[0], shape.args: list(server.inner[1:])}
    if added_args and len(args.items) == count and args.start > command.end:
        del value[shape.args]
        edits.append(Edit(command.end, args.end, ""))
        return Change(tuple(edits), value)
    return Change((*edits, removed(document, args, count)), value)


def _wrap_remote(
    shape: Shape, document: Document, entry: Node, server: Server, words: Sequence[str]
) -> Change:
    """
    Raises:
        NotEditable: something in the entry would be lost.
    """
    url_key = next(key for key in shape.urls if key in entry.value)
    known = {url_key, shape.kind, shape.headers, shape.token_variable, *shape.beside}
    empty: tuple[object, ...] = ({}, [], "", None)
    if unknown := sorted(key for key in set(entry.value) - known if entry.value[key] not in empty):
        raise NotEditable(f"terse proxy cannot do what its {', '.join(unknown)} says: it stays without terse")
    url = server.url or ""
    if any(sign.isspace() for sign in url) or not url.startswith(("http://", "https://")):
        raise NotEditable(f"its {url_key} does not begin with https:// or http://")
    if "?" in url or "@" in url.split("/")[2]:
        why = "may be a key, and others can read the arguments of a process"
        raise NotEditable(f"what its {url_key} has beside host and path {why}: it stays without terse")
    if len(server.headers) != len(entry.value.get(shape.headers, {})):
        raise NotEditable(f"its {shape.headers} are not all text")
    variables = {name: _HEADER.format(number) for number, name in enumerate(server.headers, 1)}
    headers = [f"{name}: ${{{variable}}}" for name, variable in variables.items()]
    value = {key: each for key, each in entry.value.items() if key not in (url_key, shape.headers)}
    edits: list[Edit] = []
    if server.token_variable is not None and shape.token_variable and shape.passes_variables:
        headers.append(f"Authorization: Bearer ${{{server.token_variable}}}")
        passed = document.member(shape.passes_variables, bracket_list(document, [server.token_variable]))
        edits.append(_replaced(entry.members[shape.token_variable], passed))
        del value[shape.token_variable]
        value[shape.passes_variables] = [server.token_variable]
    if shape.headers and shape.headers in entry.members:
        moved = {variables[name]: text for name, text in server.headers.items()}
        edits.append(
            _replaced(entry.members[shape.headers], document.member(shape.env, document.mapping(moved)))
        )
        value[shape.env] = moved
    transport = () if server.transport is None else ("--transport", server.transport)
    options = [word for header in headers for word in ("-H", header)]
    line = [*words, *transport, *options, url]
    member = entry.members[url_key]
    if shape.args is None:
        written = document.member(shape.command, bracket_list(document, line))
        value[shape.command] = line
    else:
        command = document.member(shape.command, document.string(line[0]))
        args = document.member(shape.args, bracket_list(document, line[1:]))
        written = command + document.separator(entry, member) + args
        value |= {shape.command: line[0], shape.args: line[1:]}
    edits.append(_replaced(member, written))
    if shape.kind in entry.members:
        kind = entry.members[shape.kind].node
        edits.append(Edit(kind.start, kind.end, document.string(shape.local)))
        value[shape.kind] = shape.local
    return Change(tuple(edits), value)


def _replaced(member: Member, written: str) -> Edit:
    """
    Raises:
        NotEditable: it has no place of its own.
    """
    if member.start < 0:
        raise NotEditable("its headers are a table of their own: write them in one line, { … }")
    return Edit(member.start, member.node.end, written)


def _command(shape: Shape, entry: Mapping[str, Any]) -> tuple[str, ...]:
    """
    Raises:
        NotEditable: it is no command line.
    """
    command = entry[shape.command]
    words = command if shape.args is None else [command, *_words(entry, shape.args)]
    if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
        raise NotEditable(f"its {shape.command} is no command line")
    if not words[0]:
        raise NotEditable(f"its {shape.command} is empty")
    return tuple(words)


def _words(entry: Mapping[str, Any], key: str) -> list[Any]:
    """
    Raises:
        NotEditable: it is no list.
    """
    words = entry.get(key, [])
    if not isinstance(words, list):
        raise NotEditable(f"its {key} is no list")
    return words


def _texts(entry: Mapping[str, Any], key: str) -> dict[str, str]:
    """
    Raises:
        NotEditable: it is no mapping of strings.
    """
    found = entry.get(key, {})
    if not isinstance(found, Mapping):
        raise NotEditable(f"its {key} is no mapping")
    return {name: text for name, text in found.items() if isinstance(text, str)}


def _is_false(value: object) -> bool:
    return value is False or value == ("tag:yaml.org,2002:bool", "false")


def _wrapped(command: tuple[str, ...]) -> Wrapped | None:
    """terse at the beginning of a command line, however it got there."""
    if command[1:2] == ("proxy",) and re.split(r"[\\/]", command[0])[-1] in ("terse", "terse.exe"):
        begin = 1
    elif command[1:4] == ("-m", "terse", "proxy"):
        begin = 3
    else:
        return None
    if "--" in command:
        words = command.index("--") + 1
        if words == len(command):
            return None
    else:
        words = begin + 1
    options = command[begin:words] if "--" in command else command[begin:]
    rules = next((options[at + 1] for at, word in enumerate(options[:-1]) if word == "--rules"), None)
    return Wrapped(command[:begin], rules, words)
