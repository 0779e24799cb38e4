"""A reader is right about what a rule file does: ten files, each with its answer key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from terse.language import Checked, check, parse_call
from terse.memory.session import Session
from terse.payload.call import Call
from terse.payload.exact import NotExact, parse
from terse.payload.payload import Payload
from terse.plan.run import run, sent
from terse.plan.trace import Outcome
from terse.tiers.expand import expand
from terse.tokens import vocabulary
from tests.readers import answer_key, changes
from tests.readers.answer_key import Case

HERE = Path(__file__).parent
FOLDERS = sorted(path.parent for path in HERE.glob("*/key.txt"))


def checked(folder: Path) -> Checked:
    return check([folder / "rules.terse"], root=folder)


def told(folder: Path) -> Iterator[tuple[Case, Payload, Outcome, Session]]:
    """Every case of a key, run."""
    plan = checked(folder).plan
    assert plan is not None
    session, tokens = Session(), vocabulary()
    for case in answer_key.read(folder / "key.txt"):
        if not case.goes_on:
            session = Session()
        named = parse_call(case.call)
        call = Call(named.server, named.tool, named.arguments, case.is_error)
        payload = Payload.of((folder / case.file).read_text(encoding="utf-8"))
        outcome = run(plan, payload, call, session, tokens, can_retrieve=True, detail=True)
        yield case, payload, outcome, session
        sent(plan, (outcome,), call, session, tokens)


def found(payload: Payload, outcome: Outcome, session: Session) -> changes.Changes:
    """What changed, once every form of the emitted text is turned back."""
    emitted = expand(outcome.text)
    if payload.json is None:
        return changes.of_texts(payload.text, emitted, session.store)
    try:
        return changes.of_documents(payload.json, parse(emitted), session.store)
    except NotExact:
        return changes.Changes(other=["it is no JSON any more"])


def test_there_are_ten() -> None:
    """Ten rule files have a key."""
    assert len(FOLDERS) >= 10


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_rules_have_no_findings(folder: Path) -> None:
    """What a reader is given compiles without an error or a warning."""
    assert [str(d.message) for d in checked(folder).diagnostics if d.severity.word != "note"] == []


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_who_applies(folder: Path) -> None:
    """The rule of the key applies, for the reason it gives; so do the guards it says apply, and only they."""
    for case, _, outcome, _ in told(folder):
        trace = outcome.trace
        applying = {guard.name for guard in trace.guards if guard.applies}
        [said] = case.said("rule", "no rule")
        assert (trace.rule.name if trace.rule else "") == said.name, f"line {said.line}"
        if said.quoted:
            assert trace.rule is not None
            assert said.quoted in trace.rule.because, f"line {said.line}"
        for sentence in case.said("guard", "no guard"):
            assert (sentence.name in applying) == (sentence.says == "guard"), f"line {sentence.line}"


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_what_changes_is_what_the_key_says_and_nothing_else(folder: Path) -> None:
    """Removed, set aside, cut: exactly the values of the key; what is set aside can be fetched as it was."""
    for case, payload, outcome, session in told(folder):
        real = found(payload, outcome, session)
        place = f"{folder.name}/key.txt:{case.line}"
        assert real.other == [], place
        assert bool(real) == bool(case.said("rest")), (
            f"{place}: say `everything else …` or `nothing is changed.`"
        )
        assert bool(real) != bool(case.said("unchanged")), place
        assert set(real.removed) == {s.path for s in case.said("removed")}, place
        assert real.aside == Counter({s.path: s.times for s in case.said("set aside")}), place
        assert real.shortened == Counter({s.path: s.times for s in case.said("shortened")}), place
        assert real.rows == {s.path: s.rows for s in case.said("rows")}, place
        assert real.rows_lost == {s.path: s.rows for s in case.said("rows lost")}, place
        assert real.lines_removed == sum(s.times for s in case.said("lines removed")), place
        assert real.lines_aside == sum(s.times for s in case.said("lines set aside")), place
        changed = {*real.removed, *real.aside, *real.shortened}
        assert not changed & {s.path for s in case.said("kept")}, place


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_class_and_the_text(folder: Path) -> None:
    """The result has the class of the key, and the agent reads what it says and not what it does not."""
    for case, _, outcome, _ in told(folder):
        [said] = case.said("class")
        assert outcome.guarantee.word == said.name, f"{folder.name}/key.txt:{said.line}"
        for sentence in case.said("reads", "does not read"):
            reads = sentence.quoted in expand(outcome.text)
            assert reads == (sentence.says == "reads"), f"{folder.name}/key.txt:{sentence.line}"


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_key_is_about_the_whole_file(folder: Path) -> None:
    """Every rule applies in some case, and every guard is spoken of."""
    plan = checked(folder).plan
    assert plan is not None
    cases = answer_key.read(folder / "key.txt")
    rules = {s.name for case in cases for s in case.said("rule")}
    guards = {s.name for case in cases for s in case.said("guard", "no guard")}

    assert rules == {rule.name for rule in plan.rules}
    assert guards == {guard.name for guard in plan.guards}


def test_a_key_that_is_wrong_fails(tmp_path: Path) -> None:
    """A sentence that cannot be held against the engine is an error, not a line that nobody reads."""
    key = tmp_path / "key.txt"
    key.write_text("When a/b answers with x.json:\n  it is nicer.\n", encoding="utf-8")

    with pytest.raises(ValueError, match="line 2: no sentence"):
        answer_key.read(key)
