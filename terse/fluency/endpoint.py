"""A model behind HTTP: OpenAI's chat completions or Anthropic's messages. Nothing else sends content out."""

from __future__ import annotations

import ipaddress
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import Any
from urllib.parse import SplitResult, urlsplit

import httpx2

TRIES = 4
LONGEST_WAIT = 60.0
"""Seconds that a server may make us wait before a request is tried again."""
MAX_BYTES = 4_000_000
"""An answer of a few words is far below it."""
MAX_TOKENS = 1024
"""What the model may write for one answer; models that think aloud need more than the answer."""

_AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})


class Api(StrEnum):
    """How an endpoint is spoken to."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"

    @property
    def key_variable(self) -> str:
        """The environment variable that its key is in, by the vendor's own name."""
        return {Api.OPENAI: "OPENAI_API_KEY", Api.ANTHROPIC: "ANTHROPIC_API_KEY"}[self]

    @property
    def path(self) -> str:
        return {Api.OPENAI: "/chat/completions", Api.ANTHROPIC: "/v1/messages"}[self]


class NoAnswer(Exception):  # noqa: N818 — says what there is not
    """One request brought no usable answer, however often it was tried. One line."""


class Refused(Exception):  # noqa: N818 — says what the endpoint does
    """The endpoint will answer no request at all (a wrong key, no such model). One line."""


class Unusable(ValueError):  # noqa: N818 — says what the endpoint is
    """Nothing can be sent there. One line: what is wrong, and what to write instead."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is, and how it is asked.

    Attributes:
        url: the base as vendors document it: `https://host/v1` for OpenAI's API, `https://host` for
            Anthropic's.
        key: None for a server of one's own that wants none.
        timeout: seconds until a request is given up.
    """

    url: str
    api: Api
    model: str
    key: str | None
    timeout: float = 60.0

    @classmethod
    def of(
        cls, url: str, api: Api | None, model: str, environment: Mapping[str, str], timeout: float = 60.0
    ) -> Endpoint:
        """The endpoint of a URL, with its key from the environment.

        Args:
            api: None: Anthropic's where the host says so, else OpenAI's.

        Raises:
            Unusable: no http address, a key that is missing, or one that would be sent unencrypted.
        """
        parts = _split(url)
        host = parts.hostname or ""
        chosen = api or (Api.ANTHROPIC if "anthropic" in host else Api.OPENAI)
        key = environment.get(chosen.key_variable, "").strip() or None
        if key is not None and not (key.isascii() and key.isprintable()):
            raise Unusable(f"{chosen.key_variable} is no key: it has characters that no header can carry")
        if not _is_here(host):
            if key is None:
                raise Unusable(f"{chosen.key_variable} is not set: {host} wants a key")
            if parts.scheme != "https":
                raise Unusable(f"{url} would send results and key unencrypted: write https://…")
        base = url.rstrip("/").removesuffix(chosen.path)
        return cls(base, chosen, model, key, timeout)

    @property
    def host(self) -> str:
        return urlsplit(self.url).netloc.rpartition("@")[2]


class Model:
    """Asks an endpoint, one request after another. A context manager."""

    def __init__(self, endpoint: Endpoint, sleep: Callable[[float], None] = time.sleep) -> None:
        self.endpoint = endpoint
        self.requests = 0
        self._sleep = sleep
        # A redirect would take the content to a host that nobody named.
        self._client = httpx2.Client(timeout=endpoint.timeout, follow_redirects=False)

    def __enter__(self) -> Model:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def ask(self, system: str, user: str) -> str:
        """The model's answer.

        Raises:
            NoAnswer: none, or no usable one, after `TRIES` requests.
            Refused: the endpoint would refuse every other request too.
        """
        why, wait = "", 0.0
        for number in range(TRIES):
            if number:
                self._sleep(wait)
            wait = min(2.0**number, LONGEST_WAIT)
            self.requests += 1
            try:
                status, headers, body = self._post(system, user)
            except httpx2.TimeoutException:
                why = f"no answer within {self.endpoint.timeout:g} s"
                continue
            except (httpx2.HTTPError, httpx2.InvalidURL) as error:
                why = f"{type(error).__name__}: {error}".splitlines()[0][:200]
                continue
            if status == 200:
                return self._answer(body)
            why = f"status {status}: {_message(body)}"
            if status not in _AGAIN:
                raise Refused(f"{self.endpoint.host}: {why}")
            wait = _retry_after(headers, wait)
        raise NoAnswer(f"{why} ({TRIES} tries)")

    def _post(self, system: str, user: str) -> tuple[int, Mapping[str, str], bytes]:
        endpoint = self.endpoint
        body: dict[str, Any] = {"model": endpoint.model}
        headers = {"content-type": "application/json"}
        if endpoint.api is Api.ANTHROPIC:
            body |= {
                "max_tokens": MAX_TOKENS,
                "system": system,
                "messages": [{"role": "user", "content": user}],
            }
            headers |= {"anthropic-version": "2023-06-01"} | (
                {"x-api-key": endpoint.key} if endpoint.key else {}
            )
        else:
            body["messages"] = [{"role": "system", "content": system}, {"role": "user", "content": user}]
            headers |= {"authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}
        content = json.dumps(body).encode()
        with self._client.stream(
            "POST", f"{endpoint.url}{endpoint.api.path}", content=content, headers=headers
        ) as response:
            data = b""
            for part in response.iter_bytes():
                data += part
                if len(data) > MAX_BYTES:
                    break
            return response.status_code, response.headers, data[:MAX_BYTES]

    def _answer(self, body: bytes) -> str:
        """The text in an answer.

        Raises:
            NoAnswer: it has none.
        """
        try:
            answer = json.loads(body)
            if self.endpoint.api is Api.ANTHROPIC:
                texts = [block["text"] for block in answer["content"] if block["type"] == "text"]
                return _text("".join(texts))
            return _text(answer["choices"][0]["message"]["content"])
        except (ValueError, KeyError, IndexError, TypeError, RecursionError):
            raise NoAnswer(f"a malformed answer: {_shown(body)}") from None


def _text(text: object) -> str:
    if not isinstance(text, str) or not text.strip():
        raise ValueError("no text")
    return text


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise Unusable(f"{url!r} is no address: {error}") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise Unusable(f"{url!r} is no address: write one like https://api.example.com/v1")
    if parts.username or parts.password:
        raise Unusable("an address with a password in it: keys come from the environment")
    return parts


def _is_here(host: str) -> bool:
    """Whether a host is this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _retry_after(headers: Mapping[str, str], otherwise: float) -> float:
    """Seconds to wait: what the server says, as a number or a date, or else `otherwise`."""
    said = headers.get("retry-after", "").strip()
    try:
        seconds = float(said)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(said) - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError):
            return otherwise
    # NaN compares false with everything: it waits for nothing.
    return min(seconds, LONGEST_WAIT) if seconds > 0 else 0.0


def _message(body: bytes) -> str:
    """What an error answer says, in a line."""
    try:
        error = json.loads(body)["error"]
        return _one_line(error["message"] if isinstance(error, dict) else str(error))
    except (ValueError, KeyError, TypeError, RecursionError):
        return _shown(body)


def _shown(body: bytes) -> str:
    return _one_line(body[:200].decode("utf-8", "replace")) or "empty"


def _one_line(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in str(text))[:200].strip()
