"""The processes in which results are made smaller, behind a running service."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.proxy.process import SERVER as ECHO
from tests.proxy.process import ends
from tests.serve.served import Client, Served, refused, served, until


def workers_of(service: Served) -> list[int]:
    """The processes that the service started for results."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            command = (entry / "cmdline").read_bytes()
            parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
        except (OSError, IndexError):
            continue
        if b"terse.workers.worker" in command and int(parent) == service.process.pid:
            found.append(int(entry.name))
    return found


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are looked for in /proc")
def test_a_service_outlives_the_processes_that_make_results_smaller() -> None:
    """They are started once sessions meet; the end of all of them costs no session anything but results in
    full, until others are there; and they end with the service."""
    with (
        served("--workers", "2", command=ECHO) as service,
        Client(service.url) as client,
        Client(service.url) as other,
    ):
        client.begin()
        other.begin()
        whole = len(client.call("big", size=20_000))
        small = len(client.call("records", size=200))
        assert workers_of(service) == [], "one session has nobody to wait for"
        until(
            lambda: (
                other.call("records", size=200, at=os.urandom(4).hex())
                and client.call("records", size=200)
                and workers_of(service)
            ),
            "both",
        )
        until(lambda: len(workers_of(service)) == 2, "two processes")
        pids = workers_of(service)
        for pid in pids:
            os.kill(pid, signal.SIGKILL)

        assert whole == 20_000
        for number in range(6):
            answer = client.answer("records", size=200, again=number)
            assert "result" in answer, "smaller or in full: an answer"
        until(lambda: workers_of(service) and not set(workers_of(service)) & set(pids), "others")
        until(lambda: len(client.call("records", size=200, at=os.urandom(4).hex())) == small, "as before")
        assert service.stop() == 0
    assert all(ends(pid) for pid in pids)


def test_a_service_without_such_processes() -> None:
    """`--workers 0`: results are as small, and there is one process."""
    with served("--workers", "0", command=ECHO) as service, Client(service.url) as client:
        client.begin()

        assert len(client.call("records", size=200)) < 5000
        assert not Path("/proc").is_dir() or workers_of(service) == []


def test_how_many_is_a_number() -> None:
    """From 0 to 64; anything else is said."""
    code, said = refused("--workers", "many", "--", "true")

    assert code == 2
    assert "--workers 'many' is no number: write a whole one, from 0 to 64" in said
