"""What guards, the call and the client forbid: the steps that a plan must leave out for one call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from terse.guarantee import Guarantee
from terse.payload.call import Call
from terse.plan.model import Guard
from terse.tiers.spec import Tier


@dataclass(frozen=True, slots=True)
class Limits:
    """The restrictions on one run.

    Attributes:
        guards: the guards that apply.
        is_error: the result is an error: nothing of it is lost.
        can_retrieve: the client can fetch what is set aside.
    """

    guards: Sequence[Guard]
    is_error: bool
    can_retrieve: bool

    @classmethod
    def of(cls, guards: Sequence[Guard], call: Call, can_retrieve: bool) -> Limits:
        return cls(guards, call.is_error, can_retrieve)

    def on_class(self, guarantee: Guarantee) -> str:
        """Why no step of this class may run, in a few words; empty when it may."""
        for guard in self.guards:
            if guard.require and guarantee < Guarantee.from_word(guard.require):
                return f"guard {guard.name} requires {guard.require}"
            if guard.never_store and guarantee is Guarantee.RECOVERABLE:
                return f"guard {guard.name} never stores"
        if self.is_error and guarantee is Guarantee.LOSSY:
            return "an error result loses nothing"
        if not self.can_retrieve and guarantee is Guarantee.RECOVERABLE:
            return "this client cannot fetch what is set aside"
        return ""

    def on_tier(self, tier: Tier) -> str:
        """Why the tier may not run, in a few words; empty when it may."""
        if not self.guards and tier.guarantee > Guarantee.RECOVERABLE:
            # Most calls by far: there is nothing to ask.
            return ""
        for guard in self.guards:
            if tier.name in guard.never_use:
                return f"guard {guard.name} never uses {tier.name}"
            if guard.never_store and tier.needs_memory:
                return f"guard {guard.name} never stores"
        return self.on_class(tier.guarantee)
