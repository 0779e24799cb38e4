"""The plan as JSON."""

from __future__ import annotations

import json
from pathlib import Path as File

import pytest

import terse.plan.model
from terse.fields.selector import CodeBlocks, Every, Everything, LinesMatching, Path, TerminalCodes
from terse.plan.model import (
    ArgumentIs,
    ArgumentMatches,
    ArgumentPresence,
    CallRepeats,
    FieldIs,
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
    Rule,
    SessionSize,
    SetAside,
    Shorten,
)
from terse.plan.stored import NotAPlan, decode, encode, hash_of, hashed
from tests.plan.plans import RECORDS, plan, rule

SOME = (Path(("a", "b*")), Every(("id",)), Everything(), LinesMatching("x/y"), CodeBlocks(), TerminalCodes())
WHOLE = plan(
    Rule(
        "all",
        "r.terse:1",
        (Pattern("a", "*"),),
        (Pattern("a", "b"),),
        when=(
            PayloadIs(("json", "text"), "r.terse:2"),
            PayloadHas(SOME),
            PayloadSize("over", Quantity(2000, "tokens")),
            FieldIs(("a", "b"), ("text",)),
            FieldSize(("a",), "under", Quantity(4, "lines")),
            ArgumentIs("q", ("x", "y")),
            ArgumentMatches("q", "*.lock"),
            ArgumentPresence("q", False),
            CallRepeats(10),
            CallRepeats(),
            SessionSize("over", 120_000),
        ),
        fields=(
            Keep(SOME),
            Remove(SOME, Quantity(1, "lines")),
            SetAside(SOME),
            Shorten(SOME, Quantity(3, "rows"), "both", remove_rest=True),
            FitIn(600, (Remove(SOME), SetAside(SOME), Shorten(SOME, Quantity(3, "characters"), "last"))),
        ),
        chain=RECORDS,
        require="lossless",
        lose_percent=2.5,
        spend_ms=15,
        because=("why", "and why"),
        guarantee="lossy",
    ),
    rule(),
    guards=(
        Guard("g", "r.terse:9", (Pattern("*", "*"),), require="exact", keep=(Keep(SOME),), never_store=True),
    ),
)


def test_a_plan_comes_back_as_it_was() -> None:
    """Every kind of line, condition and selector survives, with its types and its order."""
    assert decode(encode(WHOLE)) == hashed(WHOLE)


def test_the_form_is_plain_json() -> None:
    """Any program can read it; `do`, `when` and `select` say what a thing is."""
    read = json.loads(encode(WHOLE))

    assert read["edition"] == 1
    assert read["rules"][0]["fields"][1]["do"] == "remove"
    assert read["rules"][0]["when"][0] == {"when": "payload_is", "kinds": ["json", "text"], "at": "r.terse:2"}
    assert read["rules"][0]["fields"][0]["targets"][1] == {"select": "every", "keys": ["id"]}
    assert read["hash"] == hash_of(WHOLE)


def test_equal_plans_have_equal_hashes() -> None:
    """The hash is that of the content, whether or not it is filled in; any change shows."""
    assert hash_of(WHOLE) == hash_of(hashed(WHOLE))
    assert hash_of(WHOLE) != hash_of(plan(*WHOLE.rules))
    assert len(hash_of(WHOLE)) == 64


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a compiled plan"),
        (b"\xff\xfe", "not a compiled plan"),
        (b"[]", "not a compiled plan"),
        (b'{"edition": "one"}', "not a compiled plan"),
        (b"[" * 100_000, "not a compiled plan"),
        (encode(WHOLE).replace(b'"spend_ms":15', b'"spend_ms":16'), "the plan is not what its hash says"),
        (encode(WHOLE)[:-10], "not a compiled plan"),
    ],
)
def test_what_is_no_plan_is_refused(data: bytes, message: str) -> None:
    """A truncated, edited or foreign file is never run."""
    with pytest.raises(NotAPlan, match=message):
        decode(data)


def test_the_test_plan_has_every_kind_of_thing() -> None:
    """A new field line or condition has to be added above."""
    source = File(terse.plan.model.__file__).read_text(encoding="utf-8")
    tags = {part.split('"')[0] for part in source.split('tag="')[1:]}
    read = encode(WHOLE).decode()

    assert all(f'"{tag}"' in read for tag in tags), tags


def test_every_part_of_a_plan_is_documented() -> None:
    """docs/plan.md names every kind of line, condition and selector, and every key."""
    page = (File(__file__).parent.parent.parent / "docs" / "plan.md").read_text(encoding="utf-8")
    names: set[str] = set()

    def gather(value: object) -> None:
        if isinstance(value, dict):
            names.update(key for key in value if key != "min-uses")
            names.update(
                str(value[key]) for key in ("do", "when", "select") if isinstance(value.get(key), str)
            )
            for item in value.values():
                gather(item)
        elif isinstance(value, list):
            for item in value:
                gather(item)

    gather(json.loads(encode(WHOLE)))
    missing = sorted(name for name in names if f"`{name}`" not in page and f'"{name}"' not in page)

    assert not missing
