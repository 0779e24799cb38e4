"""Who may ask: hosts, origins, tokens, and what users reach of each other: nothing."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.serve.served import HERE, Alone, Client, Served, call, refused, served, text_of

# The same in every process that collects the tests: they are part of the names of some.
ADA, BOB = "0a1b2c3d4e5f60718293a4b5c6d7e8f9", "f9e8d7c6b5a493827160f5e4d3c2b1a0"


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A service for two users, whose rules set values aside."""
    folder = tmp_path_factory.mktemp("tokens")
    tokens = folder / "tokens"
    tokens.write_text(f"# users\nada {ADA}\nbob {BOB}   # the other one\n")
    tokens.chmod(0o600)
    with served(
        "--token-file", str(tokens), "--rules", str(HERE / "memory.terse"), "--store", str(folder / "store")
    ) as running:
        running.folder = folder  # type: ignore[attr-defined]
        yield running


def _bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


@pytest.mark.parametrize(
    "headers",
    [
        {},
        _bearer(secrets.token_hex(16)),
        {"authorization": f"Basic {ADA}"},
        _bearer(ADA[:-1]),
        _bearer("x y"),
    ],
    ids=["none", "another", "another scheme", "a part", "two words"],
)
def test_without_a_token_nothing_is_served(guarded: Served, headers: dict[str, str]) -> None:
    """A 401 says which kind of token is wanted, before the body is looked at."""
    with Client(guarded.url, headers=headers) as client:
        for response in (client.post(b"{"), client.http.get(client.url, headers=client.headers)):
            assert response.status_code == 401
            assert response.headers["www-authenticate"].startswith("Bearer")


def test_a_session_belongs_to_its_user(guarded: Served) -> None:
    """To anybody else it does not exist: not to speak to, not to listen to, not to end."""
    with Client(guarded.url, headers=_bearer(ADA)) as ada, Client(guarded.url, headers=_bearer(BOB)) as bob:
        ada.begin()
        bob.headers["mcp-session-id"] = ada.session

        assert bob.post(call(1, "pid")).status_code == 404
        assert bob.http.delete(bob.url, headers=bob.headers).status_code == 404
        with bob.listening() as response:
            assert response.status_code == 404
        with bob.listening(last_event_id="2-1") as response:
            assert response.status_code == 404
        assert ada.call("say", text="mine") == "mine"


def test_users_share_no_server(guarded: Served) -> None:
    """Without sessions, all requests of one user share a server, and those of two users do not."""
    with Alone(guarded.url, headers=_bearer(ADA)) as ada, Alone(guarded.url, headers=_bearer(BOB)) as bob:
        assert ada.call("pid") == ada.call("pid") != bob.call("pid")


@pytest.mark.parametrize("kind", [Client, Alone])
def test_values_set_aside_belong_to_their_user(guarded: Served, kind: type[Client]) -> None:
    """The handle is right, and says nothing to another user; the store has a file for each."""
    with kind(guarded.url, headers=_bearer(ADA)) as ada, kind(guarded.url, headers=_bearer(BOB)) as bob:
        for each in (ada, bob):
            if kind is Client:
                each.begin()
            names = _tools(each)
        own = next(name for name in names if "retrieve" in name)
        found = re.search(
            r"\bh\d{9}\b", ada.call("records", size=2, bodies=True, mark=f"secret-{kind.__name__}")
        )
        assert found
        mine, others = (text_of(each.answer(own, handle=found[0])) for each in (ada, bob))

    assert "secret" in mine
    assert "secret" not in others
    files = list(guarded.folder.glob("store.*"))  # type: ignore[attr-defined]
    assert len({path.name.split(".")[1].split("-")[0] for path in files}) == 2
    assert all(path.stat().st_mode & 0o077 == 0 for path in files)


def _tools(client: Client) -> list[str]:
    if isinstance(client, Alone):
        response = client.ask("tools/list")
    else:
        response = client.post({"jsonrpc": "2.0", "id": "l", "method": "tools/list"})
    return [tool["name"] for tool in response.json()["result"]["tools"]]


def test_the_server_never_sees_a_token(guarded: Served) -> None:
    """It is for this service, and goes no further; nor does it stand in what is said."""
    with Client(guarded.url, headers=_bearer(ADA)) as ada:
        environment = ada.begin().call("environment")

    assert ADA not in environment
    assert not any(ADA in line for line in guarded.said)


def test_health_needs_no_token(guarded: Served) -> None:
    """Who watches over processes has none, and calls them by their address."""
    for path in ("/healthz", "/readyz", "/metrics"):
        response = httpx2.get(guarded.base + path, headers={"host": "10.1.2.3:8000"}, trust_env=False)
        assert response.status_code == 200


def test_tokens_from_the_environment() -> None:
    """A token alone is that of a user."""
    with (
        served("--token-env", "MY_TOKEN", MY_TOKEN=ADA) as service,
        Client(service.url, headers=_bearer(ADA)) as client,
        Client(service.url) as other,
    ):
        assert client.begin().call("say", text="a") == "a"
        assert other.post(call(1, "pid")).status_code == 401


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("ada short\n", "line 1: the token has under 16 characters"),
        (f"ada b {ADA}\n", "line 1: write NAME TOKEN"),
        (f"\n\na/b {ADA}\n", "line 3: a name has letters"),
        (f"ada {ADA}\nbob {ADA}\n", "line 2: this token stands there twice"),
        ("# nobody\n", "there is no token in it"),
        (f"ada käse{ADA}\n", "line 1: a token has letters"),
    ],
    ids=["short", "three words", "a name", "twice", "nobody", "letters"],
)
def test_a_file_of_tokens_that_is_none(tmp_path: Path, content: str, complaint: str) -> None:
    """One line says what is wrong where, without the token; nothing is served."""
    path = tmp_path / "tokens"
    path.write_text(content)
    path.chmod(0o600)
    code, said = refused("--token-file", str(path), "--", "true")

    assert code == 2
    assert complaint in said
    assert ADA not in said
    assert said.count("\n") == 1


def test_a_file_of_tokens_that_all_can_read(tmp_path: Path) -> None:
    """It is refused, with what to do."""
    path = tmp_path / "tokens"
    path.write_text(ADA)
    path.chmod(0o644)
    code, said = refused("--token-file", str(path), "--", "true")

    assert (code, "chmod o-r" in said) == (2, True)


def test_listening_for_all_needs_tokens() -> None:
    """The reason is said, and what can be done."""
    code, said = refused("--listen", "0.0.0.0:0", "--", "true")

    assert code == 2
    assert "lets everybody in" in said
    assert "--token-file" in said


def test_listening_for_all_with_a_token() -> None:
    """It then serves whoever has one, by any name; `--allow-host` names those that are right."""
    for more, status in (([], 200), (["--allow-host", "mcp.example.com"], 403)):
        options = ("--listen", "0.0.0.0:0", "--token-env", "T", *more)
        with served(*options, T=ADA) as service:
            url = service.url.replace("0.0.0.0", "127.0.0.1")
            with Client(url, headers={**_bearer(ADA), "host": "some.name"}) as client:
                response = client.post(_initialize())
                assert response.status_code == status


def _initialize() -> dict[str, object]:
    params = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    return {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 403),
        ({"host": "127.0.0.1.evil.example"}, 403),
        ({"host": "localhost"}, 200),
        ({"host": "[::1]:9"}, 200),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "http://localhost.evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://localhost:5173"}, 200),
    ],
)
def test_hosts_and_origins(service: Served, headers: dict[str, str], status: int) -> None:
    """A web page whose name was made to point here, or that asks from elsewhere, gets nothing."""
    with Client(service.url, headers=headers) as client:
        assert client.post(_initialize()).status_code == status


def test_pages_that_are_allowed() -> None:
    """`--allow-origin`: a browser may ask, and read the id of its session."""
    origin = "https://app.example.com"
    with served("--allow-origin", origin) as service:
        asks = {
            "origin": origin,
            "access-control-request-method": "POST",
            "access-control-request-headers": "mcp-session-id",
        }
        before = httpx2.options(service.url, headers=asks, trust_env=False)
        with Client(service.url, headers={"origin": origin}) as client:
            response = client.post(_initialize())
        with Client(service.url, headers={"origin": "https://other.example.com"}) as other:
            assert other.post(_initialize()).status_code == 403

    assert before.status_code == 200
    assert before.headers["access-control-allow-origin"] == origin
    assert "mcp-session-id" in response.headers["access-control-expose-headers"].lower()


def test_tokens_are_no_arguments() -> None:
    """There is no option that takes a token itself: arguments can be read by all users of a machine."""
    code, said = refused("--token", ADA, "--", "true")

    assert code == 2
    assert "there is no option --token" in said


def test_a_token_is_replaced_by_a_second_one(tmp_path: Path) -> None:
    """Two tokens of one name are one user: a token is replaced without ending sessions."""
    path = tmp_path / "tokens"
    path.write_text(f"ada {ADA}\nada {BOB}\n")
    os.chmod(path, 0o600)
    with (
        served("--token-file", str(path)) as service,
        Client(service.url, headers=_bearer(ADA)) as old,
        Client(service.url, headers=_bearer(BOB)) as new,
    ):
        new.headers["mcp-session-id"] = old.begin().session
        assert text_of(new.post(call(1, "say", text="the same")).json()) == "the same"
