"""`terse stats --json`, and `--csv`. The format is stable: keys are added, never changed."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime
from typing import Any

from terse.report.stats import Group, Stats, advice

FORMAT = 1
CSV_COLUMNS = (
    "name",
    "messages",
    "results",
    "errors",
    "tokens_in",
    "tokens_out",
    "gross_tokens",
    "fetched_tokens",
    "saved_tokens",
    "saved_percent",
    "median_saved_percent",
    "bytes_in",
    "bytes_out",
    "median_ms",
    "lossy_results",
    "values_set_aside",
    "values_never_fetched",
    "repeats",
    "money",
    "money_each_later_turn",
)


def render(stats: Stats) -> str:
    """All groups with all that is known of them."""
    prices = stats.prices
    facts = {
        "format": FORMAT,
        "by": stats.by,
        "first": _time(stats.first),
        "last": _time(stats.last),
        "currency": None if prices is None else prices.currency or None,
        "prices_from": None if prices is None else prices.source or None,
        "all": _group(stats.all),
        "groups": [_group(group) for group in stats.groups],
        "days": [_group(group) for group in stats.days],
    }
    return json.dumps(facts, indent=2, ensure_ascii=False) + "\n"


def render_csv(stats: Stats) -> str:
    """A row per group."""
    text = io.StringIO()
    writer = csv.DictWriter(text, CSV_COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(_group(group) for group in stats.groups)
    return text.getvalue()


def _group(group: Group) -> dict[str, Any]:
    found = advice(group)
    return {
        "name": group.name,
        "messages": group.messages,
        "results": group.results,
        "errors": group.errors,
        "tokens_in": group.tokens_in,
        "tokens_out": group.tokens_out,
        "gross_tokens": group.gross,
        "fetched_tokens": group.fetched,
        "fetched_by": group.fetched_by,
        "saved_tokens": group.saved,
        "saved_percent": round(group.share, 2),
        "median_saved_percent": _rounded(group.median_share),
        "bytes_in": group.bytes_in,
        "bytes_out": group.bytes_out,
        "median_ms": _rounded(group.median_milliseconds),
        "lossy_results": group.lossy,
        "lossy_saved_tokens": group.lossy_saved,
        "losing_lines": group.losing,
        "values_set_aside": group.aside,
        "values_set_aside_tokens": group.aside_tokens,
        "values_never_fetched": group.never_fetched,
        "fetches": group.retrieves,
        "repeats": group.repeats,
        "tiers": group.tiers,
        "bounds": group.bounds,
        "faults": group.faults,
        "money": _rounded(group.money, 4),
        "money_each_later_turn": _rounded(group.money_later, 4),
        "advice": None if found is None else {"do": found.do, "why": found.why},
    }


def _rounded(number: float | None, digits: int = 2) -> float | None:
    return None if number is None else round(number, digits)


def _time(at: float | None) -> str | None:
    return None if at is None else datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")
