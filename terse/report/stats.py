"""What was saved, in groups, and what to do about each: facts for `terse stats`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from statistics import median
from typing import Literal

from terse.guarantee import Guarantee
from terse.record import Record
from terse.report.prices import Price, Prices

By = Literal["tool", "rule", "server", "client", "day"]


@dataclass(slots=True)
class Group:
    """Messages that belong together.

    Net of what it costs: `saved` is the sum over results and lists less all that was fetched later.

    Attributes:
        name: the tool as `server/tool`, the rule, the server, the client, or the day (UTC).
        results: results of calls, errors of the protocol not among them.
        counted: messages whose tokens are known; sums of tokens are over these.
        tokens_in, tokens_out: of results and lists.
        fetched: tokens of what was fetched later; `fetched_by` has them by what it was: `values` that were
            set aside, `wholes` of results that were sent as changes, `definitions`, and `nothing` (what was
            said of a handle under which nothing is kept).
        shares: of each result with tokens, the share that was saved.
        lossy: results from which something was taken for good; `lossy_saved` are their tokens that went.
        losing: the rules' lines that did that, each with how often.
        aside, aside_tokens: values that were set aside, and what they would have taken.
        fetched_values: those of them that were fetched.
        repeats: results that were sent as what changed.
        faults, bounds: by kind, how often.
        tiers: by name, how often a step changed something.
        milliseconds: of each result, from when it was there until it was sent.
        money: what the saved tokens would have cost, each once; None where no client's price is known.
        money_later: what they would have cost again on each later turn that reads them from a cache.
    """

    name: str
    messages: int = 0
    results: int = 0
    errors: int = 0
    counted: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    fetched: int = 0
    fetched_by: dict[str, int] = field(default_factory=dict)
    retrieves: int = 0
    lossy: int = 0
    lossy_saved: int = 0
    aside: int = 0
    aside_tokens: int = 0
    fetched_values: int = 0
    repeats: int = 0
    shares: list[float] = field(default_factory=list)
    milliseconds: list[float] = field(default_factory=list)
    losing: dict[str, int] = field(default_factory=dict)
    faults: dict[str, int] = field(default_factory=dict)
    bounds: dict[str, int] = field(default_factory=dict)
    tiers: dict[str, int] = field(default_factory=dict)
    money: float | None = None
    money_later: float | None = None

    @property
    def gross(self) -> int:
        """Tokens that were not sent."""
        return self.tokens_in - self.tokens_out

    @property
    def saved(self) -> int:
        """Tokens that were not sent, less those that were fetched later."""
        return self.gross - self.fetched

    @property
    def share(self) -> float:
        """`saved` in percent of what there would have been."""
        return 100 * self.saved / self.tokens_in if self.tokens_in else 0.0

    @property
    def median_share(self) -> float | None:
        """The median of what was saved of a result, in percent."""
        return median(self.shares) if self.shares else None

    @property
    def median_milliseconds(self) -> float | None:
        """The median time that a result took."""
        return median(self.milliseconds) if self.milliseconds else None

    @property
    def never_fetched(self) -> int:
        """Values that were set aside and that nobody asked for."""
        return max(self.aside - self.fetched_values, 0)

    def add(self, record: Record, price: Price | None = None) -> None:
        """Take one more message in.

        Args:
            price: what its client pays.
        """
        self.messages += 1
        tokens_in, tokens_out = record.tokens_in, record.tokens_out
        if price is not None and tokens_out is not None:
            saved = (tokens_in or 0) - tokens_out
            self.money = (self.money or 0.0) + saved * price.input / 1e6
            if price.cached_input is not None:
                self.money_later = (self.money_later or 0.0) + saved * price.cached_input / 1e6
        self.bytes_in += record.bytes_in
        self.bytes_out += record.bytes_out
        for fault in record.faults:
            self.faults[fault] = self.faults.get(fault, 0) + 1
        for bound in record.bounds:
            self.bounds[bound] = self.bounds.get(bound, 0) + 1
        if record.what in ("retrieve", "definition"):
            self.retrieves += 1
            self.fetched += tokens_out or 0
            what = _fetched(record)
            self.fetched_by[what] = self.fetched_by.get(what, 0) + (tokens_out or 0)
            self.fetched_values += record.retrieved == "value" and record.is_first
            return
        self.errors += record.is_error
        if tokens_in is not None and tokens_out is not None:
            self.counted += 1
            self.tokens_in += tokens_in
            self.tokens_out += tokens_out
        if record.what == "result":
            self._add_result(record)

    def _add_result(self, record: Record) -> None:
        self.results += 1
        self.repeats += record.repeat is not None
        self.aside += record.aside_values
        self.aside_tokens += record.aside_tokens or 0
        self.milliseconds.append(record.milliseconds)
        saved = 0
        if record.tokens_in and record.tokens_out is not None:
            saved = record.tokens_in - record.tokens_out
            self.shares.append(100 * saved / record.tokens_in)
        for tier in record.tiers:
            self.tiers[tier] = self.tiers.get(tier, 0) + 1
        if record.guarantee is Guarantee.LOSSY:
            self.lossy += 1
            self.lossy_saved += saved
            for line in record.lines:
                self.losing[line] = self.losing.get(line, 0) + 1


@dataclass(frozen=True, slots=True)
class Stats:
    """What a ledger says since a time.

    Attributes:
        groups: those that saved most first; days in their order.
        days: the same messages by day.
        first, last: when the first and last of them was sent, in seconds since 1970; None of none.
        prices: what money is counted by; None: by nothing.
    """

    by: By
    groups: tuple[Group, ...]
    all: Group
    days: tuple[Group, ...]
    first: float | None
    last: float | None
    prices: Prices | None = None

    @classmethod
    def of(cls, records: Iterable[Record], by: By, prices: Prices | None = None) -> Stats:
        """Records, in groups."""
        groups: dict[str, Group] = {}
        days: dict[str, Group] = {}
        everything = Group("all")
        first = last = None
        for record in records:
            cost = None if prices is None else prices.of(record.client)
            first = record.at if first is None else min(first, record.at)
            last = record.at if last is None else max(last, record.at)
            for known, name in ((groups, name_of(record, by)), (days, name_of(record, "day"))):
                if name not in known:
                    known[name] = Group(name)
                known[name].add(record, cost)
            everything.add(record, cost)
        in_order = tuple(days[name] for name in sorted(days))
        ordered = tuple(sorted(groups.values(), key=lambda group: (-group.saved, group.name)))
        return cls(by, in_order if by == "day" else ordered, everything, in_order, first, last, prices)


def _fetched(record: Record) -> str:
    if record.what == "definition":
        return "definitions"
    return "nothing" if record.retrieved is None else f"{record.retrieved}s"


def name_of(record: Record, by: By) -> str:
    """The group that a message belongs to."""
    match by:
        case "tool":
            of_all = "(list of tools)" if record.what in ("list", "definition") else "(unknown)"
            return f"{record.server}/{record.tool or of_all}"
        case "rule":
            return record.rule or "(no rule)"
        case "server":
            return record.server
        case "client":
            return record.client or "(unnamed)"
    return datetime.fromtimestamp(record.at, UTC).date().isoformat()


# ---- what to do --------------------------------------------------------------------------------------------

ENOUGH = 20
"""Results from which on a tool is spoken of; fewer may be chance."""
LITTLE_PERCENT = 2.0
"""A net saving below this is not worth a rule that reviewers have to read."""
OFTEN_PERCENT = 30.0
"""Where more of the values that were set aside are fetched, the agent needed them: each was paid twice."""
FAULT_PERCENT = 5.0
LARGE_TOKENS = 2_000
"""Results as large as this, in the median, are worth a closer look where little of them was saved."""
SLIGHT_PERCENT = 15.0


@dataclass(frozen=True, slots=True)
class Advice:
    """What to do, and why in a few words."""

    do: Literal["keep", "tune", "unwrap"]
    why: str


def advice(group: Group) -> Advice | None:
    """What to do about a tool; None where there are too few results to tell."""
    if group.results < ENOUGH or not group.tokens_in:
        return None
    faulty = 100 * sum(group.faults.values()) / group.messages
    if faulty > FAULT_PERCENT:
        kinds = ", ".join(f"{kind} {times:,}" for kind, times in sorted(group.faults.items()))
        return Advice("tune", f"{faulty:.0f}% went as they came after a fault ({kinds})")
    if group.aside and 100 * group.fetched_values / group.aside > OFTEN_PERCENT:
        return Advice("tune", f"{group.fetched_values:,} of {group.aside:,} values set aside were fetched")
    if group.saved < 0:
        return Advice("unwrap", f"what was fetched later took {-group.saved:,} tokens more than was saved")
    if group.share < LITTLE_PERCENT:
        return Advice("unwrap", f"{group.share:.1f}% saved in {group.results:,} results")
    if group.bounds.get("spend at most", 0) > group.results / 2:
        return Advice("tune", "most results had no time for all steps: spend at most")
    if group.share < SLIGHT_PERCENT and group.tokens_in / group.results > LARGE_TOKENS:
        return Advice("tune", "its results are large and little is saved: look at one with terse explain")
    return Advice("keep", f"{group.share:.0f}% saved")
