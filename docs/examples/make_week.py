"""Makes week.jsonl, the captured calls of docs/tune.md: `python make_week.py > week.jsonl`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from random import Random

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
WORDS = [
    "build",
    "branch",
    "fails",
    "cache",
    "made",
    "another",
    "host",
    "nobody",
    "looks",
    "retry",
    "timeout",
    "queue",
    "worker",
    "login",
    "page",
]


def _prose(random: Random, words: int) -> str:
    return " ".join(random.choice(WORDS) for _ in range(words))


def _calls(random: Random, day: str) -> Iterator[tuple[str, dict[str, object], object]]:
    for page in range(3):
        issues = [
            {
                "number": random.randrange(10_000),
                "title": _prose(random, 4),
                "state": random.choice(["open", "closed"]),
                "body": _prose(random, 70),
            }
            for _ in range(4)
        ]
        yield "list_issues", {"page": page, "updated": day}, {"issues": issues}
    builds = [
        {"branch": _prose(random, 1), "state": "passed", "seconds": random.randrange(900)} for _ in range(9)
    ]
    for _ in range(3):
        yield "list_builds", {}, {"builds": builds}
        builds[random.randrange(9)]["state"] = "failed"


def main() -> None:
    random = Random(11)
    for day in DAYS:
        for tool, arguments, result in _calls(random, day):
            line = {
                "session": day,
                "server": "tracker",
                "tool": tool,
                "arguments": arguments,
                "result": {"content": [{"type": "text", "text": json.dumps(result, indent=1)}]},
            }
            sys.stdout.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
