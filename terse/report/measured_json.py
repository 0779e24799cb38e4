"""`terse measure --output json`. The format is stable: keys are added, never changed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from terse.report.measured import Group, Measure, Outstanding

FORMAT = 1


def render(measure: Measure) -> str:
    """All groups with all that is known of them."""
    tally = measure.tally
    facts: dict[str, Any] = {
        "format": FORMAT,
        "rules": measure.policy,
        "against": measure.against,
        "client": measure.client,
        "vocabulary": measure.vocabulary,
        "files": measure.files,
        "sessions": tally.sessions,
        "sessions_resumed": tally.resumed,
        "saved": measure.all.sums.saved,
        "saved_net": measure.net,
        "saved_without_memory": measure.all.sums.saved_alone,
        "saved_without_memory_net": measure.net_alone,
        "charged": {
            "own_tools": tally.added,
            "fetched": measure.fetched,
            "fetched_percent": measure.fetched_percent,
        },
        "all": _group(measure.all, measure),
        "tools": [_group(each, measure) for each in measure.tools],
        "kinds": [_group(each, measure) for each in measure.kinds],
        "servers": [_group(each, measure) for each in measure.servers],
        "without_rule": [each.name for each in measure.without_rule],
        "largest_unchanged": _calls(tally.untouched),
        "largest_losses": _calls(tally.losses),
        "slowest": _calls(tally.slowest),
        "problems": tally.problems,
        "more_problems": tally.more_problems,
        "notes": list(measure.notes),
    }
    return json.dumps(facts, indent=1, ensure_ascii=False) + "\n"


def _group(group: Group, measure: Measure) -> dict[str, Any]:
    sums = group.sums
    return {
        "name": group.name,
        "calls": sums.calls,
        "changed": sums.changed,
        "received": sums.before,
        "sent": sums.after,
        "sent_without_memory": sums.alone,
        "sent_against": sums.against if measure.against is not None else None,
        "median_saved_percent": sums.median,
        "lost": sums.lost,
        "aside": sums.aside,
        "without_rule": sums.without_rule,
        "unchanged": [
            {"why": why, "calls": calls, "tokens": sums.unchanged_tokens[why]}
            for why, calls in sums.unchanged.most_common()
        ],
        "classes": sums.in_order,
        "repeats": {"same": sums.repeats["same"], "changed": sums.repeats["changed"]},
        "milliseconds": round(sums.milliseconds, 3),
        "slowest_milliseconds": round(sums.slowest, 3),
    }


def _calls(found: Sequence[Outstanding]) -> list[dict[str, Any]]:
    return [{"size": round(each.size, 3), "name": each.name, "place": each.place} for each in found]
