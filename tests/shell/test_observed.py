"""What a process in the background noted and exported is all there when it has ended, however it ends."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from terse.ledger.reader import records
from tests.shell.lines import PATIENCE, TALKING, Shell
from tests.telemetry.receiver import receiver

CALLS = 5


def called(shell: Shell, ends: str) -> None:
    """Some calls, and the end of the process right after the last one."""
    shell.knows(talking=TALKING)
    if ends == "--no-daemon":
        for _ in range(CALLS):
            shell.out("talking", "--no-daemon", "say", "--text", "a word")
        return
    idle = ("--idle", "1") if ends == "idle" else ()
    for _ in range(CALLS):
        shell.out("talking", *idle, "say", "--text", "a word")
    (alive,) = shell.private.glob("talking-*.alive")
    number = int(alive.read_bytes())
    if ends == "--stop":
        shell.run("talking", "--stop")
    elif ends == "SIGTERM":
        os.kill(number, signal.SIGTERM)
    until = time.monotonic() + PATIENCE
    while Path(f"/proc/{number}").exists() and time.monotonic() < until:
        time.sleep(0.05)


@pytest.mark.parametrize("ends", ["--stop", "idle", "SIGTERM", "--no-daemon"])
def test_every_call_is_in_the_ledger(ends: str, shell: Shell) -> None:
    """Each once; and no command line has a word about it."""
    ledger = shell.folder / "ledger.sqlite"
    shell.environment["TERSE_LEDGER"] = str(ledger)
    called(shell, ends)
    found = [each for each in records(ledger, float("-inf")) if each.what == "result"]

    assert [(each.server, each.tool) for each in found] == [("talking", "say")] * CALLS


def test_every_call_is_exported(shell: Shell) -> None:
    """To the collector that the environment of the first command line names."""
    with receiver() as collector:
        shell.environment["OTEL_EXPORTER_OTLP_ENDPOINT"] = collector.endpoint
        # Nothing is exported but at the end.
        shell.environment["OTEL_BSP_SCHEDULE_DELAY"] = "3600000"
        called(shell, "--stop")

    assert [span.name for span in collector.spans] == ["tools/call say"] * CALLS
