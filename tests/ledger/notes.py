"""Records as a proxy makes them, and a process that writes them.

    python notes.py FILE COUNT [PAUSE]

writes so many, a thousand a second or with a pause (in seconds) between two, and prints how many when done.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from terse.guarantee import Guarantee
from terse.ledger.writer import Ledger
from terse.record import Record

AT = 1_800_000_000.0


def record(**changes: Any) -> Record:
    """A result of `shop/list` with 1,000 tokens, 400 of which were sent, but for what is said."""
    facts: dict[str, Any] = {
        "at": AT,
        "what": "result",
        "client": "claude-code",
        "server": "shop",
        "tool": "list",
        "bytes_in": 4000,
        "bytes_out": 1600,
        "milliseconds": 3.25,
        "rule": "everything",
        "guarantee": Guarantee.LOSSLESS,
        "tiers": ("minify", "tabularize"),
        "tokens_in": 1000,
        "tokens_out": 400,
    }
    return Record(**{**facts, **changes})


def main() -> None:
    file, count = Path(sys.argv[1]), int(sys.argv[2])
    pause = float(sys.argv[3]) if len(sys.argv) > 3 else 0.0
    ledger = Ledger(file, lambda words: print(words, file=sys.stderr))
    begun = time.monotonic()
    for number in range(count):
        ledger.observe(record(at=time.time(), tool=f"tool {number % 10}"))
        if pause:
            time.sleep(pause)
        elif number % 100 == 99:
            # A thousand a second.
            time.sleep(max(0.0, begun + number / 1000 - time.monotonic()))
    ledger.close(30.0)
    print(count - ledger.total.unwritten)


if __name__ == "__main__":
    main()
