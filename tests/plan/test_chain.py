"""Steps of a chain: what is taken by estimates, what is counted, and that neither costs a token."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from terse.memory.session import Session
from terse.payload.payload import Payload
from terse.plan.model import Step
from terse.plan.run import run
from terse.plan.trace import Outcome, StepStatus
from terse.tiers import BY_NAME
from terse.tiers.expand import expand
from terse.tiers.spec import PLAIN_GAIN, Applied, Context, Draft, Skip, State, Tier
from terse.tokens import vocabulary
from tests.plan.plans import CALL, RECORDS, issues, plan, rule, same_document, steps, tier

ISSUES = issues()
CLAIM = Step("claim", {}, "r.terse:9")


class Counting:
    """The vocabulary, and what it was asked to count."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def count(self, text: str) -> int:
        self.asked.append(text)
        return vocabulary().count(text)


def _claims(gain: float, change: Callable[[str], str]) -> Callable[..., Applied | Skip]:
    """A step that says that it saves so many tokens."""

    def work(draft: Draft, options: Mapping[str, int | str], context: Context) -> Applied | Skip:
        return Applied(Draft(State.JSON, change(draft.text), draft.document), gain=gain)

    return work


def _ran(work: Callable[..., Applied | Skip], counting: Counting) -> Outcome:
    policy = plan(rule(chain=(CLAIM, *RECORDS)))
    tiers = BY_NAME | {"claim": tier("claim", work)}
    return run(policy, Payload.of(ISSUES), CALL, Session(), counting, sizes=False, tiers=tiers)  # type: ignore[arg-type]


def spaced(text: str) -> str:
    return text.replace("\n  {", "\n {")


def grown(text: str) -> str:
    return text.replace("\n", "\n\n \t \n")


@pytest.mark.parametrize(("gain", "is_counted"), [(PLAIN_GAIN, False), (PLAIN_GAIN - 1, True), (0.0, True)])
def test_a_step_that_plainly_saves_is_taken_without_counting_all_it_made(
    gain: float, is_counted: bool
) -> None:
    """A large result is then written and counted once, at its end."""
    counting = Counting()

    done = _ran(_claims(gain, spaced), counting)

    assert steps(done)["claim"].status is StepStatus.APPLIED
    assert (spaced(ISSUES) in counting.asked) is is_counted
    assert same_document(expand(done.text), ISSUES)


def test_a_step_whose_estimates_were_wrong_costs_no_token() -> None:
    """Where the end is not smaller than the start, every step is counted, and only what saves is kept."""
    others = (Step("keep", {}, "r.terse:10"),)
    tiers = BY_NAME | {
        "claim": tier("claim", _claims(1_000.0, grown)),
        "keep": tier("keep", _claims(0.0, lambda text: text.replace("[\n  {", "[ {"))),
    }

    done = run(
        plan(rule(chain=(CLAIM, *others))), Payload.of(ISSUES), CALL, Session(), vocabulary(), tiers=tiers
    )

    assert steps(done)["claim"].status is StepStatus.NO_GAIN
    assert steps(done)["keep"].status is StepStatus.APPLIED
    assert done.trace.tokens_out < done.trace.tokens_in


def test_a_chain_of_one_wrong_estimate_leaves_the_original() -> None:
    """It is told as a step that gained nothing."""
    policy = plan(rule(chain=(CLAIM,)))
    tiers = BY_NAME | {"claim": tier("claim", _claims(1_000.0, grown))}

    done = run(policy, Payload.of(ISSUES), CALL, Session(), vocabulary(), tiers=tiers)

    assert done.text == ISSUES
    assert done.trace.gate.sent == "original"
    assert steps(done)["claim"].status is StepStatus.NO_GAIN


@pytest.mark.parametrize("rows", [8, 40, 300])
def test_steps_taken_by_estimates_end_where_counted_ones_do_or_lower(rows: int) -> None:
    """Records of the usual kind: what the estimates say of a step is what its count says."""
    text = json.dumps(
        [{"id": n * 37, "state": "open", "url": f"https://x.example/{n * 37}"} for n in range(rows)]
    )
    policy = plan(rule(chain=RECORDS))

    by_estimates = run(policy, Payload.of(text), CALL, Session(), vocabulary())
    tiers = {name: _uncertain(name) for name in BY_NAME}
    counted = run(policy, Payload.of(text), CALL, Session(), vocabulary(), tiers=tiers)

    assert by_estimates.text == counted.text


def _uncertain(name: str) -> Tier:
    """The step without its estimates."""
    known = BY_NAME[name]

    def work(draft: Draft, options: Mapping[str, int | str], context: Context) -> Applied | Skip:
        made = known.run(draft, options, context)
        return replace(made, gain=0.0) if isinstance(made, Applied) else made

    return replace(known, run=work)
