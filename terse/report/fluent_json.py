"""`terse fluency` for programs. The format is stable: keys are added, never changed."""

from __future__ import annotations

import json

from terse.report.fluent import Arm, Fluency

FORMAT = 1


def render(facts: Fluency) -> str:
    """One JSON document: the shares with their intervals, and every question with every answer."""
    document = {
        "format": FORMAT,
        "model": facts.model,
        "endpoint": facts.endpoint,
        "policy": facts.policy,
        "results": facts.results,
        "tokens": {"original": facts.raw_tokens, "emitted": facts.emitted_tokens},
        "pairs": len(facts.complete),
        "arms": {arm.value: _share(facts, arm) for arm in Arm},
        "differences": {arm.value: _difference(facts, arm) for arm in (Arm.EMITTED, Arm.AGAIN)},
        "verdict": facts.verdict,
        "questions": [
            {
                "result": asked.name,
                "kind": asked.kind,
                "words": asked.words,
                "answer": asked.answer,
                "answers": {
                    arm.value: {"given": answer.given, "right": answer.right}
                    for arm, answer in asked.answers.items()
                },
            }
            for asked in facts.asked
        ],
        "failures": list(facts.failures),
        "notes": list(facts.notes),
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _share(facts: Fluency, arm: Arm) -> dict[str, object]:
    share = facts.share(arm)
    return {"right": share.right, "of": share.of, "interval": [round(bound, 4) for bound in share.interval]}


def _difference(facts: Fluency, arm: Arm) -> dict[str, object]:
    mean, interval = facts.difference(arm)
    return {"mean": round(mean, 4), "interval": [round(bound, 4) for bound in interval]}
