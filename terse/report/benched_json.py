"""`terse bench` for programs. The format is stable: keys are added, never changed."""

from __future__ import annotations

import json
from dataclasses import asdict

from terse.report.benched import Against, Bench, Group

FORMAT = 1


def render(bench: Bench) -> str:
    """One JSON document: every text, and the sums by file, by kind, and of all."""
    document = {
        "format": FORMAT,
        "policy": bench.policy,
        "vocabulary": bench.vocabulary,
        "runs": bench.runs,
        "budget_kept": bench.budget,
        "over_budget": bench.over_budget,
        "all": _group(bench.all),
        "kinds": [_group(group) for group in bench.groups],
        "files": [_group(file) for file in bench.all.files],
        "texts": [asdict(text) for text in bench.texts],
        "failures": len(bench.failures),
        "against": None if bench.peers is None else _against(bench),
        "notes": list(bench.notes),
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _group(group: Group) -> dict[str, object]:
    return {
        "name": group.name,
        "files": len(group.files),
        "texts": len(group.texts),
        "raw": group.raw,
        "minified": group.minified,
        "emitted": group.emitted,
        "saved_percent": round(group.saved, 2),
        "saved_of_raw_percent": round(group.saved_of_raw, 2),
        "median_percent": round(group.median, 2),
        "mean_percent": round(group.mean, 2),
        "milliseconds": round(group.milliseconds, 3),
    }


def _against(bench: Bench) -> dict[str, object]:
    counted = bench.against_counted
    return {
        "files": [_row(row) for row in bench.against],
        "counted": len(counted),
        "close": sum(row.is_close for row in counted),
    }


def _row(row: Against) -> dict[str, object]:
    return {
        "file": row.file.name,
        "best": row.peer.name,
        "best_tokens": row.peer.tokens,
        "best_percent": round(row.peer_saved, 2),
        "saved_percent": round(row.file.saved, 2),
        "points_behind": round(row.behind, 2),
    }
