"""Hundreds of calls through a proxy process: every answer reads back exactly, and its memory is bounded."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

import pytest

from terse.cli.policy import load_plan
from tests.proxy.conversation import Conversation
from tests.proxy.process import started
from tests.servers import changing

SERVER = [sys.executable, str(Path(changing.__file__))]
RULES = """terse 1

rule everything {
  on */*
  use compact then dedup then diff
}

# Nothing but what remembers: the time of the other steps is not what the test is about.
rule files {
  on */read
  when argument key matches "file *"
  use dedup then diff
}
"""
CALLS = 500
LINES = 25
LARGE_CALLS, LARGE_LINES = 150, 2000
MEMORY = 1
"""MB for earlier results."""
GROWTH = 8 * 1024 * 1024
"""How far the process may grow after its first fifth: MEMORY, what a result needs for a moment, and what an
allocator does not give back. The results that pass are more than that."""


@pytest.fixture
def proxy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The proxy's command, but for more options, `--` and the server; its rules are compiled already."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    rules = tmp_path / "rules.terse"
    rules.write_text(RULES)
    # Compiled here, into the cache: a machine under load must not make the proxy too late for the first list.
    load_plan(str(rules))
    return [sys.executable, "-m", "terse", "proxy", "--rules", str(rules)]


def served(lines: int) -> list[str]:
    return ["--", *SERVER, "--lines", str(lines)]


@pytest.mark.parametrize("seed", [1, 2])
def test_a_chain_of_calls_reads_back_whatever_happens_between(seed: int, proxy: list[str]) -> None:
    """Repeats, changes, errors, calls at once, answers out of order, cancelled calls, `initialize` again."""
    random = Random(seed)
    with started([*proxy, *served(LINES)]) as connection:
        talk = Conversation(connection, LINES)
        made = 0
        while made < CALLS:
            at_once = random.choice([1, 1, 1, 2, 4])
            calls = []
            for number in range(at_once):
                hold = number < at_once - 1 and random.random() < 0.3
                calls.append(talk.ask(random.choice(changing.TOOLS), random.choice("abc"), hold=hold))
            made += at_once
            if random.random() < 0.1:
                talk.cancel(random.choice(calls))
            talk.take_all()
            if random.random() < 0.01:
                talk.begin_anew()
        given, sent = talk.characters
        assert sent < given * 0.6


@pytest.mark.parametrize("name", ["anybody", "claude-code", "github-copilot-developer"])
def test_a_chain_of_typed_results_reads_back(name: str, proxy: list[str]) -> None:
    """The data is there in the form that the client shows: once for those that show `structuredContent`."""
    random = Random(4)
    with started([*proxy, *served(LINES), "--typed"]) as connection:
        talk = Conversation(connection, LINES, name)
        for number in range(CALLS // 2):
            talk.ask(random.choice(changing.TOOLS), random.choice("abc"))
            talk.take_all()
            if number == 100:
                talk.begin_anew()
        # A machine under load may make one too late to be rewritten: it is then sent as it came.
        assert (talk.structured < CALLS // 50) == (name != "anybody")


def test_sessions_that_take_turns_know_nothing_of_each_other(proxy: list[str], tmp_path: Path) -> None:
    """Two at once with one store, and one of them started anew: each reads only what it was sent itself."""
    random = Random(3)
    store = ["--store", str(tmp_path / "store.sqlite")]
    with started([*proxy, *store, *served(LINES)]) as one:
        first = Conversation(one, LINES)
        for _ in range(3):
            with started([*proxy, *store, *served(LINES)]) as other:
                second = Conversation(other, LINES)
                for _ in range(40):
                    tool, key = random.choice(changing.TOOLS), random.choice("ab")
                    for talk in random.sample([first, second], 2):
                        talk.ask(tool, key)
                    first.take_all()
                    second.take_all()


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="/proc does not say what a process takes")
def test_large_results_do_not_pile_up(proxy: list[str]) -> None:
    """Hundreds pass, all different, under a small bound: the process stays about as large as it was."""
    with started([*proxy, "--memory", f"{MEMORY}MB", *served(LARGE_LINES)]) as connection:
        talk = Conversation(connection, LARGE_LINES)
        sizes = []
        for number in range(LARGE_CALLS):
            talk.ask("read", f"file {number}")
            talk.take_all()
            sizes.append(talk.resident_bytes())
        assert max(sizes[LARGE_CALLS // 5 :]) - sizes[LARGE_CALLS // 5] < GROWTH
        assert talk.characters[0] * 4 // 5 > GROWTH * 3 // 2
