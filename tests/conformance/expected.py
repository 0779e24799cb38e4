"""Where a way through terse is known to differ, and why that is no fault. All else that differs is one."""

from __future__ import annotations

from typing import NamedTuple


class Expected(NamedTuple):
    """A scenario that comes out otherwise by one way."""

    way: str
    scenario: str
    reason: str


JSON = "an answer that needs no stream is JSON, so that no stream is there to be judged"
POLLS = (
    "no stream is closed in the middle of a call: one that the server closes is taken up by terse; and "
    "the first, empty event is sent where the server may send none"
)
EXPECTED = (
    Expected("serve", "server-sse-multiple-streams", JSON),
    Expected("serve", "server-sse-polling", POLLS),
    Expected("serve-remote", "server-sse-multiple-streams", JSON),
    Expected("serve-remote", "server-sse-polling", POLLS),
)


def reason(way: str, scenario: str) -> str | None:
    """Why the scenario comes out otherwise by this way; None: it should not."""
    return next((each.reason for each in EXPECTED if (each.way, each.scenario) == (way, scenario)), None)
