"""A model that is none: a server on this machine with answers made up beforehand."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Reply:
    """An HTTP answer; `delay` seconds late, unless the test is over first."""

    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0


@dataclass
class Request:
    path: str
    headers: dict[str, str]
    body: Any


def chat(text: str) -> Reply:
    return Reply(200, json.dumps({"choices": [{"message": {"role": "assistant", "content": text}}]}).encode())


def message(text: str) -> Reply:
    blocks = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": text}]
    return Reply(200, json.dumps({"content": blocks}).encode())


class Fake:
    """The server. A context manager.

    Attributes:
        replies: one for each request, in order; then
        reply: what makes all the others from the request's body.
    """

    def __init__(self) -> None:
        self.replies: Sequence[Reply] = ()
        self.reply: Callable[[Any], Reply] = lambda body: chat("12")
        self.requests: list[Request] = []
        self._over = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Fake:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                headers = {name.lower(): value for name, value in self.headers.items()}
                fake.requests.append(Request(self.path, headers, body))
                number = len(fake.requests) - 1
                reply = fake.replies[number] if number < len(fake.replies) else fake.reply(body)
                if reply.delay and fake._over.wait(reply.delay):
                    return
                try:
                    self.send_response(reply.status)
                    self.send_header("content-length", str(len(reply.body)))
                    for name, value in reply.headers.items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(reply.body)
                except OSError:
                    # The client has given up, as some tests mean it to.
                    pass

            def log_message(self, *_: object) -> None:
                pass

        return Handler
