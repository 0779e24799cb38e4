"""`terse measure`: what rules save over captured calls, by tool, by kind and by server."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from terse.cli.bench import policy
from terse.cli.command import Command
from terse.cli.console import FINDINGS, CommandError, fail, write
from terse.cli.files import quoted, shown
from terse.cli.output import Output, OutputOption, renderer
from terse.cli.progress import tracked
from terse.cli.replay import MAX_PROCESSES, AgainstOption, Client, ClientOption
from terse.cli.rules_option import RulesOption
from terse.cli.vocabulary_option import DEFAULT_VOCABULARY, VocabularyOption

if TYPE_CHECKING:
    from terse.capture.recorded import Notes
    from terse.report.measured import Measure, Tally
    from terse.review.measure import Job

UNIT = 1 << 18
"""Bytes by which the bar goes on."""
LEAST_BYTES = 2_000_000
"""Less is measured before other processes would have begun."""


def measure(
    captures: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CAPTURE|FOLDER]…",
            help="Captured calls (*.jsonl), folders of them. Default: what `terse capture` wrote.",
        ),
    ] = None,
    rules: RulesOption = None,
    against: AgainstOption = None,
    client: ClientOption = Client.TEXT,
    fetched: Annotated[
        float,
        typer.Option(
            "--fetched",
            metavar="PERCENT",
            min=0,
            max=100,
            help="How much of what is set aside is fetched later, for net figures: see `terse stats`.",
        ),
    ] = 0.0,
    output: OutputOption = Output.TEXT,
    html: Annotated[
        str | None,
        typer.Option("--html", metavar="FILE", help="Write one page with charts to this file, too."),
    ] = None,
    vocabulary: VocabularyOption = DEFAULT_VOCABULARY,
) -> None:
    """Measure captured calls.

    Raises:
        CommandError: a capture or the rules cannot be read, or something was left out or failed.
    """
    if html is not None and not os.path.isdir(os.path.dirname(os.path.abspath(html))):
        # Said before the work is done, and not after.
        fail(f"--html {shown(html)}: there is no such folder")
    facts = _facts(captures or (), rules, against, client, vocabulary, fetched)
    if html is not None:
        _write_page(html, facts)
    from terse.report import measured_json, measured_text

    write(renderer(output, measured_text.render, measured_text.render_markdown, measured_json.render)(facts))
    if facts.notes or facts.tally.problems:
        raise CommandError("", FINDINGS)


def _write_page(path: str, facts: Measure) -> None:
    from terse.report.measured_html import render

    try:
        Path(path).write_text(render(facts), encoding="utf-8")
    except (OSError, ValueError) as error:
        fail(f"--html {shown(path)}: {getattr(error, 'strerror', None) or error}")


def _facts(
    captures: Sequence[str],
    rules: str | None,
    against: str | None,
    client: Client,
    vocabulary_name: str,
    fetched: float,
) -> Measure:
    from terse.capture.recorded import Notes
    from terse.plan.stored import encode
    from terse.report.measured import Measure, Tally
    from terse.review.measure import Job
    from terse.tokens import UnknownVocabulary, vocabulary

    try:
        vocabulary(vocabulary_name)
    except UnknownVocabulary as error:
        fail(str(error))
    files = _files(captures)
    policies = [policy(rules), *([policy(against)] if against is not None else [])]
    plans = [encode(plan) for plan, _ in policies]
    other = plans[1] if len(plans) > 1 else None
    jobs = [
        Job(path, _name(path, captures), plans[0], other, vocabulary_name, client.value) for path in files
    ]
    tally, notes = Tally(), Notes()
    sizes = [os.path.getsize(path) if os.path.exists(path) else 0 for path in files]
    done = _Done(tally, notes, set(captures))
    units = _measured(jobs, sizes, done)
    for _ in tracked(units, max(1, sum(sizes) // UNIT), "measuring"):
        pass
    named = [words for _, words in policies]
    if not tally.sums:
        why = "".join(f" ({note})" for note in notes.said[:1])
        fail(f"no calls in {', '.join(map(shown, captures or files))}{why}")
    return Measure(
        policy=named[0],
        against=named[1] if against is not None else None,
        client=client.value,
        vocabulary=vocabulary_name,
        files=len(files),
        tally=tally,
        fetched_percent=fetched,
        notes=tuple(notes),
    )


def _files(captures: Sequence[str]) -> list[str]:
    from terse.capture.place import place
    from terse.capture.recorded import capture_files

    paths = list(captures) or [place(os.environ)]
    for path in paths:
        if not os.path.exists(path):
            how = "" if captures else ": nothing was captured yet; `terse capture start` begins"
            fail(f"no such file or folder: {quoted(path)}{how}")
    try:
        files = list(dict.fromkeys(capture_files(paths)))
    except OSError as error:
        fail(f"{shown(str(error.filename))}: {error.strerror}")
    if not files:
        fail(f"no *.jsonl in {', '.join(map(shown, paths))}")
    return files


def _name(path: str, captures: Sequence[str]) -> str:
    """How a file is called: within the folder, where only one was named."""
    is_within = len(captures) < 2 and path not in captures
    folder = captures[0] if captures else os.path.dirname(path)
    return shown(os.path.relpath(path, folder) if is_within else path)


class _Done:
    """What was measured so far."""

    def __init__(self, tally: Tally, notes: Notes, named: set[str]) -> None:
        self._tally = tally
        self._notes = notes
        self._named = named

    def add(self, found: tuple[Tally, Notes]) -> None:
        """Take the figures of a file in."""
        tally, notes = found
        self._tally.merge(tally)
        for note in notes.said:
            self._notes.add(note)
        self._notes.more += notes.more

    def failed(self, job: Job, error: Exception) -> None:
        """A file cannot be read.

        Raises:
            CommandError: it was named.
        """
        said = f"{job.name}: {shown(str(getattr(error, 'strerror', None) or error))}"
        if job.path in self._named:
            fail(f"cannot read {said}")
        self._notes.add(said)


def _measured(jobs: Sequence[Job], sizes: Sequence[int], done: _Done) -> Iterator[int]:
    """Measure all files, several at once where that is worth starting processes; a number for each unit of
    bytes that is done. Figures are put together in the order of the files."""
    from terse.review.measure import measure_file

    workers = min(len(jobs), os.cpu_count() or 1, MAX_PROCESSES)
    if workers < 2 or sum(sizes) < LEAST_BYTES:
        left = 0
        for job, size in zip(jobs, sizes, strict=True):
            try:
                done.add(measure_file(job))
            except (OSError, ValueError) as error:
                done.failed(job, error)
            left += size
            yield from range(left // UNIT)
            left %= UNIT
        return
    from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
    from multiprocessing import get_context

    context = get_context("spawn")
    read = context.Value("Q", 0)
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_begin, initargs=(read,)) as pool:
        # No more wait than are worked on: a folder may have any number of files.
        waiting: dict[Future[tuple[Tally, Notes]], Job] = {}
        finished: dict[str, tuple[Tally, Notes] | Exception] = {}
        rest, order, shown_units = iter(jobs), iter(jobs), 0
        upcoming = next(order, None)
        while upcoming is not None:
            while len(waiting) + len(finished) < 2 * workers and (given := next(rest, None)) is not None:
                waiting[pool.submit(_measure_counted, given)] = given
            for future in wait(waiting, timeout=0.2, return_when=FIRST_COMPLETED).done:
                job = waiting.pop(future)
                try:
                    finished[job.path] = future.result()
                except (OSError, ValueError) as error:
                    finished[job.path] = error
            while upcoming is not None and upcoming.path in finished:
                found = finished.pop(upcoming.path)
                if isinstance(found, Exception):
                    done.failed(upcoming, found)
                else:
                    done.add(found)
                upcoming = next(order, None)
            units = read.value // UNIT
            yield from range(units - shown_units)
            shown_units = units


_read: list[object] = []


def _begin(read: object) -> None:
    """In a process of the pool: where to count the bytes that were read."""
    _read.append(read)


def _measure_counted(job: Job) -> tuple[Tally, Notes]:
    from terse.review.measure import measure_file

    value = _read[0]

    def count(size: int) -> None:
        with value.get_lock():  # type: ignore[attr-defined]
            value.value += size  # type: ignore[attr-defined]

    return measure_file(job, count)


COMMAND = Command(
    name="measure",
    sentence="Measure what rules save over captured calls: by tool, kind and server, gross and net.",
    run=measure,
    example="terse measure monday.jsonl --rules policies/ --html savings.html",
    example_does="gross and net, what was sent as it came and why, what is slow or lost, and a page of it",
    notes=(
        "Calls go the proxy's own way, session by session, file by file, and as if nothing was remembered. "
        "Of any size: nothing is in memory but the sessions that go on at once.",
        "`terse replay` has every call of a few sessions in order; `terse bench` checks that each result "
        "comes back; `terse measure` sums up. `alone` is what would be saved without memory.",
        "Net is less what our own tools take in lists of tools, and what is fetched later of what was set "
        "aside: `--fetched` says how much that is. `ms` is time of the processor for one call.",
        "Exit codes: 0 done; 1 done, and lines or files were left out, or a step or a check failed; 2 not "
        "done.",
    ),
)
