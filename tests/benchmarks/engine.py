"""How fast a payload goes through a plan, and where the time goes.

MB/s of `run` on lists of records of 10 kB, 100 kB and 1 MB, and the share of each part. Parts are measured
by themselves, so that shares need not add up to a hundred; in time of the processor, not of the clock, so
that a busy machine changes little.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
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
    """Four plans, three sizes, two or three lines each."""
    vocabulary().warm()
    for name, plan in PLANS.items():
        yield name
        for size in SIZES:
            yield from _measured(plan, records(size))


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
    yield f"  {len(text) / 1000:7.0f} kB  {1000 * whole:7.1f} ms  {len(text) / whole / 1e6:5.1f} MB/s  {sent}"
    yield f"           {shares}"
    steps = [step for step in outcome.trace.steps if step.milliseconds >= 0.05]
    if steps:
        # The rest of a step is the count of what it made.
        took_in_words = ", ".join(f"{step.label} {step.milliseconds:.1f} ms" for step in steps)
        yield f"           {took_in_words}"
