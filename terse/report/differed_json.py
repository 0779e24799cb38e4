"""`terse diff` for programs. The format is stable: keys are added, never changed."""

from __future__ import annotations

import json
from dataclasses import asdict

from terse.report.differed import Diff

FORMAT = 1


def render(diff: Diff) -> str:
    """One JSON document: the fields of `terse.report.differed`, with totals and the version of the format."""
    document = {
        "format": FORMAT,
        "before": diff.before,
        "after": diff.after,
        "tokens": {"before": diff.tokens_before, "after": diff.tokens_after},
        "changed": diff.changed_count,
        "new_losses": [asdict(loss) for loss in diff.new_losses],
        "rules": {**asdict(diff.rules), "unreachable": diff.unreachable},
        "guards": asdict(diff.guards),
        "tools": asdict(diff.tools),
        "samples": [asdict(sample) for sample in diff.samples],
        "notes": diff.notes,
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
