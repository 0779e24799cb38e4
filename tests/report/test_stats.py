"""`terse stats`: sums, shares, losses and advice are those of the records, and people can read them."""

from __future__ import annotations

import csv
import io
import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from terse.guarantee import Guarantee
from terse.record import Record
from terse.report import stats_json, stats_text
from terse.report.prices import Price, Prices
from terse.report.stats import By, Group, Stats, advice
from tests.ledger.notes import AT, record


def week() -> list[Record]:
    """Three days of two tools: one with losses, one whose values are fetched again."""
    lists = [record(at=AT + 86400 * (number % 3), milliseconds=float(number)) for number in range(24)]
    lossy = [
        record(tokens_in=500, tokens_out=100, guarantee=Guarantee.LOSSY, lines=("remove every *_url",))
        for _ in range(2)
    ]
    searches = [
        record(tool="search", tokens_in=2000, tokens_out=1500, aside_values=1, aside_tokens=600)
        for _ in range(20)
    ]
    fetched = [
        record(what="retrieve", tool="search", tokens_in=0, tokens_out=650, retrieved="value", is_first=first)
        for first in (True, True, True, False)
    ]
    others = [
        record(what="list", tool="", rule=None, tokens_in=3000, tokens_out=1000),
        record(what="definition", tool="", rule=None, tokens_in=0, tokens_out=200),
        record(what="error", tool="search", rule=None, is_error=True, tokens_in=10, tokens_out=10),
        record(tool="huge", rule=None, tokens_in=None, tokens_out=None, faults=("too large",)),
    ]
    return [*lists, *lossy, *searches, *fetched, *others]


def test_sums_are_net_of_what_was_fetched() -> None:
    """What was fetched later is charged to the tool it came from; what was not counted is in no sum."""
    facts = Stats.of(week(), "tool")
    by_name = {group.name: group for group in facts.groups}
    search, listed = by_name["shop/search"], by_name["shop/(list of tools)"]

    assert (search.tokens_in, search.tokens_out, search.fetched) == (40_010, 30_010, 2_600)
    assert (search.gross, search.saved) == (10_000, 7_400)
    assert search.share == pytest.approx(100 * 7_400 / 40_010)
    assert (search.aside, search.fetched_values, search.never_fetched) == (20, 3, 17)
    assert (listed.gross, listed.fetched, listed.saved) == (2_000, 200, 1_800)
    assert (by_name["shop/huge"].results, by_name["shop/huge"].tokens_in) == (1, 0)
    assert facts.all.saved == sum(group.saved for group in facts.groups)
    assert facts.all.messages == len(week())


@pytest.mark.parametrize("by", ["tool", "rule", "server", "client", "day"])
def test_every_grouping_has_the_same_sums(by: By) -> None:
    """No message is left out, whatever the rows are; days stand in their order."""
    facts = Stats.of(week(), by)

    for sum_of in ("messages", "results", "tokens_in", "tokens_out", "fetched", "lossy"):
        assert sum(getattr(group, sum_of) for group in facts.groups) == getattr(facts.all, sum_of)
    assert [day.name for day in facts.days] == ["2027-01-15", "2027-01-16", "2027-01-17"]


PRICES = Prices(
    {"large": Price(3.0, 0.3), "free": Price(0.0)},
    {"claude-code": "large", "free": "free"},
    "USD",
    "the price list of 2026-11-30",
)


def test_money_is_what_the_saved_tokens_cost() -> None:
    """By the model of each client, once and from a cache; unknown where nobody said which model it is."""
    records = [record(), record(client="free"), record(client="somebody")]
    facts = Stats.of(records, "client", PRICES)

    assert {group.name: group.money for group in facts.groups} == {
        "claude-code": pytest.approx(600 * 3.0 / 1e6),
        "free": 0.0,
        "somebody": None,
    }
    assert {group.name: group.money_later for group in facts.groups} == {
        "claude-code": pytest.approx(600 * 0.3 / 1e6),
        "free": None,
        "somebody": None,
    }
    assert facts.all.money == pytest.approx(600 * 3.0 / 1e6)


def test_what_is_fetched_costs_money() -> None:
    """Money is net, too."""
    fetched = record(what="retrieve", tokens_in=0, tokens_out=1000, retrieved="whole", is_first=True)
    facts = Stats.of([record(), fetched], "tool", PRICES)

    assert facts.all.fetched_by == {"wholes": 1000}
    assert facts.all.money == pytest.approx((600 - 1000) * 3.0 / 1e6)


def test_a_model_stands_for_all_clients() -> None:
    """What `--model` says goes before the table's clients."""
    assert PRICES.with_model("free").of("claude-code") == Price(0.0)
    with pytest.raises(KeyError):
        PRICES.with_model("small")


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ([], "write [models.NAME] with input = PRICE"),
        ({}, "it has no models"),
        ({"models": {}, "price": 3}, "there is no 'price'"),
        ({"models": {"a": 3}}, "models.a: write input = PRICE"),
        ({"models": {"a": {"output": 3}}}, "models.a: write input = PRICE"),
        ({"models": {"a": {"input": True}}}, "models.a.input is no price"),
        ({"models": {"a": {"input": -1}}}, "models.a.input is no price"),
        ({"models": {"a": {"input": float("nan")}}}, "models.a.input is no price"),
        ({"models": {"a": {"input": 1, "cached_input": "x"}}}, "models.a.cached_input is no price"),
        ({"models": {"a": {"input": 1}}, "clients": {"x": "b"}}, "clients.x: there is no model 'b'"),
        ({"models": {"a": {"input": 1}}, "clients": []}, "clients is no table"),
        ({"models": {"a": {"input": 1}}, "currency": 1}, "currency and source are texts"),
    ],
)
def test_a_table_that_is_none_says_what_to_write(document: object, says: str) -> None:
    """Whatever TOML or JSON holds."""
    with pytest.raises(ValueError, match=re.escape(says)):
        Prices.read(document)


def test_the_table_of_the_page_is_one() -> None:
    """docs/stats.md shows a table that terse reads."""
    page = (Path(__file__).parent.parent.parent / "docs" / "stats.md").read_text(encoding="utf-8")
    block = page.partition("```toml\n")[2].partition("```")[0]
    table = Prices.read(tomllib.loads(block))

    assert table.of("claude-code") == Price(1.0, 0.1)
    assert table.of("somebody") == Price(0.5)


def group(results: int = 40, tokens_in: int = 40_000, tokens_out: int = 10_000, **facts: object) -> Group:
    made = Group("shop/list", messages=results, results=results, tokens_in=tokens_in, tokens_out=tokens_out)
    for name, value in facts.items():
        setattr(made, name, value)
    return made


@pytest.mark.parametrize(
    ("given", "do", "why"),
    [
        (group(), "keep", "75% saved"),
        (group(tokens_out=39_900), "unwrap", "0.2% saved in 40 results"),
        (group(fetched=31_000), "unwrap", "what was fetched later took 1,000 tokens more than was saved"),
        (group(aside=10, fetched_values=4), "tune", "4 of 10 values set aside were fetched"),
        (group(faults={"gate": 2, "late": 1}), "tune", "8% went as they came after a fault (gate 2, late 1)"),
        (
            group(bounds={"spend at most": 30}),
            "tune",
            "most results had no time for all steps: spend at most",
        ),
        (
            group(tokens_in=400_000, tokens_out=360_000),
            "tune",
            "its results are large and little is saved: look at one with terse explain",
        ),
    ],
)
def test_what_to_do_about_a_tool(given: Group, do: str, why: str) -> None:
    """Keep what saves, tune what is fetched again or fails, leave out what saves nothing."""
    found = advice(given)

    assert found is not None
    assert (found.do, found.why) == (do, why)


def test_few_results_say_nothing() -> None:
    """Chance is no reason to change a rule."""
    assert advice(group(results=19)) is None


def test_the_page_for_people(golden: Callable[[str, str], None]) -> None:
    """Rows, the sum, losses, what was never fetched, and what to do."""
    golden("stats/week.txt", stats_text.render(Stats.of(week(), "tool", PRICES), "in the last 7d"))


def test_nothing_noted() -> None:
    """One line says so."""
    assert stats_text.render(Stats.of([], "tool"), "in the last 7d") == "nothing was noted in the last 7d\n"


def test_a_name_cannot_move_the_cursor() -> None:
    """Servers name their tools."""
    text = stats_text.render(Stats.of([record(tool="\x1b[2Jx")], "tool"), "since today")

    assert "\x1b" not in text


def test_json_and_csv_say_the_same() -> None:
    """A group in each row, the same figures."""
    facts = Stats.of(week(), "tool")
    document = json.loads(stats_json.render(facts))
    rows = list(csv.DictReader(io.StringIO(stats_json.render_csv(facts))))

    assert [row["name"] for row in rows] == [each["name"] for each in document["groups"]]
    assert [row["saved_tokens"] for row in rows] == [str(each["saved_tokens"]) for each in document["groups"]]
    assert document["first"] == "2027-01-15T08:00:00+00:00"
    assert document["groups"][0]["losing_lines"] == {"remove every *_url": 2}
