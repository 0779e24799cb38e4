"""What is proposed, and what never is."""

from __future__ import annotations

import json
import os
from pathlib import Path
from random import Random
from typing import Any

import pytest

from terse.guarantee import Guarantee
from terse.language import check
from terse.memory.store import handle_of
from terse.record import Record
from terse.report.tuned import Tuned
from terse.review.starter import first_rule
from terse.tuning.kinds.kind import Allowed
from tests.ledger.notes import record
from tests.tuning.captured import issue, issue_lists, line, prose
from tests.tuning.conftest import tuned

SESSIONS = [f"session {number}" for number in range(6)]
MINIFY = """terse 1

# What everybody gets.
rule everything {
  on */*
  use minify  # for now
}
"""
COMPACT = MINIFY.replace("use minify", "use compact")
ALL: tuple[Allowed, ...] = ("set-aside", "shorten", "remove")


def kinds(found: Tuned) -> list[str]:
    return [proposal.kind for proposal in found.proposals]


def new_text(found: Tuned) -> str:
    """All files that change, as they are then."""
    return "\n".join(text for _, text in found.files.values())


def with_rules(text: str) -> dict[str, str]:
    return {"policies/rules.terse": text}


@pytest.mark.usefixtures("here")
class TestWithoutLoss:
    """What is proposed where nothing was allowed to be lost."""

    def test_a_server_without_a_rule_gets_one(self) -> None:
        """Its results passed as they came; now they have the rule that `terse init` would write."""
        found = tuned({}, issue_lists(SESSIONS))

        assert kinds(found) == ["unmatched"]
        assert found.files == {"policies/tracker.terse": (None, first_rule("tracker"))}

    def test_a_chain_that_leaves_steps_out_is_replaced(self) -> None:
        """The line changes, and nothing else: comments stay, also the one behind it."""
        found = tuned(with_rules(MINIFY), issue_lists(SESSIONS))

        assert kinds(found) == ["chain"]
        assert new_text(found) == COMPACT

    def test_a_named_chain_changes_where_it_is_defined(self) -> None:
        """A chain that nobody uses any more would be a finding."""
        text = "terse 1\n\nchain ours = minify\n\nrule everything {\n  on */*\n  use ours\n}\n"

        found = tuned(with_rules(text), issue_lists(SESSIONS))

        assert new_text(found) == text.replace("= minify", "= compact")

    def test_repeats_are_sent_as_what_changed(self) -> None:
        """Where the same calls come again in a session, the chain gets the steps that remember."""
        random = Random(1)
        text = prose(random, 200)
        lines = [line("status", text, session=session) for session in SESSIONS for _ in range(4)]

        found = tuned(with_rules(COMPACT), lines)

        assert kinds(found) == ["repeats"]
        assert "use compact then dedup" in new_text(found)
        assert found.proposals[0].held_out is not None
        assert found.proposals[0].held_out.net > 0

    def test_a_tool_that_no_step_makes_smaller_is_left_alone(self) -> None:
        """Looking at its results takes time and saves nothing."""
        random = Random(2)
        lines = [
            line("read", prose(random, 300), session=session, arguments={"page": page})
            for session in SESSIONS
            for page in range(4)
        ]

        found = tuned(with_rules(COMPACT), lines)

        assert kinds(found) == ["leave alone"]
        assert "  except tracker/read\n" in new_text(found)

    def test_what_another_rule_would_take_gets_a_rule_that_does_nothing(self) -> None:
        """`except` alone would hand the results to the next broader rule."""
        random = Random(2)
        text = f"{COMPACT}\nrule tracker {{\n  on tracker/*\n  use compact\n}}\n"
        lines = [
            line("read", prose(random, 300), session=session, arguments={"page": page})
            for session in SESSIONS
            for page in range(4)
        ]

        found = tuned(with_rules(text), lines)

        assert "rule tracker-read {\n  on tracker/read\n}\n" in new_text(found)

    def test_what_a_rule_excepts_stays_as_it_is(self) -> None:
        """Whoever wrote `except` wants it left alone, whatever it would save."""
        text = MINIFY.replace("on */*", "on */*\n  except tracker/list_*").replace("minify", "compact")

        assert not tuned(with_rules(text), issue_lists(SESSIONS)).proposals

    def test_rules_elsewhere_get_a_patch_for_there(self, here: Path) -> None:
        """A path that leads out of a folder is none that `git apply` takes."""
        inside = here / "inside"
        inside.mkdir()
        (here / "rules.terse").write_text(MINIFY, encoding="utf-8")
        os.chdir(inside)

        found = tuned({}, issue_lists(SESSIONS), path="../rules.terse")

        assert "--- a/rules.terse\n+++ b/rules.terse\n" in found.patch
        assert any(str(here) in note for note in found.notes)

    def test_nothing_is_proposed_of_few_results(self) -> None:
        """A handful may be chance."""
        assert not tuned({}, issue_lists(SESSIONS[:2], per_session=2)).proposals

    def test_rules_that_were_tuned_are_left_as_they_are(self) -> None:
        """With its own proposals applied, nothing more is found."""
        lines = issue_lists(SESSIONS, body_words=120)
        first = tuned(with_rules(MINIFY), lines, ALL)

        again = tuned({path: text for path, (_, text) in first.files.items()}, lines, ALL)

        assert first.proposals
        assert not again.proposals

    def test_the_same_captures_give_the_same_proposals(self) -> None:
        """Nothing depends on the order in which sets and tables happen to be walked, or on the clock."""
        lines = issue_lists(SESSIONS, body_words=120)

        assert tuned(with_rules(MINIFY), lines, ALL) == tuned(with_rules(MINIFY), lines, ALL)


@pytest.mark.usefixtures("here")
class TestWithLoss:
    """What is proposed only where it was allowed."""

    def test_large_texts_are_set_aside_only_if_that_is_allowed(self) -> None:
        """Without `--allow set-aside` there is nothing to propose; with it, all of it is one call away."""
        lines = issue_lists(SESSIONS, body_words=120)

        assert not tuned(with_rules(COMPACT), lines).proposals
        found = tuned(with_rules(COMPACT), lines, ["set-aside"])

        assert kinds(found) == ["set aside"]
        assert "  set aside issues.body over 400 characters\n" in new_text(found)
        assert found.proposals[0].guarantee_after == "recoverable"
        assert "not known" in found.proposals[0].fetched

    def test_shorten_keeps_the_beginning(self) -> None:
        """The rest of each text is one call away."""
        found = tuned(with_rules(COMPACT), issue_lists(SESSIONS, body_words=120), ["shorten"])

        assert kinds(found) == ["shorten"]
        assert "  shorten issues.body to 300 characters\n" in new_text(found)

    def test_long_texts_are_shortened_as_texts_only(self) -> None:
        """A rule that cuts lines never gets to cut a JSON document, which some results are."""
        random = Random(8)
        lines = []
        for session in SESSIONS:
            for at in range(6):
                text = "\n".join(prose(random, 4) for _ in range(400))
                facts: dict[str, Any] = {"session": session, "arguments": {"at": at}}
                lines.append(line("log", text if at else {"status": "no log yet"}, **facts))

        found = tuned(with_rules(COMPACT), lines, ["shorten"])

        assert kinds(found) == ["shorten"]
        assert "  when payload is text\n" in new_text(found)
        assert "  shorten everything to 150 lines from both ends\n" in new_text(found)

    def test_what_is_the_same_everywhere_is_removed_only_if_that_is_allowed(self) -> None:
        """And a bound on what may be lost comes with it, and a reason."""
        found = tuned(with_rules(MINIFY), _constants(), ["remove"])

        removed = next(each for each in found.proposals if each.kind == "remove")
        assert removed.guarantee_after == "lossy"
        assert removed.lost > 0
        text = new_text(found)
        assert "remove " in text
        assert "lose at most" in text
        assert 'because "the same in every result that was looked at"' in text

    def test_what_differs_in_the_other_half_is_not_constant(self) -> None:
        """A member that is the same in the half that is learned from is no evidence about the other."""
        lines = _constants()
        found = tuned(with_rules(MINIFY), lines, ["remove"])
        assert "remove" in kinds(found)

        changed = [each.replace("internal", f"seen {at}") for at, each in enumerate(lines)]
        half = [
            one if json.loads(one)["session"] in SESSIONS[:3] else other
            for one, other in zip(lines, changed, strict=True)
        ]
        other = tuned(with_rules(MINIFY), half, ["remove"])
        assert not any("audience" in each for each in _added(other))

    def test_a_new_rule_does_all_that_the_broad_one_did(self) -> None:
        """A narrower rule takes the calls away from the broader one, with what that removes, and why."""
        text = COMPACT.replace(
            "use compact  # for now",
            'use compact\n  remove every milestone\n  lose at most 9%\n  because "nobody has any"',
        )

        found = tuned(with_rules(text), issue_lists(SESSIONS, body_words=120), ["set-aside"])

        block = new_text(found).split("rule tracker-list_issues ")[1]
        assert "  remove every milestone\n" in block
        assert "  lose at most 9%\n" in block
        assert '  because "nobody has any"\n' in block

    def test_a_new_rule_stands_where_the_names_it_uses_are(self) -> None:
        """A file that is loaded for itself has its chains, or imports them."""
        text = "chain ours = compact\n\nrule everything {\n  on */*\n  use ours\n}\n"
        rules = {"policies/base.terse": f"terse 1\n\n{text}"}

        found = tuned(rules, issue_lists(SESSIONS, body_words=120), ["set-aside"])

        assert list(found.files) == ["policies/base.terse"]
        assert "  use ours\n  set aside issues.body over 400 characters\n" in new_text(found)

    def test_a_rule_of_the_tool_itself_gets_the_line(self) -> None:
        """There is no second rule for what one rule is about."""
        text = "terse 1\n\nrule issues {\n  on tracker/list_issues\n  use compact\n}\n"

        found = tuned(with_rules(text), issue_lists(SESSIONS, body_words=120), ["set-aside"])

        assert new_text(found).count("rule ") == 1
        assert "  use compact\n  set aside issues.body over 400 characters\n" in new_text(found)

    @pytest.mark.parametrize(
        "guard", ["keep every body", "require lossless", "never store", "require exact\n  never store"]
    )
    def test_nothing_that_a_guard_forbids_is_proposed(self, guard: str) -> None:
        """A guard is stronger than what the figures say."""
        text = f"{COMPACT}\nguard ours {{\n  on tracker/*\n  {guard}\n}}\n"

        found = tuned(with_rules(text), issue_lists(SESSIONS, body_words=120), ["set-aside", "shorten"])

        assert not {"set aside", "shorten"} & set(kinds(found))

    def test_a_change_that_fails_a_test_is_not_proposed(self, here: Path) -> None:
        """Tests of rules say what people rely on."""
        sample = here / "policies" / "samples" / "tracker" / "list_issues" / "one.json"
        sample.parent.mkdir(parents=True)
        issues = [issue(Random(5), number, 120) for number in range(8)]
        sample.write_text(json.dumps({"issues": issues}), encoding="utf-8")
        test = (
            '\ntest "bodies stay" {\n  call tracker/list_issues\n'
            '  given "samples/tracker/list_issues/one.json"\n  expect keeps issues.body\n}\n'
        )

        found = tuned(with_rules(COMPACT + test), issue_lists(SESSIONS, body_words=120), ["set-aside"])

        assert not found.proposals
        assert any("a test would fail" in note for note in found.notes)


@pytest.mark.usefixtures("here")
class TestFetched:
    """What is known of what was fetched."""

    ASIDE = (
        "terse 1\n\nrule issues {\n  on tracker/list_issues\n  use compact\n"
        '  set aside issues.body over 200 characters  # long\n  because "long"\n}\n'
    )

    def test_what_is_mostly_fetched_is_taken_back_by_captures(self) -> None:
        """A value that is set aside and fetched was paid twice; the comment behind the line stays."""
        lines = issue_lists(SESSIONS, body_words=60)

        found = tuned(with_rules(self.ASIDE), [*lines, *_fetches(lines, 1.0)])

        assert kinds(found) == ["taken back"]
        assert "set aside" not in new_text(found)
        assert "# long" in new_text(found)
        assert found.proposals[0].held_out is not None
        assert found.proposals[0].held_out.gross < 0 < found.proposals[0].held_out.net
        assert "were fetched in the captured sessions" in found.proposals[0].fetched

    def test_what_is_rarely_fetched_stays_aside(self) -> None:
        """One in ten is what setting aside is for."""
        lines = issue_lists(SESSIONS, body_words=60)

        assert not tuned(with_rules(self.ASIDE), [*lines, *_fetches(lines, 0.1)]).proposals

    def test_what_is_mostly_fetched_is_taken_back_by_the_ledger(self) -> None:
        """Captures need not have the calls of our own tool: the ledger counts them."""
        found = tuned(
            with_rules(self.ASIDE),
            issue_lists(SESSIONS, body_words=60),
            records=_noted(40, aside=5, share=0.95),
        )

        assert kinds(found) == ["taken back"]
        assert "by the ledger" in found.proposals[0].fetched

    def test_the_ledger_does_not_tell_two_lines_apart(self) -> None:
        """It knows the rule; which of two lines is meant it does not, and so that is all that is said."""
        text = self.ASIDE.replace("set aside issues.body", "set aside issues.title, issues.body")

        found = tuned(
            with_rules(text), issue_lists(SESSIONS, body_words=60), records=_noted(40, aside=5, share=0.95)
        )

        assert "taken back" not in kinds(found)
        assert any("95% of what rule issues sets aside is fetched" in note for note in found.notes)

    def test_only_the_target_that_is_fetched_is_taken_back(self) -> None:
        """The others of the line stay aside."""
        text = self.ASIDE.replace("set aside issues.body", "set aside issues.note, issues.body")
        random = Random(4)
        lines, fetched = [], []
        for session in SESSIONS:
            for page in range(5):
                issues = [{"number": page, "body": prose(random, 60), "note": prose(random, 60)}]
                lines.append(line("list_issues", {"issues": issues}, session=session, arguments={"p": page}))
                fetched.append(_fetch(session, str(issues[0]["body"])))

        found = tuned(with_rules(text), [*lines, *fetched], least_results=5)

        assert kinds(found) == ["taken back"]
        assert "set aside issues.note over 200 characters" in new_text(found)

    def test_what_was_mostly_fetched_is_not_set_aside_again(self) -> None:
        """The ledger remembers why it was taken back."""
        lines = issue_lists(SESSIONS, body_words=120)

        found = tuned(
            with_rules(COMPACT), lines, ["set-aside", "shorten"], records=_noted(40, aside=5, share=0.9)
        )

        assert not found.proposals


def _constants() -> list[str]:
    """Results of which a part is the same in each, where no step but `minify` could say so shortly."""
    random = Random(6)
    constant = {"audience": "internal " * 12, "licence": None}
    return [
        line(
            "describe",
            {"name": prose(random, 3), "size": random.randrange(10**6), **constant},
            session=session,
            arguments={"of": at},
        )
        for session in SESSIONS
        for at in range(10)
    ]


def _added(found: Tuned) -> list[str]:
    return [text for each in found.proposals for edit in each.edits for text in edit.added]


def _fetches(lines: list[str], share: float) -> list[str]:
    """Calls of our own tool for so many of the bodies."""
    random = Random(3)
    found = []
    for each in map(json.loads, lines):
        for one in json.loads(each["result"]["content"][0]["text"])["issues"]:
            if random.random() < share:
                found.append(_fetch(each["session"], one["body"]))
    return found


def _fetch(session: str, value: str) -> str:
    return line("terse_retrieve", value, session=session, arguments={"handle": handle_of(value)})


def _noted(results: int, *, aside: int, share: float) -> list[Record]:
    """Results that set values aside, as a ledger has them, and so many of these fetched."""
    facts = {"server": "tracker", "tool": "list_issues", "rule": "issues"}
    lossy = {"guarantee": Guarantee.RECOVERABLE, "lines": ("set aside issues.body over 200 characters",)}
    made = [record(**facts, **lossy, aside_values=aside, aside_tokens=600) for _ in range(results)]
    fetched = record(
        **facts, what="retrieve", retrieved="value", is_first=True, tokens_in=0, tokens_out=120, bytes_in=0
    )
    return [*made, *[fetched] * round(results * aside * share)]


@pytest.mark.usefixtures("here")
def test_what_is_proposed_checks_as_well_as_before() -> None:
    """`terse check` finds nothing in the changed files that it did not find before."""
    found = tuned(with_rules(MINIFY), issue_lists(SESSIONS, body_words=120), ALL)
    for path, (_, text) in found.files.items():
        Path(path).write_text(text, encoding="utf-8")

    assert not check(["policies"]).diagnostics
