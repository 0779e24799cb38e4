"""The JSON tiers beside the public formats: `python -m tests.benchmarks.layouts [FOLDER]`.

FOLDER holds JSON results (`*.json`); with `../../reference/peer_tokens.tsv` beside it, each file's best
public format is printed too. Tokens are o200k_base, savings against minified JSON.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import process_time

from terse.payload.payload import Payload
from terse.tiers import TIERS
from terse.tiers.spec import Applied, Context, Draft, State
from terse.tokens import vocabulary

CORPUS = Path(__file__).parent.parent.parent.parent / "shared" / "corpus" / "payloads"
PEERS = ("toon4", "gcf", "bpp", "soon", "zon", "terse_mcp", "headroom_lossless")
CLOSE = 3
"""Points behind the best public format that still count as even with it."""
SMALL = 300
"""Tokens under which a file does not count for that."""


def measure(folder: Path = CORPUS) -> Iterator[str]:
    """A row per file, and the totals."""
    peers = _peers(folder.parent.parent / "reference" / "peer_tokens.tsv")
    yield "| file | minified | emitted | saved % | best public % | by | ms |"
    yield "|---|--:|--:|--:|--:|---|--:|"
    minified_all = emitted_all = even = counted = 0
    shares: list[float] = []
    for path in sorted(folder.glob("*.json")):
        text = path.read_bytes().decode("utf-8", "surrogatepass")
        minified = _count(json.dumps(json.loads(text), separators=(",", ":"), ensure_ascii=False))
        start = process_time()
        emitted = _count(_laid_out(text))
        took = 1000 * (process_time() - start)
        share = 100 * (1 - emitted / minified)
        best, name = peers.get(path.name, (0, ""))
        best_share = 100 * (1 - best / minified) if best else 0.0
        if best and minified >= SMALL:
            counted += 1
            even += share >= best_share - CLOSE
        minified_all += minified
        emitted_all += emitted
        shares.append(share)
        shown = f"{best_share:.1f}" if best else ""
        yield f"| {path.name} | {minified} | {emitted} | {share:.1f} | {shown} | {name} | {took:.0f} |"
    if not shares:
        yield f"no JSON in {folder}"
        return
    total = 100 * (1 - emitted_all / minified_all)
    yield f"total {total:.1f} %, median {median(shares):.1f} % below minified"
    if counted:
        yield f"{even} of {counted} files no more than {CLOSE} points behind the best public format"


def _laid_out(text: str) -> str:
    """The text after every tier that makes it smaller, as the plan runs them."""
    draft = Draft.of(Payload.of(text))
    tokens = _count(text)
    for tier in TIERS:
        if draft.state not in tier.takes or draft.state is State.TEXT or tier.needs_memory:
            continue
        options = {option.name: option.default for option in tier.options}
        result = tier.run(draft, options, Context(_count))
        if isinstance(result, Applied):
            after = _count(result.draft.text)
            if after < tokens:
                draft, tokens = result.draft, after
    return draft.text


def _count(text: str) -> int:
    return vocabulary().count(text)


def _peers(table: Path) -> dict[str, tuple[int, str]]:
    if not table.is_file():
        return {}
    best: dict[str, tuple[int, str]] = {}
    with table.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            found = [(int(row[name]), name) for name in PEERS if row.get(name)]
            if found:
                best[row["file"]] = min(found)
    return best


if __name__ == "__main__":
    for line in measure(*map(Path, sys.argv[1:2])):
        print(line, flush=True)
