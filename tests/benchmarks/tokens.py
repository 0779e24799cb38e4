"""Tokens that the default policy saves, over a folder of saved results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

from terse.cli.policy import default_plan
from terse.memory.session import Session
from terse.payload.call import Call
from terse.payload.exact import NotExact, dump, parse
from terse.payload.payload import Payload
from terse.plan.model import Plan
from terse.plan.run import run
from terse.tokens import Vocabulary, vocabulary

ROOT = Path(__file__).parent.parent.parent
CORPUS = ROOT.parent / "shared" / "corpus" / "payloads"
EXAMPLES = ROOT / "docs" / "examples" / "samples"


@dataclass(frozen=True, slots=True)
class Measured:
    """One file."""

    name: str
    kind: str
    sent: int
    minified: int
    emitted: int
    seconds: float


def measure() -> Iterator[str]:
    """A row per file, and totals for JSON and for other text."""
    folder = CORPUS if CORPUS.is_dir() else EXAMPLES
    where = "the corpus" if folder is CORPUS else "docs/examples/samples"
    yield f"default policy, o200k_base, files of {where}\n"
    heading = f"{'sent':>10}{'minified':>10}{'emitted':>10}{'saved':>8}{'of minified':>13}{'ms':>8}"
    yield f"{'':44}{heading}"
    plan, counted = default_plan(), vocabulary("o200k_base")
    groups: dict[str, list[Measured]] = defaultdict(list)
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        text = path.read_text(encoding="utf-8")
        measured = _measured(path.name, text, plan, counted)
        groups[measured.kind].append(measured)
        yield _row(measured)
    for kind, files in groups.items():
        shares = [1 - file.emitted / file.minified for file in files if file.minified]
        yield ""
        yield _row(
            Measured(
                f"{kind}: {len(files)} files",
                kind,
                sum(file.sent for file in files),
                sum(file.minified for file in files),
                sum(file.emitted for file in files),
                sum(file.seconds for file in files),
            )
        )
        yield f"{kind}: median of the files {100 * median(shares):.1f}% below minified"


def _measured(name: str, text: str, plan: Plan, counted: Vocabulary) -> Measured:
    try:
        minified, kind = dump(parse(text)), "json"
    except NotExact:
        minified, kind = text, "text"
    start = perf_counter()
    outcome = run(plan, Payload.of(text), Call("corpus", "file"), Session(), counted)
    seconds = perf_counter() - start
    return Measured(
        name, kind, counted.count(text), counted.count(minified), counted.count(outcome.text), seconds
    )


def _row(file: Measured) -> str:
    saved, of_minified = (
        f"{100 * (1 - file.emitted / before) if before else 0:.1f}%" for before in (file.sent, file.minified)
    )
    figures = f"{file.sent:>10,}{file.minified:>10,}{file.emitted:>10,}{saved:>8}{of_minified:>13}"
    return f"{file.name[:43]:44}{figures}{1000 * file.seconds:>8.0f}"
