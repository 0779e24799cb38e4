"""What happened to one payload: facts for `explain`, tests, reports and the ledger. Data."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from terse.guarantee import Guarantee
from terse.memory.history import Base

NOT_COUNTED = -1
"""Tokens that nobody needed: runs without detail count only what their decisions rest on."""


class StepStatus(StrEnum):
    """How a step ended."""

    APPLIED = "applied"
    SKIPPED = "skipped"
    """Its input does not fit; `note` says why."""
    NO_GAIN = "no gain"
    """It ran, and its result was not smaller, so its input stands."""
    FORBIDDEN = "forbidden"
    """A guard (or the call: an error result, a client without the retrieve tool) does not allow it."""
    OUT_OF_TIME = "out of time"
    FAILED = "failed"
    """It raised; its input stands. `note` has the reason."""


@dataclass(frozen=True, slots=True)
class Touched:
    """Places of the original. `places` of a JSON document, `lines` of any other text.

    Attributes:
        places: JSON pointers (RFC 6901), in the order in which they were touched.
        lines: first and last line of each run of lines, from 1.
    """

    places: tuple[str, ...] = ()
    lines: tuple[tuple[int, int], ...] = ()

    @property
    def number(self) -> int:
        """How many places or lines."""
        return len(self.places) + sum(last - first + 1 for first, last in self.lines)


@dataclass(frozen=True, slots=True)
class StepTrace:
    """One field line or one step of the chain.

    Attributes:
        label: the statement as a reader knows it: `tabularize`, `remove every *_url`.
        tokens_before, tokens_after: of the whole result, before and after the step; `NOT_COUNTED` for
            field lines in runs without detail.
        guarantee: the step's class.
        note: a few words on what it did or why it did not: `30 rows, 14 columns`.
        action: what a field line did to what it touched: `removed`, `set aside` or `shortened`.
        touched: what a field line touched, in runs with detail.
        after: the whole text after the step, in runs with detail and where it was applied.
        bound: the bound of the rule that was hit: `lose at most`, `fit in`; empty where none was.
        tier: the step's name, without its options; empty of a field line.
    """

    label: str
    at: str
    status: StepStatus
    tokens_before: int
    tokens_after: int
    guarantee: Guarantee
    note: str = ""
    milliseconds: float = 0.0
    action: str = ""
    touched: Touched | None = None
    after: str | None = None
    bound: str = ""
    tier: str = ""


@dataclass(frozen=True, slots=True)
class ConditionTrace:
    """One line of a rule that was tried: its text, whether it held, and why not."""

    text: str
    at: str
    held: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RuleTrace:
    """A rule that was tried for the call: its `on` and `when` lines. `chosen` when it applies."""

    name: str
    at: str
    chosen: bool
    conditions: tuple[ConditionTrace, ...]
    because: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GuardTrace:
    """A guard of the policy: whether it applies to the call, and what it restricts.

    Attributes:
        text: what it restricts, or why it does not apply.
        elsewhere: it does not apply because it speaks of other calls altogether.
    """

    name: str
    at: str
    applies: bool
    text: str
    because: tuple[str, ...] = ()
    elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class GateTrace:
    """The gate's verdict. `sent` is what went out: `emitted`, or `original` with the reason."""

    sent: str
    verdict: str
    """One sentence: `decoded and compared with the original: equal`."""
    failed: bool = False
    """Something of ours went wrong, and that is why the original was sent: a log should have it."""
    refused: bool = False
    """That was the gate's refusal: what was made is not what came."""


@dataclass(frozen=True, slots=True)
class Trace:
    """All that is known of one run."""

    call: str
    kind: str
    summary: str
    """The payload in a few words: `object, 30 issues`."""
    bytes_in: int
    tokens_in: int
    """`NOT_COUNTED` when the result passed untouched in a run without detail."""
    tokens_out: int
    rule: RuleTrace | None
    why: str
    """Why this rule: `github/list_issues is narrower than */* (rule everything)`."""
    nearest: tuple[RuleTrace, ...] = ()
    guards: tuple[GuardTrace, ...] = ()
    steps: tuple[StepTrace, ...] = ()
    gate: GateTrace = field(default_factory=lambda: GateTrace("original", "nothing ran"))
    static_guarantee: Guarantee = Guarantee.EXACT
    guarantee: Guarantee = Guarantee.EXACT
    kept: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    lost_percent: float = 0.0
    aside: tuple[str, ...] = ()
    kept_places: Touched | None = None
    """Where what is kept stands, in runs with detail."""
    handles: tuple[str, ...] = ()
    """The handles of what was set aside, each once."""
    whole: str | None = None
    """The handle of the whole, where it was sent as what changed and can be fetched."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The text to send, its actual class, and the trace. `text` is the original whenever in doubt.

    Attributes:
        base: what the client has once this is sent; None where no later result may speak of it.
    """

    text: str
    guarantee: Guarantee
    trace: Trace
    base: Base | None = None

    @property
    def changed(self) -> bool:
        return self.guarantee is not Guarantee.EXACT
