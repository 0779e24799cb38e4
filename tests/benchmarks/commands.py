"""How long commands take to start: whole processes, medians, beside an empty Python."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import perf_counter

ROUNDS = 20
EXAMPLES = Path(__file__).parent.parent.parent / "docs" / "examples"
COMMANDS = {
    "python -c pass": ("-c", "pass"),
    "terse --version": ("-m", "terse", "--version"),
    "terse --help": ("-m", "terse", "--help"),
    "terse check rules.terse": ("-m", "terse", "check", "rules.terse"),
    "terse explain (22 kB)": ("-m", "terse", "explain", "samples/python/list_packages/venv.json"),
}


def measure() -> Iterator[str]:
    """A row per command: the median, and what it is over an empty Python."""
    yield f"median of {ROUNDS}, in ms\n"
    yield f"{'command':28}{'ms':>8}{'over an empty python':>24}"
    empty = 0.0
    for name, arguments in COMMANDS.items():
        took = median(_once(arguments) for _ in range(ROUNDS))
        empty = empty or took
        yield f"{name:28}{took:>8.1f}{took - empty:>24.1f}"


def _once(arguments: tuple[str, ...]) -> float:
    start = perf_counter()
    subprocess.run([sys.executable, *arguments], cwd=EXAMPLES, stdout=subprocess.DEVNULL, check=True)
    return 1000 * (perf_counter() - start)
