"""What `terse explain` has to tell, whatever the output: the text and the JSON are written from it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from terse.plan.trace import Outcome


class CallFrom(StrEnum):
    """Where the call that chose the rule came from."""

    OPTION = "option"
    """From `--call`."""
    PLACE = "place"
    """From the file's place, `samples/SERVER/TOOL/x.json`."""
    NOWHERE = "nowhere"
    """Nobody named it: explained for a call of no known name, which only rules on `*/*` match."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """One file, explained.

    Attributes:
        file: the file as the reader knows it.
        is_result: the file held a saved MCP result; its texts were explained one by one.
        is_error: that result was an error result.
        call_from: where the call came from.
        policy: the rules in words: `the embedded default (no --rules)`, `policies/`.
        policy_hash: the hash of the plan.
        vocabulary: what tokens were counted with.
        outcomes: one per text, in the order of the file.
        notes: what the reader should know beforehand; one sentence each.
        originals: the texts as they came, in the same order.
    """

    file: str
    is_result: bool
    is_error: bool
    call_from: CallFrom
    policy: str
    policy_hash: str
    vocabulary: str
    outcomes: tuple[Outcome, ...]
    notes: tuple[str, ...] = ()
    originals: tuple[str, ...] = ()
