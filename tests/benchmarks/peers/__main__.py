"""`make bench-peers [CORPUS=FOLDER] [PEERS="NAME …"]`: public encoders beside ours, in one run.

    python -m tests.benchmarks.peers [FOLDER]

FOLDER holds saved results; the default is the corpus beside the repository, or else the samples of our
policies. PEERS names the peers to run, or `all`; without it, all but the large ones. Prints markdown.
"""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from terse.capture.results import Unreadable, results
from terse.payload.exact import dump
from terse.payload.kind import Kind
from terse.payload.payload import Payload
from terse.report.benched import share
from terse.tokens import vocabulary
from tests.benchmarks.engine import records
from tests.benchmarks.peers.ask import Back, Driver, Failed, judged
from tests.benchmarks.peers.install import PEERS, ROOT, NotInstalled, Peer

CORPUS = ROOT.parent / "shared" / "corpus" / "payloads"
SAMPLES = ROOT / "policies" / "samples"
SIZES = {"10 kB": 10_000, "100 kB": 100_000, "1 MB": 1_000_000, "10 MB": 10_000_000}
SECONDS_A_FILE = 60.0
SECONDS_A_SIZE = 300.0
SECONDS_MEASURED = 2.0


@dataclass(slots=True)
class Row:
    """What one peer did.

    Attributes:
        tokens: by file, of what it sends; the text as received where it failed.
        why: why there is nothing of it, or of some of it.
    """

    peer: Peer
    tokens: list[int] = field(default_factory=list)
    backs: Counter[Back] = field(default_factory=Counter)
    failed: int = 0
    why: str = ""
    sizes: dict[str, dict[str, Any] | str] = field(default_factory=dict)

    @property
    def ran(self) -> bool:
        return bool(self.tokens)


def main(arguments: Sequence[str]) -> int:
    folder = Path(arguments[0]) if arguments and arguments[0] else CORPUS if CORPUS.is_dir() else SAMPLES
    wanted = os.environ.get("PEERS", "").split()
    unknown = [name for name in wanted if name != "all" and name not in {_key(peer) for peer in PEERS}]
    if unknown:
        print(
            f"no peer {unknown[0]}: there are {', '.join(dict.fromkeys(map(_key, PEERS)))}", file=sys.stderr
        )
        return 2
    try:
        texts = [result.text for result in results([str(folder)], [])]
    except Unreadable as error:
        print(error, file=sys.stderr)
        return 2
    json_texts = [text for text in texts if Payload.of(text).kind.is_a(Kind.JSON)]
    other_texts = [text for text in texts if not Payload.of(text).kind.is_a(Kind.JSON)]
    peers = [peer for peer in PEERS if _is_wanted(peer, wanted)]
    print(f"### Peers: {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}\n")
    for title, some, those in (
        ("JSON", json_texts, peers),
        ("text that is no JSON", other_texts, [peer for peer in peers if peer.text]),
    ):
        if some:
            _say(f"{title}: {len(some)} files", [_measured(peer, some) for peer in those], some)
    with tempfile.TemporaryDirectory() as temporary:
        paths = {}
        for name, size in SIZES.items():
            paths[name] = Path(temporary) / name.replace(" ", "")
            paths[name].write_text(records(size))
        rows = [Row(peer) for peer in peers]
        # One size after another, peer beside peer: a busy minute of the machine meets them all.
        for name, path in paths.items():
            for row in rows:
                row.sizes[name] = _timed(row.peer, path)
        for line in _speed(rows, paths):
            print(line, flush=True)
    return 0


def _key(peer: Peer) -> str:
    return peer.name.partition(",")[0]


def _is_wanted(peer: Peer, wanted: Sequence[str]) -> bool:
    if "all" in wanted or not peer.requirement:
        return True
    return _key(peer) in wanted if wanted else not peer.opt_in


def _measured(peer: Peer, texts: Sequence[str]) -> Row:
    print(f"… {peer.name}", file=sys.stderr, flush=True)
    row, count = Row(peer), vocabulary().count
    try:
        driver = Driver(peer)
    except NotInstalled as error:
        row.why = str(error)
        return row
    try:
        for text in texts:
            try:
                answer = driver.ask({"text": text}, SECONDS_A_FILE)
            except Failed as error:
                row.failed += 1
                row.why = str(error)
                row.tokens.append(count(text))
                if not str(error).startswith(("no answer", "it ended")):
                    continue
                driver.__exit__(None, None, None)
                driver = Driver(peer)
                continue
            row.tokens.append(count(answer["out"]))
            row.backs[judged(text, answer["back"])] += 1
    finally:
        driver.__exit__(None, None, None)
    return row


def _timed(peer: Peer, path: Path) -> dict[str, Any] | str:
    """A process of its own for each size: its peak of memory is that size's."""
    try:
        with Driver(peer) as driver:
            return driver.ask({"path": str(path), "for": SECONDS_MEASURED}, SECONDS_A_SIZE)
    except (Failed, NotInstalled) as error:
        return str(error)


def _say(title: str, rows: Sequence[Row], texts: Sequence[str]) -> None:
    count = vocabulary().count
    minified = [count(_minified(text)) for text in texts]
    words = ", minified" if title.startswith("JSON") else ""
    print(f"#### {title}, {sum(minified):,} tokens (o200k_base{words})\n")
    print("| | tokens | saved | median | exact | equal | other | no way back | failed | |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---|")
    for row in rows:
        if not row.ran:
            print(f"| {row.peer.name} | – | – | – | – | – | – | – | – | {_cell(row.why)} |")
            continue
        shares = [share(ours, before) for ours, before in zip(row.tokens, minified, strict=True)]
        backs = " | ".join(str(row.backs[back]) for back in Back)
        print(
            f"| {row.peer.name} | {sum(row.tokens):,} | {share(sum(row.tokens), sum(minified)):.1f}% "
            f"| {median(shares):.1f}% | {backs} | {row.failed} | {_cell(row.why)} |"
        )
    print(flush=True)


def _minified(text: str) -> str:
    document = Payload.of(text).json
    return text if document is None else dump(document)


def _speed(rows: Sequence[Row], paths: dict[str, Path]) -> Iterator[str]:
    """Throughput against terse-mcp's (or ours, where it did not run), and memory against the input's size."""
    count = vocabulary().count
    minified = {name: count(path.read_text()) for name, path in paths.items()}
    yield "#### Records of growing size: MB/s, tokens saved, memory beyond the start over the input's size\n"
    yield f"| | {' | '.join(paths)} |"
    yield f"|---|{'---|' * len(paths)}"
    for row in rows:
        cells = []
        for name, path in paths.items():
            found = row.sizes[name]
            if isinstance(found, str):
                cells.append(_cell(found))
                continue
            size = path.stat().st_size
            saved = share(count(found["out"]), minified[name])
            memory = 1024 * max(0, found["peak"] - found["base"]) / size
            held = f", {memory:.1f}×" if size >= 1_000_000 else ""
            cells.append(f"{size / found['seconds'] / 1e6:.2f} MB/s, {saved:.1f}%{held}")
        yield f"| {row.peer.name} | {' | '.join(cells)} |"
    first = next((row for row in rows if row.peer.name == "terse-mcp"), None)
    if first is None:
        return
    yield ""
    for row in rows[:2]:
        ratios = [
            f"{name} {theirs['seconds'] / ours['seconds']:.1f}×"
            for name in paths
            if not isinstance(ours := row.sizes[name], str)
            and not isinstance(theirs := first.sizes[name], str)
        ]
        yield f"{row.peer.name}, over terse-mcp: {', '.join(ratios)}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


sys.exit(main(sys.argv[1:]))
