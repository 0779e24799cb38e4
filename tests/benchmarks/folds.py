"""Tokens that the text folds save, file by file, and the time they take beside one count of the tokens.

    python -m tests.benchmarks.folds [FOLDER]

FOLDER holds saved results; the default is the corpus beside the repository. JSON files are left out. Of
captures (`*.jsonl`, one call a line) every text block that is no JSON is measured.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from terse.payload.payload import Payload
from terse.tiers import TIERS
from terse.tiers.expand import expand
from terse.tiers.spec import Applied, Context, Draft, State
from terse.tokens import vocabulary

CORPUS = Path(__file__).parent.parent.parent.parent / "shared" / "corpus" / "payloads"
FOLDS = tuple(tier for tier in TIERS if State.TEXT in tier.takes and tier.leaves is State.FOLDED)


def texts(folder: Path) -> Iterator[tuple[str, str]]:
    """Name and text of everything in the folder that is no JSON."""
    for path in sorted(folder.iterdir()):
        text = path.read_bytes().decode("utf-8", "replace")
        if path.suffix == ".jsonl" and '"result"' in text.split("\n", 1)[0]:
            for line in text.splitlines():
                call = json.loads(line)
                for block in call["result"].get("content", ()):
                    if block.get("type") == "text" and Payload.of(block["text"]).json is None:
                        yield f"{path.stem} {call['tool']}", block["text"]
        elif path.suffix != ".json":
            yield path.name, text


def measure(folder: Path = CORPUS) -> Iterator[str]:
    """A row per text of 200 tokens or more, then the totals."""
    if not folder.is_dir():
        yield f"no folder {folder}"
        return
    count = vocabulary().count
    count("warm")
    yield f"{'text':46}{'tokens':>9}{'saved':>8}{'ms':>8}{'count ms':>10}  folds"
    before = after = 0
    shares: list[float] = []
    for name, text in texts(folder):
        start = perf_counter()
        tokens = count(text)
        counting = perf_counter() - start
        before += tokens
        draft = Draft(State.TEXT, text)
        names = []
        start = perf_counter()
        for tier in FOLDS if tokens >= 200 else ():
            result = tier.run(draft, {}, Context(count))
            if isinstance(result, Applied):
                draft = result.draft
                names.append(tier.name.removeprefix("fold-"))
        took = perf_counter() - start
        assert expand(draft.text) == text, name
        emitted = count(draft.text)
        after += emitted
        if tokens >= 200:
            shares.append(1 - emitted / tokens)
            saved = f"{tokens:9,}{100 * shares[-1]:7.1f}%"
            times = f"{1000 * took:8.1f}{1000 * counting:10.1f}"
            yield f"{name[:45]:46}{saved}{times}  {' '.join(names)}"
    whole = 1 - after / max(1, before)
    yield f"\n{len(shares)} texts: {before:,} tokens, {100 * whole:.1f} % saved in all,"
    yield f"{100 * sum(shares) / max(1, len(shares)):.1f} % a text"


if __name__ == "__main__":
    for row in measure(*(Path(argument) for argument in sys.argv[1:2])):
        print(row, flush=True)
