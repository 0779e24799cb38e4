"""What `terse diff` has to tell, whatever the output."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Side:
    """What one version of the rules makes of a result.

    Attributes:
        rule: the rule that applies; None for no rule.
        guarantee: the actual class.
        lost: what is gone, as selectors.
        lost_tokens: how much that is of the result.
    """

    rule: str | None
    tokens: int
    guarantee: str
    lost: tuple[str, ...] = ()
    lost_tokens: int = 0


@dataclass(frozen=True, slots=True)
class NewLoss:
    """Something that a result loses now and did not lose before.

    Attributes:
        name: the selector: `every *_url`; `more of issues.body` where it lost less of it before.
        at: the line that takes it.
        because: the reasons that the rule gives.
    """

    name: str
    at: str
    because: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SampleDiff:
    """One saved result under both versions; twice where its calls make a difference.

    Attributes:
        sample: the path of the file, and the number of the text where it has several.
        calls: the calls that it was run as, in the language's words: those that make no difference.
        changed: what is sent differs, or the rule, or the class.
    """

    sample: str
    calls: tuple[str, ...]
    before: Side
    after: Side
    changed: bool
    new_losses: tuple[NewLoss, ...] = ()


@dataclass(frozen=True, slots=True)
class Names:
    """What was added, removed and changed, by name."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Diff:
    """A change of rules over all samples.

    Attributes:
        before, after: the two versions in words: `main`, `policies/`.
        tools: `tools` blocks, by their patterns.
        unreachable: rules that never apply now.
        notes: what the reader should know; one sentence each.
    """

    before: str
    after: str
    samples: tuple[SampleDiff, ...]
    rules: Names = field(default_factory=Names)
    guards: Names = field(default_factory=Names)
    tools: Names = field(default_factory=Names)
    unreachable: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def changed(self) -> tuple[SampleDiff, ...]:
        return tuple(sample for sample in self.samples if sample.changed)

    @property
    def sample_count(self) -> int:
        return len({sample.sample for sample in self.samples})

    @property
    def changed_count(self) -> int:
        return len({sample.sample for sample in self.changed})

    @property
    def new_losses(self) -> tuple[NewLoss, ...]:
        """Every new loss, each once."""
        return tuple(dict.fromkeys(loss for sample in self.samples for loss in sample.new_losses))

    @property
    def tokens_before(self) -> int:
        return sum(sample.before.tokens for sample in self.samples)

    @property
    def tokens_after(self) -> int:
        return sum(sample.after.tokens for sample in self.samples)
