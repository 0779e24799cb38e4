"""What every driver does the same way. Runs in a peer's own environment: the standard library only.

A driver reads one JSON object a line from stdin and answers each with one:

    {"text": "…"}                    → {"out": "…", "back": "…", "seconds": 0.01}, or {"error": "…"}
    {"path": "…", "for": 2.0}        → {"seconds": 0.01, "runs": 3, "base": 12000, "peak": 24000, "out": "…"}

`back` is what decoding gives, as JSON text; null where the peer has no decoder. `seconds` is
time of the processor, of the shortest run; `base` and `peak` are kilobytes of memory, before the first text
and at the most.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable
from time import perf_counter, process_time

FEWEST_RUNS = 2


def serve(encode: Callable[[str], str], decode: Callable[[str], str] | None, runs: int = 0) -> None:
    """Answer requests until stdin ends.

    Args:
        encode: from a tool's result to what the peer would send.
        decode: from that to JSON text.
        runs: how often a text is run to be timed; 0: for as long as the request says.
    """
    # A first call loads models and vocabularies; no file should pay for that.
    encode(json.dumps([{"id": number, "name": f"name {number}"} for number in range(100)]))
    base = _peak()
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = (
                _timed(request, encode, base, runs) if "path" in request else _once(request, encode, decode)
            )
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"[:200]}
        print(json.dumps(answer), flush=True)


def _once(request: dict, encode: Callable[[str], str], decode: Callable[[str], str] | None) -> dict:
    start = process_time()
    out = encode(request["text"])
    seconds = process_time() - start
    back, why = None, ""
    if decode is not None:
        try:
            back = decode(out)
        except Exception as error:
            why = f"{type(error).__name__}: {error}"[:200]
    return {"out": out, "back": back, "undecoded": why, "seconds": seconds}


def _timed(request: dict, encode: Callable[[str], str], base: int, wanted: int) -> dict:
    with open(request["path"], encoding="utf-8") as file:
        text = file.read()
    shortest, runs, until = float("inf"), 0, perf_counter() + request["for"]
    out = ""
    while runs < wanted if wanted else runs < FEWEST_RUNS or perf_counter() < until:
        start = process_time()
        out = encode(text)
        shortest = min(shortest, process_time() - start)
        runs += 1
    return {"seconds": shortest, "runs": runs, "base": base, "peak": _peak(), "out": out}


def _peak() -> int:
    # What getrusage says begins with the memory of the process that started this one.
    try:
        with open("/proc/self/status", encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
