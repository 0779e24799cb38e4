"""What is to be sent in place of a result, and the facts about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from terse.guarantee import Guarantee

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Applied(Generic[R]):
    """What came of one result.

    Attributes:
        result: in the shape in which it was given; the very object, where nothing changed.
        texts: the texts in it that a model reads, in order.
        guarantee: the lowest of the texts' classes. `.word` is its name in the rule language.
        rules: the names of the rules that were chosen, each once.
        tokens_in, tokens_out: of the texts as they came, and as they are in `result`. Both 0 where they
            were not counted: `fault` then says why.
        handles: what can be fetched with `Session.retrieve`: what was set aside, and the whole of what was
            sent as a change of an earlier result.
        fault: what failed, without the words of the payload; None where nothing did. A text on which
            something failed is as it came, or as it was before the step that failed.
    """

    result: R
    texts: tuple[str, ...]
    guarantee: Guarantee = Guarantee.EXACT
    rules: tuple[str, ...] = ()
    tokens_in: int = 0
    tokens_out: int = 0
    handles: tuple[str, ...] = ()
    fault: str | None = None

    @property
    def changed(self) -> bool:
        """Whether any text is another than it was."""
        return self.guarantee is not Guarantee.EXACT
