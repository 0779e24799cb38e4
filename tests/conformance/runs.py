"""Running the suite: which versions of it, against which end, and what it is told."""

from __future__ import annotations

import shlex
import subprocess
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.conformance.install import ALPHA, STABLE, suite
from tests.conformance.paths import ROOT
from tests.conformance.scores import Checks, read

SCENARIO_MS = 60_000
SUITE_SECONDS = 900
CLIENTS_AT_ONCE = 2
"""The suite would start all clients at once, and judge how quickly they answer."""


@dataclass(frozen=True)
class Leg:
    """One part of the suite.

    Attributes:
        version: of the suite.
        spec: the protocol version that it is run at; the suite's own choice, if None.
    """

    version: str
    spec: str | None

    @property
    def name(self) -> str:
        return self.version if self.spec is None else f"{self.version} at {self.spec}"

    @property
    def options(self) -> list[str]:
        return [] if self.spec is None else ["--spec-version", self.spec]


LEGS = (Leg(STABLE, None), Leg(ALPHA, "2025-11-25"), Leg(ALPHA, "2026-07-28"))


def server_scores(leg: Leg, url: str, scenario: str | None = None) -> dict[str, Checks]:
    """Run all scenarios for servers, or one, against a URL."""
    which = ["--suite", "all"] if scenario is None else ["--scenario", scenario]
    with tempfile.TemporaryDirectory() as folder:
        options = ["--url", url, *which, *leg.options, "--output-dir", folder]
        _run([*suite(leg.version), "server", *options])
        return read(Path(folder), "server-")


def client_scores(leg: Leg, command: Sequence[str], scenarios: Sequence[str]) -> dict[str, Checks]:
    """Run scenarios for clients with a client, whose command is given a URL."""
    scores: dict[str, Checks] = {}
    with ThreadPoolExecutor(CLIENTS_AT_ONCE) as pool:
        for found in pool.map(lambda scenario: _client(leg, command, scenario), scenarios):
            scores.update(found)
    return scores


def client_scenarios(leg: Leg) -> list[str]:
    """The names of the scenarios for clients."""
    listed = _run([*suite(leg.version), "list", "--client", *leg.options]).stdout
    return [line.split()[1] for line in listed.splitlines() if line.startswith("  - ")]


def _client(leg: Leg, command: Sequence[str], scenario: str) -> dict[str, Checks]:
    with tempfile.TemporaryDirectory() as folder:
        options = ["--command", shlex.join(command), "--scenario", scenario, *leg.options]
        _run([*suite(leg.version), "client", *options, "--timeout", str(SCENARIO_MS), "--output-dir", folder])
        # Some checks are made for each request: how many a client makes is its own affair.
        return {name: Counter(set(checks)) for name, checks in read(Path(folder), "").items()}


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    # Exit code 1 means failed checks; what is compared is in its files.
    return subprocess.run(
        command,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SUITE_SECONDS,
        check=False,
    )
