"""`terse stats`: what was saved, by tool, rule, server, client or day."""

from __future__ import annotations

import os
import re
import time
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from terse.cli.command import Command
from terse.cli.console import fail, write
from terse.cli.files import shown
from terse.cli.prices import prices as price_table

_SPAN = re.compile(r"(\d{1,6}) ?([smhdw])")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


class By(StrEnum):
    TOOL = "tool"
    RULE = "rule"
    SERVER = "server"
    CLIENT = "client"
    DAY = "day"


def stats(
    since: Annotated[
        str,
        typer.Option(
            "--since", metavar="TIME", help="How far back: 45m, 24h, 7d, 4w, a day (2026-11-30), or all."
        ),
    ] = "30d",
    by: Annotated[By, typer.Option("--by", help="What the rows are.")] = By.TOOL,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Write CSV, a row per group.")] = False,
    html: Annotated[
        str | None, typer.Option("--html", metavar="FILE", help="Write one page with charts to this file.")
    ] = None,
    prices: Annotated[
        str | None,
        typer.Option(
            "--prices",
            metavar="PRICE|FILE",
            help="What a million tokens cost: a number, or a table by model (TOML or JSON). Default: "
            "~/.config/terse/prices.toml, if there is one.",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="NAME", help="The model of the prices that every client runs."),
    ] = None,
    ledger: Annotated[
        str | None,
        typer.Option("--ledger", metavar="FILE", help="The ledger to read, if not the user's own."),
    ] = None,
) -> None:
    """Tell what was saved.

    Raises:
        CommandError: the ledger or the prices cannot be read, or the options make no sense.
    """
    from terse.ledger.file import Unusable
    from terse.ledger.place import place
    from terse.ledger.reader import records
    from terse.report.stats import Stats

    if as_json + as_csv + (html is not None) > 1:
        fail("--json, --csv and --html are three ways to write the same: choose one")
    start, words = _start(since)
    table = price_table(prices, model)
    path = ledger if ledger is not None else place(os.environ)
    if path is None:
        fail("the ledger is off (TERSE_LEDGER=off): name one with --ledger FILE")
    try:
        facts = Stats.of(records(Path(path), start), by.value, table)
    except Unusable as error:
        fail(f"{shown(path)}: {error}")
    if as_json or as_csv:
        from terse.report import stats_json

        write(stats_json.render(facts) if as_json else stats_json.render_csv(facts))
    elif html is not None:
        _write_page(html, facts, words)
    else:
        from terse.report.stats_text import render

        write(render(facts, words))


def _write_page(path: str, facts: object, words: str) -> None:
    from terse.report.stats import Stats
    from terse.report.stats_html import render

    assert isinstance(facts, Stats), "INVARIANT: made by this command"
    try:
        Path(path).write_text(render(facts, words), encoding="utf-8")
    except OSError as error:
        fail(f"--html {shown(path)}: {error.strerror}")
    write(f"{shown(path)}\n")


def _start(since: str) -> tuple[float, str]:
    """Seconds since 1970, and the time in words.

    Raises:
        CommandError: it is no time.
    """
    if since == "all":
        return float("-inf"), "since the ledger began"
    found = _SPAN.fullmatch(since.strip())
    if found is not None:
        return time.time() - int(found[1]) * _SECONDS[found[2]], f"in the last {found[1]}{found[2]}"
    try:
        day = datetime.fromisoformat(since)
    except ValueError:
        fail(f"--since {shown(since)}: write 45m, 24h, 7d, 4w, a day such as 2026-11-30, or all")
    zoned = day if day.tzinfo is not None else day.replace(tzinfo=UTC)
    return zoned.timestamp(), f"since {shown(since)}"


COMMAND = Command(
    name="stats",
    sentence="Tell what was saved: gross and net, by tool, rule, server, client or day, and what to do.",
    run=stats,
    example="terse stats --since 7d --by tool",
    example_does="a row per tool, what was lost, what was set aside and never fetched, and what to tune",
    notes=(
        "Every terse proxy notes sizes, names and times of what it sends in a ledger that only its user can "
        "read: never content, never arguments. `--no-ledger`, or TERSE_LEDGER=off, switches it off; "
        "TERSE_LEDGER names another file.",
        "Net is gross less all that was fetched later: values, wholes of results that were sent as changes, "
        "definitions. Explanations and handles stand in what was sent. A saved token is counted once, and is "
        "paid again on each later turn of a conversation.",
        "Money needs a table of prices, which the user writes: docs/stats.md. None comes with terse.",
        "Exit codes: 0 done; 2 the ledger cannot be read.",
    ),
)
