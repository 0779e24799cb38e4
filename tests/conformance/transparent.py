"""Generated traffic through a running `terse proxy`: what no rule names passes byte for byte, in order."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby, islice
from pathlib import Path
from random import Random
from threading import Condition, Thread
from typing import IO

from mcp_types.version import KNOWN_PROTOCOL_VERSIONS

from terse.payload.exact import NotExact, dump, parse
from terse.tiers.expand import expand
from tests.conformance.messages import Line, Traffic
from tests.conformance.paths import HERE, TERSE, running

PATIENCE = 60.0
"""Seconds after which a message counts as lost; nothing is expected to take that long."""
TEXT = b'"content":[{"type":"text","text":'
AT_ONCE = 40
LAST = b'{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"half a mess'


class NotTransparent(AssertionError):  # noqa: N818 — says what the proxy is
    """A message did not come out as it went in. The message shows both."""


@dataclass
class Passed:
    """What went through.

    Attributes:
        lines: of both directions.
        changed: results that were rewritten.
        late: results that came as they were, though there was much to save in them.
        lists: lists of tools that the tool for fetching was added to.
    """

    lines: int = 0
    changed: int = 0
    late: int = 0
    lists: int = 0


class _End:
    """One end of a connection: what has come out of it is collected by a thread."""

    def __init__(self, read: int, write: int) -> None:
        self._read = read
        self._write = write
        self._arrived = Condition()
        self._pieces: list[bytes] = []
        self._ends = 0
        self._is_over = False
        Thread(target=self._collect, daemon=True).start()

    def write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._write, rest) :]

    def take(self, line_ends: int) -> bytes:
        """So many lines, once they are there, and what came with them."""
        with self._arrived:
            if not self._arrived.wait_for(lambda: self._ends >= line_ends or self._is_over, PATIENCE):
                raise NotTransparent(f"{line_ends - self._ends} messages are missing")
            return self._taken()

    def rest(self) -> bytes:
        """Everything until the end of the output."""
        with self._arrived:
            if not self._arrived.wait_for(lambda: self._is_over, PATIENCE):
                raise NotTransparent("the output does not end")
            return self._taken()

    def _taken(self) -> bytes:
        data = b"".join(self._pieces)
        self._pieces.clear()
        self._ends = 0
        return data

    def _collect(self) -> None:
        while data := _read(self._read):
            with self._arrived:
                self._pieces.append(data)
                self._ends += data.count(b"\n")
                self._arrived.notify_all()
        with self._arrived:
            self._is_over = True
            self._arrived.notify_all()


def check(number: int, seed: int, *, retrieves: bool, proxy: Sequence[str] = ()) -> Passed:
    """Send so many generated messages, of all versions, through one proxy.

    Args:
        retrieves: the proxy offers the tool that fetches what was set aside: lists of tools get one more.

        proxy: what is looked at, before the server's command; `terse proxy` with rules, if empty.

    Raises:
        NotTransparent: something did not come out as it went in.
    """
    if not proxy:
        options = ["--rules", str(HERE / "transparency.terse"), *([] if retrieves else ["--no-retrieve"])]
        proxy = [*TERSE, "proxy", *options, "--"]
    passed = Passed()
    with tempfile.TemporaryFile() as errors:
        with _proxied(proxy, errors) as (process, client, server, far):
            traffic = Traffic(Random(seed))
            for version in KNOWN_PROTOCOL_VERSIONS:
                lines = traffic.lines(version, number // len(KNOWN_PROTOCOL_VERSIONS))
                while chunk := list(islice(lines, AT_ONCE)):
                    for from_client, group in groupby(chunk, lambda line: line.from_client):
                        ends = (client, server) if from_client else (server, client)
                        _pass(list(group), *ends, passed, retrieves=retrieves)
            # The last message of each side has no line end.
            assert process.stdin is not None
            client.write(LAST)
            process.stdin.close()
            _same(LAST, server.rest())
            server.write(LAST)
            far.shutdown(socket.SHUT_WR)
            _same(LAST, client.rest())
            if process.wait(PATIENCE):
                raise NotTransparent(f"the proxy ended with {process.returncode}")
        errors.seek(0)
        said = errors.read()
    if passed.late and b"not rewritten in time" not in said:
        raise NotTransparent(f"{passed.late} results came as they were: {said!r}")
    return passed


def _pass(sent: Sequence[Line], one: _End, other: _End, passed: Passed, *, retrieves: bool) -> None:
    one.write(b"".join(line.data for line in sent))
    received = other.take(sum(line.data.count(b"\n") for line in sent))
    passed.lines += len(sent)
    if sent[0].from_client:
        _same(b"".join(line.data for line in sent), received)
        return
    free = [line for line in sent if line.may_change or (retrieves and line.is_list)]
    strict = [line for line in sent if line not in free]
    for data in (line + b"\n" for line in received.split(b"\n")[:-1]):
        if strict and data == strict[0].data:
            strict.pop(0)
            continue
        found = next((line for line in free if _is_same(line, data, passed)), None)
        if found is None:
            raise NotTransparent(
                f"came out: {data[:2000]!r}\nexpected next: {strict[:1]!r}\nor one of {free!r}"
            )
        free.remove(found)
    if strict or free:
        raise NotTransparent(f"did not come out: {strict + free!r}")


def _is_same(line: Line, data: bytes, passed: Passed) -> bool:
    """Whether the bytes are the line, or what rules may make of it."""
    if data == line.data:
        passed.late += line.must_shrink
        return True
    if line.is_list and _is_longer(line.data, data):
        passed.lists += 1
        return True
    start = line.data.find(TEXT) + len(TEXT)
    if start < len(TEXT) or data[:start] != line.data[:start]:
        return False
    text, end = _text_at(line.data, start)
    rest = line.data[end:]
    if not data.endswith(rest):
        return False
    emitted = json.loads(data[start : len(data) - len(rest)])
    passed.changed += 1
    return line.may_lose or _means(expand(emitted)) == _means(text)


def _is_longer(sent: bytes, received: bytes) -> bool:
    """Whether a list of tools is as it was, but for one tool that stands in it besides."""
    start = _common(sent, received)
    added = len(received) - len(sent)
    return (
        b'"terse_retrieve"' in received[start : start + added] and received[start + added :] == sent[start:]
    )


def _common(one: bytes, other: bytes) -> int:
    """How many bytes two messages begin with that are the same."""
    shorter = min(len(one), len(other))
    return next((at for at in range(shorter) if one[at] != other[at]), shorter)


def _text_at(line: bytes, start: int) -> tuple[str, int]:
    """The JSON string that begins somewhere, and where it ends."""
    rest = line[start:].decode("utf-8", "surrogateescape")
    text, length = json.JSONDecoder().raw_decode(rest)
    return text, start + len(rest[:length].encode("utf-8", "surrogateescape"))


def _means(text: str) -> str:
    """What must be equal: of JSON the document with the text of its numbers, else the text."""
    try:
        return dump(parse(text))
    except NotExact:
        return text


def _same(sent: bytes, received: bytes) -> None:
    if sent != received:
        at = _common(sent, received)
        near = slice(max(at - 200, 0), at + 200)
        raise NotTransparent(f"at byte {at}: went in {sent[near]!r}\ncame out {received[near]!r}")


@contextmanager
def _proxied(
    proxy: Sequence[str], errors: IO[bytes]
) -> Iterator[tuple[subprocess.Popen[bytes], _End, _End, socket.socket]]:
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listening:
        address = str(Path(folder) / "far-end")
        listening.bind(address)
        listening.listen()
        command = [*proxy, sys.executable, str(HERE / "far_end.py"), address]
        with running(command, stdout=subprocess.PIPE, stderr=errors) as process:
            listening.settimeout(PATIENCE)
            far, _ = listening.accept()
            with far:
                assert process.stdin is not None
                assert process.stdout is not None
                client = _End(process.stdout.fileno(), process.stdin.fileno())
                yield process, client, _End(far.fileno(), far.fileno()), far


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 1 << 20)
    except OSError:
        return b""
