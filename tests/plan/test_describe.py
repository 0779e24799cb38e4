"""Statements in the words of the rule language."""

from __future__ import annotations

import pytest

from terse.fields.selector import CodeBlocks, Every, Everything, LinesMatching, Path, TerminalCodes
from terse.plan import describe
from terse.plan.model import (
    ArgumentIs,
    ArgumentMatches,
    ArgumentPresence,
    CallRepeats,
    Condition,
    FieldIs,
    FieldLine,
    FieldSize,
    FitIn,
    Guard,
    Keep,
    Pattern,
    PayloadHas,
    PayloadIs,
    PayloadSize,
    Quantity,
    Remove,
    SessionSize,
    SetAside,
    Shorten,
    Step,
)
from terse.tiers.spec import Option
from tests.plan.plans import ALL


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (PayloadIs(("json", "text")), "when payload is json or text"),
        (PayloadHas((Path(("issues", "key")), Every(("id",)))), "when payload has issues.key, every id"),
        (PayloadSize("over", Quantity(2000, "tokens")), "when payload over 2k tokens"),
        (PayloadSize("under", Quantity(64_000, "bytes")), "when payload under 64 kB"),
        (PayloadSize("under", Quantity(3_000_000, "bytes")), "when payload under 3 MB"),
        (PayloadSize("under", Quantity(1, "lines")), "when payload under 1 line"),
        (FieldIs(("a", "b"), ("text",)), "when field a.b is text"),
        (FieldSize(("a", "b"), "over", Quantity(401, "characters")), "when field a.b over 401 characters"),
        (ArgumentIs("method", ("get_files",)), 'when argument method is "get_files"'),
        (ArgumentIs("x y", ("a", 'b"')), 'when argument "x y" is "a", "b\\""'),
        (ArgumentMatches("path", "*.lock"), 'when argument path matches "*.lock"'),
        (ArgumentPresence("q", True), "when argument q exists"),
        (ArgumentPresence("q", False), "when argument q is missing"),
        (CallRepeats(), "when call repeats"),
        (CallRepeats(10), "when call repeats within 10 calls"),
        (SessionSize("over", 120_000), "when session over 120k tokens"),
    ],
)
def test_conditions(condition: Condition, expected: str) -> None:
    """A `when` line reads as in a rule file."""
    assert describe.condition(condition) == expected


SOME = (Path(("issues", "body")), Every(("*_url",)))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (Keep(SOME), "keep issues.body, every *_url"),
        (Remove((TerminalCodes(), CodeBlocks())), "remove terminal codes, code blocks"),
        (SetAside(SOME[:1], Quantity(2000, "characters")), "set aside issues.body over 2k characters"),
        (Shorten(SOME[:1], Quantity(400, "characters")), "shorten issues.body to 400 characters"),
        (Shorten((Everything(),), Quantity(80, "lines"), "last"), "shorten everything to last 80 lines"),
        (
            Shorten((Everything(),), Quantity(400, "lines"), "both", remove_rest=True),
            "shorten everything to 400 lines from both ends and remove the rest",
        ),
        (FitIn(6000, ()), "fit in 6k tokens"),
        (Remove((LinesMatching(r"^a/b\/c"),)), r"remove lines matching /^a\/b\/c/"),
        (Remove((Path(("x-rate limit", "a.b", "$ref")),)), 'remove "x-rate limit"."a.b".$ref'),
    ],
)
def test_field_lines(line: FieldLine, expected: str) -> None:
    """A field line reads as in a rule file, with quotes only where a key needs them."""
    assert describe.field_line(line) == expected


def test_steps_name_the_options_that_are_not_the_default() -> None:
    """`dictionary(min-uses 3)`; a unit follows where the option has one."""
    options = (Option("window", "", 20, 1, 100, "calls"), Option("min-uses", "", 2, 2, 9))

    assert (
        describe.step(Step("dedup", {"window": 5, "min-uses": 3}), options)
        == "dedup(window 5 calls, min-uses 3)"
    )
    assert describe.step(Step("dedup", {"window": 20, "min-uses": 2}), options) == "dedup"
    assert describe.step(Step("dedup", {"window": 20})) == "dedup(window 20)"


def test_guards_say_what_they_restrict() -> None:
    """One phrase for each restriction."""
    guard = Guard(
        "g", "", ALL, require="lossless", keep=(Keep(SOME),), never_store=True, never_use=("diff", "dedup")
    )

    assert describe.guard(guard) == (
        "requires lossless; keeps issues.body, every *_url; never stores; never uses diff, dedup"
    )
    assert describe.guard(Guard("g", "", ALL)) == "restricts nothing"


def test_patterns_are_quoted_where_they_must_be() -> None:
    """Names outside of letters, digits and `_.*-` are quoted, half by half."""
    assert (
        describe.patterns((Pattern("github", "list_*"), Pattern("my server", "x")))
        == 'github/list_*, "my server"/x'
    )
