"""Several replicas in front of one Redis: any of them serves any request, and each may die at any time."""

from __future__ import annotations

import json
import random
import re
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from terse.tiers.expand import expand
from tests.memory.reader import Client as Reader
from tests.memory.sessions import canonical, is_delta
from tests.redis_server import PASSWORD, RedisServer, binary, running
from tests.serve.round_robin import RoundRobin
from tests.serve.served import (
    PATIENCE,
    Client,
    Served,
    call,
    events,
    messages,
    metric,
    refused,
    request,
    served,
    until,
)

HERE = Path(__file__).parent
READING = [sys.executable, str(HERE.parent / "servers" / "reading.py")]
RULES = ("--rules", str(HERE / "replicas.terse"), "--server-name", "files")


class Setting:
    """A Redis, replicas in front of it, and the files that their servers read."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        self._stack = stack
        self.files = folder / "files"
        self.files.mkdir()
        (folder / "redis").mkdir()
        self.redis = stack.enter_context(running(binary(), folder / "redis"))
        self.replicas: list[Served] = []
        self.patience = "?socket_timeout=10&socket_connect_timeout=10"

    def replica(self, *options: str) -> Served:
        """One more replica. Redis may be slow here, and is away only where a test says so."""
        started = self._stack.enter_context(
            served(
                "--redis",
                f"{self.redis.url}{self.patience}",
                *RULES,
                *options,
                command=[*READING, str(self.files)],
            )
        )
        self.replicas.append(started)
        return started

    def replica_of_several(self) -> Served:
        """A replica in front of two servers of a document."""
        started = self._stack.enter_context(
            served("--redis", f"{self.redis.url}{self.patience}", *self._several(), command=[])
        )
        self.replicas.append(started)
        return started

    def alone(self) -> Served:
        """A service that is no replica."""
        return self._stack.enter_context(served(*RULES, command=[*READING, str(self.files)]))

    def several_alone(self) -> Served:
        """A service in front of two servers that is no replica."""
        return self._stack.enter_context(served(*self._several(), command=[]))

    def _several(self) -> tuple[str, ...]:
        entry = {"command": READING[0], "args": [*READING[1:], str(self.files)]}
        document = json.dumps({"mcpServers": {"one": entry, "two": entry}})
        return ("--config", document, "--rules", str(HERE / "replicas.terse"))

    def in_turn(self) -> str:
        """An address behind which each connection goes to the next replica."""
        proxy = RoundRobin([each.url for each in self.replicas])
        self._stack.callback(proxy.close)
        return proxy.url

    def write(self, name: str, text: str) -> None:
        (self.files / name).write_text(text)


@pytest.fixture
def setting(tmp_path: Path) -> Iterator[Setting]:
    """A Redis, and no replica yet."""
    with ExitStack() as stack:
        yield Setting(stack, tmp_path)


class Strict:
    """A client whose every result is read by what the documentation says, and compared with the file."""

    def __init__(self, url: str, files: Path, **headers: str) -> None:
        self.http = Client(url, headers=headers)
        # No connection is used twice: the next request is another replica's.
        self.http.http = httpx2.Client(
            timeout=PATIENCE, trust_env=False, limits=httpx2.Limits(max_keepalive_connections=0)
        )
        self.files = files
        self.reader = Reader()
        self.sent: list[str] = []

    def begin(self) -> Strict:
        self.http.begin()
        self.listed = messages(self.http.post(request(-1, "tools/list")))[0]["result"]["tools"]
        return self

    def read(self, name: str, tool: str = "read") -> str:
        """Read a file: what was sent for it."""
        want = (self.files / name).read_text()
        return self.take(name, self.http.answer(tool, name=name), want, tool)

    def take(self, name: str, answer: Any, want: str, tool: str = "read") -> str:
        (block,) = answer["result"]["content"]
        sent: str = block["text"]
        is_own = sent == want
        (full,) = self.reader.receive(tool, name, [sent if is_own else expand(sent)], 1, [is_own])
        assert canonical(full) == canonical(want)
        self.sent.append(sent)
        return sent


def handle_in(client: Client, tool: str = "read") -> str:
    """The handle of a body that was set aside: on a machine that is busy, a result may pass as it came."""
    found: list[str] = []

    def asked() -> bool:
        client.post(request("list", "tools/list"))
        found.extend(re.findall(r"h[0-9]{9}", client.call(tool, name="bodies")))
        return bool(found)

    until(asked, "something is set aside")
    return found[0]


def text(number: int, changed: int = 0) -> str:
    """A file of forty lines, a few of which change."""
    return "".join(
        f"setting_{number}_{line} = {line * 7919 % 1000 + (changed if line == changed % 40 else 0)}\n"
        for line in range(40)
    )


def rows(number: int, changed: int = 0) -> str:
    return json.dumps(
        [
            {"id": n, "name": f"name {n * 31 % 17} of {number}", "state": n if n != changed else "new"}
            for n in range(30)
        ]
    )


def calls(setting: Setting, client: Strict, number: int, seed: int) -> None:
    """Read files that now and then change."""
    draw = random.Random(seed)
    for step in range(number):
        if step < 3 or draw.random() < 0.3:
            setting.write("a", text(1, step))
        if step < 3 or draw.random() < 0.3:
            setting.write("b", rows(2, step))
        client.read(draw.choice("ab"))


# ---- any replica serves any request ------------------------------------------------------------------------


def test_every_request_may_be_another_replicas(setting: Setting) -> None:
    """What the client reads is what it would read of one instance, byte for byte or as the same document."""
    setting.replica()
    setting.replica()
    replicated = Strict(setting.in_turn(), setting.files).begin()
    single = Strict(setting.alone().url, setting.files).begin()

    calls(setting, replicated, 40, seed=1)
    calls(setting, single, 40, seed=1)

    assert replicated.listed == single.listed
    assert {tool["name"] for tool in replicated.listed} >= {"read", "level"}
    # A result that another replica has not heard of yet is sent in full: how often hangs on the machine.
    assert any(map(is_delta, replicated.sent))


def test_several_servers_of_one_document(setting: Setting) -> None:
    """Their tools are those of one instance, whoever is asked; a replica speaks of what another one sent."""
    one, other = setting.replica_of_several(), setting.replica_of_several()
    client = Strict(setting.in_turn(), setting.files).begin()
    single = Client(setting.several_alone().url).begin()
    want = messages(single.post(request(1, "tools/list")))[0]["result"]["tools"]
    for ident in range(1, 5):
        assert messages(client.http.post(request(ident, "tools/list")))[0]["result"]["tools"] == want
    assert {"one__read", "two__read"} < {tool["name"] for tool in want}

    for step in range(12):
        setting.write("a", text(1, step // 2))
        setting.write("b", rows(2, step // 3))
        for tool in ("one__read", "two__read"):
            client.read("a", tool)
            client.read("b", tool)
    assert any(map(is_delta, client.sent))

    body = "a long body, word for word: " * 40
    setting.write("bodies", json.dumps([{"id": n, "body": f"{n} {body}"} for n in range(5)]))
    client.http.url = one.url
    handle = handle_in(client.http, "one__read")
    one.stop(signal.SIGKILL)
    client.http.url = other.url
    assert body in client.http.call("terse_retrieve", handle=handle)
    before = len(client.sent)
    for tool in ("one__read", "two__read") * 3:
        client.read("a", tool)
    assert any(map(is_delta, client.sent[before:]))


def test_what_the_client_said_once_all_servers_hear(setting: Setting) -> None:
    """That it is initialized, and the log level: whichever replica it said so to, however late one joins."""
    one, other = setting.replica(), setting.replica()
    client = Client(setting.in_turn())
    client.http = httpx2.Client(
        timeout=PATIENCE, trust_env=False, limits=httpx2.Limits(max_keepalive_connections=0)
    )
    client.begin()
    assert messages(client.post(request(1, "logging/setLevel", level="error")))[0]["result"] == {}

    for url in (one.url, other.url, setting.replica().url):
        client.url = url
        state = json.loads(client.call("level"))
        assert state["level"] == "error"
        assert state["initialized"] >= 1


def test_what_one_replica_set_aside_another_one_gives_back(setting: Setting) -> None:
    """Also where the one that showed the client the list, and set the value aside, is gone."""
    one, other = setting.replica(), setting.replica()
    body = "a long body, word for word: " * 40
    setting.write("bodies", json.dumps([{"id": n, "body": f"{n} {body}"} for n in range(5)]))
    client = Client(one.url).begin()
    handle = handle_in(client)

    one.stop(signal.SIGKILL)
    client.url = other.url
    found = client.call("terse_retrieve", handle=handle)
    assert body in found


def test_a_session_that_was_ended_is_over_everywhere(setting: Setting) -> None:
    """DELETE at one replica; the others answer 404, also one that had a server for it."""
    one, other, third = setting.replica(), setting.replica(), setting.replica()
    setting.write("a", text(1))
    client = Client(one.url).begin()
    client.call("read", name="a")
    client.url = other.url
    client.call("read", name="a")

    assert client.http.delete(one.url, headers=client.headers).status_code == 200
    until(lambda: Client(other.url, headers=client.headers).post(call(9, "level")).status_code == 404, "404")
    for each in (one, third):
        assert Client(each.url, headers=client.headers).post(call(9, "level")).status_code == 404


def test_nobody_reaches_what_is_another_ones(setting: Setting, tmp_path: Path) -> None:
    """Neither sessions nor what was set aside, on any replica."""
    tokens = tmp_path / "tokens"
    tokens.write_text("anna token-of-anna-0123456789\nbert token-of-bert-0123456789\n")
    tokens.chmod(0o600)
    one = setting.replica("--token-file", str(tokens))
    other = setting.replica("--token-file", str(tokens))
    body = "a long body of anna's, word for word: " * 40
    setting.write("bodies", json.dumps([{"id": n, "body": f"{n} {body}"} for n in range(5)]))
    annas = {"Authorization": "Bearer token-of-anna-0123456789"}
    berts = {"Authorization": "Bearer token-of-bert-0123456789"}
    anna = Client(one.url, headers=annas).begin()
    handle = handle_in(anna)

    for url in (one.url, other.url):
        thief = Client(url, headers={**anna.headers, **berts})
        assert thief.post(call(2, "level")).status_code == 404
        assert thief.http.delete(url, headers=thief.headers).status_code == 404
        bert = Client(url, headers=berts).begin()
        bert.post(request(1, "tools/list"))
        assert body not in bert.call("terse_retrieve", handle=handle)
    anna.url = other.url
    assert body in anna.call("terse_retrieve", handle=handle)


def test_what_is_saved_is_one_sum(setting: Setting) -> None:
    """`/metrics` of each replica says what all of them saved today, also one that has ended since."""
    one, other = setting.replica(), setting.replica()
    setting.write("b", rows(1))
    for replica in (one, other):
        client = Client(replica.url).begin()
        for _ in range(3):
            client.call("read", name="b")

    def told(what: str) -> float:
        return metric(other, f'terse_replicas_today{{what="{what}"}}')

    until(lambda: told("results") >= 5, "both have given their numbers")
    assert one.stop() == 0
    until(lambda: told("results") == 6, "the one that ended has given all of its")
    assert 0 < told("tokens_out") < told("tokens_in") / 2
    assert metric(other, "terse_redis_up") == 1


# ---- a replica dies -----------------------------------------------------------------------------------


def test_a_replica_is_killed_between_requests(setting: Setting) -> None:
    """Nothing is lost: the others go on with the same session, and speak of what the dead one sent."""
    setting.replica()
    setting.replica()
    client = Strict(setting.in_turn(), setting.files).begin()
    calls(setting, client, 12, seed=2)

    setting.replicas[0].stop(signal.SIGKILL)
    before = len(client.sent)
    calls(setting, client, 12, seed=3)
    setting.replica()
    client.http.url = setting.replicas[-1].url
    calls(setting, client, 12, seed=4)

    assert any(map(is_delta, client.sent[before : before + 12]))
    assert any(map(is_delta, client.sent[before + 12 :]))


def test_a_replica_is_killed_while_it_answers(setting: Setting) -> None:
    """The client sees a broken connection, and goes on; what it never had is never spoken of."""
    setting.replica()
    setting.replica()
    setting.write("a", text(1))
    client = Strict(setting.replicas[0].url, setting.files).begin()
    client.read("a")
    client.read("a")

    broken: list[BaseException] = []

    def ask() -> None:
        try:
            client.http.post(call(78, "read", name="a", seconds=30))
        except httpx2.TransportError as error:
            broken.append(error)

    asking = threading.Thread(target=ask)
    asking.start()
    until(lambda: (setting.files / "begun").exists(), "the call has begun")
    setting.replicas[0].stop(signal.SIGKILL)
    asking.join(PATIENCE)
    assert len(broken) == 1

    client.http.url = setting.replicas[1].url
    client.http.number = 100
    for step in range(6):
        setting.write("a", text(1, step))
        client.read("a")
        client.read("a")
    # Whether the client counts the call that broke, nobody knows: only what was before it has a sure number.
    assert any(map(is_delta, client.sent[2:4]))
    assert {found[1] for sent in client.sent if (found := re.search(r"call #(\d+)", sent))} <= {"1", "2"}


def test_a_stream_of_a_replica_that_is_gone(setting: Setting) -> None:
    """To the id of its last event another one says that it has no such event; all else goes on."""
    one, other = setting.replica(), setting.replica()
    setting.write("a", text(1))
    client = Client(one.url).begin()
    with client.posting(call(1, "read", name="a", seconds=30)) as response:
        first = next(events(response))
        one.stop(signal.SIGKILL)
    assert first.id is not None

    client.url = other.url
    with client.listening(last_event_id=first.id) as response:
        response.read()
        assert response.status_code == 404
        assert "make the request again" in response.text
    # The same request once more, under the same id, and what is said unasked.
    again = messages(client.post(call(1, "read", name="a")))[-1]["result"]["content"][0]["text"]
    assert (again if again == text(1) else expand(again)) == text(1)
    with client.listening() as response:
        assert response.status_code == 200


# ---- Redis goes ---------------------------------------------------------------------------------------


def redis_state(replica: Served) -> str:
    state: str = httpx2.get(f"{replica.base}/healthz", trust_env=False).json()["redis"]
    return state


@pytest.mark.parametrize("how", ["killed", "hung"])
def test_redis_is_away_and_back(setting: Setting, how: str) -> None:
    """Sessions live on with results in full, replicas that do not know one say so, and health says why."""
    setting.patience = ""
    one, other = setting.replica(), setting.replica()
    client = Strict(one.url, setting.files).begin()
    calls(setting, client, 8, seed=5)
    assert redis_state(one) == "ok"

    _away(setting.redis, how)
    until(lambda: redis_state(one) != "ok", "health says that Redis is away")
    before = len(client.sent)
    calls(setting, client, 6, seed=6)
    assert not any(map(is_delta, client.sent[before:]))
    elsewhere = Client(other.url, headers=client.http.headers).post(call(9, "level"))
    assert elsewhere.status_code == 503
    assert "try again later" in elsewhere.text
    assert "retry-after" in elsewhere.headers

    _back(setting.redis, how)
    until(lambda: redis_state(one) == redis_state(other) == "ok", "health says that it is back")
    # No number of a call can be believed any more in this session: in full, on every replica.
    before = len(client.sent)
    for url in (one.url, other.url, one.url):
        client.http.url = url
        calls(setting, client, 4, seed=7)
    assert not any(map(is_delta, client.sent[before:]))
    fresh = Strict(setting.in_turn(), setting.files).begin()
    calls(setting, fresh, 12, seed=8)
    assert any(map(is_delta, fresh.sent))


def _away(redis: RedisServer, how: str) -> None:
    redis.kill() if how == "killed" else redis.pause()


def _back(redis: RedisServer, how: str) -> None:
    redis.start() if how == "killed" else redis.pause(going_on=True)


def test_a_session_may_begin_while_redis_is_away(setting: Setting) -> None:
    """On its replica alone, with results in full; once Redis is back, others go on with it."""
    one, other = setting.replica(), setting.replica()
    setting.write("a", text(1))
    setting.redis.kill()
    until(lambda: redis_state(one) != "ok", "health says that Redis is away")
    client = Strict(one.url, setting.files).begin()
    client.read("a")

    setting.redis.start()
    until(lambda: redis_state(one) == redis_state(other) == "ok", "health says that it is back")
    client.read("a")
    client.http.url = other.url
    client.read("a")
    assert not any(map(is_delta, client.sent))


# ---- what is refused at the start ---------------------------------------------------------------------


@contextmanager
def redis(folder: Path, options: Sequence[str]) -> Iterator[RedisServer]:
    with running(binary(), folder, *options) as server:
        yield server


def test_a_redis_that_cannot_be_used_is_refused(tmp_path: Path) -> None:
    """One line that says what, and what to do; exit code 2."""
    with redis(tmp_path, ["--maxmemory", "64mb", "--maxmemory-policy", "allkeys-lru"]) as server:
        code, said = refused("--redis", server.url, "--", *READING, "x")
    assert code == 2
    assert "set maxmemory-policy noeviction" in said
    assert said.count("\n") == 1

    code, said = refused("--redis", server.url, "--", *READING, "x")
    assert code == 2
    assert "refused" in said
    assert said.count("\n") == 1


def test_a_password_is_no_argument(tmp_path: Path) -> None:
    """It comes from the environment, and is never shown."""
    with redis(tmp_path, ["--requirepass", PASSWORD]) as server:
        with_password = server.url.replace("redis://", f"redis://:{PASSWORD.replace(' ', '')}@")
        code, said = refused("--redis", with_password, "--", *READING, "x")
        assert code == 2
        assert "TERSE_REDIS_PASSWORD" in said
        assert PASSWORD.replace(" ", "") not in said

        code, said = refused("--redis", server.url, "--", *READING, "x")
        assert code == 2
        assert "uthentication" in said
        with served(
            "--redis", server.url, command=[*READING, str(tmp_path)], TERSE_REDIS_PASSWORD=PASSWORD
        ) as service:
            assert redis_state(service) == "ok"


def test_two_places_for_one_thing_are_refused() -> None:
    """What is set aside is kept in Redis, or in a file."""
    code, said = refused("--redis", "redis://127.0.0.1:1/0", "--store", "x.db", "--", *READING, "x")
    assert code == 2
    assert "--store" in said
