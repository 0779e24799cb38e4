"""What `terse verify` found. Data, which the process without the network hands to the one that prints."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """One promise, and whether it holds.

    Attributes:
        name: one word or two: `exact`.
        holds: None where it could not be told.
        said: what was done and found, one sentence.
        findings: what does not hold, each in a line; the first ones.
    """

    name: str
    holds: bool | None
    said: str
    findings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Saved:
    """Tokens of the results of one tool.

    Attributes:
        tool: `server/tool`.
        kinds: of payload, sorted: `log, text`.
        received, sent: of the whole texts, as they came and as they are sent.
    """

    tool: str
    kinds: str
    results: int
    received: int
    sent: int

    @property
    def percent(self) -> float:
        """Of the tokens received, how many are not sent."""
        return 100 * (self.received - self.sent) / self.received if self.received else 0.0


@dataclass(frozen=True, slots=True)
class Form:
    """What a client without a decoder sees where a step was at work.

    Attributes:
        name: the step's.
        reads: how its form reads, in one sentence.
        times: in how many results it was at work.
        tool: where the example is from.
        received, sent: the first lines of the example, as it came and as it is sent.
    """

    name: str
    reads: str
    times: int
    tool: str
    received: str
    sent: str


@dataclass(frozen=True, slots=True)
class Installed:
    """What was verified.

    Attributes:
        packages: versions of what it is made from, by name.
        folder: where it is.
        files: how many files of its own were compared with the hashes of the installation.
        record: sha256 of the lines of RECORD for these files, as `path,hash`, sorted; empty where there is
            no list.
    """

    version: str
    python: str
    platform: str
    packages: dict[str, str]
    folder: str
    files: int
    record: str


@dataclass(frozen=True, slots=True)
class Counted:
    """What tokens were counted with, for whoever counts again.

    Attributes:
        vocabulary: its name: `o200k_base`.
        sha256: of the vocabulary's file as it was published, computed from what is in the package.
        tokens: how many the vocabulary has.
    """

    vocabulary: str
    sha256: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Place:
    """Something that terse keeps on disk.

    Attributes:
        what: in a few words.
        path: as people write it: `~/.local/state/terse/ledger.sqlite`.
        when: what makes it be written, and what keeps it from that.
        seen: it was written while `terse proxy` was watched.
    """

    what: str
    path: str
    when: str
    seen: bool


@dataclass(frozen=True, slots=True)
class Verified:
    """All of it.

    Attributes:
        source: what was run, in words: `our own samples`.
        calls, texts: how many.
        denial: how the network was denied: `namespace`, `seccomp` or `hook`.
        digest: sha256 over all texts that are sent, one after another: two machines can compare it.
        notes: what was left out.
        seconds: how long it took.
    """

    source: str
    calls: int
    texts: int
    checks: tuple[Check, ...]
    saved: tuple[Saved, ...]
    forms: tuple[Form, ...]
    installed: Installed
    counted: Counted
    places: tuple[Place, ...]
    denial: str
    digest: str
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def holds(self) -> bool:
        """No promise was found broken."""
        return all(check.holds is not False for check in self.checks)

    @property
    def all(self) -> Saved:
        """The sum of all tools."""
        return Saved(
            "all",
            "",
            sum(each.results for each in self.saved),
            sum(each.received for each in self.saved),
            sum(each.sent for each in self.saved),
        )
