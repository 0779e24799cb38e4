"""`terse show` for programs. The format is stable: keys are added, never changed."""

from __future__ import annotations

import json
from dataclasses import asdict

from terse.report.shown import Shown

FORMAT = 1


def render(shown: Shown) -> str:
    """One JSON document: the fields of `terse.report.shown`, with the version of the format."""
    return json.dumps({"format": FORMAT, **asdict(shown)}, indent=2, ensure_ascii=False) + "\n"
