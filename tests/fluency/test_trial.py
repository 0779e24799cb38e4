"""The run of `terse fluency`: paired, shuffled, with controls; and no report where they fail."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from terse.fluency.endpoint import NoAnswer
from terse.fluency.intervals import paired, wilson
from terse.fluency.questions import Count
from terse.fluency.trial import FIRST_FAILURES, WITHHELD, Item, NothingAnswers, Trial, is_right, prompt
from terse.report import fluent_json, fluent_text
from terse.report.fluent import FEWEST_PAIRS, Arm, Fluency

Ask = Callable[[str, str], str]


def _items(count: int) -> list[Item]:
    return [
        Item(f"r{at}.json", f"the original {at}", f"the form {at}", Count(()), str(at)) for at in range(count)
    ]


def _reads(system: str, user: str) -> str:
    """A model that reads everything that it is shown."""
    shown = user.split("\n")[2]
    return "unknown" if shown == WITHHELD else shown.split(" ")[-1]


def _only_originals(system: str, user: str) -> str:
    return "unknown" if "the form" in user else _reads(system, user)


def _fluency(ask: Ask, count: int = 40) -> Fluency:
    trial = Trial(ask)
    for _ in trial.run(_items(count)):
        pass
    return Fluency(
        "m-1", "host", "policies/", count, 9000, 4000, trial.asked, wilson, paired, tuple(trial.failures)
    )


def test_a_model_that_reads_both_forms_shows_no_difference(golden: Callable[[str, str], None]) -> None:
    """All right in three arms, none without the result: the report says so, with its intervals."""
    facts = _fluency(_reads)

    assert facts.refusal == ""
    assert [facts.share(arm).right for arm in Arm] == [40, 40, 40, 0]
    assert not facts.difference_is_loss
    golden("fluency/even.txt", fluent_text.render(facts))


def test_a_form_that_is_read_worse_is_told(golden: Callable[[str, str], None]) -> None:
    """The verdict, and the questions that went wrong."""
    facts = _fluency(_only_originals)

    assert facts.difference_is_loss
    golden("fluency/worse.txt", fluent_text.render(facts))
    assert '"right": false' in fluent_json.render(facts)


def test_the_withheld_prompt_shows_nothing_of_the_result() -> None:
    """What the control is for: whatever is right there was guessed."""
    item = _items(1)[0]

    assert item.raw not in prompt(item, Arm.WITHHELD)
    assert item.emitted not in prompt(item, Arm.WITHHELD)
    assert prompt(item, Arm.RAW) == prompt(item, Arm.AGAIN)
    assert prompt(item, Arm.EMITTED).replace(item.emitted, item.raw) == prompt(item, Arm.RAW)


def test_arms_are_mixed_and_the_order_can_be_had_again() -> None:
    """A model that drifts drifts in all arms; the same seed asks in the same order."""
    orders: list[list[str]] = []
    for _ in range(2):
        seen: list[str] = []
        trial = Trial(lambda _, user, seen=seen: seen.append(user) or "x")  # type: ignore[func-returns-value]
        list(trial.run(_items(30)))
        orders.append(seen)

    assert orders[0] == orders[1]
    assert orders[0] != sorted(orders[0])
    assert any("the form" in user for user in orders[0][:20])
    assert any(WITHHELD in user for user in orders[0][:20])


def _fails_on(words: str) -> Ask:
    def ask(system: str, user: str) -> str:
        if words in user:
            raise NoAnswer("busy")
        return _reads(system, user)

    return ask


@pytest.mark.parametrize(
    ("ask", "count", "says"),
    [
        (_reads, FEWEST_PAIRS - 1, "29 questions answered in all arms are too few: 30 at least"),
        (_fails_on(WITHHELD), 40, "no control: no question was answered with 'withheld'"),
        (_fails_on("original 1"), 40, "questions answered in all arms are too few"),
        (lambda system, user: "unknown", 40, "answers no question from the original"),
    ],
)
def test_there_is_no_report_without_controls_or_with_few_pairs(ask: Ask, count: int, says: str) -> None:
    """Figures that say nothing are not printed."""
    assert says in _fluency(ask, count if count < 40 else 40).refusal


def test_questions_that_can_be_guessed_are_no_test() -> None:
    """A model that is as right without the result has not read it."""
    trial = Trial(lambda system, user: "7")
    items = [Item("r", f"the original {at}", f"the form {at}", Count(()), "7") for at in range(40)]
    list(trial.run(items))
    facts = Fluency("m", "h", "p", 1, 2, 1, trial.asked, wilson, paired)

    assert facts.refusal == "the control fails: 40 of 40 answers are right without the result, 40 with it"


def test_only_questions_with_all_answers_are_counted() -> None:
    """A question that one arm missed would make the arms' shares those of different questions."""
    facts = _fluency(_fails_on("form 3"), 60)

    assert len(facts.complete) < 60
    assert {facts.share(arm).of for arm in Arm} == {len(facts.complete)}
    assert facts.failures


def test_an_endpoint_that_never_answers_ends_the_run_at_once() -> None:
    """Not every one of hundreds of questions is waited for."""
    asked: list[str] = []

    def ask(system: str, user: str) -> str:
        asked.append(user)
        raise NoAnswer("no answer within 60 s (4 tries)")

    with pytest.raises(NothingAnswers, match="the first 4 requests failed: no answer within 60 s"):
        list(Trial(ask).run(_items(100)))
    assert len(asked) == FIRST_FAILURES


@pytest.mark.parametrize(
    ("answer", "given", "right"),
    [
        ("open", "open", True),
        ("open", '"Open".', True),
        ("open", "  `open`\n", True),
        ("open", "The state is open", False),
        ("12", "12.0", True),
        ("1.50", "1.5", True),
        ("12", "13", False),
        ("a, b", "a,b", True),
        ("a, b", "b, a", False),
        ("a, b", "a", False),
        ("x: 1, 2", "x: 1, 2", True),
        ("true", "True", True),
        ("null", "", False),
        ("NaN", "nan", True),
        ("v1.2.", "v1.2", True),
    ],
)
def test_an_answer_is_right_by_its_value(answer: str, given: str, right: bool) -> None:
    """Quotes, a full stop and the spelling of a number are no mistakes; everything else is."""
    assert is_right(answer, given) is right


@pytest.mark.parametrize(
    ("right", "of", "low", "high"),
    # Values of Wilson's formula as published in Newcombe (1998), table I, rounded to four digits.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_intervals_are_wilsons(right: int, of: int, low: float, high: float) -> None:
    """As in the literature, at the edges too."""
    assert wilson(right, of) == pytest.approx((low, high), abs=5e-5)


def test_a_paired_interval_holds_the_difference() -> None:
    """It is the same on every run, wider for fewer pairs, and has a width where no pair differs."""
    one = [at % 10 != 0 for at in range(100)]
    other = [True] * 100

    low, high = paired(one, other)
    assert low < -0.1 < high < 0
    assert paired(one, other) == (low, high)
    few_low, few_high = paired(one[:30], other[:30])
    assert few_high - few_low > high - low
    assert paired(other, other) == pytest.approx((-wilson(0, 100)[1], wilson(0, 100)[1]))


def test_nothing_but_its_command_can_ask_a_model() -> None:
    """No other module of terse imports the room: content leaves the machine in one place."""
    package = Path(__file__).parent.parent.parent / "terse"
    importers = set()
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            module = node.module if isinstance(node, ast.ImportFrom) else None
            if module and module.startswith("terse.fluency"):
                importers.add(str(path.relative_to(package)))

    assert {name for name in importers if not name.startswith("fluency/")} == {"cli/fluency.py"}
