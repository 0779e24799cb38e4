"""Steps that lie, raise or never end, a decoder and a tokenizer that fail: what is sent must be the original.

The gate is not believed: what is sent is decoded and compared as everywhere here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace

from terse.memory.session import Session
from terse.payload.call import Call
from terse.payload.payload import Payload
from terse.plan.model import Plan
from terse.plan.run import run
from terse.plan.trace import Outcome
from terse.report.verified import Check
from terse.tiers import BY_NAME, TIERS
from terse.tiers.expand import expand
from terse.tiers.spec import ANY_FORM, Applied, Context, Draft, Skip, State, Tier
from terse.tokens import TokenizerError, Vocabulary, vocabulary
from terse.verification.alone import MOST_FINDINGS, default_plan
from terse.verification.reading import Reader

Work = Callable[[Draft, Mapping[str, int | str], Context], Applied | Skip]

_RECORDS = [
    {"id": 1000 + n, "title": f"Title {n} of a book", "rate": n / 4, "open": n % 2 == 0, "note": None}
    for n in range(30)
]
_PAYLOADS = (
    json.dumps(_RECORDS, indent=2),
    "".join(
        f"2026-03-04T10:00:{n:02} INFO worker-{n % 3}: request {n} is done in {n * 7} ms\n" for n in range(60)
    ),
)


def faults() -> Check:
    """Each fault at the place of each step of the default policy."""
    made = _Faults()
    for text in _PAYLOADS:
        for tier in TIERS:
            if not tier.needs_memory:
                made.in_place_of(tier, text)
                made.after(tier, text)
        made.around(text)
    findings = tuple(made.wrong[:MOST_FINDINGS])
    steps = sum(not tier.needs_memory for tier in TIERS)
    others = made.number - made.original - len(made.wrong)
    said = (
        f"{made.number} in {steps} steps, decoder and tokenizer: the original was sent {made.original} "
        f"times, an exact text {others}, another {len(made.wrong)}"
    )
    return Check("faults", not made.wrong, said, findings)


class _Faults:
    """
    Attributes:
        number: of runs in which a fault was met.
        original: of these, in how many the original was sent.
    """

    def __init__(self) -> None:
        self.number = self.original = 0
        self.wrong: list[str] = []
        self._plan: Plan = default_plan()
        self._vocabulary = vocabulary()

    def in_place_of(self, tier: Tier, text: str) -> None:
        """A step that does not do its work at all."""
        lies = {
            "gives a summary": "thirty books",
            "gives nothing": "",
            "gives half of it": text[: len(text) // 2],
            "changes a number": _shorter(text).replace("1003", "1004").replace("03 INFO", "04 INFO"),
            "changes a type": _shorter(text).replace('"note":null', '"note":""').replace("INFO", "info"),
            "changes the order": _turned(text),
        }
        for what, lie in lies.items():
            state = State.JSON if lie.startswith("[") else State.TEXT
            self._try(
                f"{tier.name} {what}", tier, text, lambda *_, lie=lie, state=state: Applied(Draft(state, lie))
            )
        self._try(f"{tier.name} raises", tier, text, _raise)
        self._try(f"{tier.name} never ends", tier, text, _recurse)

    def after(self, tier: Tier, text: str) -> None:
        """A step whose work is spoilt in one character, the rest of the chain left out."""
        for what, spoil in _SPOILT.items():

            def spoilt(
                draft: Draft,
                options: Mapping[str, int | str],
                context: Context,
                spoil: Callable[[str], str] = spoil,
            ) -> Applied | Skip:
                done = tier.run(draft, options, context)
                if isinstance(done, Skip):
                    return done
                return Applied(Draft(done.draft.state, spoil(done.draft.text)))

            self._try(f"{tier.name}: {what}", tier, text, spoilt, takes=tier.takes)

    def around(self, text: str) -> None:
        """What is not a step."""

        def raising(given: str) -> str:
            raise RecursionError("too deep")

        decoders: dict[str, Callable[[str], str]] = {
            "raises": raising,
            "gives nothing": lambda given: "",
            "gives something more": lambda given: f"{expand(given)} ",
        }
        for what, decoder in decoders.items():
            outcome = self._run(text, expand=decoder)
            self._note(f"the decoder {what}", text, outcome)
        self._note("the tokenizer gives up", text, self._run(text, counted=_Failing("o200k_base")))

    def _try(self, what: str, tier: Tier, text: str, work: Work, takes: frozenset[State] = ANY_FORM) -> None:
        met = False

        def broken(draft: Draft, options: Mapping[str, int | str], context: Context) -> Applied | Skip:
            nonlocal met
            done = work(draft, options, context)
            met = met or isinstance(done, Applied)
            return done

        def raising(draft: Draft, options: Mapping[str, int | str], context: Context) -> Applied | Skip:
            nonlocal met
            met = True
            return work(draft, options, context)

        run_it = raising if work in (_raise, _recurse) else broken
        before = takes is not ANY_FORM
        tiers: dict[str, Tier] = {}
        passed = False
        for name, each in BY_NAME.items():
            passed = passed or name == tier.name
            # Steps before a real one are needed for it to have something to do.
            tiers[name] = each if before and not passed else replace(each, run=_skip)
        tiers[tier.name] = replace(tier, run=run_it, takes=takes, least_tokens=0)
        outcome = self._run(text, tiers=tiers)
        if met:
            self._note(what, text, outcome)

    def _run(
        self,
        text: str,
        *,
        tiers: Mapping[str, Tier] = BY_NAME,
        expand: Callable[[str], str] = expand,
        counted: Vocabulary | None = None,
    ) -> Outcome:
        return run(
            self._plan,
            Payload.of(text),
            Call("verification", "faults"),
            Session(),
            counted or self._vocabulary,
            clock=lambda: 0.0,
            tiers=tiers,
            expand=expand,
        )

    def _note(self, what: str, text: str, outcome: Outcome) -> None:
        self.number += 1
        self.original += outcome.text == text
        wrong = Reader().wrong("faults", "{}", [text], [outcome.text])
        if wrong is not None:
            self.wrong.append(f"{what}: {wrong}")


class _Failing(Vocabulary):
    def count(self, text: str) -> int:
        raise TokenizerError("it gave up")


def _skip(draft: Draft, options: Mapping[str, int | str], context: Context) -> Skip:
    return Skip("left out")


def _raise(draft: Draft, options: Mapping[str, int | str], context: Context) -> Applied | Skip:
    raise KeyError("a fault")


def _recurse(draft: Draft, options: Mapping[str, int | str], context: Context) -> Applied | Skip:
    return _recurse(draft, options, context)


def _shorter(text: str) -> str:
    """Something that would be smaller, and means the same where it is JSON."""
    return (
        json.dumps(json.loads(text), separators=(",", ":"))
        if text.startswith("[")
        else text[: -len(text) // 5]
    )


def _turned(text: str) -> str:
    """The same in another order, and smaller."""
    if text.startswith("["):
        return json.dumps([dict(reversed(each.items())) for each in _RECORDS], separators=(",", ":"))
    return "".join(reversed(text.splitlines(keepends=True)[10:]))


def _other_digit(text: str) -> str:
    at = max(text.rfind(digit) for digit in "0123456789")
    return text if at < 0 else f"{text[:at]}{(int(text[at]) + 1) % 10}{text[at + 1 :]}"


def _other_letter(text: str) -> str:
    at = max(text.rfind(letter) for letter in "aeiou")
    return text if at < 0 else f"{text[:at]}y{text[at + 1 :]}"


_SPOILT: dict[str, Callable[[str], str]] = {
    "another digit": _other_digit,
    "another letter": _other_letter,
    "without its end": lambda text: text[:-1],
    "without its last line": lambda text: text.rpartition("\n")[0],
}
