"""docs/json.md names every field of the outputs for programs, and no other."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from terse.report import (
    differed_json,
    measured_json,
    shown_json,
    tested,
    tested_json,
    tuned,
    tuned_json,
    verified_json,
)
from terse.report.differed import Diff, NewLoss, SampleDiff, Side
from terse.report.shown import Shown, ShownGuard, ShownLine, ShownRule
from tests.report.measured import measured
from tests.report.test_verified import BROKEN, OPEN, verified

PAGE = (Path(__file__).parent.parent.parent / "docs" / "json.md").read_text(encoding="utf-8")
LOSS = NewLoss("every id", "a.terse:1", ("why",))
SIDE = Side("a", 1, "lossy", ("every id",), 1)
MEASURED = tuned.Measured(2, 1, 30, 20, 9)
OUTPUTS = {
    "test": tested_json.render(
        tested.TestRun(
            "a.terse",
            (
                tested.Tested(
                    "t", "a.terse:1", (tested.Failure("a", "b", "a.terse:2", "T601"),), "terse explain x"
                ),
            ),
            (tested.Covered("rule", "a", "a.terse:3", "rule a", "never"),),
            50,
        )
    ),
    "diff": differed_json.render(
        Diff("main", "a", (SampleDiff("x", ("s/t",), SIDE, SIDE, True, (LOSS,)),), notes=("n",))
    ),
    "tune": tuned_json.render(
        tuned.Tuned(
            *("a", 1, 1, 1, 1, 1),
            (
                tuned.Proposal(
                    *("chain", "why", "a", ("s/t",), (tuned.Edit("a.terse", ("b",), ("c",)),)),
                    *(MEASURED, MEASURED, (2, 1), "nothing", "exact", "lossless"),
                ),
            ),
            MEASURED,
            40,
        )
    ),
    "show": shown_json.render(
        Shown(
            "a",
            "s/t",
            (
                ShownRule(
                    *("a", "a.terse:1", "s/t", "", ("when x",)),
                    (ShownLine("minify", "a.terse:2", ""),),
                    *("lossless", "lossless", "it is the last"),
                ),
            ),
            (ShownGuard("g", "a.terse:9", True, "s/*", "requires exact"),),
            "",
        )
    ),
    "measure": measured_json.render(measured()),
    "verify": verified_json.render(verified(BROKEN, OPEN)),
}


def _fields(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, member in value.items():
            yield name
            yield from _fields(member)
    elif isinstance(value, list):
        for item in value:
            yield from _fields(item)


@pytest.mark.parametrize("name", OUTPUTS)
def test_every_field_is_on_the_page(name: str) -> None:
    """The section of a command names each field of its document."""
    section = PAGE.partition(f"## `terse {name}")[2].partition("\n## ")[0]
    named = {part for word in re.findall(r"`([a-z0-9_.]+)`", section) for part in word.split(".")}

    assert set(_fields(json.loads(OUTPUTS[name]))) - named - {"format"} == set()
