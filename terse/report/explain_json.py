"""`terse explain --json`: the facts of `terse.report.explain` as data: see `docs/explain-json.md`."""

from __future__ import annotations

import json
from typing import Any

from terse.plan.trace import NOT_COUNTED, ConditionTrace, GuardTrace, Outcome, RuleTrace, StepTrace, Touched
from terse.report.explanation import Explanation

VERSION = 1
"""Of the format. Fields may be added within a version; none changes its meaning or goes."""


def render(explanation: Explanation) -> str:
    """The explanation as JSON text, ending in a line feed. Same input, same bytes: no times, no dates."""
    value = {
        "explain": VERSION,
        "file": explanation.file,
        "mcp_result": explanation.is_result,
        "error_result": explanation.is_error,
        "call_from": explanation.call_from.value,
        "policy": {"rules": explanation.policy, "hash": explanation.policy_hash},
        "vocabulary": explanation.vocabulary,
        "notes": list(explanation.notes),
        "texts": [_text(outcome) for outcome in explanation.outcomes],
    }
    # ASCII: a lone surrogate in a payload has no UTF-8, and every JSON reader undoes the escapes.
    return json.dumps(value, indent=2, ensure_ascii=True) + "\n"


def _text(outcome: Outcome) -> dict[str, Any]:
    trace = outcome.trace
    return {
        "call": trace.call,
        "payload": {
            "kind": trace.kind,
            "summary": trace.summary,
            "bytes": trace.bytes_in,
            "tokens": _tokens(trace.tokens_in),
        },
        "rule": None if trace.rule is None else _rule(trace.rule),
        "why": trace.why,
        "nearest": [_rule(rule) for rule in trace.nearest],
        "guards": [_guard(guard) for guard in trace.guards],
        "steps": [_step(step) for step in trace.steps],
        "gate": {"sent": trace.gate.sent, "verdict": trace.gate.verdict},
        "static_class": trace.static_guarantee.word,
        "class": outcome.guarantee.word,
        "tokens": _tokens(trace.tokens_out),
        "kept": list(trace.kept),
        "kept_at": _touched(trace.kept_places),
        "lost": {"percent": round(trace.lost_percent, 1), "what": list(trace.lost)},
        "aside": list(trace.aside),
        "emitted": outcome.text,
    }


def _tokens(number: int) -> int | None:
    return None if number == NOT_COUNTED else number


def _rule(rule: RuleTrace) -> dict[str, Any]:
    return {
        "name": rule.name,
        "at": rule.at,
        "chosen": rule.chosen,
        "conditions": [_condition(condition) for condition in rule.conditions],
        "because": list(rule.because),
    }


def _condition(condition: ConditionTrace) -> dict[str, Any]:
    return {
        "text": condition.text,
        "at": condition.at,
        "held": condition.held,
        "reason": condition.reason,
    }


def _guard(guard: GuardTrace) -> dict[str, Any]:
    return {
        "name": guard.name,
        "at": guard.at,
        "applies": guard.applies,
        "elsewhere": guard.elsewhere,
        "text": guard.text,
        "because": list(guard.because),
    }


def _step(step: StepTrace) -> dict[str, Any]:
    return {
        "statement": step.label,
        "at": step.at,
        "status": step.status.value,
        "tokens_before": _tokens(step.tokens_before),
        "tokens_after": _tokens(step.tokens_after),
        "class": step.guarantee.word,
        "note": step.note,
        "action": step.action,
        "touched": _touched(step.touched),
    }


def _touched(touched: Touched | None) -> dict[str, Any]:
    if touched is None:
        return {"places": [], "lines": []}
    return {"places": list(touched.places), "lines": [list(lines) for lines in touched.lines]}
