"""`terse serve` as a process, and clients that speak HTTP to it by hand."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

HERE = Path(__file__).parent
TERSE = [sys.executable, "-m", "terse"]
TALKING = [sys.executable, str(HERE.parent / "servers" / "talking.py")]
PATIENCE = 20.0
"""Seconds after which a test fails instead of hanging; nothing is expected to take that long."""
LISTEN = ["--listen", "127.0.0.1:0"]
MODERN = "2026-07-28"
META = "io.modelcontextprotocol/"
BOTH = "application/json, text/event-stream"


class Served:
    """A running service.

    Attributes:
        url: of its endpoint.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.said: list[str] = []
        self._news = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        line = self.wait_for("listening on ")
        self.url = line.rpartition(" ")[2]
        self.base = self.url.removesuffix("/mcp")

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            with self._news:
                self.said.append(line.decode().rstrip())
                self._news.notify_all()

    def wait_for(self, text: str) -> str:
        """The line on stderr that has this text, once it is there."""

        def found() -> list[str]:
            return [line for line in self.said if text in line]

        with self._news:
            assert self._news.wait_for(found, PATIENCE), f"{text!r} was not said: {self.said}"
        return found()[0]

    def stop(self, number: int = signal.SIGTERM) -> int:
        """End it with a signal; its exit code."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)


@contextmanager
def served(
    *options: str,
    command: Sequence[str] | None = None,
    terse: Sequence[str] = TERSE,
    **environment: str,
) -> Iterator[Served]:
    """`terse serve` on a port of its own, before a server that is a process, unless `command` is empty."""
    target = ["--", *(TALKING if command is None else command)] if command != [] else []
    process = subprocess.Popen(
        [*terse, "serve", *([] if "--listen" in options else LISTEN), *options, *target],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, **environment},
    )
    try:
        yield Served(process)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(PATIENCE)
        assert process.stderr is not None
        process.stderr.close()


def refused(*arguments: str, **environment: str) -> tuple[int, str]:
    """The exit code and stderr of a service that cannot begin."""
    done = subprocess.run(
        [*TERSE, "serve", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
        env={**os.environ, **environment},
    )
    return done.returncode, done.stderr.decode()


@dataclass
class Event:
    """One event of a stream."""

    id: str | None
    data: str

    @property
    def message(self) -> Any:
        return json.loads(self.data)


def events(response: httpx2.Response) -> Iterator[Event]:
    """The events of a stream, until its end."""
    ident: str | None = None
    data: list[str] = []
    end = time.monotonic() + PATIENCE
    for line in response.iter_lines():
        # Comments keep a stream open on which nothing is said.
        assert time.monotonic() < end, f"the stream did not end within {PATIENCE} s"
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if line == "":
            if data:
                yield Event(ident, "\n".join(data))
            ident, data = None, []
        elif name == "id":
            ident = value
        elif name == "data":
            data.append(value)


def messages(response: httpx2.Response) -> list[Any]:
    """The messages of an answer, be it JSON or events; without the empty event that a stream begins with."""
    if response.headers["content-type"].startswith("application/json"):
        response.read()
        return [response.json()]
    return [event.message for event in events(response) if event.data]


def text_of(answer: Any) -> str:
    """The text of a tool's result."""
    text: str = answer["result"]["content"][0]["text"]
    return text


@dataclass
class Client:
    """A client of one session (2025-11-25 and before), by hand.

    Attributes:
        headers: of every request.
    """

    url: str
    version: str = "2025-11-25"
    headers: dict[str, str] = field(default_factory=dict)
    number: int = 100

    def __post_init__(self) -> None:
        self.http = httpx2.Client(timeout=PATIENCE, trust_env=False)
        self.headers = {"accept": BOTH, "content-type": "application/json", **self.headers}

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *error: object) -> None:
        self.http.close()

    def begin(self, capabilities: Mapping[str, Any] | None = None, name: str = "test") -> Client:
        """Begin a session."""
        response = self.post(
            request(
                0,
                "initialize",
                protocolVersion=self.version,
                capabilities=capabilities or {},
                clientInfo={"name": name, "version": "1"},
            )
        )
        assert response.status_code == 200, response.text
        self.headers["mcp-session-id"] = response.headers["mcp-session-id"]
        self.headers["mcp-protocol-version"] = self.version
        told = self.post({"jsonrpc": "2.0", "method": "notifications/initialized"})
        assert told.status_code == 202
        return self

    @property
    def session(self) -> str:
        return self.headers["mcp-session-id"]

    def post(self, message: Any, **headers: str) -> httpx2.Response:
        """Post a message; the whole answer."""
        content = message if isinstance(message, bytes) else json.dumps(message).encode()
        return self.http.post(self.url, content=content, headers={**self.headers, **_names(headers)})

    @contextmanager
    def posting(self, message: Any, **headers: str) -> Iterator[httpx2.Response]:
        """Post a message; the answer as it comes."""
        content = json.dumps(message).encode()
        sent = {**self.headers, **_names(headers)}
        with self.http.stream("POST", self.url, content=content, headers=sent) as response:
            yield response

    @contextmanager
    def listening(self, **headers: str) -> Iterator[httpx2.Response]:
        """Ask for what is said unasked, or with `last_event_id` for the rest of a stream."""
        with self.http.stream("GET", self.url, headers={**self.headers, **_names(headers)}) as response:
            yield response

    def call(self, tool: str, **arguments: object) -> str:
        """Call a tool; its text."""
        return text_of(self.answer(tool, **arguments))

    def answer(self, tool: str, **arguments: object) -> Any:
        """Call a tool; the message that answers."""
        self.number += 1
        said = messages(self.post(call(self.number, tool, **arguments)))
        (answer,) = [each for each in said if each.get("id") == self.number and "method" not in each]
        return answer


@dataclass
class Alone(Client):
    """A client of 2026-07-28, by hand: each request stands alone."""

    version: str = MODERN
    name: str | None = "test"

    def ask(self, method: str, ident: Any = 1, token: Any = None, **params: Any) -> httpx2.Response:
        """Send a request; the whole answer."""
        message = self.request(ident, method, token=token, **params)
        return self.post(message, **self.routing(message))

    def answer(self, tool: str, **arguments: object) -> Any:
        """Call a tool; the message that answers."""
        return messages(self.ask("tools/call", name=tool, arguments=arguments))[-1]

    def request(self, ident: Any, method: str, token: Any = None, **params: Any) -> dict[str, Any]:
        """A request with all that it has to say of itself."""
        meta: dict[str, Any] = {f"{META}protocolVersion": self.version, f"{META}clientCapabilities": {}}
        if self.name is not None:
            meta[f"{META}clientInfo"] = {"name": self.name, "version": "1"}
        if token is not None:
            meta["progressToken"] = token
        return request(ident, method, **params, _meta=meta)

    def routing(self, message: dict[str, Any]) -> dict[str, str]:
        """The headers that say what the message says."""
        name = {"mcp_name": message["params"]["name"]} if "name" in message["params"] else {}
        return {"mcp_protocol_version": self.version, "mcp_method": message["method"], **name}


def request(ident: Any, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": ident, "method": method, "params": params}


def call(ident: Any, tool: str, **arguments: object) -> dict[str, Any]:
    return request(ident, "tools/call", name=tool, arguments=arguments)


def _names(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


def until(condition: Any, what: str) -> None:
    """Wait until something holds."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"not within {PATIENCE} s: {what}"
        time.sleep(0.02)


def metric(served: Served, name: str) -> float:
    """A number of `/metrics`; 0 if it is not there."""
    page = httpx2.get(f"{served.base}/metrics", trust_env=False).text
    found = re.search(rf"^{re.escape(name)} (\S+)$", page, re.MULTILINE)
    return float(found[1]) if found else 0.0
