"""Servers as clients are told of them: an `mcpServers` document in, typed servers out. No I/O.

`{"mcpServers": {"github": {"command": "npx", "args": ["-y", "…"], "env": {…}, "cwd": "…"},
"docs": {"type": "http", "url": "https://…", "headers": {…}, "oauth": {"clientId": …}}}}`; `servers` in place
of `mcpServers` is read, too. What else stands in a server's entry belongs to some client, and is left alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NoReturn, cast
from urllib.parse import urlsplit

from terse.payload.yaml_sample import NotYaml, to_json
from terse.proxy import oauth_client
from terse.proxy.oauth_client import OAuthClient

MAX_TEXT = 2_000_000
"""Characters of a document: no list of servers is nearly so long."""

Transport = Literal["auto", "http", "sse"]
"""`http` is streamable HTTP, `sse` the transport of 2024-11-05; `auto` tries the first, then the second."""

_SECTIONS = ("mcpServers", "servers")
_TRANSPORTS: dict[str, Transport] = {
    "http": "http",
    "streamable-http": "http",
    "streamable_http": "http",
    "streamableHttp": "http",
    "sse": "sse",
}
_VARIABLE = re.compile(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_OTHER_VARIABLE = re.compile(r"\$\{(\w+:[^}]*|[^}]*)\}")
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class Unusable(ValueError):  # noqa: N818 — says what the document is
    """The document, or a server in it, cannot be used. The message is one line: where, what is wrong, what to
    write instead. It never has a value of a header or of the environment in it."""


@dataclass(frozen=True, slots=True)
class Local:
    """A server that is started as a process.

    Attributes:
        env: what is added to our own environment.
        cwd: the directory it is started in; our own if None.
        disabled: the entry says that it is not to be used.
    """

    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    cwd: str | None = None
    disabled: bool = False

    def expanded(self, environment: Mapping[str, str], where: str = "the server") -> Local:
        """The server with `${NAME}` replaced by what the environment says; `${NAME:-default}` and
        `${env:NAME}` are understood as well.

        Args:
            where: what the server is called in a message.

        Raises:
            Unusable: the environment has no such variable, or what comes of it cannot be started.
        """
        expand = _Expander(environment, where)
        command = expand(self.command, "command")
        if not command:
            expand.fail("command", "it is empty")
        return replace(
            self,
            command=command,
            args=tuple(expand(each, f"args[{number}]") for number, each in enumerate(self.args)),
            env={name: expand(value, f"env.{name}") for name, value in self.env.items()},
            cwd=None if self.cwd is None else expand(self.cwd, "cwd"),
        )


@dataclass(frozen=True, slots=True)
class Remote:
    """A server behind a URL.

    Attributes:
        headers: sent with every request to it.
        disabled: the entry says that it is not to be used.
        oauth: who we are where it wants a login; None: whoever registers.
    """

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    transport: Transport = "auto"
    disabled: bool = False
    oauth: OAuthClient | None = None

    def expanded(self, environment: Mapping[str, str], where: str = "the server") -> Remote:
        """As `Local.expanded`.

        Raises:
            Unusable: the environment has no such variable, the URL is none, a header cannot be sent.
        """
        expand = _Expander(environment, where)
        url = expand(self.url, "url")
        if problem := url_problem(url):
            expand.fail("url", problem)
        headers = {name: expand(value, f"headers.{name}").strip() for name, value in self.headers.items()}
        for name, value in headers.items():
            if problem := header_problem(name, value):
                expand.fail(f"headers.{name}", problem)
        oauth = None
        if self.oauth is not None:
            oauth = self.oauth.with_texts(lambda name, text: expand(text, f"oauth.{name}"))
        return replace(self, url=url, headers=headers, oauth=oauth)


Server = Local | Remote


def read_servers(text: str) -> dict[str, Server]:
    """The servers of a document, JSON or YAML, by name and in order. Variables are not yet expanded: one that
    is missing is no reason to leave the other servers.

    Raises:
        Unusable: it is no such document.
    """
    document = _document(text)
    section = next((each for each in _SECTIONS if each in document), None)
    if section is None:
        raise Unusable('there is no "mcpServers" at the top: write {"mcpServers": {"NAME": {"command": …}}}')
    entries = document[section]
    if not isinstance(entries, dict):
        raise Unusable(f"{section}: write servers by name, not {_kind(entries)}")
    if not entries:
        raise Unusable(f"{section}: there is no server in it")
    return {name: _server(entry, f"{section}.{name}") for name, entry in entries.items()}


def url_problem(url: str) -> str | None:
    """What is wrong with the URL of a server; None if nothing is."""
    try:
        parts = urlsplit(url)
        port_is_sound = parts.port != 0
    except ValueError:
        return "it is no URL"
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_is_sound:
        return "write a URL that begins with https:// or http://, and has a host"
    if any(sign.isspace() or not sign.isprintable() for sign in url):
        return "a URL has no spaces"
    return None


def header_problem(name: str, value: str) -> str | None:
    """Why a header cannot be sent; None if it can be."""
    if not _HEADER_NAME.fullmatch(name):
        return "this is no name of a header"
    if any(sign in value for sign in "\r\n\0"):
        return "the value has a line end in it"
    return None


def shown_url(url: str) -> str:
    """The URL as it may be printed: without a password, and without the query, where keys are passed."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}"


def expand_variables(text: str, environment: Mapping[str, str]) -> str:
    """The text with its variables replaced.

    Raises:
        Unusable: one is missing. The message has the name of the variable, and nothing else of the text.
    """

    def value(found: re.Match[str]) -> str:
        name, default = found[1], found[2]
        known = environment.get(name)
        if known or (known is not None and default is None):
            return known
        if default is not None:
            return default
        raise Unusable(f"the environment has no {name}")

    rest = _VARIABLE.sub("", text)
    if unknown := _OTHER_VARIABLE.search(rest):
        kind = unknown[1].partition(":")[0] if ":" in unknown[1] else ""
        said = f"${{{kind}:…}}" if kind.isidentifier() else "${…}"
        raise Unusable(f"{said} is unknown here: only variables of the environment are, ${{NAME}}")
    return _VARIABLE.sub(value, text)


class _Expander:
    def __init__(self, environment: Mapping[str, str], where: str) -> None:
        self._environment = environment
        self._where = where

    def __call__(self, text: str, member: str) -> str:
        try:
            expanded = expand_variables(text, self._environment)
        except Unusable as reason:
            self.fail(member, str(reason))
        if "\0" in expanded:
            self.fail(member, "there is a character U+0000 in it")
        return expanded

    def fail(self, member: str, problem: str) -> NoReturn:
        raise Unusable(f"{self._where}: {member}: {problem}")


def _document(text: str) -> dict[str, Any]:
    if len(text) > MAX_TEXT:
        raise Unusable(f"it has over {MAX_TEXT:,} characters: that is no list of servers")
    text = text.removeprefix("\ufeff")
    try:
        # What begins like JSON is meant as JSON, and its errors have a column.
        source = text if text.lstrip().startswith(("{", "[")) else to_json(text)
        document = json.loads(source, object_pairs_hook=_once)
    except NotYaml as error:
        raise Unusable(str(error)) from None
    except json.JSONDecodeError as error:
        raise Unusable(f"line {error.lineno}, column {error.colno}: {_lower(error.msg)}") from None
    except RecursionError:
        raise Unusable("it is nested too deeply") from None
    if not isinstance(document, dict):
        raise Unusable(f'write {{"mcpServers": {{…}}}}, not {_kind(document)}')
    return document


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise Unusable(f"{json.dumps(twice)} stands twice in one object: one of them would be lost")
    return members


def _server(entry: object, where: str) -> Server:
    if not isinstance(entry, dict):
        raise Unusable(f"{where}: write an object with `command` or `url`, not {_kind(entry)}")
    disabled = entry.get("disabled", False)
    if not isinstance(disabled, bool):
        raise Unusable(f"{where}.disabled: write true or false, not {_kind(disabled)}")
    kind = _text(entry, "type", where) or _text(entry, "transport", where)
    if kind is not None and kind != "stdio" and kind not in _TRANSPORTS:
        raise Unusable(f"{where}.type: write stdio, http or sse, not {json.dumps(kind)[:40]}")
    command, url = _text(entry, "command", where), _text(entry, "url", where)
    if command is not None and url is not None:
        raise Unusable(f"{where}: it has both `command` and `url`: leave out one of them")
    if url is not None:
        if kind == "stdio":
            raise Unusable(f"{where}.type: a server with a `url` is http or sse, not stdio")
        transport: Transport = _TRANSPORTS[kind] if kind is not None else "auto"
        return Remote(url, _texts(entry, "headers", where), transport, disabled, _oauth(entry, where))
    if command is None:
        raise Unusable(f"{where}: it has neither `command` nor `url`")
    if kind in _TRANSPORTS:
        raise Unusable(f"{where}.type: a server with a `command` is stdio, not {kind}")
    env = _texts(entry, "env", where)
    if odd := next((name for name in env if not name or "=" in name or "\0" in name), None):
        raise Unusable(f"{where}.env: {json.dumps(odd)} is no name of a variable")
    return Local(command, _args(entry, where), env, _text(entry, "cwd", where), disabled)


def _oauth(entry: dict[str, object], where: str) -> OAuthClient | None:
    value = entry.get("oauth")
    if value is None or isinstance(value, bool):
        # Some clients write whether they may log in.
        return None
    if not isinstance(value, dict):
        raise Unusable(f'{where}.oauth: write {{"clientId": …}}, not {_kind(value)}')
    where = f"{where}.oauth"
    texts = {member: _text(value, name, where) for name, member in oauth_client.TEXTS.items()}
    grant = _text(value, "grant", where) or "authorization_code"
    if grant not in oauth_client.GRANTS:
        raise Unusable(f"{where}.grant: write {' or '.join(oauth_client.GRANTS)}")
    port = value.get("callbackPort")
    if port is not None and (isinstance(port, bool) or not isinstance(port, int)):
        raise Unusable(f"{where}.callbackPort: write a number, not {_kind(port)}")
    client = OAuthClient(**texts, callback_port=port, is_alone=oauth_client.GRANTS[grant])
    names = {member: f"{where}.{name}" for name, member in oauth_client.TEXTS.items()}
    try:
        # What has variables in it is looked at again once they are expanded.
        known = replace(client, issuer=None) if "${" in (client.issuer or "") else client
        known = replace(known, metadata_url=None) if "${" in (client.metadata_url or "") else known
        oauth_client.check(
            known, {**names, "callback_port": f"{where}.callbackPort", "is_alone": f"{where}.grant"}
        )
    except oauth_client.Unusable as reason:
        raise Unusable(str(reason)) from None
    return client


def _args(entry: dict[str, object], where: str) -> tuple[str, ...]:
    args = entry.get("args")
    if args is None:
        return ()
    if not isinstance(args, list):
        raise Unusable(f"{where}.args: write a list of texts, not {_kind(args)}")
    for number, each in enumerate(args):
        if not isinstance(each, str):
            raise Unusable(f"{where}.args[{number}]: {_in_quotes(each)}")
    return tuple(cast("list[str]", args))


def _texts(entry: dict[str, object], member: str, where: str) -> dict[str, str]:
    value = entry.get(member)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise Unusable(f"{where}.{member}: write texts by name, not {_kind(value)}")
    for name, each in value.items():
        if not isinstance(each, str):
            raise Unusable(f"{where}.{member}.{name}: {_in_quotes(each)}")
    return value


def _text(entry: dict[str, object], member: str, where: str) -> str | None:
    value = entry.get(member)
    if value is not None and not isinstance(value, str):
        raise Unusable(f"{where}.{member}: {_in_quotes(value)}")
    return value


def _in_quotes(value: object) -> str:
    hint = ": put it in quotes" if isinstance(value, (bool, int, float)) else ""
    return f"write a text, not {_kind(value)}{hint}"


_KINDS: tuple[tuple[Callable[[object], bool], str], ...] = (
    (lambda value: value is None, "null"),
    (lambda value: isinstance(value, bool), "true or false"),
    (lambda value: isinstance(value, (int, float)), "a number"),
    (lambda value: isinstance(value, str), "a text"),
    (lambda value: isinstance(value, list), "a list"),
)


def _kind(value: object) -> str:
    return next((name for is_kind, name in _KINDS if is_kind(value)), "an object")


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]
