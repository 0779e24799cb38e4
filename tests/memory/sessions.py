"""Sessions run as the proxy runs them, and a client that reads what it is sent by the documentation alone."""

from __future__ import annotations

from collections.abc import Sequence

from terse.memory.session import Session
from terse.payload.call import Call
from terse.payload.payload import Payload
from terse.plan.model import Guard, Plan, Rule, Step
from terse.plan.run import run, sent
from terse.plan.trace import Outcome
from terse.plan.whole import whole_repeat
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
        self.said_at_once = False

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
        outcomes = self.outcomes(
            *texts, tool=tool, argument=argument, is_error=is_error, can_retrieve=can_retrieve, detail=detail
        )
        made = [outcome.text for outcome in outcomes][: 1 if self.said_at_once else None]
        if is_error:
            assert made == list(texts)
        own = [text in texts for text in made]
        read = [text if own else expand(text) for text, own in zip(made, own, strict=True)]
        full = self.client.receive(tool, argument, read, len(texts), own)
        assert list(map(canonical, full)) == list(map(canonical, texts))
        return made

    def outcomes(
        self,
        *texts: str,
        tool: str = "tool",
        argument: str = "a",
        is_error: bool = False,
        can_retrieve: bool = False,
        detail: bool = False,
    ) -> Sequence[Outcome]:
        call = Call("server", tool, {"of": argument}, is_error)
        done: Sequence[Outcome] = [
            run(
                self.plan,
                Payload.of(text),
                call,
                self.session,
                vocabulary(),
                part=part,
                can_retrieve=can_retrieve,
                detail=detail,
            )
            for part, text in enumerate(texts)
        ]
        repeat = whole_repeat(done, call, self.session)
        self.said_at_once = repeat is not None
        done = repeat or done
        sent(self.plan, done, call, self.session, vocabulary())
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
