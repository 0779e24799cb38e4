"""What the suite says of one run, and where two runs differ. No processes, no printing."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

JUDGED = ("SUCCESS", "FAILURE", "WARNING", "SKIPPED")
"""Statuses that judge. Each message that the suite saw is an INFO: how often a client asks is no check."""
_STAMP = re.compile(r"-\d{4}-\d\d-\d\dT[\d-]+Z$")


class Check(NamedTuple):
    """One judgement: which check, and what came of it."""

    name: str
    status: str


Checks = Counter[Check]
Scores = Mapping[str, Checks]
"""The checks of each scenario. A check may be made more than once, so they are counted."""


@dataclass(frozen=True)
class Difference:
    """Where a scenario went another way through terse.

    Attributes:
        without: what was judged only without terse (or more often).
        through: what was judged only through it.
    """

    scenario: str
    without: Checks
    through: Checks


def read(folder: Path, prefix: str) -> dict[str, Checks]:
    """The scores that a run of the suite wrote to a folder.

    Args:
        prefix: what the suite puts before a scenario's name: `server-`, or nothing for clients.
    """
    scores: dict[str, Checks] = {}
    for file in sorted(folder.rglob("checks.json")):
        name = _STAMP.sub("", file.parent.relative_to(folder).as_posix()).removeprefix(prefix)
        checks = json.loads(file.read_text(encoding="utf-8"))
        scores[name] = Counter(
            Check(each["id"], each["status"]) for each in checks if each["status"] in JUDGED
        )
    return scores


def differences(without: Scores, through: Scores) -> list[Difference]:
    """Where two runs differ, check by check; one that lacks a scenario differs in all of its checks."""
    found = []
    for scenario in sorted(without.keys() | through.keys()):
        one, other = without.get(scenario, Counter()), through.get(scenario, Counter())
        if one != other or (scenario in without) != (scenario in through):
            found.append(Difference(scenario, one - other, other - one))
    return found


def score(checks: Checks) -> str:
    """`passed/judged` of some checks, as the suite counts them: without warnings, and what it skipped."""
    passed, failed = (
        sum(number for check, number in checks.items() if check.status == status)
        for status in ("SUCCESS", "FAILURE")
    )
    return f"{passed}/{passed + failed}"


def total(scores: Scores) -> str:
    """`passed/judged` of a whole run."""
    return score(sum(scores.values(), Counter()))
