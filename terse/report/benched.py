"""What `terse bench` has to tell, whatever the output: figures of each text, and sums of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from statistics import fmean, median

CLOSE = 3.0
"""Points behind a file's best public format that still count as even with it."""
SMALL = 300
"""Tokens: in smaller files a point is two or three tokens, and says little."""


class Exactness(StrEnum):
    """What came back when the emitted text was decoded."""

    EXACT = "exact"
    BY_RULE = "reduced by a rule"
    """A rule takes something away on purpose: there is nothing to compare."""
    WRONG = "not exact"


@dataclass(frozen=True, slots=True)
class Measured:
    """One text under the rules.

    Attributes:
        file, part: where it stands; `part` is empty in files of one text.
        family: `json` or `text`.
        kind: the narrowest kind: `records`, `log`, …
        raw, minified, emitted: tokens as received, without white space between JSON tokens, and as sent.
            Of a text that is no JSON, `minified` is `raw`.
        milliseconds: of the processor, for all from the text to the decoded and compared result.
        fault: what went wrong, where anything of ours did.
    """

    file: str
    part: str
    family: str
    kind: str
    raw: int
    minified: int
    emitted: int
    milliseconds: float
    exactness: Exactness
    rule: str | None = None
    fault: str = ""

    @property
    def is_larger(self) -> bool:
        return self.emitted > self.raw

    @property
    def fails(self) -> bool:
        """Whether it breaks a promise: not exact, larger, or a failure of ours (the original was sent)."""
        return self.is_larger or bool(self.fault) or self.exactness is Exactness.WRONG


@dataclass(frozen=True)
class Group:
    """The texts of one file, of one kind, or all of them."""

    name: str
    texts: Sequence[Measured]

    @cached_property
    def raw(self) -> int:
        return sum(text.raw for text in self.texts)

    @cached_property
    def minified(self) -> int:
        return sum(text.minified for text in self.texts)

    @cached_property
    def emitted(self) -> int:
        return sum(text.emitted for text in self.texts)

    @cached_property
    def milliseconds(self) -> float:
        return sum(text.milliseconds for text in self.texts)

    @property
    def saved(self) -> float:
        """Percent below minified, of all tokens."""
        return share(self.emitted, self.minified)

    @property
    def saved_of_raw(self) -> float:
        return share(self.emitted, self.raw)

    @cached_property
    def files(self) -> Sequence[Group]:
        """One group for each file, in the order of the texts."""
        found: dict[str, list[Measured]] = {}
        for text in self.texts:
            found.setdefault(text.file, []).append(text)
        return [Group(name, texts) for name, texts in found.items()]

    @property
    def median(self) -> float:
        """The median over files of the percent below minified."""
        return median(file.saved for file in self.files) if self.files else 0.0

    @property
    def mean(self) -> float:
        return fmean(file.saved for file in self.files) if self.files else 0.0

    @property
    def kinds(self) -> str:
        return ", ".join(dict.fromkeys(text.kind for text in self.texts))


@dataclass(frozen=True, slots=True)
class Peer:
    """The best public format for a file: its name, and the tokens it takes."""

    name: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Against:
    """A file beside its best public format, both in percent below minified."""

    file: Group
    peer: Peer

    @property
    def peer_saved(self) -> float:
        return share(self.peer.tokens, self.file.minified)

    @property
    def behind(self) -> float:
        """Points by which the public format saves more; negative where it saves less."""
        return self.peer_saved - self.file.saved

    @property
    def is_close(self) -> bool:
        return self.behind <= CLOSE


@dataclass(frozen=True)
class Bench:
    """Everything measured in one run.

    Attributes:
        policy: the rules in words.
        runs: how often each text was run; 0: times are left out.
        budget: the rules' budgets of time were kept; without, every step ran to its end.
        over_budget: texts that took more than their rule's budget of time.
        peers: by file, its best public format; None where no table was given.
        notes: what the reader should know; one sentence each.
    """

    policy: str
    vocabulary: str
    runs: int
    texts: Sequence[Measured]
    budget: bool = False
    over_budget: int = 0
    peers: Mapping[str, Peer] | None = None
    notes: Sequence[str] = field(default=())

    @cached_property
    def all(self) -> Group:
        return Group("all", self.texts)

    @cached_property
    def groups(self) -> Sequence[Group]:
        """`json`, its kinds, `text`, its kinds: those that there are."""
        made: list[Group] = []
        for family in ("json", "text"):
            texts = [text for text in self.texts if text.family == family]
            if texts:
                made.append(Group(family, texts))
            kinds = dict.fromkeys(sorted(text.kind for text in texts))
            made += [Group(f"{family}: {kind}", [t for t in texts if t.kind == kind]) for kind in kinds]
        return made

    @cached_property
    def failures(self) -> Sequence[Measured]:
        return [text for text in self.texts if text.fails]

    @cached_property
    def against(self) -> Sequence[Against]:
        """The files of which a public format's figure is known."""
        peers = self.peers or {}
        return [Against(file, peers[file.name]) for file in self.all.files if file.name in peers]

    @cached_property
    def against_counted(self) -> Sequence[Against]:
        """Those of `SMALL` tokens or more."""
        return [row for row in self.against if row.file.minified >= SMALL]


def share(part: int, whole: int) -> float:
    """Percent by which `part` is below `whole`; 0 where there is nothing."""
    return 100 * (1 - part / whole) if whole else 0.0


def exactness_words(texts: Iterable[Measured]) -> str:
    """`exact`, or the worst of several."""
    found = {text.exactness for text in texts}
    for exactness in (Exactness.WRONG, Exactness.BY_RULE):
        if exactness in found:
            return exactness.value
    return Exactness.EXACT.value
