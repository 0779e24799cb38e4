"""Logging in: against a real authorization server, with a browser that does what its user says."""

from __future__ import annotations

import json
import os
import queue
import re
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.test_proxy_servers import run
from tests.proxy.process import PATIENCE, Client, call, request, started, text_of
from tests.proxy.test_remote import INIT, INITIALIZED, PROXY, error_of
from tests.proxy.web import free_port, serving
from tests.servers.oauth import Authorization, authorization_app, guarded_app
from tests.servers.remote import RemoteApp


@dataclass
class World:
    """A guarded server, and a user with a folder for tokens."""

    url: str
    issuer: str
    authorization: Authorization
    state: Path

    @contextmanager
    def session(
        self, *options: str, opens: bool = True, after: float = 0.0
    ) -> Iterator[tuple[Client, queue.Queue[str]]]:
        """A client behind the proxy, and what it says on stderr; a browser opens the address that is said."""
        with started([*PROXY, *options, self.url], XDG_STATE_HOME=str(self.state)) as client:
            said: queue.Queue[str] = queue.Queue()
            threading.Thread(target=self._read, args=(client, said, opens, after), daemon=True).start()
            yield client, said

    def _read(self, client: Client, said: queue.Queue[str], opens: bool, after: float) -> None:
        assert client.process.stderr
        for line in client.process.stderr:
            said.put(line.decode())
            found = re.search(r"log in at (\S+)", line.decode())
            if found and opens:
                time.sleep(after)
                urllib.request.urlopen(found[1], timeout=PATIENCE).read()

    def tokens(self) -> list[Path]:
        return sorted((self.state / "terse" / "login").glob("*.json"))

    def begin(self, client: Client) -> None:
        client.send(INIT, INITIALIZED, call(1, "echo", text="in"))
        assert "result" in json.loads(client.receive())
        assert text_of(client.receive()) == "in"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    authorization = Authorization()
    ports = free_port(), free_port()
    issuer, address = (f"http://127.0.0.1:{port}" for port in ports)
    with (
        serving(authorization_app(authorization, issuer), ports[0]),
        serving(guarded_app(authorization, issuer, address), ports[1]),
    ):
        yield World(f"{address}/mcp", issuer, authorization, tmp_path / "state")


def test_a_login_is_done_once(world: World) -> None:
    """The address is said on stderr; the next session finds the token, private to the user."""
    with world.session() as (client, said):
        world.begin(client)
        assert said.get(timeout=PATIENCE).startswith("terse: log in at http://127.0.0.1:")
    (file,) = world.tokens()
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700

    with world.session(opens=False) as (client, said):
        world.begin(client)
        client.close()
        client.wait()
        assert said.empty()
    assert world.authorization.issued == {"login": 1, "refresh": 0}
    assert len(world.authorization.registered) == 1


def test_a_token_that_expired_is_changed_for_a_new_one(world: World) -> None:
    """In the middle of a session and at the start of one; nobody is asked."""
    with world.session() as (client, _):
        world.begin(client)
        world.authorization.expire_all()
        client.send(*(call(n, "echo", text="still in") for n in (2, 3, 4)))
        assert [text_of(client.receive()) for _ in range(3)] == ["still in"] * 3
    world.authorization.expire_all()
    with world.session(opens=False) as (client, _):
        world.begin(client)

    assert world.authorization.issued == {"login": 1, "refresh": 2}


def test_a_token_that_cannot_be_changed_needs_a_login(world: World) -> None:
    """The user is asked again, in the same session."""
    with world.session() as (client, _):
        world.begin(client)
        world.authorization.revoke_all()
        client.send(call(2, "echo", text="again"))
        assert text_of(client.receive()) == "again"

    assert world.authorization.issued["login"] == 2
    assert len(world.authorization.registered) == 1


def test_two_sessions_change_a_token_once(world: World) -> None:
    """An authorization server gives each new token once: sessions at the same time share it."""
    with world.session() as (client, _):
        world.begin(client)
    world.authorization.expire_all()
    with world.session(opens=False) as (one, _), world.session(opens=False) as (other, _):
        for client in (one, other):
            client.send(INIT, INITIALIZED, call(1, "echo", text="in"))
        for client in (one, other):
            client.receive()
            assert text_of(client.receive()) == "in"

    assert world.authorization.issued == {"login": 1, "refresh": 1}


def test_a_user_who_says_no(world: World) -> None:
    """Is an error for the request, with the server's words; the next request asks again."""
    world.authorization.agrees = False
    with world.session() as (client, _):
        client.send(INIT)
        assert error_of(client.receive()) == "the login was refused: access_denied not today"
        assert world.tokens() == [] or "tokens" not in world.tokens()[0].read_text()

        world.authorization.agrees = True
        world.begin(client)


def test_a_user_who_does_nothing(world: World) -> None:
    """Is waited for no longer than is said, and the session goes on."""
    with world.session("--login-timeout", "0.5", opens=False) as (client, said):
        client.send(INIT)
        assert error_of(client.receive()).startswith("nobody logged in within 0.5 s")
        assert "Traceback" not in said.get(timeout=PATIENCE)


def test_the_servers_time_limit_is_not_the_users(world: World) -> None:
    """`--timeout` stands still while somebody is logging in."""
    with world.session("--timeout", "6", after=7.0) as (client, _):
        world.begin(client)


def test_a_login_is_not_begun_where_it_is_not_wanted(world: World) -> None:
    """`--no-login`, or a token given by hand: the refusal goes to the client."""
    for options in (["--no-login"], ["-H", "Authorization: Bearer wrong"]):
        with world.session(*options, opens=False) as (client, said):
            client.send(INIT)
            assert "401 Unauthorized" in error_of(client.receive())
            assert said.empty()


def test_a_server_without_a_login_is_never_asked_for_one(tmp_path: Path) -> None:
    """No request but the client's own, no file, no login."""
    app = RemoteApp()
    with serving(app) as address:
        environment = {"XDG_STATE_HOME": str(tmp_path / "state")}
        with started([*PROXY, f"{address}/mcp"], **environment) as client:
            client.send(INIT, request(1, "ping"))
            client.receive()
            client.receive()

    assert {seen.method for seen in app.seen} == {"POST"}
    assert not (tmp_path / "state").exists()


def test_a_call_that_takes_long_holds_up_no_other_one(world: World) -> None:
    """A token is put on each request; nothing waits for the answer to another."""
    with world.session() as (client, _):
        world.begin(client)
        before = time.monotonic()
        client.send(*(call(n, "echo", text=str(n)) for n in range(2, 22)))
        assert {text_of(client.receive()) for _ in range(20)} == {str(n) for n in range(2, 22)}
        assert time.monotonic() - before < PATIENCE


def test_logout_revokes(world: World) -> None:
    """A copy of the tokens is of no use; where the server is away, that is said, and they are forgotten."""
    state = {"XDG_STATE_HOME": str(world.state)}
    with world.session() as (client, _):
        world.begin(client)
    assert world.authorization.access
    assert world.authorization.refresh

    done = run(*PROXY[:-1], "logout", world.url, **state)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"logged out of {world.url}\n", "")
    assert not world.authorization.access
    assert not world.authorization.refresh

    with world.session() as (client, _):
        world.begin(client)
    (file,) = world.tokens()
    file.write_text(
        file.read_text().replace(f"{world.issuer}/revoke", f"http://127.0.0.1:{free_port()}/revoke")
    )
    done = run(*PROXY[:-1], "logout", **state)
    assert (done.returncode, done.stdout) == (1, f"logged out of {world.url}\n")
    assert f"the tokens of {world.url} are forgotten, but were not revoked: 127.0.0.1:" in done.stderr
    assert world.tokens() == []


def test_logout_forgets(world: World) -> None:
    """One server or all; what is not there is said."""
    with world.session() as (client, _):
        world.begin(client)
    state = {"XDG_STATE_HOME": str(world.state)}

    done = run(*PROXY[:-1], "logout", "https://other.example/mcp", **state)
    assert (done.returncode, done.stderr) == (2, "terse: there is no login to https://other.example/mcp\n")
    done = run(*PROXY[:-1], "logout", world.url, **state)
    assert (done.returncode, done.stdout) == (0, f"logged out of {world.url}\n")
    assert world.tokens() == []
    done = run(*PROXY[:-1], "logout", **state)
    assert (done.returncode, done.stdout) == (0, "there is no login\n")
    assert run(*PROXY[:-1], "logout", "nowhere", **state).returncode == 2


def test_where_nothing_can_be_kept_a_login_is_for_the_session(world: World) -> None:
    """A home that cannot be written is no reason to stay outside; it is said."""
    world.state.write_text("no folder")
    with world.session() as (client, said):
        world.begin(client)
        world.authorization.expire_all()
        client.send(call(2, "echo", text="still in"))
        assert text_of(client.receive()) == "still in"
        lines = [said.get(timeout=PATIENCE) for _ in range(2)]

    assert "the login cannot be kept: Not a directory" in "".join(lines)


@pytest.mark.parametrize("damage", [b"\xff", b'{"tokens": 1, "client": []}', "open"])
def test_a_file_that_is_damaged_or_open_to_others_is_not_used(damage: bytes | str, world: World) -> None:
    """There is a login then, and the file is written anew."""
    with world.session() as (client, _):
        world.begin(client)
    (file,) = world.tokens()
    if isinstance(damage, bytes):
        file.write_bytes(damage)
    else:
        os.chmod(file, 0o644)
    with world.session() as (client, _):
        world.begin(client)

    assert world.authorization.issued["login"] == 2
    assert file.stat().st_mode & 0o777 == 0o600
