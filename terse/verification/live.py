"""`terse proxy` as a process between a client and a server: what arrives is what the server sent."""

from __future__ import annotations

import json
import os
import site
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import terse
from terse.tokens import vocabulary
from terse.verification import denied
from terse.verification.original import parsed, written
from terse.verification.reading import Reader
from terse.verification.results import Given

MOST_CALLS = 1_000
"""Calls that go through a proxy: more would take long, and each is decoded by itself in any case."""
SECONDS = 60.0
"""Until a proxy that does not answer is given up: it sends the original after two of its own."""
PROTOCOL = "2025-06-18"


@dataclass(slots=True)
class Run:
    """One conversation.

    Attributes:
        name: in words: `a client that shows texts`.
        calls: how many were answered.
        wrong: what differs; `larger`: what has more tokens than it came with.
        repeats: texts that speak of an earlier result.
        proxy_log, server_log: where both processes noted what they do: see `terse.verification.denied`.
        said: the proxy's stderr.
    """

    name: str
    proxy_log: Path
    server_log: Path
    calls: int = 0
    wrong: list[str] = field(default_factory=list)
    larger: list[str] = field(default_factory=list)
    repeats: list[tuple[str, str, str]] = field(default_factory=list)
    said: str = ""


def denied_command(kind: str, log: Path, module: str, *arguments: str) -> list[str]:
    """A program of ours as a process that has no network, and whose log is kept."""
    package = Path(terse.__file__).parent
    return [sys.executable, "-P", denied.__file__, kind, str(log), str(package.parent), module, *arguments]


def environment(home: Path) -> dict[str, str]:
    """A user's own, but for the home folder, and for what would make terse do something else."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("TERSE_", "OTEL_", "XDG_")) or name == denied.VARIABLE
    }
    # What a user installed for themselves is below the home folder.
    return {**kept, "HOME": str(home), "PYTHONUSERBASE": site.getuserbase()}


def through_proxy(
    name: str,
    results: Iterable[Given],
    folder: Path,
    home: Path,
    kind: str,
    *options: str,
    client: str = "text",
    times: int = 1,
) -> Run:
    """Have `terse proxy` carry these results, each as the answer to a call.

    Args:
        folder: for the files of this run; it is there, and empty.
        home: the home folder that the proxy has.
        kind: how the network is denied.
        options: of `terse proxy`.
        client: what it is to take the client for.
        times: how often each call is made, one directly after another.
    """
    run = Run(name, folder / "proxy.log", folder / "server.log")
    calls = folder / "results"
    _write_results(calls, results, times)
    server = denied_command(kind, run.server_log, "terse.verification.server", str(calls))
    command = denied_command(
        kind, run.proxy_log, "terse.cli.entry", "proxy", "--client", client, *options, "--", *server
    )
    with (folder / "stderr").open("w+b") as errors:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=environment(home),
            cwd=folder,
            start_new_session=True,
        )
        try:
            with _Watch(process) as watch:
                _talk(run, process, watch, _results(calls), client)
            assert process.stdin is not None, "INVARIANT: it was started with a pipe"
            process.stdin.close()
            code = process.wait(SECONDS)
            if code != 0:
                run.wrong.append(f"{name}: terse proxy ended with {code}")
        except (OSError, ValueError, subprocess.TimeoutExpired) as error:
            run.wrong.append(f"{name}: {type(error).__name__}: {error}"[:200])
        finally:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):
                    if pipe is not None:
                        pipe.close()
        errors.seek(0)
        run.said = errors.read(4_000).decode("utf-8", "replace")
    return run


class _Watch:
    """Ends a process that is silent for too long."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._over = threading.Event()
        self._until = time.monotonic() + SECONDS
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> _Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def again(self) -> None:
        """It has all of its time again."""
        self._until = time.monotonic() + SECONDS

    def _look(self) -> None:
        while not self._over.wait(1.0):
            if time.monotonic() > self._until:
                self._process.kill()
                return


def _write_results(path: Path, results: Iterable[Given], times: int) -> None:
    """One line for each call, as the server gives it; beside it `calls`, as the client makes them."""
    tools: dict[str, bool] = {}
    with (
        path.open("w", encoding="utf-8") as file,
        path.with_name("calls").open("w", encoding="utf-8") as asked,
    ):
        for _, each in zip(range(MOST_CALLS), results, strict=False):
            name = f"{each.server}__{each.tool}"
            tools[name] = (
                tools.get(name, False) or _member(parsed(each.result), "structuredContent") is not None
            )
            for _ in range(times):
                file.write(each.result + "\n")
                asked.write(json.dumps([name, each.arguments]) + "\n")
    schema = {"type": "object"}
    listed = [
        {"name": name, "inputSchema": schema, **({"outputSchema": schema} if typed else {})}
        for name, typed in tools.items()
    ]
    rest = path.with_name("rest")
    path.rename(rest)
    with path.open("wb") as file_of_all, rest.open("rb") as lines:
        file_of_all.write(json.dumps({"tools": listed}).encode() + b"\n")
        while part := lines.read(1 << 20):
            file_of_all.write(part)
    rest.unlink()


def _results(path: Path) -> Iterator[tuple[str, str, str]]:
    """Tool, arguments and result of each call."""
    with path.open(encoding="utf-8") as results, path.with_name("calls").open(encoding="utf-8") as asked:
        next(results)
        for line, result in zip(asked, results, strict=True):
            name, arguments = json.loads(line)
            yield name, arguments, result.rstrip("\n")


def _talk(
    run: Run,
    process: subprocess.Popen[bytes],
    watch: _Watch,
    calls: Iterator[tuple[str, str, str]],
    client: str,
) -> None:
    """
    Raises:
        OSError, ValueError: the proxy went away, or said what is no message.
    """
    assert process.stdin is not None, "INVARIANT: it was started with pipes"
    assert process.stdout is not None, "INVARIANT: it was started with pipes"
    to, back = process.stdin, process.stdout
    introduction = {
        "protocolVersion": PROTOCOL,
        "capabilities": {},
        "clientInfo": {"name": "terse-verify", "version": "1"},
    }
    _ask(to, back, 0, "initialize", json.dumps(introduction))
    to.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    _ask(to, back, 1, "tools/list", "{}")
    reader = Reader()
    count = vocabulary().count
    for number, (tool, arguments, result) in enumerate(calls, 2):
        params = f'{{"name":{json.dumps(tool)},"arguments":{arguments}}}'
        watch.again()
        answer = _ask(to, back, number, "tools/call", params)
        run.calls += 1
        given = parsed(result)
        before, after = _shown(given, client), _shown(answer, client)
        wrong = _differs(given, answer, client)
        if wrong is None and _is_in_its_place(given, answer, client):
            wrong = _says_another(_member(given, "structuredContent"), after)
        elif wrong is None:
            wrong = reader.wrong(tool, arguments, before, after)
        where = f"{run.name}, {tool}, call {run.calls}"
        if wrong is not None:
            run.wrong.append(f"{where}: {wrong}")
        tokens, sent = sum(map(count, before)), sum(map(count, after))
        if sent > tokens:
            run.larger.append(f"{where}: {tokens:,} tokens became {sent:,}")
        run.repeats += [
            (tool, one, other)
            for one, other in zip(before, after, strict=False)
            if other != one and other.startswith("Re-run now: ")
        ]


def _ask(to: BinaryIO | Any, back: BinaryIO | Any, number: int, method: str, params: str) -> Any:
    """The result of a request.

    Raises:
        ValueError: the answer is another one, or none.
    """
    to.write(f'{{"jsonrpc":"2.0","id":{number},"method":"{method}","params":{params}}}\n'.encode())
    to.flush()
    while True:
        line: bytes = back.readline()
        message = parsed(line.decode()) if line.endswith(b"\n") else None
        # A notification may come at any time: that rules were loaded, and the list of tools is another.
        if _member(message, "method") is None:
            break
    result = _member(message, "result")
    if result is None or written(_member(message, "id")) != str(number):
        raise ValueError(f"no answer to {method}: {line[:80]!r}")
    return result


def _member(value: Any, name: str) -> Any:
    """A member of an object; None where there is none."""
    pairs = getattr(value, "pairs", ())
    return next((member for key, member in pairs if key == name), None)


def _shown(result: Any, client: str) -> list[str]:
    """What a client shows of a result: its texts, or `structuredContent` where that is there."""
    structured = _member(result, "structuredContent")
    if client == "structured" and structured is not None:
        return [written(structured)]
    texts = []
    for block in _member(result, "content") or []:
        inner = block if _member(block, "type") == "text" else _member(block, "resource")
        text = _member(inner, "text")
        if isinstance(text, str):
            texts.append(text)
    return texts


def _is_in_its_place(received: Any, sent: Any, client: str) -> bool:
    """Whether a text is sent in the place of `structuredContent`, to a client that shows that."""
    return (
        client == "structured"
        and _member(received, "structuredContent") is not None
        and _member(sent, "structuredContent") is None
    )


def _says_another(structured: Any, texts: list[str]) -> str | None:
    """What texts say else than `structuredContent`; None where they are it, its only value, or its items."""
    ways = [[written(structured)]]
    pairs = getattr(structured, "pairs", ())
    if len(pairs) == 1:
        (value,) = (member for _, member in pairs)
        ways.append([_as_text(value)])
        if type(value) is list:
            ways.append(list(map(_as_text, value)))
    found = [Reader().wrong("", "{}", way, texts) for way in ways]
    return None if None in found else found[0]


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else written(value)


def _differs(received: Any, sent: Any, client: str) -> str | None:
    """What is another beside the texts, in a few words."""
    given, got = (
        [(key, member) for key, member in result.pairs if key != "content"] for result in (received, sent)
    )
    if _is_in_its_place(received, sent, client):
        given = [(key, member) for key, member in given if key != "structuredContent"]
    if given != got:
        return "other members of the result"
    blocks, others = (_member(result, "content") or [] for result in (received, sent))
    if len(blocks) != len(others):
        return None if len(others) == 1 else f"{len(blocks)} blocks became {len(others)}"
    for number, (one, other) in enumerate(zip(blocks, others, strict=True), 1):
        if _without_text(one) != _without_text(other):
            return f"block {number} is another"
    return None


def _without_text(block: Any) -> Any:
    """A block without the text that rules may rewrite."""
    pairs = getattr(block, "pairs", None)
    if pairs is None:
        return block
    return [
        (key, _without_text(member) if key == "resource" else member)
        for key, member in pairs
        if not (key == "text" and isinstance(member, str))
    ]
