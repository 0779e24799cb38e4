"""`terse tools` for programs. The format is stable: keys are added, never changed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from terse.report.listed import Listed

FORMAT = 1


def render(servers: Sequence[Listed]) -> str:
    """One JSON document: the fields of `terse.report.listed` for each server."""
    document = {"format": FORMAT, "servers": [asdict(server) for server in servers]}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
