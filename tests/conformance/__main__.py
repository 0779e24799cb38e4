"""`make conformance`: the official suite, by each way without terse and through it, check by check.

    python -m tests.conformance [--way NAME]… [--side server|client] [--report FOLDER]

Exit code 0: everything is the same. 1: something differs, or terse complained. 2: it could not be run.
"""

from __future__ import annotations

import argparse
import platform
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from datetime import date
from pathlib import Path

from terse import __version__
from tests.conformance import asked, install, report
from tests.conformance.paths import (
    ROOT,
    WAYS,
    NotStarted,
    Upstream,
    Way,
    free_port,
    opened,
    running,
    wait_for,
)
from tests.conformance.report import Report, Table
from tests.conformance.runs import LEGS, client_scenarios, client_scores, server_scores
from tests.conformance.scores import Checks
from tests.servers.install import Unavailable, node

WAYS_AT_ONCE = 3
"""Most of the time goes into starting servers, each for one session."""
FOLDER = ROOT / ".cache" / "conformance"


def main(arguments: Sequence[str]) -> int:
    through = [each for each in WAYS if each.compared_with is not None]
    parser = argparse.ArgumentParser(prog="python -m tests.conformance")
    parser.add_argument("--way", action="append", choices=[each.name for each in through], default=[])
    parser.add_argument("--side", choices=["server", "client"])
    parser.add_argument("--report", type=Path, default=FOLDER, metavar="FOLDER")
    given = parser.parse_args(arguments)
    wanted = [each for each in through if not given.way or each.name in given.way]
    ways = [each for each in wanted if each.is_there()]
    try:
        found = Report(_facts(), missing=[each.name for each in wanted if each not in ways])
        fixture = install.fixture()
        if given.side != "client":
            for long in (False, True):
                _servers(found, fixture, ways, long=long)
        if given.side != "server":
            _clients(found, fixture, [each for each in ways if not each.needs_command])
    except (Unavailable, NotStarted, subprocess.TimeoutExpired) as reason:
        print(f"conformance: {reason}", file=sys.stderr)
        return 2
    _conclude(found, given.report)
    return 0 if found.is_clean else 1


def _servers(found: Report, fixture: install.Fixture, ways: Sequence[Way], *, long: bool) -> None:
    """The fixture server by each way, and by the ways without terse that these are compared with."""
    compared = {each.name: each.compared_with for each in ways if each.compared_with is not None}
    names = [*dict.fromkeys(compared.values()), *compared]
    tables = [Table(f"{leg.name}, {'long' if long else 'short'} results", compared) for leg in LEGS]
    with _fixture_server(fixture, long=long) as upstream, ExitStack() as stack:
        urls: dict[str, str] = {}
        for name in names:
            complaints = found.complaints.setdefault(name, [])
            urls[name] = stack.enter_context(opened(name, upstream, complaints))
            # Also so that the suite does not judge how long a process takes to start.
            sent = asked.characters(urls[name])
            if long:
                found.characters[name] = sent
        with ThreadPoolExecutor(WAYS_AT_ONCE) as pool:
            for name, scores in zip(names, pool.map(_legs, urls.values()), strict=True):
                for table, found_scores in zip(tables, scores, strict=True):
                    table.scores[name] = found_scores
        for leg, table in zip(LEGS, tables, strict=True):
            for name, base in compared.items():
                table.again[name] = [each.scenario for each in table.differences(name)]
                for scenario in table.again[name]:
                    for each in (base, name):
                        _replace(table, each, server_scores(leg, urls[each], scenario))
            found.tables.append(table)
            for line in report.summary(table):
                print(line, flush=True)


def _legs(url: str) -> list[dict[str, Checks]]:
    return [server_scores(leg, url) for leg in LEGS]


def _clients(found: Report, fixture: install.Fixture, ways: Sequence[Way]) -> None:
    """The client of the SDK against the suite's own servers, with and without terse between them."""
    client = [fixture.python, fixture.client]
    commands = {
        each.name: [sys.executable, "-m", "tests.conformance.through", each.name, "--", *client]
        for each in ways
    }
    for leg in LEGS if ways else ():
        table = Table(f"{leg.name}, clients", dict.fromkeys(commands, "direct"))
        scenarios = client_scenarios(leg)
        for name, command in {"direct": client, **commands}.items():
            table.scores[name] = client_scores(leg, command, scenarios)
        for name, command in commands.items():
            table.again[name] = [each.scenario for each in table.differences(name)]
            for scenario in table.again[name]:
                _replace(table, "direct", client_scores(leg, client, [scenario]))
                _replace(table, name, client_scores(leg, command, [scenario]))
        found.tables.append(table)
        for line in report.summary(table):
            print(line, flush=True)


def _replace(table: Table, name: str, scores: dict[str, Checks]) -> None:
    """A machine that is busy makes the suite impatient: what differs is judged by a second run, of both."""
    table.scores[name] = {**table.scores[name], **scores}


@contextmanager
def _fixture_server(fixture: install.Fixture, *, long: bool) -> Iterator[Upstream]:
    port = free_port()
    with running(fixture.server(long=long, port=port)) as process:
        wait_for(port, process)
        yield Upstream(f"http://127.0.0.1:{port}/mcp", fixture.server(long=long))


def _facts() -> dict[str, str]:
    version = subprocess.run(
        [node(install.LEAST_NODE)[0], "--version"], capture_output=True, text=True, check=True
    )
    return {
        "date": date.today().isoformat(),
        "terse": __version__,
        "suite": f"{install.PACKAGE} {install.STABLE} and {install.ALPHA}",
        "fixture": install.SDK,
        "python": platform.python_version(),
        "node": version.stdout.strip(),
    }


def _conclude(found: Report, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.md").write_text("\n".join(report.markdown(found)), encoding="utf-8")
    (folder / "report.json").write_text(report.as_json(found), encoding="utf-8")
    if found.characters:
        cells = "   ".join(f"{name} {number:,}" for name, number in found.characters.items())
        print(f"{f'characters of {asked.CALLS} results':44} {cells}")
    for name, complaints in found.complaints.items():
        for complaint in dict.fromkeys(complaints):
            print(f"{name} said: {complaint}")
    if found.missing:
        print(f"not there in this terse: {', '.join(found.missing)}")
    print(f"\n{'the same, check by check' if found.is_clean else 'not the same'}: {folder / 'report.md'}")


sys.exit(main(sys.argv[1:]))
