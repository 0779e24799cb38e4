"""Asking a model over HTTP: what is sent, what is tried again, and what is said when nothing usable comes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from terse.fluency.endpoint import LONGEST_WAIT, TRIES, Api, Endpoint, Model, NoAnswer, Refused, Unusable
from tests.fluency.fake import Fake, Reply, chat, message


@pytest.fixture
def fake() -> Iterator[Fake]:
    with Fake() as server:
        yield server


def _asked(
    fake: Fake, api: Api = Api.OPENAI, key: str | None = "k", timeout: float = 5.0
) -> tuple[str, list[float]]:
    waits: list[float] = []
    with Model(Endpoint(fake.url, api, "m-1", key, timeout), waits.append) as model:
        return model.ask("Be short.", "How many?"), waits


def test_an_openai_endpoint_is_asked_as_its_vendor_says(fake: Fake) -> None:
    """Path, key, model and both messages; the answer is the first choice's text."""
    fake.replies = [chat("12")]

    assert _asked(fake) == ("12", [])
    (request,) = fake.requests
    assert request.path == "/chat/completions"
    assert request.headers["authorization"] == "Bearer k"
    assert request.body["model"] == "m-1"
    assert [turn["content"] for turn in request.body["messages"]] == ["Be short.", "How many?"]


def test_an_anthropic_endpoint_is_asked_as_its_vendor_says(fake: Fake) -> None:
    """Path, key, version, and a bound on the answer; text blocks are the answer, thinking is not."""
    fake.replies = [message("12")]

    assert _asked(fake, Api.ANTHROPIC) == ("12", [])
    (request,) = fake.requests
    assert request.path == "/v1/messages"
    assert request.headers["x-api-key"] == "k"
    assert request.headers["anthropic-version"]
    assert request.body["max_tokens"] > 0
    assert request.body["system"] == "Be short."


def test_a_busy_server_is_asked_again_after_as_long_as_it_says(fake: Fake) -> None:
    """429 with retry-after, as a number and as a date; no longer than a minute."""
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
    fake.replies = [
        Reply(429, b"{}", {"retry-after": "7"}),
        Reply(503, b"{}", {"retry-after": soon}),
        Reply(429, b"{}", {"retry-after": "86400"}),
        chat("12"),
    ]

    answer, waits = _asked(fake)

    assert answer == "12"
    assert waits[0] == 7
    assert 15 < waits[1] <= 20
    assert waits[2] == LONGEST_WAIT


@pytest.mark.parametrize("said", ["soon", "-5", "nan", ""])
def test_a_retry_after_that_says_nothing_is_no_long_wait(fake: Fake, said: str) -> None:
    """A header that cannot be read does not hang the run."""
    fake.replies = [Reply(429, b"{}", {"retry-after": said}), chat("12")]

    _, waits = _asked(fake)

    assert len(waits) == 1
    assert 0 <= waits[0] <= 2


def test_a_server_that_stays_busy_is_given_up(fake: Fake) -> None:
    """After a few tries the question has no answer, and the reason is told."""
    fake.replies = [Reply(429, b'{"error":{"message":"slow down"}}')] * TRIES

    with pytest.raises(NoAnswer, match=r"status 429: slow down \(4 tries\)"):
        _asked(fake)


def test_a_server_that_hangs_is_given_up(fake: Fake) -> None:
    """No answer within the time limit counts as none, try after try."""
    fake.replies = [Reply(200, b"", delay=30)] * TRIES

    with pytest.raises(NoAnswer, match=r"no answer within 0\.1 s \(4 tries\)"):
        _asked(fake, timeout=0.1)


@pytest.mark.parametrize(
    ("status", "body", "says"),
    [
        (401, b'{"error":{"message":"invalid key"}}', "status 401: invalid key"),
        (404, b'{"error":"no such model"}', "status 404: no such model"),
        (400, b"<html>\nbad\x1b[31m</html>", "status 400: <html> bad"),
        (302, b"", "status 302: empty"),
    ],
)
def test_what_no_try_would_change_ends_the_run(fake: Fake, status: int, body: bytes, says: str) -> None:
    """A wrong key, an unknown model, a redirect: told in one line, without control characters, asked once."""
    fake.replies = [Reply(status, body, {"location": "https://elsewhere.example/"})]

    with pytest.raises(Refused) as raised:
        _asked(fake)
    assert says in str(raised.value)
    assert str(raised.value).isprintable()
    assert len(fake.requests) == 1


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not json",
        b"[]",
        b"{}",
        b'{"choices":[]}',
        b'{"choices":[{"message":{"content":null}}]}',
        b'{"choices":[{"message":{"content":" "}}]}',
        b'{"choices":"x"}',
        b"[" * 100_000,
        b"\xff\xfe",
    ],
)
def test_a_malformed_answer_is_no_answer(fake: Fake, body: bytes) -> None:
    """Whatever comes instead of an answer, there is one line that shows its start."""
    fake.replies = [Reply(200, body)]

    with pytest.raises(NoAnswer, match="a malformed answer: ") as raised:
        _asked(fake)
    assert len(str(raised.value)) < 300


def test_an_endless_answer_is_cut(fake: Fake) -> None:
    """Memory is bounded whatever the server sends."""
    fake.replies = [Reply(200, b'{"choices":"' + b"x" * 9_000_000)]

    with pytest.raises(NoAnswer, match="malformed"):
        _asked(fake)


OPENAI_KEY = {"OPENAI_API_KEY": "k"}


@pytest.mark.parametrize(
    ("url", "environment", "says"),
    [
        ("https://api.example.com/v1", {}, "OPENAI_API_KEY is not set: api.example.com wants a key"),
        ("https://api.anthropic.com", OPENAI_KEY, "ANTHROPIC_API_KEY is not set"),
        ("http://api.example.com/v1", OPENAI_KEY, "unencrypted"),
        ("https://api.example.com/v1", {"OPENAI_API_KEY": "k\ny"}, "is no key"),
        ("api.example.com", OPENAI_KEY, "is no address"),
        ("ftp://api.example.com", OPENAI_KEY, "is no address"),
        ("https://", OPENAI_KEY, "is no address"),
        ("https://[::1", OPENAI_KEY, "is no address"),
        ("https://h:99999/v1", OPENAI_KEY, "is no address"),
        ("https://me:secret@api.example.com/v1", OPENAI_KEY, "keys come from the environment"),
    ],
)
def test_where_nothing_can_be_sent_nothing_is(url: str, environment: dict[str, str], says: str) -> None:
    """A missing key, an address that is none, a key that would travel in the clear: one line each."""
    with pytest.raises(Unusable, match=says) as raised:
        Endpoint.of(url, None, "m", environment)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("url", "api", "base"),
    [
        ("http://127.0.0.1:8000/v1/", Api.OPENAI, "http://127.0.0.1:8000/v1"),
        ("http://localhost/v1/chat/completions", Api.OPENAI, "http://localhost/v1"),
        ("http://[::1]:1/v1", Api.OPENAI, "http://[::1]:1/v1"),
        ("https://api.anthropic.com", Api.ANTHROPIC, "https://api.anthropic.com"),
        ("https://api.anthropic.com/v1/messages", Api.ANTHROPIC, "https://api.anthropic.com"),
    ],
)
def test_an_address_is_taken_as_people_write_it(url: str, api: Api, base: str) -> None:
    """With and without the path of the API; a server on this machine needs no key."""
    environment = {"ANTHROPIC_API_KEY": " k "} if api is Api.ANTHROPIC else {}

    found = Endpoint.of(url, None, "m", environment)

    assert (found.api, found.url) == (api, base)


def test_a_key_is_never_part_of_a_message(fake: Fake) -> None:
    """What is printed of a failure shows no key."""
    fake.replies = [Reply(401, json.dumps({"error": {"message": "bad key"}}).encode())]

    with pytest.raises(Refused) as raised:
        _asked(fake, key="sk-very-secret")
    assert "secret" not in str(raised.value)
