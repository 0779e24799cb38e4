"""What a call by `terse cli` takes: whole processes, beside an empty Python and a call over MCP itself."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from time import perf_counter

from tests.shell.lines import TALKING, TERSE, Shell

ROUNDS = 30
CALLS = 300
CALL = ("talking", "say", "--text", "hello")


def measure() -> Iterator[str]:
    """A row each: medians of elapsed and of processor time, which a busy machine changes less."""
    yield f"median of {ROUNDS}, in ms\n"
    yield f"{'':36}{'elapsed':>10}{'processor':>12}"
    with tempfile.TemporaryDirectory() as folder:
        # As installed: modules are compiled once, and not at each call.
        shell = Shell(Path(folder), PYTHONPYCACHEPREFIX=os.path.join(folder, "compiled"))
        shell.environment.pop("PYTHONDONTWRITEBYTECODE", None)
        shell.knows(talking=TALKING)
        first = perf_counter()
        shell.out(*CALL)
        first = perf_counter() - first
        rows: dict[str, Callable[[], object]] = {
            "python -c pass": lambda: subprocess.run([sys.executable, "-c", "pass"], check=True),
            "terse --version": lambda: _quiet(shell, "--version"),
            "terse cli talking say --text hello": lambda: _quiet(shell, "cli", *CALL),
            "terse cli talking say --help": lambda: _quiet(shell, "cli", "talking", "say", "--help"),
        }
        for name, run in rows.items():
            elapsed, processor = _medians(run)
            yield f"{name:36}{elapsed:>10.1f}{processor:>12.1f}"
        shell.stop()
    yield f"{'the first call, which starts all':36}{1000 * first:>10.1f}"
    yield f"{'over MCP itself, in a session':36}{_direct():>10.2f}"


def _quiet(shell: Shell, *arguments: str) -> None:
    subprocess.run(
        [*TERSE, *arguments], env=shell.environment, cwd=shell.folder, stdout=subprocess.DEVNULL, check=True
    )


def _medians(run: Callable[[], object]) -> tuple[float, float]:
    elapsed, processor = [], []
    for _ in range(ROUNDS):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
        run()
        elapsed.append(perf_counter() - start)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        processor.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return 1000 * median(elapsed), 1000 * median(processor)


def _direct() -> float:
    """The median of calls to the same server over its pipes, by who has nothing else to do."""
    process = subprocess.Popen(TALKING, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    took = []
    for number in range(CALLS):
        params = {"name": "say", "arguments": {"text": "hello"}}
        request = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        start = perf_counter()
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()
        process.stdout.readline()
        took.append(perf_counter() - start)
    process.stdin.close()
    process.wait(10)
    return 1000 * median(took)
