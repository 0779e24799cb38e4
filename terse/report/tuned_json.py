"""`terse tune` for programs. The format is stable: keys are added, never changed."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from terse.report.tuned import Measured, Proposal, Tuned

FORMAT = 1


def render(tuned: Tuned) -> str:
    """One JSON document: what was read, the proposals with their evidence, and the patch."""
    document = {
        "format": FORMAT,
        "rules": tuned.rules,
        "captured": {
            "results": tuned.results,
            "tools": tuned.tools,
            "sessions": tuned.sessions,
            "run": tuned.run,
        },
        "ledger": {"results": tuned.ledger},
        "proposals": [_proposal(each) for each in tuned.proposals],
        "held_out": {**_measured(tuned.held_out), "received": tuned.received},
        "patch": tuned.patch,
        "applied": tuned.applied,
        "notes": list(tuned.notes),
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _proposal(proposal: Proposal) -> dict[str, Any]:
    return {
        **asdict(proposal),
        "learned": None if proposal.learned is None else _measured(proposal.learned),
        "held_out": None if proposal.held_out is None else _measured(proposal.held_out),
        "listed": None if proposal.listed is None else dict(zip(_SIDES, proposal.listed, strict=True)),
    }


_SIDES = ("before", "after")


def _measured(of: Measured) -> dict[str, int]:
    return {**asdict(of), "gross": of.gross}
