"""Results of 10 kB over `terse serve`, with many sessions at once: what it adds to a call, errors, memory.

A server over HTTP is called directly and through terse by turns, at a rate that does not depend on how
quickly answers come: each call has its time, and what waits for another one counts as waiting. Client, server
and terse share the machine; beside the times stands the processor time of terse, its workers with it. Linux
only.
`CALLS=…`, `SESSIONS=…`, `RATE=…` (calls a second through terse), `RULES=FILE`, `WORKERS=N` and `SERVER=stdio`
(a process for each session, in place of the one server) in the environment.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import quantiles

CALLS, SESSIONS, RATE = 50_000, 200, 100.0
SAMPLES = 20
HERE = Path(__file__).parent
TERSE = [sys.executable, "-m", "terse", "serve", "--listen", "127.0.0.1:0"]
UPSTREAM = [sys.executable, str(HERE / "serving_upstream.py")]
ECHO = [sys.executable, str(HERE.parent / "servers" / "echo.py")]
RECORDS = 190
"""Records of `tests/servers/echo.py` that make 10 kB."""


class Session:
    """A session over a connection of its own, that is kept open."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._number = 0
        self._headers = ""
        self._turn = asyncio.Lock()

    @classmethod
    async def begun(cls, port: int) -> Session:
        session = cls(*await asyncio.open_connection("127.0.0.1", port, limit=1 << 20))
        info = {"name": "load", "version": "1"}
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
        head, _ = await session._ask("initialize", params)
        ident = next(line for line in head.splitlines() if line.lower().startswith("mcp-session-id:"))
        session._headers = f"{ident}\r\nmcp-protocol-version: 2025-11-25\r\n"
        return session

    async def call(self, due: float, mark: int) -> tuple[float, int]:
        """Milliseconds since the call was due, and bytes of its answer."""
        async with self._turn:
            arguments = {"size": RECORDS, "again": mark}
            _, body = await self._ask("tools/call", {"name": "records", "arguments": arguments})
        took = 1000 * (time.perf_counter() - due)
        answer = json.loads(body)
        if answer["id"] != self._number or "result" not in answer:
            raise RuntimeError(f"a call was answered with {body[:200]!r}")
        return took, len(body)

    async def _ask(self, method: str, params: dict[str, object]) -> tuple[str, bytes]:
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        body = json.dumps(message).encode()
        head = (
            "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
            f"accept: application/json, text/event-stream\r\n{self._headers}"
            f"content-length: {len(body)}\r\n\r\n"
        )
        self._writer.write(head.encode() + body)
        said = (await self._reader.readuntil(b"\r\n\r\n")).decode()
        fields = dict(line.lower().split(": ", 1) for line in said.split("\r\n")[1:] if line)
        if not said.startswith("HTTP/1.1 200"):
            raise RuntimeError(f"a request was answered with {said!r}")
        if "content-length" in fields:
            return said, await self._reader.readexactly(int(fields["content-length"]))
        return said, await self._event()

    async def _event(self) -> bytes:
        """The last event of a stream, as which an answer comes that took over two seconds."""
        pieces: list[bytes] = []
        while size := int(await self._reader.readuntil(b"\r\n"), 16):
            pieces.append(await self._reader.readexactly(size))
            await self._reader.readexactly(2)
        await self._reader.readexactly(2)
        return b"".join(pieces).rstrip().rpartition(b"data: ")[2]


class Process:
    """A running program, and where it listens.

    Attributes:
        own: the processes that count as it.
    """

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, cwd=HERE.parent.parent)
        assert self.process.stderr is not None
        self.own = [self.process.pid]
        line = self.process.stderr.readline().decode()
        self.port = int(line.rpartition(":")[2].split("/")[0])

    def processor_ms(self) -> float:
        ticks = 0
        for pid in self.own:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
        return 1000 * ticks / os.sysconf("SC_CLK_TCK")

    def resident_mb(self) -> float:
        pages = sum(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in self.own)
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def find_workers(self) -> None:
        """Count the processes in that make results smaller for this one; not the servers behind it."""
        for children in Path(f"/proc/{self.process.pid}/task").glob("*/children"):
            for pid in map(int, children.read_text().split()):
                if b"terse.workers" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    self.own.append(pid)

    def threads(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/task"))


def measure() -> Iterator[str]:
    """Times of a call: direct, through terse, and added; then its memory at even steps."""
    calls, sessions = int(os.environ.get("CALLS") or CALLS), int(os.environ.get("SESSIONS") or SESSIONS)
    rate = float(os.environ.get("RATE") or RATE)
    rules = ["--rules", os.environ["RULES"]] if os.environ.get("RULES") else []
    upstream = Process(UPSTREAM)
    workers = ["--workers", os.environ["WORKERS"]] if os.environ.get("WORKERS") else []
    is_stdio = os.environ.get("SERVER") == "stdio"
    target = ["--", *ECHO] if is_stdio else [f"http://127.0.0.1:{upstream.port}/mcp"]
    terse = Process([*TERSE, *rules, *workers, *target])
    try:
        yield from asyncio.run(_load(upstream, terse, calls, sessions, rate))
    finally:
        terse.process.terminate()
        code = terse.process.wait(60)
        upstream.process.kill()
        upstream.process.wait()
    assert terse.process.stderr is not None
    said = terse.process.stderr.read().decode().strip()
    yield f"terse ended with {code} and said: {said or 'nothing'}"


async def _load(upstream: Process, terse: Process, calls: int, sessions: int, rate: float) -> list[str]:
    ways = [[await Session.begun(each.port) for _ in range(sessions)] for each in (upstream, terse)]
    for way in ways:
        for number, session in enumerate(way):
            await session.call(time.perf_counter(), -number)
    # Until then they are started, one after the other.
    await asyncio.sleep(2)
    terse.find_workers()
    threads, used = terse.threads(), terse.processor_ms()
    times: tuple[list[float], list[float]] = ([], [])
    sizes = [0, 0]
    failures: list[str] = []
    resident: list[float] = []

    async def one(way: int, number: int, due: float) -> None:
        try:
            took, size = await ways[way][number % sessions].call(due, number)
        except Exception as error:
            failures.append(f"{type(error).__name__}: {error}"[:200])
            return
        times[way].append(took)
        sizes[way] += size

    tasks: set[asyncio.Task[None]] = set()
    began = time.perf_counter()
    for number in range(calls):
        if number % max(1, calls // SAMPLES) == 0:
            resident.append(terse.resident_mb())
        for way in (0, 1):
            # The direct call half a step later, so that neither waits for the other.
            due = began + (number + way / 2) / rate
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            task = asyncio.ensure_future(one(way, number, due))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
    await asyncio.gather(*tasks)
    took = time.perf_counter() - began
    used = (terse.processor_ms() - used) / calls
    resident.append(terse.resident_mb())
    half = resident[len(resident) // 2 :]
    kilobytes = " and ".join(f"{size / calls / 1000:.1f} kB" for size in sizes)
    load = os.getloadavg()[0]
    lines = [
        f"{calls:,} calls each on {sessions} sessions in {took:.0f} s, {len(failures)} errors; answers of "
        f"{kilobytes}",
        f"{used:.2f} ms of processor a call, {threads} threads; load of the machine at the end {load:.1f}\n",
        *failures[:3],
        f"{'':28}{'direct':>10}{'served':>10}{'added':>10}   in ms",
    ]
    for label, percent in (("half of the calls take", 50), ("90 of 100 take", 90), ("99 of 100 take", 99)):
        without, through = (quantiles(each, n=100)[percent - 1] for each in times)
        lines.append(f"{label:28}{without:>10.2f}{through:>10.2f}{through - without:>10.2f}")
    lines.append(f"memory of terse, MB: {'  '.join(f'{each:.0f}' for each in resident)}")
    lines.append(f"over the last half it varied by {100 * (max(half) / min(half) - 1):.1f} %")
    return lines
