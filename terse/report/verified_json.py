"""`terse verify` for programs: docs/json.md. Keys are added, never changed."""

from __future__ import annotations

import json
from dataclasses import asdict

from terse.report.verified import Saved, Verified

FORMAT = 1


def render(found: Verified) -> str:
    """One JSON document: every promise, every figure, every form."""
    document = {
        "format": FORMAT,
        "holds": found.holds,
        "source": found.source,
        "calls": found.calls,
        "texts": found.texts,
        "seconds": round(found.seconds, 3),
        "denial": found.denial,
        "digest": found.digest,
        "checks": [asdict(check) for check in found.checks],
        "counted": asdict(found.counted),
        "tools": [_saved(each) for each in found.saved],
        "all": _saved(found.all),
        "forms": [asdict(form) for form in found.forms],
        "installed": asdict(found.installed),
        "places": [asdict(place) for place in found.places],
        "notes": list(found.notes),
    }
    # Half a character, as a result may end in, has no UTF-8.
    return json.dumps(document, indent=1) + "\n"


def _saved(saved: Saved) -> dict[str, object]:
    return {**asdict(saved), "percent": round(saved.percent, 1)}
