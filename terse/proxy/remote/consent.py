"""The user's part of a login: an address to open in a browser, and what the browser brings back."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from terse.proxy.remote.flight import NotLoggedIn, waiting_for_the_user

if TYPE_CHECKING:
    from mcp.client.auth import AuthorizationCodeResult

MAX_REQUEST_BYTES = 64 * 1024
_PATH = "/callback"
_PAGE = (
    "<!doctype html><meta charset=utf-8><title>terse</title>"
    "<p>{said} You can close this page.</p>"
)  # fmt: skip


class Consent:
    """One question to the user.

    Args:
        seconds: how long the answer may take.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._server: asyncio.Server | None = None
        self._came: asyncio.Future[dict[str, str]] = asyncio.get_running_loop().create_future()

    async def listen(self, address: str | None, port: int | None = None) -> str:
        """Listen for the answer, on this machine only: at the port, if there is one; else at the address, or
        at another where that is taken.

        Returns the address.

        Raises:
            OSError: no address can be had.
            NotLoggedIn: the port cannot.
        """
        if port is not None:
            try:
                self._server = await asyncio.start_server(self._serve, "127.0.0.1", port)
            except OSError as error:
                raise NotLoggedIn(f"the login failed: --callback-port {port}: {error.strerror}") from None
            return f"http://127.0.0.1:{port}{_PATH}"
        wanted = 0
        if address is not None:
            parts = urlsplit(address)
            wanted = (parts.port or 0) if (parts.hostname, parts.path) == ("127.0.0.1", _PATH) else 0
        try:
            self._server = await asyncio.start_server(self._serve, "127.0.0.1", wanted)
        except OSError:
            self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}{_PATH}"

    async def ask(self, url: str) -> None:
        """Show the user where to agree; where somebody sits at a terminal, open the browser, too."""
        shown = "".join(sign for sign in url if sign.isprintable())
        line = f"terse: log in at {shown} (within {self._seconds:g} s)\n"
        os.write(2, line.encode("utf-8", "backslashreplace"))
        if sys.stderr is not None and sys.stderr.isatty() and url.startswith(("https://", "http://")):
            import webbrowser

            await asyncio.to_thread(webbrowser.open, url)

    async def answer(self) -> AuthorizationCodeResult:
        """What the browser brought back.

        Raises:
            NotLoggedIn: the user said no, or nothing in time.
        """
        from mcp.client.auth import AuthorizationCodeResult

        try:
            with waiting_for_the_user():
                async with asyncio.timeout(self._seconds):
                    given = await asyncio.shield(self._came)
        except TimeoutError:
            raise NotLoggedIn(
                f"nobody logged in within {self._seconds:g} s at the address on stderr: ask again"
            ) from None
        if "error" in given:
            words = " ".join(f"{given['error']} {given.get('error_description', '')}".split())[:200]
            raise NotLoggedIn(f"the login was refused: {words}")
        return AuthorizationCodeResult(code=given["code"], state=given.get("state"), iss=given.get("iss"))

    async def close(self) -> None:
        """Stop listening."""
        if self._server is not None:
            self._server.close()
        self._came.cancel()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(10):
                head = await reader.readuntil(b"\r\n\r\n")
            words = head.split(b"\r\n", 1)[0].decode("ascii", "replace").split(" ")
            parts = urlsplit(words[1]) if len(words) == 3 and words[0] == "GET" else None
            given = (
                {key: values[0] for key, values in parse_qs(parts.query).items()}
                if parts is not None and parts.path == _PATH
                else {}
            )
            is_answer = "error" in given or "code" in given
            if is_answer and not self._came.done():
                self._came.set_result(given)
            said = "That is done." if "code" in given else "You are not logged in."
            body = _PAGE.format(said=said).encode()
            status = "200 OK" if is_answer else "404 Not Found"
            head = f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n".encode()
            writer.write(head + b"Connection: close\r\n\r\n" + body)
            await writer.drain()
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
            # A browser that asks for something else, or gives up, is no answer.
            pass
        finally:
            writer.close()
