"""How fast a payload goes through a plan, and where the time goes.

MB/s of `run` on lists of records of 10 kB, 100 kB and 1 MB, how often the text could be tokenized in that
time, and the share of each part. Parts are measured by themselves, so that shares need not add up to a
hundred; in time of the processor, not of the clock, so that a busy machine changes little.

Then texts that nothing folds, beside one tokenization of each, and the peak of the memory on large results.
"""

from __future__ import annotations

import base64
import itertools
import json
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time

from terse.cli.policy import default_plan
from terse.fields.selector import Every
from terse.memory.session import Session
from terse.payload.call import Call
from terse.payload.exact import dump, parse
from terse.payload.payload import Payload
from terse.plan.choose import choose
from terse.plan.conditions import Facts
from terse.plan.model import Entry, Keep, Pattern, PayloadIs, Plan, Remove, Rule, Step
from terse.plan.run import run
from terse.plan.trace import Outcome
from terse.tiers import BY_NAME
from terse.tiers.expand import expand
from terse.tokens import vocabulary

CALL = Call("shop", "list_orders", {"state": "open"})
SIZES = (10_000, 100_000, 1_000_000)
CHAIN = tuple(
    Step(name, {option.name: option.default for option in BY_NAME[name].options})
    for name in ("minify", "tabularize", "dictionary")
)


def _plan(**parts: object) -> Plan:
    rule = Rule("records", "bench.terse:1", (Pattern("*", "*"),), **parts)  # type: ignore[arg-type]
    return Plan(1, (rule,), (), (Entry(0, 0),))


PLANS = {
    "default policy": default_plan(),
    "chain": _plan(when=(PayloadIs(("json",)),), chain=CHAIN, spend_ms=10_000, guarantee="lossless"),
    "fields + chain": _plan(
        fields=(Keep((Every(("id",)),)), Remove((Every(("*_url",)),))),
        chain=CHAIN,
        spend_ms=10_000,
        guarantee="lossy",
    ),
    "fields alone": _plan(fields=(Keep((Every(("id",)),)), Remove((Every(("*_url",)),))), guarantee="lossy"),
}


def records(size: int) -> str:
    """JSON text of about so many bytes: orders with nested customers, links, prices and free text."""
    words = (
        "late",
        "parcel",
        "returned",
        "damaged",
        "paid twice",
        "please",
        "call back",
        "tomorrow",
        "urgent",
    )
    made: list[dict[str, object]] = []
    length = 2
    number = 0
    while length < size:
        number += 1
        row: dict[str, object] = {
            "id": 700_000 + number * 37,
            "state": ("open", "paid", "sent")[number % 3],
            "total": round(number * 13.37 % 900, 2),
            "currency": "EUR",
            "created_at": f"2026-{number % 12 + 1:02d}-{number % 28 + 1:02d}T{number % 24:02d}:15:00Z",
            "customer": {
                "id": number * 91 % 5000,
                "name": f"Customer {number * 91 % 5000}",
                "vip": number % 9 == 0,
            },
            "self_url": f"https://shop.example/api/orders/{700_000 + number * 37}",
            "note": " ".join(words[(number * step) % len(words)] for step in range(1, number % 9 + 2)),
            "coupon": None if number % 4 else f"SPRING{number % 50}",
        }
        made.append(row)
        length += len(json.dumps(row, separators=(",", ":"))) + 1
    return json.dumps(made, separators=(",", ":"))


def best(work: Callable[[], object], seconds: float = 1.0) -> float:
    """The shortest time of several runs."""
    shortest, until = float("inf"), process_time() + seconds
    while process_time() < until:
        start = process_time()
        work()
        shortest = min(shortest, process_time() - start)
    return shortest


def measure() -> Iterator[str]:
    """Four plans, three sizes, two or three lines each; then texts that nothing folds, and memory."""
    vocabulary().warm()
    for name, plan in PLANS.items():
        yield name
        for size in SIZES:
            yield from _measured(plan, records(size))
    yield "texts that nothing folds, under the default policy"
    for size in SIZES[:2]:
        for name, write in UNFOLDED.items():
            yield _beside_tokenization(name, write(size))
    yield f"peak of the memory on {LARGE // 1_000_000} MB, under the default policy"
    for name, write in GENERATED.items():
        with tempfile.NamedTemporaryFile(suffix=".txt") as file:
            file.write(write(LARGE).encode())
            file.flush()
            command = [sys.executable, "-m", "tests.benchmarks.engine", file.name]
            told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.rstrip()
        yield f"  {name}: {told}"


def source(size: int) -> str:
    """Python source: modules of the standard library."""
    folder = Path(json.__file__).parent.parent
    return "".join((folder / f"{name}.py").read_text() for name in ("argparse", "tarfile", "typing"))[:size]


def prose(size: int) -> str:
    """Sentences of made-up words in paragraphs."""
    draw = random.Random(1)
    parts = ("ba", "ter", "in", "g", "o", "re", "st", "al", "pe", "con", "ment", "ly", "s", "un")
    words = ["".join(draw.choices(parts, k=draw.randint(1, 3))) for _ in range(2500)]
    made: list[str] = []
    while sum(map(len, made)) < size:
        sentences = (" ".join(draw.choices(words, k=draw.randint(6, 24))) + "." for _ in range(5))
        made.append(" ".join(sentences))
    return "\n\n".join(made)[:size]


def encoded(size: int) -> str:
    """Random bytes in base64, in lines of 76 characters."""
    return base64.encodebytes(random.Random(1).randbytes(size)).decode()[:size]


def log(size: int) -> str:
    """Lines as a package manager logs them."""
    draw = random.Random(1)
    states = ("status installed", "status unpacked", "status half-configured", "configure", "upgrade")
    names = ("libc6", "python3", "openssl", "curl", "bash", "zlib1g", "git", "nginx")
    made: list[str] = []
    for number in range(size // 70):
        time = f"2026-03-{number // 86400 % 28 + 1:02d} {number // 3600 % 24:02d}:{number // 60 % 60:02d}"
        version = f"{draw.randrange(9)}.{draw.randrange(40)}-{draw.randrange(5)}"
        made.append(
            f"{time}:{number % 60:02d} {draw.choice(states)} {draw.choice(names)}:amd64 {version} <none>\n"
        )
    return "".join(made)


UNFOLDED = {
    "prose": prose,
    "source": source,
    "base64": encoded,
    "one line": lambda size: prose(size).replace("\n\n", " "),
}
LARGE = 50_000_000
GENERATED = {"records": records, "log": log}


def _beside_tokenization(name: str, text: str) -> str:
    counted = vocabulary()

    numbers = itertools.count()

    def went() -> None:
        # Another text each time: nothing is known of it from the run before.
        run(PLANS["default policy"], Payload(f"{next(numbers)} {text}"), CALL, Session(), counted)

    whole, counting = best(went, 0.3), best(lambda: counted.count(text), 0.3)
    times = f"{1000 * whole:7.1f} ms  {whole / counting:5.1f} × a tokenization"
    return f"  {len(text) / 1000:7.0f} kB  {times}  {name}"


def peak(path: Path) -> str:
    """The peak of this process's memory while a large result goes through, in a process of its own."""
    counted = vocabulary()
    run(PLANS["default policy"], Payload(records(3_000)), CALL, Session(), counted)
    base = _peak()
    text = path.read_text()
    size = len(text) / 1e6
    before = _peak()
    run(PLANS["default policy"], Payload(text), CALL, Session(), counted)
    whole = _peak()
    # Reading the file may have taken more than the run did.
    sign = "<" if whole == before else ""
    return (
        f"{sign}{whole:.0f} MB, {sign}{whole / size:.1f} × its size;"
        f" {sign}{(whole - base) / size:.1f} × beside the {base:.0f} MB of the process itself"
    )


def _peak() -> float:
    status = Path("/proc/self/status")
    if status.exists():
        # On Linux, `getrusage` knows of the process that started this one, too.
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024 / 1e6
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return kilobytes * 1024 / 1e6 if sys.platform != "darwin" else kilobytes / 1e6


def _measured(plan: Plan, text: str) -> Iterator[str]:
    counted = vocabulary()

    def went() -> Outcome:
        return run(plan, Payload(text), CALL, Session(), counted)

    outcome = went()
    whole = best(went)
    value = parse(text)
    facts = Facts(Payload(text), CALL, Session(), counted)
    parts = {
        "parse": best(lambda: parse(text), 0.3),
        "count in": best(lambda: counted.count(text), 0.3),
        "count out": best(lambda: counted.count(outcome.text), 0.3),
        "decode": best(lambda: expand(outcome.text), 0.3),
        "compare": best(lambda: dump(value), 0.3),
        "choose": best(lambda: choose(plan, CALL, facts), 0.1),
    }
    shares = ", ".join(f"{part} {100 * took / whole:.0f}%" for part, took in parts.items())
    sent = f"{outcome.trace.tokens_in:,} → {outcome.trace.tokens_out:,} tokens"
    speed = f"{len(text) / whole / 1e6:5.1f} MB/s  {whole / parts['count in']:5.1f} × a tokenization"
    yield f"  {len(text) / 1000:7.0f} kB  {1000 * whole:7.1f} ms  {speed}  {sent}"
    yield f"           {shares}"
    steps = [step for step in outcome.trace.steps if step.milliseconds >= 0.05]
    if steps:
        # The rest of a step is the count of what it made.
        took_in_words = ", ".join(f"{step.label} {step.milliseconds:.1f} ms" for step in steps)
        yield f"           {took_in_words}"


if __name__ == "__main__":
    print(peak(Path(sys.argv[1])))
