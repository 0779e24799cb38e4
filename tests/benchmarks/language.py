"""The language: a thousand rules, twenty rules as a whole process, and nonsense of every kind. Not tests.

The nonsense is 200,000 files: random bytes, random pieces of the language, and valid files damaged. Each must
be a tree or findings; an exception ends the run, and the slowest is told.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter

from terse.language import check
from terse.language.parse import parse, parser

RULES = 1_000
RUNS = 5
STARTS = 20
NONSENSE = 200_000

POLICIES = Path(__file__).parent.parent.parent / "policies"
PIECES = (
    *("terse 1\n", "rule a {\n", "guard b {\n", "}\n", "on a/*\n", "when payload ", "is json", "has a.b"),
    *("keep ", "remove ", "set aside ", "shorten ", "to ", "400 ", "lines ", "tokens", "%", "use ", "minify"),
    *("then ", "test ", '"x" ', "call a/b", "(", ")", "[", "]", "{", ":", ",", "\n", '"', "/", "\\", "#"),
    *("\x00", "é", "\r\n", "\t", "*", ".", "every ", "fit in "),
)


def measure() -> Iterator[str]:
    """A line for each measurement."""
    parser()
    yield _thousand_rules()
    yield _twenty_rules()
    yield _nonsense(NONSENSE)


def _rule(number: int) -> str:
    server = f"server{number % 40}"
    return (
        f"rule rule-{number} {{\n  # what agents need of this tool, and no more\n"
        f"  on {server}/tool_{number}, {server}/other_{number}_*\n"
        f'  when payload has items.id, items.name\n  when argument kind is "a{number}", "b", "c"\n'
        "  use records\n"
        "  keep items.id, items.name, items.state\n  shorten items.body to 400 characters\n"
        f"  set aside items.history, items.comments over 2k characters\n  remove items.reactions_{number}\n"
        '  lose at most 25%\n  because "agents read titles and labels; bodies are one retrieve away"\n}\n\n'
    )


def _policy(rules: int) -> str:
    head = "terse 1\n\nchain records = minify then tabularize then dictionary(min-uses 3)\n\n"
    everything = "rule everything {\n  on */*\n  use records\n}\n"
    return head + "".join(map(_rule, range(rules))) + everything


def _thousand_rules() -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "many.terse"
        path.write_text(_policy(RULES), encoding="utf-8")
        data = path.read_bytes()
        parsing, checking = [], []
        for _ in range(RUNS):
            start = perf_counter()
            parse("many.terse", data)
            parsing.append(perf_counter() - start)
            start = perf_counter()
            found = check([path])
            checking.append(perf_counter() - start)
        assert found.plan is not None
    size = f"{RULES:,} rules, {len(data) // 1000} kB"
    return f"{size}: parse {median(parsing):.2f} s, parse and check {median(checking):.2f} s"


def _twenty_rules() -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "few.terse"
        path.write_text(_policy(20), encoding="utf-8")
        terse = [str(Path(sys.executable).parent / "terse"), "check", str(path)]
        times = []
        for _ in range(STARTS):
            start = perf_counter()
            subprocess.run(terse, check=True)
            times.append(perf_counter() - start)
    return f"20 rules: `terse check`, the whole process, median of {STARTS}: {median(times) * 1000:.0f} ms"


def _nonsense(count: int) -> str:
    random = Random(20_261_130)
    valid = [path.read_bytes() for path in sorted(POLICIES.rglob("*.terse"))]
    slowest = 0.0
    trees = 0
    for number in range(count):
        data = (_bytes, _pieces, _damaged)[number % 3](random, valid)
        start = perf_counter()
        parsed = parse("nonsense.terse", data)
        slowest = max(slowest, perf_counter() - start)
        trees += not parsed.diagnostics
        if number % 1_000 == 0 and sys.stderr.isatty():
            print(f"{number:,} of {count:,}", end="\r", file=sys.stderr)
    which = f"{trees:,} trees, {count - trees:,} with findings"
    return f"{count:,} files of nonsense: {which}; slowest {slowest * 1000:.0f} ms"


def _bytes(random: Random, valid: list[bytes]) -> bytes:
    head = b"terse 1\n" if random.random() < 0.5 else b""
    return head + random.randbytes(random.randrange(200))


def _pieces(random: Random, valid: list[bytes]) -> bytes:
    return ("terse 1\n" + "".join(random.choices(PIECES, k=random.randrange(60)))).encode()


def _damaged(random: Random, valid: list[bytes]) -> bytes:
    whole = random.choice(valid)
    start = random.randrange(len(whole))
    # A stretch of the file, so that most runs get past its first item in reasonable time.
    part = whole[max(0, start - 400) : start + 400]
    at = random.randrange(len(part))
    cut = random.randrange(30)
    again, piece = part[at : at + cut] * 2, random.choice(PIECES).encode()
    put = random.choice((b"", again, random.randbytes(3), piece))
    return b"terse 1\n" + part[:at] + put + part[at + cut :]
