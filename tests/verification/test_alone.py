"""What verify finds: a wrong text, a larger one, a run that is not the same; and nothing where all holds."""

from __future__ import annotations

import json

import pytest

from terse.capture.recorded import Notes
from terse.payload.exact import dump
from terse.plan import gate
from terse.plan.run import run
from terse.verification import alone, faults
from terse.verification.alone import Alone, excerpt, marks_of
from terse.verification.make_samples import main as make_samples
from terse.verification.reading import Reader
from terse.verification.results import SAMPLES, Given, given

RECORDS = json.dumps([{"id": n, "name": f"name {n}", "rate": 1.0} for n in range(60)], indent=2)


def result(*texts: str, **more: object) -> Given:
    content = [{"type": "text", "text": text} for text in texts]
    return Given("s", "t", "{}", dump({"content": content, **more}))  # type: ignore[dict-item]


def test_our_own_samples_are_what_their_program_writes() -> None:
    """`python -m terse.verification.make_samples` writes the files that the package has."""
    assert make_samples(["--check"]) == 0


def test_our_own_samples_have_every_kind_of_result() -> None:
    """JSON and other texts, each kind of payload, errors, many blocks, images, structured content."""
    results = list(given([str(SAMPLES)], Notes()))
    whole = Alone()
    for each in results:
        whole.add(each)
    kinds = {kind for row in whole.saved() for kind in row.kinds.split(", ")}
    text = "".join(each.result for each in results)

    assert kinds >= {
        "records",
        "object",
        "log",
        "csv",
        "code",
        "markdown",
        "diff",
        "html",
        "text",
    }
    for part in (
        '"isError":true',
        "structuredContent",
        '"image"',
        '"audio"',
        '"resource_link"',
        "NaN",
        "1E400",
    ):
        assert part in text, part
    planes = {ord(sign) >> 16 for sign in text}
    assert planes == set(range(17))
    assert len([form.name for form in whole.forms()]) >= 20


def test_our_own_samples_hold() -> None:
    """Exact, never larger, and the same again."""
    whole = Alone()
    for each in given([str(SAMPLES)], Notes()):
        whole.add(each)

    assert whole.exact().holds, whole.exact().findings
    assert whole.not_larger().holds, whole.not_larger().findings
    assert marks_of(given([str(SAMPLES)], Notes())) == whole.marks


def test_a_text_that_is_another_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Verify decodes for itself: a run that sends another number, and says that all is well, is found out."""
    honest = alone.run_result

    def lying(*arguments: object, **more: object) -> object:
        texts = [text.replace("name 7", "name 8") for text in arguments[1]]  # type: ignore[attr-defined]
        return honest(arguments[0], texts, *arguments[2:], **more)  # type: ignore[arg-type]

    monkeypatch.setattr(alone, "run_result", lying)
    whole = Alone()
    whole.add(result(RECORDS))

    assert whole.exact().holds is False
    assert whole.exact().findings == ("s/t, call 1: $[7].name: another string",)


def test_a_text_that_is_larger_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """By tokens of the whole text."""
    honest = alone.run_result

    def larger(*arguments: object, **more: object) -> object:
        texts = [text + " and more" for text in arguments[1]]  # type: ignore[attr-defined]
        return honest(arguments[0], texts, *arguments[2:], **more)  # type: ignore[arg-type]

    monkeypatch.setattr(alone, "run_result", larger)
    whole = Alone()
    whole.add(result("a few words"))

    assert whole.not_larger().holds is False
    assert whole.not_larger().findings == ("s/t, call 1: 3 tokens became 5",)


def test_faults_end_in_the_original() -> None:
    """Every fault in every step, decoder and tokenizer: the original, or something as exact."""
    check = faults.faults()

    assert check.holds, check.findings


def test_without_the_gate_the_faults_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check is no check of the gate by itself: where the gate lets all pass, it does not hold."""
    for name in ("check_document", "check_text", "check_canonical"):
        monkeypatch.setattr(gate, name, lambda *_, **__: None)
    check = faults.faults()

    assert check.holds is False
    assert len(check.findings) == faults.MOST_FINDINGS


def test_a_fault_that_is_not_met_is_not_counted() -> None:
    """Each of them is really given to the run: no step is without one."""
    made = faults._Faults()
    for tier in faults.TIERS:
        if not tier.needs_memory:
            before = made.number
            made.in_place_of(tier, faults._PAYLOADS[0])
            assert made.number - before == 8, tier.name
    assert run is not None


@pytest.mark.parametrize(
    ("received", "sent", "said"),
    [
        (["a", "b"], ["a", "b"], None),
        (["a", "b"], ["a"], "decoding failed: NotJoined: no first line of several texts"),
        (["a", "b"], ["2 texts, one a line:\na\nb"], None),
        (["a", "b"], ["2 texts, one a line:\na\nc"], "character 1 of 1 is another"),
        (["a", "b", "c"], ["2 texts, one a line:\na\nb"], "3 texts became 2"),
        (["a", "b", "c"], ["a", "b"], "3 texts became 2"),
        (["a"], ["Re-run now: identical to call #1 of this tool (same arguments)."], None),
        (
            ["b"],
            ["Re-run now: identical to call #1 of this tool (same arguments)."],
            "character 1 of 1 is another",
        ),
        (
            ["a"],
            ["Re-run now: identical to call #9 of this tool (same arguments)."],
            "character 1 of 1 is another",
        ),
    ],
)
def test_a_client_that_decodes_has_what_was_received(
    received: list[str], sent: list[str], said: str | None
) -> None:
    """Texts by themselves, texts that stand for several, and those that speak of an earlier result."""
    reader = Reader()
    assert reader.wrong("t", "{}", ["a"], ["a"]) is None
    found = reader.wrong("t", "{}", received, sent)

    assert (found or "").startswith(said or "")
    assert (found is None) is (said is None)


def test_an_example_is_short() -> None:
    """However long a text and its lines are."""
    assert excerpt("a\nb") == "a\nb"
    lines = excerpt("\n".join(["x" * 5_000] * 500)).split("\n")
    assert len(lines) <= 15
    assert max(map(len, lines)) <= 160
