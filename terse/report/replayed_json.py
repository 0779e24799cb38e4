"""`terse replay --output json`."""

from __future__ import annotations

import json
from typing import Any

from terse.report.replayed import Group, Replay

FORMAT = 1


def render(replay: Replay) -> str:
    """The facts, each call included. Fields are only ever added."""
    data = {
        "format": FORMAT,
        "rules": replay.policy,
        "against": replay.against,
        "client": replay.client,
        "vocabulary": replay.vocabulary,
        "sessions": replay.sessions,
        "total": _group(replay.all),
        "tools": [_group(each) for each in replay.tools],
        "repeats": {
            "same": replay.same,
            "changed_percent": [round(share, 2) for share in replay.changed],
            "changed_median_percent": replay.changed_median,
        },
        "problems": replay.problems,
        "notes": list(replay.notes),
        "calls": [
            {
                "server": row[0].server,
                "tool": row[0].tool,
                "received": row[0].before,
                "sent": row[0].after,
                "sent_against": row[1].after if len(row) > 1 else None,
                "class": row[0].guarantee.word,
                "lost": row[0].lost,
                "repeat": {None: None, True: "same", False: "changed"}[row[0].repeat],
            }
            for row in replay.rows
        ],
    }
    return json.dumps(data, indent=2, ensure_ascii=True) + "\n"


def _group(group: Group) -> dict[str, Any]:
    return {
        "name": group.name,
        "calls": len(group.calls),
        "received": group.before,
        "sent": group.after,
        "sent_against": group.after_against,
        "lost": group.lost,
        "classes": {each.word: number for each, number in group.classes.items()},
    }
