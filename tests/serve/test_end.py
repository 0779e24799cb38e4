"""How the service ends: what is under way is answered, nothing new is begun, nothing is left behind."""

from __future__ import annotations

import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest

from tests.proxy.process import PATIENCE, ends
from tests.serve.served import Alone, Client, Served, call, events, metric, served, text_of, until


def _is_ready(service: Served) -> bool:
    try:
        return httpx2.get(f"{service.base}/readyz", trust_env=False).status_code == 200
    except httpx2.TransportError:
        return False


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_lets_what_is_under_way_finish(number: signal.Signals) -> None:
    """The call is answered, a new one is refused meanwhile, children are ended, and the exit code is 0."""
    with (
        served() as service,
        Client(service.url) as client,
        Client(service.url) as other,
        Alone(service.url) as alone,
        ThreadPoolExecutor(2) as pool,
    ):
        pids = [int(each.call("pid")) for each in (client.begin(), other.begin(), alone)]
        waiting = [pool.submit(each.answer, "wait", seconds=1.5) for each in (client, alone)]
        until(lambda: metric(service, "terse_http_requests_under_way") == 2, "both are under way")
        service.process.send_signal(number)
        until(lambda: not _is_ready(service), "it is stopping")
        refused = [other.post(call(1, "pid")), alone.ask("tools/list")]

        assert [response.status_code for response in refused] == [503, 503]
        assert "stopping" in refused[0].json()["error"]["message"]
        assert [text_of(each.result()) for each in waiting] == ["waited", "waited"]
        assert service.process.wait(PATIENCE) == 0
        assert all(ends(pid) for pid in pids)
        assert len(service.said) == 1, "nothing is said but where it listens"


def test_a_question_to_the_client_is_answered_while_the_service_stops() -> None:
    """An answer of a client is nothing new: the call that waits for it can finish."""
    with served() as service, Client(service.url) as client:
        client.begin()
        with client.posting(call(1, "ask", method="roots/list")) as response:
            said = (event.message for event in events(response) if event.data)
            question = next(said)
            service.process.send_signal(signal.SIGTERM)
            until(lambda: not _is_ready(service), "it is stopping")
            client.post({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": []}})

            assert text_of(next(said)) == '{"roots": []}'
        assert service.process.wait(PATIENCE) == 0


def test_what_takes_longer_than_the_grace() -> None:
    """It is given up, and its client is told why."""
    with served("--grace", "0.5") as service, Client(service.url) as client, ThreadPoolExecutor(1) as pool:
        client.begin()
        waiting = pool.submit(client.answer, "hang")
        until(lambda: metric(service, "terse_http_requests_under_way") == 1, "it is under way")

        assert service.stop() == 0
        assert "the service is stopping" in waiting.result()["error"]["message"]


def test_a_stream_of_a_client_that_only_listens_ends() -> None:
    """It is not waited for."""
    with served() as service, Client(service.url) as client:
        client.begin()
        with client.listening() as response:
            began = time.monotonic()
            service.process.send_signal(signal.SIGTERM)

            assert all(not event.data for event in events(response))
            assert service.process.wait(PATIENCE) == 0
            assert time.monotonic() - began < 8, "less than the grace"


def test_a_second_signal_ends_at_once() -> None:
    """Nothing is waited for, the exit code says so, and still nothing is left behind."""
    with served("--grace", "60") as service, Client(service.url) as client, ThreadPoolExecutor(1) as pool:
        pid = int(client.begin().call("pid"))
        waiting = pool.submit(client.answer, "hang")
        until(lambda: metric(service, "terse_http_requests_under_way") == 1, "it is under way")
        service.process.send_signal(signal.SIGTERM)
        until(lambda: not _is_ready(service), "it is stopping")

        assert service.stop(signal.SIGTERM) == 128 + signal.SIGTERM
        assert "stopping" in waiting.result()["error"]["message"]
    assert ends(pid)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells children of the end of their parent")
def test_a_killed_service_leaves_nothing_behind() -> None:
    """SIGKILL: the kernel ends the servers."""
    with served() as service, Client(service.url) as client, Alone(service.url) as alone:
        pids = [int(client.begin().call("pid")), int(alone.call("pid"))]
        service.stop(signal.SIGKILL)

    assert all(ends(pid) for pid in pids)


def test_sessions_that_are_open_when_it_ends() -> None:
    """Many of them end together, not one after another."""
    with served() as service, ThreadPoolExecutor(8) as pool:

        def begun(number: int) -> int:
            with Client(service.url) as client:
                return int(client.begin().call("pid"))

        pids = list(pool.map(begun, range(12)))
        assert service.stop() == 0

    assert all(ends(pid) for pid in pids)
