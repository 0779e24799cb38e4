"""The whole verification, in a process that has no network: see `terse.verification.denied`.

    worker whole  PORT FOLDER PATH…    all of it; prints a `Verified` as JSON
    worker marks PATH…                 prints a short hash of what is sent, a line for each call

FOLDER is for files of ours. Without a PATH, our own samples are run.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import NoReturn

from terse.capture.recorded import Notes
from terse.capture.results import Unreadable
from terse.report.verified import Check, Counted, Form, Verified
from terse.tiers import BY_NAME
from terse.tokens import vocabulary
from terse.tokens.encodings import PUBLISHED
from terse.tokens.pack import as_published, unpack
from terse.verification import denied, live
from terse.verification.alone import MOST_FINDINGS, Alone, excerpt, marks_of
from terse.verification.faults import faults
from terse.verification.install import installed
from terse.verification.places import attempts, places
from terse.verification.results import SAMPLES, Given, given

UNREADABLE = 72
"""The exit code where what is to be verified cannot be read; stderr says what."""
OTHER_SEED = "4242"
"""Of the process in which all is made again; that of this one is another (`terse.verification.verify`)."""
_RULES = """terse 1

# Every lossless step there is, those that speak of earlier results among them.
rule everything {
  on */*
  use compact then dedup then diff
}
"""
_DENIED_BY = {
    "namespace": "a network namespace with no interface that is up",
    "seccomp": "a filter in the kernel (seccomp)",
    "hook": "Python, process by process; what is no Python could pass",
}


def main(arguments: list[str]) -> int:
    """Run what is asked for, and print it."""
    what, *rest = arguments
    signal.signal(signal.SIGTERM, _end)
    try:
        if what == "marks":
            print("\n".join(marks_of(_Source(rest).results())))
            return 0
        port, folder, *paths = rest
        found = _whole(int(port), Path(folder), _Source(paths))
    except Unreadable as error:
        print(error, file=sys.stderr)
        return UNREADABLE
    # Escaped to ASCII: an excerpt may hold half a character.
    print(json.dumps(asdict(found)))
    return 0


def _end(*_: object) -> NoReturn:
    """What was started is ended on the way out."""
    raise SystemExit(128 + signal.SIGTERM)


class _Source:
    """What is verified, as often as it is asked for."""

    def __init__(self, paths: list[str]) -> None:
        self.paths = paths
        self.notes = Notes()

    def results(self) -> Iterator[Given]:
        # Each reading finds the same to note.
        self.notes = Notes()
        return given(self.paths or [str(SAMPLES)], self.notes)

    @property
    def words(self) -> str:
        if not self.paths:
            return "our own samples"
        return ", ".join(self.paths[:3]) + (f" and {len(self.paths) - 3} more" if len(self.paths) > 3 else "")


def _whole(port: int, folder: Path, source: _Source) -> Verified:
    """
    Raises:
        Unreadable: a path that was named cannot be read, or nothing is in it.
    """
    reached = _reached(port)
    start = time.monotonic()
    log = folder / "worker.log"
    before = len(attempts([log]))
    facts, install = installed()
    counted, vocabulary_check = _counted()
    alone = Alone()
    for each in source.results():
        alone.add(each)
    notes = tuple(source.notes)
    if not alone.calls:
        raise Unreadable(
            f"{source.words}: there are no results in it" + "".join(f"; {note}" for note in notes)
        )
    runs = _runs(folder, source)
    found, on_disk = places((run, home, silent) for run, home, silent in runs)
    the_same = _deterministic(alone, source, folder)
    logs = [folder / "again.log", *(log for run, _, _ in runs for log in (run.proxy_log, run.server_log))]
    tried = [*attempts([log])[before:], *attempts(logs)]
    checks = (
        _network(reached, tried),
        alone.exact(),
        alone.not_larger(),
        vocabulary_check,
        the_same,
        _live([run for run, _, _ in runs]),
        faults(),
        on_disk,
        install,
    )
    return Verified(
        source=source.words,
        calls=alone.calls,
        texts=alone.texts,
        checks=checks,
        saved=alone.saved(),
        forms=(*alone.forms(), *_memory_forms(runs[-1][0])),
        installed=facts,
        counted=counted,
        places=found,
        denial=os.environ[denied.VARIABLE],
        digest=alone.digest,
        notes=notes,
        seconds=time.monotonic() - start,
    )


def _reached(port: int) -> tuple[list[str], list[str]]:
    """What could be reached of the parent's own port, which listens, and what came of each try."""
    reached, refused = [], []
    for family, kind, what in (
        (socket.AF_INET, socket.SOCK_STREAM, "TCP"),
        (socket.AF_INET, socket.SOCK_DGRAM, "UDP"),
    ):
        try:
            with socket.socket(family, kind) as tried:
                tried.settimeout(5)
                tried.connect(("127.0.0.1", port))
                tried.send(b"x")
        except OSError as error:
            refused.append(f"{what}: {error.strerror or error}")
        else:
            reached.append(what)
    return reached, refused


def _network(reached: tuple[list[str], list[str]], tried: list[str]) -> Check:
    by = _DENIED_BY[os.environ[denied.VARIABLE]]
    went, refused = reached
    if went:
        said = f"denied by {by}; yet a port of this machine was reached ({', '.join(went)})"
        return Check("no network", False, said)
    if tried:
        said = f"denied by {by}; it tried {len(tried)} times to reach something"
        return Check("no network", False, said, tuple(tried[:MOST_FINDINGS]))
    first = f"an open port tried first was not reached ({'; '.join(refused)})"
    said = f"denied by {by}; {first}; terse tried nothing"
    return Check("no network", True, said)


def _counted() -> tuple[Counted, Check]:
    """The vocabulary, put together again as its file was published, and whether it has the published hash."""
    name = vocabulary().name
    published = PUBLISHED[name]
    packed = (Path(sys.modules["terse.tokens"].__path__[0]) / f"{name}.pack").read_bytes()
    digest = sha256(as_published(unpack(packed, published.size))).hexdigest()
    is_it = digest == published.sha256
    said = f"{name}, {published.size:,} tokens, sha256 of the published file {digest[:16]}…"
    findings = () if is_it else (f"sha256 {digest}, and not {published.sha256}",)
    return Counted(name, digest, published.size), Check("token counts", is_it, said, findings)


def _deterministic(alone: Alone, source: _Source, folder: Path) -> Check:
    """The same bytes again, here and in a process with another hash seed."""
    here = marks_of(source.results())
    kind = os.environ[denied.VARIABLE]
    command = live.denied_command(
        kind, folder / "again.log", "terse.verification.worker", "marks", *source.paths
    )
    done = subprocess.run(
        command,
        env={**os.environ, "PYTHONHASHSEED": OTHER_SEED},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    there = done.stdout.split()
    findings = []
    for which, marks in (("a second run", here), ("a new process with another hash seed", there)):
        if marks != alone.marks:
            pairs = enumerate(zip(alone.marks, marks, strict=False), 1)
            first = next((number for number, (one, other) in pairs if one != other), len(marks) + 1)
            findings.append(f"{which} sent other bytes, from call {first:,} on {done.stderr.strip()[-200:]}")
    said = f"twice, and in a new process with another hash seed: sha256 {alone.digest[:16]}…"
    return Check("same bytes", not findings, said, tuple(findings))


def _runs(folder: Path, source: _Source) -> list[tuple[live.Run, Path, bool]]:
    """`terse proxy` as it is, with a client that shows structured content, and with a memory."""
    rules = folder / "session.terse"
    rules.write_text(_RULES, encoding="utf-8")
    kind = os.environ[denied.VARIABLE]
    made = []
    for name, options, client, times, is_silent in (
        ("plain", (), "text", 1, False),
        ("structured content", ("--no-ledger",), "structured", 1, True),
        ("with a memory", ("--rules", str(rules)), "text", 2, False),
    ):
        here, home = folder / name, folder / f"home {name}"
        here.mkdir()
        home.mkdir()
        run = live.through_proxy(
            name, source.results(), here, home, kind, *options, client=client, times=times
        )
        made.append((run, home, is_silent))
    return made


def _live(runs: list[live.Run]) -> Check:
    wrong = [finding for run in runs for finding in (*run.wrong, *run.larger)]
    calls = sum(run.calls for run in runs)
    repeats = sum(len(run.repeats) for run in runs)
    said = (
        f"{calls:,} calls through {len(runs)} started proxies, {repeats:,} answered by what changed: "
        f"{len(wrong)} differ"
    )
    return Check("live proxy", not wrong, said, tuple(wrong[:MOST_FINDINGS]))


def _memory_forms(run: live.Run) -> Iterator[Form]:
    for name, is_one in (("dedup", False), ("diff", True)):
        found = [each for each in run.repeats if (", but for" in each[2].partition("\n")[0]) is is_one]
        if found:
            tool, received, sent = min(found, key=lambda each: len(each[2]))
            tool = tool.replace("__", "/", 1)
            yield Form(name, BY_NAME[name].reads, len(found), tool, excerpt(received), excerpt(sent))
