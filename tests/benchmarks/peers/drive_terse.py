"""Ours: the default policy's whole way, gate included. `--no-budget`: every step runs to its end.

The budget is kept in time of the processor, so that a busy machine does not cut it short.
"""

from __future__ import annotations

import sys
from time import process_time

from driver import serve

from terse.cli.policy import default_plan
from terse.memory.session import Session
from terse.payload.call import Call
from terse.payload.payload import Payload
from terse.plan.run import run
from terse.tiers.expand import expand
from terse.tokens import vocabulary

PLAN = default_plan()
CLOCK = (lambda: 0.0) if "--no-budget" in sys.argv else process_time


def encode(text: str) -> str:
    return run(
        PLAN, Payload.of(text), Call("bench", "file"), Session(), vocabulary(), sizes=False, clock=CLOCK
    ).text


serve(encode, expand)
