"""The plan as JSON: what `terse check` compiles once and the proxy loads without the grammar."""

from __future__ import annotations

from hashlib import sha256

import msgspec
from msgspec.structs import replace

from terse.plan.model import Plan


class NotAPlan(ValueError):  # noqa: N818 — the name says what the bytes are
    """The bytes are no plan of ours. The message says why."""


def hash_of(plan: Plan) -> str:
    """sha256 (hex) of the plan's JSON without its hash: equal policies have equal hashes."""
    return sha256(msgspec.json.encode(replace(plan, hash=""))).hexdigest()


def hashed(plan: Plan) -> Plan:
    """The plan with its hash filled in."""
    return replace(plan, hash=hash_of(plan))


def encode(plan: Plan) -> bytes:
    """The plan as JSON, with its hash, whether or not it was filled in."""
    return msgspec.json.encode(hashed(plan))


def decode(data: bytes) -> Plan:
    """The plan that `encode` wrote.

    Raises:
        NotAPlan: the bytes are not JSON, not a plan, or not what their hash says.
    """
    try:
        plan = msgspec.json.decode(data, type=Plan)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise NotAPlan(f"not a compiled plan: {error}") from None
    if plan.hash != hash_of(plan):
        raise NotAPlan("the plan is not what its hash says")
    return plan
