"""Captures for tests of tuning: sessions of calls whose results are made, and not recorded anywhere."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any

WORDS = [
    "the",
    "build",
    "of",
    "a",
    "branch",
    "that",
    "nobody",
    "looks",
    "at",
    "fails",
    "when",
    "its",
    "cache",
    "was",
    "made",
    "by",
    "another",
    "host",
]


def line(
    tool: str,
    result: object,
    *,
    session: str = "one",
    server: str = "tracker",
    arguments: dict[str, object] | None = None,
) -> str:
    """One line of a capture. A result that is no text is sent as JSON."""
    text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    return json.dumps(
        {
            "session": session,
            "server": server,
            "tool": tool,
            "arguments": arguments or {},
            "result": {"content": [{"type": "text", "text": text}]},
        }
    )


def write(path: Path, lines: Iterable[str]) -> Path:
    """The lines as a capture."""
    path.write_text("".join(f"{each}\n" for each in lines), encoding="utf-8")
    return path


def prose(random: Random, words: int) -> str:
    """Words that no step makes shorter."""
    return " ".join(f"{random.choice(WORDS)}{random.randrange(1000)}" for _ in range(words))


def issue(random: Random, number: int, body_words: int = 12) -> dict[str, Any]:
    """A record with something that is always the same, and a text."""
    return {
        "number": number,
        "title": prose(random, 4),
        "state": random.choice(["open", "closed"]),
        "kind": "issue",
        "milestone": None,
        "body": prose(random, body_words),
    }


def issue_lists(
    sessions: Sequence[str], per_session: int = 6, rows: int = 8, body_words: int = 12
) -> list[str]:
    """Calls of `list_issues`, each with arguments of its own."""
    random = Random(7)
    found = []
    for session in sessions:
        for page in range(per_session):
            issues = [issue(random, random.randrange(10**6), body_words) for _ in range(rows)]
            arguments: dict[str, object] = {"page": page, "of": session}
            found.append(line("list_issues", {"issues": issues}, session=session, arguments=arguments))
    return found
