"""What `terse tune` has to tell, whatever the output."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Measured:
    """What a change makes of results that it could concern.

    Attributes:
        results: how many; `changed` of them are sent otherwise.
        before, after: tokens that are sent.
        net: tokens saved, less what is fetched because of it as far as that is known.
    """

    results: int
    changed: int
    before: int
    after: int
    net: int

    @property
    def gross(self) -> int:
        """Tokens that are no longer sent."""
        return self.before - self.after


@dataclass(frozen=True, slots=True)
class Edit:
    """The lines of one file that a change takes out and puts in."""

    path: str
    removed: tuple[str, ...]
    added: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Proposal:
    """One change of the rules that is worth it.

    Attributes:
        kind: what sort of change it is.
        why: what it is good for.
        rule: the rule it changes or adds; empty of a `tools` block.
        tools: the tools whose results it changes.
        learned: the results that it was found on; `held_out` are the others. None of a list of tools.
        listed: tokens of a list of tools before and after.
        loses: what is lost, in words.
        guarantee_before, guarantee_after: the lowest class of a result that it concerns.
        lost: tokens that are gone only with it, in both halves.
        aside: values that it sets aside; below zero, values that it no longer does.
        fetched: how often such values were fetched, in words.
        pays_up_to: the share of those values, in percent, up to which fetching them leaves something saved.
    """

    kind: str
    why: str
    rule: str
    tools: tuple[str, ...]
    edits: tuple[Edit, ...]
    learned: Measured | None
    held_out: Measured | None
    listed: tuple[int, int] | None
    loses: str
    guarantee_before: str
    guarantee_after: str
    lost: int = 0
    aside: int = 0
    fetched: str = ""
    pays_up_to: int | None = None


@dataclass(frozen=True, slots=True)
class Tuned:
    """All that was found.

    Attributes:
        rules: the rules, as they were named.
        results, tools, sessions: what was read; `run` results were run again and again.
        ledger: results that the ledger knows of these tools.
        held_out: all held-out results under the rules as they are and with all proposals; `received` are
            their tokens as the servers sent them.
        files: the files that change, by path: the text that is there (None: no file), and the new one.
        patch: the same as a patch.
        notes: what a reader should know; one sentence each.
        applied: the files were written.
    """

    rules: str
    results: int
    tools: int
    sessions: int
    run: int
    ledger: int
    proposals: tuple[Proposal, ...]
    held_out: Measured
    received: int
    files: Mapping[str, tuple[str | None, str]] = field(default_factory=dict)
    patch: str = ""
    notes: tuple[str, ...] = ()
    applied: bool = False
