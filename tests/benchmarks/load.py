"""Results of 10 kB, one after another: what the proxy adds to a call, errors, and its memory over time.

Direct calls and calls through the proxy alternate, so that both meet the same machine; beside the time that a
call took stands the processor time of the proxy, which other programs lengthen less. Linux only.
`CALLS=…` in the environment for another number of calls.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import quantiles
from time import perf_counter

CALLS = 2000
WARM_CALLS = 20
RECORDS = 190
"""Records of `tests/servers/echo.py` that make 10 kB."""
SAMPLES = 10
SERVER = [sys.executable, str(Path(__file__).parent.parent / "servers" / "echo.py")]
TERSE = [str(Path(sys.executable).parent / "terse"), "proxy", "--", *SERVER]


class Connection:
    """A running server, direct or behind the proxy."""

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._number = 0

    def call(self, tool: str, **arguments: object) -> tuple[float, int]:
        """Milliseconds that a call took, and bytes of its answer."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._number += 1
        params = {"name": tool, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": self._number, "method": "tools/call", "params": params}
        line = json.dumps(message).encode() + b"\n"
        start = perf_counter()
        self._process.stdin.write(line)
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        took = 1000 * (perf_counter() - start)
        if json.loads(answer)["id"] != self._number or b'"error"' in answer:
            raise RuntimeError(f"call {self._number} was answered with {answer[:200]!r}")
        return took, len(answer)

    def processor_ms(self) -> float:
        """Processor time that the process has used."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_mb(self) -> float:
        """Memory that the process has now."""
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def end(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def measure() -> Iterator[str]:
    """Times of a call: direct, through the proxy, and added; then the memory of the proxy at even steps."""
    calls = int(os.environ.get("CALLS") or CALLS)
    direct, proxied = Connection(SERVER), Connection(TERSE)
    for connection in (direct, proxied):
        for number in range(WARM_CALLS):
            connection.call("records", size=RECORDS, again=number)
    used = proxied.processor_ms()
    times: tuple[list[float], list[float]] = ([], [])
    sizes = [0, 0]
    resident: list[float] = []
    for number in range(calls):
        if number % max(1, calls // SAMPLES) == 0:
            resident.append(proxied.resident_mb())
        for place, connection in enumerate((direct, proxied)):
            took, size = connection.call("records", size=RECORDS, again=number)
            times[place].append(took)
            sizes[place] += size
    used = (proxied.processor_ms() - used) / calls
    resident.append(proxied.resident_mb())
    for connection in (direct, proxied):
        connection.end()
    kilobytes = " and ".join(f"{size / calls / 1000:.1f} kB" for size in sizes)
    yield f"{calls:,} calls each, no error; answers of {kilobytes}; {used:.2f} ms of processor a call\n"
    yield f"{'':28}{'direct':>10}{'proxied':>10}{'added':>10}   in ms"
    for label, percent in (("half of the calls take", 50), ("99 of 100 take", 99)):
        without, through = (quantiles(each, n=100)[percent - 1] for each in times)
        yield f"{label:28}{without:>10.2f}{through:>10.2f}{through - without:>10.2f}"
    yield f"memory of the proxy, MB: {'  '.join(f'{each:.0f}' for each in resident)}"
