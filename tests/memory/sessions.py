"""Sessions run as the proxy runs them, and a client that reads what it is sent by the documentation alone."""

from __future__ import annotations

from collections.abc import Sequence

from terse.memory.session import Session
from terse.payload.blocks import join, split
from terse.payload.call import Call
from terse.plan.model import Guard, Plan, Rule, Step
from terse.plan.result import Answered, run_result
from terse.plan.run import sent
from terse.plan.trace import Outcome
from terse.tiers import CHAINS
from terse.tiers.expand import expand
from terse.tokens import vocabulary
from tests.memory.reader import Client, load, write
from tests.plan.plans import plan, rule, step

DEDUP, DIFF = Step("dedup", {"window": 20}, "r.terse:5"), Step("diff", {"keyframe": 5}, "r.terse:5")


def memory_rule(*chain: Step) -> Rule:
    return rule(chain=chain or (DEDUP, DIFF))


class Talk:
    """One connection: calls answered one after another, every one checked by an independent client.

    INVARIANT: what the client reads is the full result: the same bytes, or of JSON the same document.
    """

    def __init__(self, of: Plan | Rule | None = None, *, guards: tuple[Guard, ...] = ()) -> None:
        chosen = of if of is not None else memory_rule()
        self.plan = plan(chosen, guards=guards) if isinstance(chosen, Rule) else chosen
        self.session = Session()
        self.client = Client()

    def ask(
        self,
        *texts: str,
        tool: str = "tool",
        argument: str = "a",
        is_error: bool = False,
        can_retrieve: bool = False,
        detail: bool = False,
    ) -> list[str]:
        """The texts sent for a call that was answered with these."""
        answered = self.answered(
            *texts, tool=tool, argument=argument, is_error=is_error, can_retrieve=can_retrieve, detail=detail
        )
        made = list(answered.texts)
        if is_error:
            assert made == list(texts)
        own = [text in texts for text in made]
        read = [text if own else expand(text) for text, own in zip(made, own, strict=True)]
        full = self.client.receive(tool, argument, read, len(answered.outcomes), own)
        if len(full) < len(texts):
            full = split(*full)
        assert list(map(canonical, full)) == list(map(canonical, texts))
        return made

    def outcomes(self, *texts: str, detail: bool = False) -> Sequence[Outcome]:
        return self.answered(*texts, detail=detail).outcomes

    def answered(
        self,
        *texts: str,
        tool: str = "tool",
        argument: str = "a",
        is_error: bool = False,
        can_retrieve: bool = False,
        detail: bool = False,
    ) -> Answered:
        call = Call("server", tool, {"of": argument}, is_error)
        done = run_result(
            self.plan,
            texts,
            call,
            self.session,
            vocabulary(),
            joined=join(texts) if len(texts) > 1 and not is_error else None,
            can_retrieve=can_retrieve,
            detail=detail,
        )
        sent(self.plan, done.outcomes, call, self.session, vocabulary())
        return done


def canonical(text: str) -> str:
    """A JSON document as one spelling of it; any other text as it is."""
    try:
        value = load(text)
    except (ValueError, AssertionError):
        return text
    return write(value) if isinstance(value, (dict, list)) else text


def is_delta(text: str) -> bool:
    return text.startswith("Re-run now: ")


COMPACT = tuple(step(tier.name) for tier in CHAINS["compact"])
