"""`terse bench`: what the rules save over saved results, and whether every promise holds."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from terse.cli.command import Command
from terse.cli.console import FINDINGS, CommandError, fail, write
from terse.cli.files import quoted, read_text, shown
from terse.cli.output import Output, OutputOption, renderer
from terse.cli.progress import tracked
from terse.cli.rules_option import RulesOption
from terse.cli.test import checked_policy
from terse.cli.vocabulary_option import DEFAULT_VOCABULARY, VocabularyOption

if TYPE_CHECKING:
    from terse.plan.model import Plan
    from terse.report.benched import Bench, Peer

_NOT_PEERS = ("file", "kind", "raw", "minified")


def bench(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PATH]…",
            help="Saved results, folders of them, or captures (*.jsonl). Default: our samples.",
        ),
    ] = None,
    corpus: Annotated[
        str | None,
        typer.Option("--corpus", metavar="DIR", help="A folder with payloads/ and captures/: measure both."),
    ] = None,
    rules: RulesOption = None,
    output: OutputOption = Output.TEXT,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="TSV",
            help="A table of what public formats take: file, then one column each.",
        ),
    ] = None,
    runs: Annotated[
        int,
        typer.Option(
            "--runs", metavar="N", min=0, max=1000, help="Run each text so often; 0: leave the times out."
        ),
    ] = 3,
    budget: Annotated[
        bool,
        typer.Option("--budget", help="Keep the rules' budgets of time: figures then depend on the machine."),
    ] = False,
    vocabulary: VocabularyOption = DEFAULT_VOCABULARY,
) -> None:
    """Measure saved results.

    Raises:
        CommandError: something cannot be read, or a text was not exact or larger.
    """
    plan, named = policy(rules)
    peers = None if against is None else _peers(against)
    facts = _facts(measured_paths(paths, corpus), plan, named, vocabulary, runs, budget, peers)
    write(_renderer(output)(facts))
    if facts.failures:
        raise CommandError("", FINDINGS)


def policy(rules: str | None) -> tuple[Plan, str]:
    """The plan of `--rules`, and the rules in words.

    Raises:
        CommandError: they cannot be read, or do not compile.
    """
    if rules is None:
        from terse.cli.policy import default_plan

        return default_plan(), "the embedded default"
    plan = checked_policy(rules).plan
    assert plan is not None, "INVARIANT: a policy without a plan has ended the command"
    return plan, shown(rules)


def measured_paths(paths: Sequence[str] | None, corpus: str | None) -> list[str]:
    """What is named, or else our own samples.

    Raises:
        CommandError: something named is not there.
    """
    named = list(paths or ())
    if corpus is not None:
        if not os.path.isdir(corpus):
            fail(f"--corpus {shown(corpus)}: no such folder")
        inner = [
            path for name in ("payloads", "captures") if os.path.isdir(path := os.path.join(corpus, name))
        ]
        named += inner or [corpus]
    if named:
        for path in named:
            if not os.path.exists(path):
                fail(f"no such file or folder: {quoted(path)}")
        return named
    import terse

    package = Path(terse.__file__).parent
    # In the wheel the policies are in the package, in a checkout beside it.
    places = [str(folder / "policies" / "samples") for folder in (package, package.parent)]
    own = [place for place in places if os.path.isdir(place)]
    if not own:
        fail("this terse has no samples of its own: name a file or a folder")
    return own[:1]


def _facts(
    paths: list[str],
    plan: Plan,
    rules: str,
    vocabulary_name: str,
    runs: int,
    budget: bool,
    peers: dict[str, Peer] | None,
) -> Bench:
    from terse.capture.results import Unreadable, whole_results
    from terse.report.benched import Bench
    from terse.review.bench import Bencher
    from terse.tokens import UnknownVocabulary, vocabulary

    try:
        counted = vocabulary(vocabulary_name)
    except UnknownVocabulary as error:
        fail(str(error))
    counted.warm()
    bencher = Bencher(plan, counted, runs, budget)
    notes: list[str] = []
    try:
        found = list(whole_results(paths, notes))
        if not found:
            fail(f"nothing to measure in {', '.join(map(shown, paths))}")
        each = tracked(found, len(found), "measuring")
        texts = [text for one in each for text in bencher.measure(one)]
    except Unreadable as error:
        fail(shown(str(error)))
    over = sum(text.milliseconds > bencher.budget_ms(text) for text in texts)
    return Bench(rules, counted.name, runs, texts, budget, over, peers, tuple(notes))


def _peers(path: str) -> dict[str, Peer]:
    """By file, the public format that takes the fewest tokens.

    Raises:
        CommandError: the table cannot be read, or is none.
    """
    from terse.report.benched import Peer

    rows = csv.DictReader(read_text(path).splitlines(), delimiter="\t")
    names = [name for name in rows.fieldnames or () if name not in _NOT_PEERS]
    if "file" not in (rows.fieldnames or ()) or not names:
        fail(
            f"--against {shown(path)}: the first line must name the columns, tabs between: file, then formats"
        )
    peers: dict[str, Peer] = {}
    for row in rows:
        found: list[tuple[int, str]] = []
        for name in names:
            cell = (row[name] or "").strip()
            if not cell:
                continue
            if not (cell.isascii() and cell.isdigit() and len(cell) < 16):
                where = f"--against {shown(path)}:{rows.line_num}"
                fail(f"{where}: {shown(name)} is no number of tokens: {shown(cell[:40])}")
            found.append((int(cell), name))
        if found:
            tokens, name = min(found)
            peers[row["file"]] = Peer(name, tokens)
    return peers


def _renderer(output: Output) -> Callable[[Bench], str]:
    from terse.report import benched_json, benched_markdown, benched_text

    return renderer(output, benched_text.render, benched_markdown.render, benched_json.render)


COMMAND = Command(
    name="bench",
    sentence="Measure what rules save over saved results: tokens, time, and whether all of it comes back.",
    run=bench,
    example="terse bench samples/ --rules policies/ --output markdown",
    example_does="tokens before and after by file and by kind, as a page",
    notes=(
        "A capture has one call a line: an object with server, tool, arguments and result. Each call is "
        "measured alone, as the first of a session.",
        "`saved` is percent below minified JSON, below the text as received for other text; `of raw` is "
        "percent below what was received. `ms` is time of the processor.",
        "Exit codes: 0 every text is exact and none larger; 1 one is not; 2 nothing was measured.",
    ),
)
