"""What a proxy's plan is, from `--rules`: one that stays as it is. See `terse.rules` for how it is loaded."""

from __future__ import annotations

from typing import Protocol

from terse.plan.model import Plan
from terse.rules import DoesNotCompile, Loaded, default_plan, load, load_plan

__all__ = ["DoesNotCompile", "FixedPolicy", "Follower", "Loaded", "default_plan", "load", "load_plan"]


class Follower(Protocol):
    """What runs a plan: `terse.proxy.connection.Connection`."""

    def follow(self, plan: Plan) -> None:
        """Run another plan from the next result on. Raises nothing, and does not wait."""


class FixedPolicy:
    """A plan that stays as it is: see `terse.cli.live.LivePolicy` for one that does not."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def start(self) -> None:
        """There is nothing to look at."""

    def follow(self, follower: Follower) -> None:
        """There will be no other plan."""
