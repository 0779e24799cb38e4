"""What a tier is: its name, what it takes and leaves, its options, and the function that runs it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from terse.guarantee import Guarantee
from terse.layout.cost import Cost
from terse.layout.document import Document, Plain
from terse.layout.rewrite import separated
from terse.layout.write import write
from terse.memory.delta import Changed
from terse.memory.history import Earlier
from terse.payload.exact import JsonValue, dump
from terse.payload.payload import Payload


class State(StrEnum):
    """What a chain holds between two steps. The compiler proves from these that an order can fit."""

    JSON = "json"
    """A JSON document, as JSON text."""
    LAYOUT = "layout"
    """A JSON document written in the layout of `docs/format.md`: outline, tables, references."""
    TEXT = "text"
    """Any other text."""
    FOLDED = "folded text"
    """A text written by one of the text folds."""
    DELTA = "delta"
    """A text that speaks of an earlier result."""


ANY_FORM = frozenset({State.JSON, State.LAYOUT, State.TEXT, State.FOLDED})
"""Every form that speaks of one result alone."""

SMALL = 200
"""Tokens. A smaller result is left alone: what a form could save there is not worth reading a form."""

PLAIN_GAIN = 12
"""Tokens. A step that saves so many by its own estimates is taken without writing and counting the whole."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a tier: `dictionary(min-uses 3)`.

    Attributes:
        unit: `None` for a bare number; else the unit that must follow (`calls`, `lines`, `rows`, …).
        minimum, maximum: bounds of a numeric option, both included.
        sentence: what it does, for docs, hover text and `--help`.
    """

    name: str
    sentence: str
    default: int
    minimum: int
    maximum: int
    unit: Literal["calls", "lines", "rows", "tokens", "characters", "percent", "ms"] | None = None


@dataclass(frozen=True, slots=True)
class Example:
    """An input, and what the tier makes of it (alone, unless `after` names the steps before it)."""

    before: str
    after: str
    options: Mapping[str, int | str] | None = None
    following: tuple[str, ...] = ()


class Draft:
    """What flows through a chain.

    Attributes:
        state: what the text is.
    """

    __slots__ = ("_cost", "_document", "_payload", "_text", "state")

    def __init__(
        self, state: State, text: str | None, document: Document | None = None, cost: Cost | None = None
    ) -> None:
        """`text` is `None` where the document says it all: it is written when first asked for.

        Args:
            cost: what the separators of the document's tables are chosen by, once it is written.
        """
        self.state = state
        self._text = text
        self._document = document
        self._cost = cost
        self._payload: Payload | None = None

    @classmethod
    def of(cls, payload: Payload) -> Draft:
        """The draft a chain starts with. The document stays the payload's own, which may let it go."""
        if payload.json is None:
            return cls(State.TEXT, payload.text)
        made = cls(State.JSON, payload.text)
        made._payload = payload
        return made

    @property
    def document(self) -> Document | None:
        """For `JSON` and `LAYOUT`, the document that `text` writes; `None` for everything else."""
        if self._payload is not None and self._payload.json is not None:
            return Document.of(self._payload.json)
        return self._document

    @property
    def canonical(self) -> str | None:
        """For `JSON`, the document as `dump` writes it; `None` for everything else."""
        if self._payload is not None and self._payload.json is not None:
            return self._payload.canonical
        document = self._document
        if self.state is not State.JSON or document is None or not isinstance(document.root, Plain):
            return None
        return dump(document.root.value)  # type: ignore[arg-type]

    def let_go(self) -> None:
        """Forget the document: for when nothing but the text will be asked for."""
        self._text = self.text
        self._document = self._payload = None

    @property
    def is_written(self) -> bool:
        """Whether its text is there already: writing a long one takes as long as several steps."""
        return self._text is not None

    @property
    def text(self) -> str:
        """What would be sent if this were the last step."""
        if self._text is None:
            document = self.document
            assert document is not None
            if self._cost is not None:
                # Not by the steps: what a separator costs hangs on all cells, and each step changes some.
                document = separated(document, self._cost.separated)
            self._text = write(document)
        return self._text


@dataclass(frozen=True, slots=True)
class Skip:
    """The step does not fit this input. `reason` is a few words for `explain`: `no list of objects`."""

    reason: str


@dataclass(frozen=True, slots=True)
class Applied:
    """The step's result.

    Attributes:
        note: a few words on what it did: `30 rows, 14 columns`.
        gain: tokens that it saves, by estimates which decided for it; 0 where nothing was estimated. Where
            they are plainly many, the chain need not write and count the whole to know that it got smaller.
    """

    draft: Draft
    note: str = ""
    gain: float = 0.0


@dataclass(slots=True)
class Memory:
    """What a tier that speaks of earlier calls may know of them, and of the result.

    Attributes:
        text, value, is_json: the result after the field lines and before the chain: of a JSON document its
            compact text, and the document.
        part: which text of the result it is, from 0.
        earlier: what earlier calls with the same server, tool and arguments left with the client.
        fetch: the tool and the handle that the client can fetch the whole text with; None where it cannot.
    """

    text: str
    value: JsonValue
    is_json: bool
    part: int
    earlier: tuple[Earlier, ...]
    fetch: Callable[[], str | None]
    _changed: Changed | None = None

    def changed(self, compare: Callable[[], Changed]) -> Changed:
        """What `compare` finds, compared once: it does not depend on the steps of the chain before it."""
        if self._changed is None:
            self._changed = compare()
        return self._changed


@dataclass(frozen=True, slots=True)
class Context:
    """What a tier may know beside its input.

    Attributes:
        count: tokens of a text, in the configured vocabulary.
        expired: whether the time budget is used up; a tier that loops long asks now and then.
        memory: for tiers that speak of earlier calls; None where nothing of the session may be used.
        reaches: whether a text has so many tokens, which may be known without a count; None if only by one.
        cost: estimates for all steps of a run: what one of them has measured, the next need not.
    """

    count: Callable[[str], int]
    expired: Callable[[], bool] = lambda: False
    memory: Memory | None = None
    reaches: Callable[[str, int], bool] | None = None
    cost: Cost = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "cost", Cost(self.count, self.expired))

    def has(self, text: str, tokens: int) -> bool:
        """Whether the text has at least so many tokens."""
        return self.count(text) >= tokens if self.reaches is None else self.reaches(text, tokens)


@dataclass(frozen=True, slots=True)
class Tier:
    """One lossless step of a chain.

    INVARIANT: every tier is lossless: `terse.tiers.expand` turns its output back, exactly; where it speaks of
    an earlier result, `terse.memory.delta.apply` does with that result.

    Attributes:
        name: its name in the rule language; also the name of its file.
        sentence: what it does, one sentence for docs, hover text and `explain`.
        reads: how its form reads, one sentence for whoever meets it in a result.
        takes: the states it can work on; anything else is skipped.
        leaves: the state of its result; `None` when it leaves the state it took.
        run: the step itself. Pure: same draft, same options, same result.
        needs_memory: it speaks of earlier calls of the session.
        examples: executed by the tests, printed in the docs.
        least_tokens: a smaller result is left alone. What says that nothing changed is shorter, and easier
            to read, than any form of a small result.
    """

    name: str
    sentence: str
    reads: str
    takes: frozenset[State]
    leaves: State | None
    run: Callable[[Draft, Mapping[str, int | str], Context], Applied | Skip]
    options: tuple[Option, ...] = ()
    examples: tuple[Example, ...] = ()
    needs_memory: bool = False
    guarantee: Guarantee = Guarantee.LOSSLESS
    least_tokens: int = SMALL
