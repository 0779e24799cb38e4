"""How runs of the official suite are read and compared."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from tests.conformance.report import Report as Found
from tests.conformance.report import Table, markdown, summary
from tests.conformance.scores import Check, differences, read, score

PASSED = Check("tools-list", "SUCCESS")
FAILED = Check("tools-list", "FAILURE")


def written(folder: Path, scenario: str, *statuses: str) -> None:
    """What the suite leaves of a scenario."""
    place = folder / f"{scenario}-2026-11-30T10-37-41-361Z"
    place.mkdir(parents=True)
    checks = [{"id": f"check-{number}", "status": status} for number, status in enumerate(statuses)]
    (place / "checks.json").write_text(json.dumps(checks))


def test_scores_are_read_by_scenario(tmp_path: Path) -> None:
    """The name is what stands between the prefix and the time; what the suite merely notes is no check."""
    written(tmp_path, "server-tools-list", "SUCCESS", "INFO", "FAILURE")
    written(tmp_path, "server-auth/metadata-2025-11-25", "SKIPPED")

    scores = read(tmp_path, "server-")

    assert scores == {
        "tools-list": Counter([Check("check-0", "SUCCESS"), Check("check-2", "FAILURE")]),
        "auth/metadata-2025-11-25": Counter([Check("check-0", "SKIPPED")]),
    }


def test_equal_runs_have_no_differences() -> None:
    """Also where both fail: what is compared is terse, not the server."""
    scores = {"a": Counter([PASSED, FAILED]), "b": Counter()}

    assert differences(scores, dict(scores)) == []


def test_a_check_that_came_out_otherwise_is_a_difference() -> None:
    """Check by check, not by totals: one that fails is not made up for by another one."""
    other = Check("other", "SUCCESS")
    without = {"a": Counter([PASSED, Check("other", "FAILURE")])}
    through = {"a": Counter([FAILED, other])}

    (found,) = differences(without, through)

    assert score(without["a"]) == score(through["a"]) == "1/2"
    assert found.without == Counter([PASSED, Check("other", "FAILURE")])
    assert found.through == Counter([FAILED, other])


def test_a_check_that_was_made_less_often_is_a_difference() -> None:
    """A scenario may make a check many times."""
    (found,) = differences({"a": Counter({PASSED: 3})}, {"a": Counter({PASSED: 2})})

    assert (found.without, found.through) == (Counter([PASSED]), Counter())


def test_a_scenario_that_did_not_run_is_a_difference() -> None:
    """A harness that stopped half way must not look like a success."""
    assert [each.scenario for each in differences({"a": Counter()}, {})] == ["a"]


def test_warnings_and_what_was_skipped_do_not_count() -> None:
    """As the suite counts: passed and failed."""
    assert score(Counter([PASSED, Check("a", "WARNING"), Check("b", "SKIPPED")])) == "1/1"


def test_the_report_has_both_columns_and_says_where_they_differ() -> None:
    """A row for each scenario; below the table, the checks that went another way."""
    table = Table("0.1.16", {"stdio": "bridge"})
    table.scores = {
        "bridge": {"ping": Counter([PASSED]), "tools": Counter([PASSED])},
        "stdio": {"ping": Counter([PASSED]), "tools": Counter([FAILED])},
    }

    assert list(summary(table)) == [
        "0.1.16                                       bridge 2/2   stdio 1/2",
        "  stdio differs: tools",
        "    only bridge: tools-list SUCCESS",
        "    only stdio: tools-list FAILURE",
    ]
    found = Found({"date": "2026-11-30"}, [table])
    lines = list(markdown(found))
    assert "| ping | 1/1 | 1/1 |" in lines
    assert "| tools | 1/1 | 0/1 |" in lines
    assert "| **all** | 2/2 | 1/2 |" in lines
    assert not found.is_clean
