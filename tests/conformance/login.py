"""The suite's OAuth scenarios for clients, with terse as the one that logs in: `terse proxy URL`, or `serve`.

The conformance client would have a login of its own. In its place a few messages are written to the proxy, as
a client on stdio writes them, and the browser of the user is played: the address that terse shows is opened.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import IO, Any
from urllib.request import urlopen

from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from tests.conformance.paths import RULES, TERSE, free_port, wait_for

SHOWN = "terse: log in at "
DOCUMENT = "https://conformance-test.local/client-metadata.json"
"""The client id that the suite expects where ids may be addresses of documents."""
SECONDS = 30.0
INFO = {"name": "conformance", "version": "1"}


class _Session:
    """A client that asks one thing after another."""

    def __init__(self, process: subprocess.Popen[bytes], version: str) -> None:
        self._process = process
        self._version = version
        self._number = 0

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """The result; an empty one where there is an error, which the suite may want to see."""
        self._number += 1
        if self._version in MODERN_PROTOCOL_VERSIONS:
            prefix = "io.modelcontextprotocol/"
            meta = {"protocolVersion": self._version, "clientCapabilities": {}, "clientInfo": INFO}
            params["_meta"] = {prefix + name: value for name, value in meta.items()}
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        assert self._process.stdout is not None
        while line := self._process.stdout.readline():
            message = json.loads(line)
            if message.get("id") == self._number and "method" not in message:
                print(method, "error" in message and message["error"])
                result: dict[str, Any] = message.get("result", {})
                return result
        return {}

    def greet(self) -> bool:
        """What a connection of the version begins with; whether there is one then."""
        if self._version in MODERN_PROTOCOL_VERSIONS:
            return bool(self.ask("server/discover"))
        if not self.ask("initialize", protocolVersion=self._version, capabilities={}, clientInfo=INFO):
            return False
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return True

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()


def log_in(url: str, version: str, context: dict[str, Any], *, serves: bool = False) -> int:
    """List the tools of a server that wants a login, and call the first. Returns the proxy's exit code.

    Args:
        context: what the scenario says of the client that it knows beforehand.
        serves: it is `terse serve URL` that logs in; a proxy without a login is its client.
    """
    if serves:
        with _serve(url, context) as served:
            return _talk([*TERSE, "proxy", "--no-login", served], version)
    with tempfile.TemporaryDirectory() as folder:
        return _talk([*TERSE, "proxy", *RULES, *client_options(context, folder), url], version)


def _talk(command: list[str], version: str) -> int:
    with _started(command) as process:
        session = _Session(process, version)
        if session.greet():
            for tool in session.ask("tools/list").get("tools", [])[:1]:
                session.ask("tools/call", name=tool["name"], arguments={})
        assert process.stdin is not None
        process.stdin.close()
        return process.wait(SECONDS)


def client_options(context: dict[str, Any], folder: str) -> list[str]:
    """What `terse proxy` is told of the client.

    Args:
        folder: where a secret or a key is written to.
    """
    if "client_id" not in context:
        return ["--client-metadata-url", DOCUMENT]
    options = ["--client-id", str(context["client_id"])]
    for name, option in (("client_secret", "--client-secret-file"), ("private_key_pem", "--client-key-file")):
        if name in context:
            file = Path(folder) / name
            file.write_text(str(context[name]), encoding="utf-8")
            options += [option, str(file)]
    is_alone = os.environ.get("MCP_CONFORMANCE_SCENARIO", "").startswith("auth/client-credentials")
    return [*options, "--client-credentials"] if is_alone else options


@contextmanager
def _serve(url: str, context: dict[str, Any]) -> Iterator[str]:
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        options = ["--listen", f"127.0.0.1:{port}", *RULES, *client_options(context, folder)]
        with _started([*TERSE, "serve", *options, url]) as process:
            wait_for(port, process)
            yield f"http://127.0.0.1:{port}/mcp"


@contextmanager
def _started(command: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """Terse, with logins of its own; what it says is looked at for an address to open."""
    with tempfile.TemporaryDirectory() as state:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "XDG_STATE_HOME": state},
        )
        assert process.stderr is not None
        Thread(target=_browse, args=(process.stderr,), daemon=True).start()
        try:
            yield process
        finally:
            process.kill()
            process.wait()


def _browse(errors: IO[bytes]) -> None:
    """Open each address that is shown, as a user would who agrees to everything."""
    for raw in errors:
        line = raw.decode("utf-8", "replace")
        sys.stderr.write(line)
        if line.startswith(SHOWN):
            try:
                with urlopen(line.removeprefix(SHOWN).split(" ")[0], timeout=SECONDS) as page:
                    page.read()
            except OSError as error:
                print(f"the browser: {error}", file=sys.stderr)
