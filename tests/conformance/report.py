"""What was compared, as rows for people and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.conformance.expected import reason
from tests.conformance.scores import Checks, Difference, Scores, differences, score, total


@dataclass
class Table:
    """One leg of the suite, and its scores by each way.

    Attributes:
        title: the leg, and what its server was.
        compared: for each way through terse, the way that it is compared with.
        again: scenarios that differed, and were run once more by both ways.
    """

    title: str
    compared: Mapping[str, str]
    scores: dict[str, Scores] = field(default_factory=dict)
    again: dict[str, list[str]] = field(default_factory=dict)

    def differences(self, way: str) -> list[Difference]:
        """Where a way differs from the one it is compared with."""
        return differences(self.scores[self.compared[way]], self.scores[way])

    def faults(self, way: str) -> list[Difference]:
        """Those differences that nobody expects."""
        return [each for each in self.differences(way) if reason(way, each.scenario) is None]


@dataclass
class Report:
    """All that was found.

    Attributes:
        facts: date and versions.
        tables: what the suite judged.
        characters: of a few results, by way.
        complaints: what terse said on stderr, by way.
        missing: ways that this terse does not have.
    """

    facts: Mapping[str, str]
    tables: list[Table] = field(default_factory=list)
    characters: dict[str, int] = field(default_factory=dict)
    complaints: dict[str, list[str]] = field(default_factory=dict)
    missing: Sequence[str] = ()

    @property
    def is_clean(self) -> bool:
        """Nothing differs that should not, and nothing of ours failed."""
        return not any(self.complaints.values()) and not any(
            table.faults(way) for table in self.tables for way in table.compared
        )


def summary(table: Table) -> Iterator[str]:
    """A line of totals, and a line for each check that went another way through terse."""
    cells = "   ".join(f"{way} {total(scores)}" for way, scores in table.scores.items())
    yield f"{table.title:44} {cells}"
    for way, base in table.compared.items():
        for difference in table.differences(way):
            why = reason(way, difference.scenario)
            yield f"  {way} differs: {difference.scenario}{'' if why is None else f' (expected: {why})'}"
            yield from (f"    only {base}: {line}" for line in _checks(difference.without))
            yield from (f"    only {way}: {line}" for line in _checks(difference.through))
        if table.again.get(way):
            yield f"  {way}: run again: {', '.join(table.again[way])}"


def markdown(report: Report) -> Iterator[str]:
    """Every scenario by every way."""
    yield "# Conformance, direct and through terse"
    yield ""
    yield from (f"- {name}: {value}" for name, value in report.facts.items())
    for table in report.tables:
        ways = list(table.scores)
        yield from ("", f"## {table.title}", "")
        yield f"| scenario | {' | '.join(ways)} |"
        yield f"|---|{'---|' * len(ways)}"
        names = sorted({name for scores in table.scores.values() for name in scores})
        for name in names:
            yield f"| {name} | {' | '.join(_cell(table.scores[way].get(name)) for way in ways)} |"
        yield f"| **all** | {' | '.join(total(table.scores[way]) for way in ways)} |"
        _, *found = summary(table)
        if found:
            yield from ("", "```text", *found, "```")
    yield ""


def as_json(report: Report) -> str:
    """The same for programs: each check, its status, and how often."""
    return json.dumps(
        {
            **report.facts,
            "clean": report.is_clean,
            "missing": list(report.missing),
            "characters": report.characters,
            "complaints": report.complaints,
            "legs": [_leg(table) for table in report.tables],
        },
        indent=1,
    )


def _leg(table: Table) -> dict[str, Any]:
    return {
        "title": table.title,
        "compared": dict(table.compared),
        "again": table.again,
        "scores": {
            way: {scenario: _checks(checks) for scenario, checks in scores.items()}
            for way, scores in table.scores.items()
        },
        "differences": {
            way: [
                {
                    "scenario": each.scenario,
                    "expected": reason(way, each.scenario),
                    "without": _checks(each.without),
                    "through": _checks(each.through),
                }
                for each in table.differences(way)
            ]
            for way in table.compared
        },
    }


def _cell(checks: Checks | None) -> str:
    return "not run" if checks is None else score(checks)


def _checks(checks: Checks) -> list[str]:
    return [
        f"{check.name} {check.status}{f' ×{number}' if number > 1 else ''}"
        for check, number in sorted(checks.items())
    ]
