"""`terse replay`: what recorded sessions would have cost under a policy, or under two."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from terse.cli.bench import policy
from terse.cli.command import Command
from terse.cli.console import FINDINGS, CommandError, fail, write
from terse.cli.files import shown
from terse.cli.output import Output, OutputOption, renderer
from terse.cli.progress import tracked
from terse.cli.rules_option import RulesOption
from terse.cli.vocabulary_option import DEFAULT_VOCABULARY, VocabularyOption

if TYPE_CHECKING:
    from terse.report.replayed import Replay, Replayed
    from terse.review.replay import Job

MIN_CALLS = 40
"""Fewer calls are done before another process would have begun."""
MAX_PROCESSES = 16


class Client(StrEnum):
    TEXT = "text"
    STRUCTURED = "structured"


AgainstOption = Annotated[
    str | None,
    typer.Option("--against", metavar="PATH", help="Other rules to compare with: a file or a folder."),
]
ClientOption = Annotated[
    Client,
    typer.Option(
        "--client", help="What the client shows its model: the texts, or structuredContent before them."
    ),
]


def replay(
    captures: Annotated[
        list[str], typer.Argument(metavar="CAPTURE…", help="Recorded sessions (*.jsonl), one call a line.")
    ],
    rules: RulesOption = None,
    against: AgainstOption = None,
    client: ClientOption = Client.TEXT,
    output: OutputOption = Output.TEXT,
    vocabulary: VocabularyOption = DEFAULT_VOCABULARY,
) -> None:
    """Replay recorded sessions.

    Raises:
        CommandError: a capture or the rules cannot be read, or something failed on a result.
    """
    facts = _facts(captures, rules, against, client, vocabulary)
    write(_renderer(output)(facts))
    if facts.problems or facts.notes:
        raise CommandError("", FINDINGS)


def _facts(
    captures: Sequence[str], rules: str | None, against: str | None, client: Client, vocabulary_name: str
) -> Replay:
    from terse.capture.recorded import Notes, lines_of
    from terse.plan.stored import encode
    from terse.report.replayed import Replay
    from terse.review.replay import Job, sessions
    from terse.tokens import UnknownVocabulary, vocabulary

    try:
        vocabulary(vocabulary_name)
    except UnknownVocabulary as error:
        fail(str(error))
    policies = [policy(rules), *([policy(against)] if against is not None else [])]
    plans = tuple(encode(plan) for plan, _ in policies)
    jobs: list[Job] = []
    notes = Notes()
    for path in captures:
        try:
            found = sessions(shown(path), lines_of(path), notes)
        except (OSError, ValueError) as error:
            fail(f"cannot read {shown(path)}: {getattr(error, 'strerror', None) or error}")
        jobs += [Job(calls, plans, vocabulary_name, client.value) for calls in found]
    if not jobs:
        why = "".join(f" ({shown(note)})" for note in notes.said[:1])
        fail(f"no calls in {', '.join(map(shown, captures))}{why}")
    rows = [row for done in tracked(_done(jobs), len(jobs), "replaying") for row in done]
    named = [words for _, words in policies]
    return Replay(
        policy=named[0],
        against=named[1] if against is not None else None,
        client=client.value,
        vocabulary=vocabulary_name,
        sessions=len(jobs),
        rows=rows,
        notes=tuple(notes),
    )


def _done(jobs: Sequence[Job]) -> Iterator[list[tuple[Replayed, ...]]]:
    """The sessions in order, several at once where that is worth starting processes."""
    from terse.review.replay import replay as run

    workers = min(len(jobs), os.cpu_count() or 1, MAX_PROCESSES)
    if workers < 2 or sum(len(job.calls) for job in jobs) < MIN_CALLS:
        yield from map(run, jobs)
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(run, jobs)


def _renderer(output: Output) -> Callable[[Replay], str]:
    from terse.report import replayed_json, replayed_text

    return renderer(output, replayed_text.render, replayed_text.render_markdown, replayed_json.render)


COMMAND = Command(
    name="replay",
    sentence="Run recorded sessions through rules: what each tool would have cost, and repeats of a call.",
    run=replay,
    example="terse replay monday.jsonl --rules policies/ --against old-policies/",
    example_does="a row per tool: tokens received and sent, classes, losses, and both policies side by side",
    notes=(
        "A capture has one call a line, in order: an object with server, tool, arguments and result, the "
        "whole MCP result; lines with another `session` are of another session.",
        "Each message goes the proxy's own way, to a client that lists the tools first; but every step is "
        "run to its end.",
        "Exit codes: 0 done; 1 a step or the check of a result failed, or a line is no call and is left out; "
        "2 nothing was replayed.",
    ),
)
