"""A long session that sets values aside: every handle that was sent gives back its value, or none was sent.

Two sessions: one whose values all fit in the store, and one that fills it. A value that is not taken in
must stand in the result as it came.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from random import Random

from terse.fields.selector import Path
from terse.memory.session import Session
from terse.payload.call import Call
from terse.payload.exact import dump, parse
from terse.payload.payload import Payload
from terse.plan.model import Entry, Pattern, Plan, Rule, SetAside, Step
from terse.plan.run import run, sent
from terse.tiers.expand import expand
from terse.tokens import vocabulary

VALUES = 100_000
"""How many values each session meets; `VALUES=…` in the environment for another number."""
A_RESULT = 100
FITTING, FILLING = 45, 140
"""Words of a value: 100,000 of the first take less than the store's bound, of the second more."""

_NOTE = re.compile(r"\[+[^\[\]]* set aside: \w+ (h[0-9]{9})\]+")
_RULE = Rule(
    "aside",
    "bench",
    (Pattern("*", "*"),),
    fields=(SetAside((Path(("body",)),)),),
    chain=(Step("minify"), Step("tabularize")),
    guarantee="recoverable",
)


def measure() -> Iterator[str]:
    """Values met, set aside and left in place, and the handles that did not give their value back."""
    wanted = int(os.environ.get("VALUES", VALUES))
    for words in (FITTING, FILLING):
        aside, left, wrong = _session(words, wanted)
        yield (
            f"values of {words} words: {aside:,} set aside, {left:,} left in place, "
            f"{wrong:,} neither the value nor a handle that gives it back"
        )


def _session(words: int, wanted: int) -> tuple[int, int, int]:
    random = Random(words)
    plan = Plan(1, (_RULE,), (), (Entry(0, 0),))
    session, call, counter = Session(), Call("bench", "list"), vocabulary()
    sent_handles: dict[str, str] = {}
    aside = left = wrong = 0
    for _ in range(wanted // A_RESULT):
        bodies = [" ".join(str(random.random())[2:8] for _ in range(words)) for _ in range(A_RESULT)]
        text = dump([{"id": str(index), "body": body} for index, body in enumerate(bodies)])
        outcome = run(plan, Payload.of(text), call, session, counter, can_retrieve=True)
        sent(plan, [outcome], call, session, counter)
        records = parse(expand(outcome.text))
        assert isinstance(records, list)
        for record, body in zip(records, bodies, strict=True):
            assert isinstance(record, dict)
            shown = str(record["body"])
            note = _NOTE.fullmatch(shown)
            if shown == body:
                left += 1
            elif note is not None:
                aside += 1
                sent_handles[note[1]] = body
            else:
                wrong += 1
    # At the end of the session, when everything that could push a value out has come.
    wrong += sum(session.store.get(handle) != body for handle, body in sent_handles.items())
    return aside, left, wrong
