"""What a kind of change is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from terse.tuning.runs import Runs
from terse.tuning.state import Change, State

Allowed = Literal["set-aside", "shorten", "remove"]
"""What has to be asked for: the words of the language for what takes something away."""

Alternatives = Callable[[State], Iterator[Change]]
"""Changes of which at most one is made, given where tuning stands by then."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of change.

    Attributes:
        name: what reports call it.
        find: the places where there may be such a change, in an order that depends on nothing but the facts.
        needs: what has to be allowed for it; None: nothing, as it loses nothing.
        loses: what is lost by it, in a few words.
        remarks: what a reader should know of this kind although it is no change; one sentence each.
        accepts: what has to hold beyond what it saves, given what became of the results.
    """

    name: str
    find: Callable[[State], Iterable[Alternatives]]
    needs: Allowed | None = None
    loses: str = "nothing"
    remarks: Callable[[State], Iterable[str]] = lambda state: ()
    accepts: Callable[[State, Change, Runs], bool] = lambda state, change, runs: True
