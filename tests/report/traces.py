"""Traces made by hand: what `explain` has to show, without running anything."""

from __future__ import annotations

from dataclasses import replace

from terse.guarantee import Guarantee
from terse.plan.trace import (
    ConditionTrace,
    GateTrace,
    GuardTrace,
    Outcome,
    RuleTrace,
    StepStatus,
    StepTrace,
    Trace,
)
from terse.report.explanation import CallFrom, Explanation

FILE = "policies/github.terse"
BASE = "policies/org/base.terse"


def _step(
    label: str, at: str, tokens: tuple[int, int], guarantee: Guarantee = Guarantee.LOSSLESS, note: str = ""
) -> StepTrace:
    return StepTrace(label, at, StepStatus.APPLIED, *tokens, guarantee, note)


ISSUES = Trace(
    call="github/list_issues",
    kind="object",
    summary="object, 30 issues",
    bytes_in=41_200,
    tokens_in=11_840,
    tokens_out=2_210,
    rule=RuleTrace(
        name="issue-lists",
        at=f"{FILE}:14",
        chosen=True,
        conditions=(
            ConditionTrace("on github/list_issues", f"{FILE}:15", True),
            ConditionTrace("when payload has issues", f"{FILE}:16", True),
        ),
        because=("triage reads titles and labels; a body is one retrieve away, and nobody reads thirty",),
    ),
    why="github/list_issues is narrower than */* (rule everything)",
    guards=(
        GuardTrace(
            "identifiers", f"{BASE}:23", True, "keeps every id, every number, every sha", ("ids act",)
        ),
        GuardTrace("no-silent-loss", f"{BASE}:15", False, "it excepts github/*"),
        GuardTrace("secrets", f"{BASE}:8", False, "it speaks of vault/*", elsewhere=True),
    ),
    steps=(
        _step("remove every *_url, every node_id", f"{BASE}:30", (11_840, 9_910), Guarantee.LOSSY),
        _step(
            "remove issues.reactions, issues.author_association",
            f"{FILE}:21",
            (9_910, 9_420),
            Guarantee.LOSSY,
        ),
        _step(
            "shorten issues.body to 400 characters",
            f"{FILE}:20",
            (9_420, 5_310),
            Guarantee.RECOVERABLE,
            "22 of 30 set aside",
        ),
        _step("minify", f"{FILE}:17", (5_310, 4_120)),
        _step("tabularize", f"{FILE}:17", (4_120, 2_480), note="30 rows, 14 columns"),
        _step("dictionary(min-uses 3)", f"{FILE}:17", (2_480, 2_210), note="11 entries"),
        StepTrace(
            "diff", f"{FILE}:17", StepStatus.SKIPPED, 2_210, 2_210, Guarantee.LOSSLESS, "first of the session"
        ),
    ),
    gate=GateTrace("emitted", "decoded and compared with the original: equal but for what is listed above"),
    static_guarantee=Guarantee.LOSSY,
    guarantee=Guarantee.LOSSY,
    kept=("issues.title", "issues.state", "every id", "every number", "every sha"),
    lost=("links", "node ids", "reactions", "users"),
    lost_percent=20.4,
    aside=("22 bodies, 4,110 tokens, for this session",),
)

ERROR = Trace(
    call="jira/search",
    kind="text",
    summary="text, 2 lines",
    bytes_in=96,
    tokens_in=24,
    tokens_out=24,
    rule=RuleTrace("long-text", f"{BASE}:40", True, (ConditionTrace("on */*", f"{BASE}:41", True),)),
    why="the only rule that matches",
    nearest=(
        RuleTrace(
            "jira-search",
            "policies/jira.terse:5",
            False,
            (
                ConditionTrace("on jira/search", "policies/jira.terse:6", True),
                ConditionTrace(
                    "when payload has issues.key", "policies/jira.terse:7", False, "the payload is text"
                ),
            ),
        ),
        RuleTrace(
            "everything",
            f"{BASE}:34",
            False,
            (ConditionTrace("when payload is json", f"{BASE}:36", False, "the payload is text"),),
        ),
    ),
    steps=(
        StepTrace(
            "dedup(window 20 calls)",
            f"{BASE}:43",
            StepStatus.SKIPPED,
            24,
            24,
            Guarantee.LOSSLESS,
            "not seen before",
        ),
    ),
    gate=GateTrace("original", "no step changed anything"),
    guarantee=Guarantee.EXACT,
)

NO_RULE = Trace(
    call="?/?",
    kind="records",
    summary="records, 3 rows",
    bytes_in=2_400_000,
    tokens_in=1,
    tokens_out=1,
    rule=None,
    why="no rule matches",
)

LONG_CHAIN = replace(
    ISSUES,
    steps=(
        *ISSUES.steps[3:5],
        *(
            StepTrace(tier, f"{BASE}:43", StepStatus.SKIPPED, 2_480, 2_480, Guarantee.LOSSLESS, reason)
            for tier, reason in (
                ("outline", "nothing to open"),
                ("fold-log", "not a log"),
                ("fold-hits", "not a list of hits"),
                ("fold-tree", "not a log"),
                *((f"fold-{name}", "it takes text, this is layout") for name in ("csv", "lists", "paths")),
                *((f"fold-{name}", "it takes text, this is layout") for name in ("links", "blocks")),
            )
        ),
        StepTrace("affixes", f"{BASE}:43", StepStatus.NO_GAIN, 2_480, 2_480, Guarantee.LOSSLESS),
    ),
    guards=ISSUES.guards[2:],
)


def explanation(
    *outcomes: Outcome, call_from: CallFrom = CallFrom.OPTION, notes: tuple[str, ...] = ()
) -> Explanation:
    """An explanation of these outcomes."""
    return Explanation(
        file="open.json",
        is_result=len(outcomes) > 1,
        is_error=False,
        call_from=call_from,
        policy="policies/",
        policy_hash="0" * 64,
        vocabulary="o200k_base",
        outcomes=outcomes,
        notes=notes,
    )


def outcome(trace: Trace, text: str) -> Outcome:
    """The trace with the text that was sent."""
    return Outcome(text, trace.guarantee, trace)
