"""`terse tune` as a command: what it prints, what it writes, and what it refuses."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from terse.cli import tune
from terse.cli.console import CommandError
from terse.cli.main import run
from terse.ledger.writer import Ledger
from terse.memory.store import handle_of
from tests.cli.conftest import Terse
from tests.ledger.notes import record
from tests.tuning.captured import issue, issue_lists, line, prose, write

RULES = """terse 1

# Ours.
rule everything {
  on */*
  use minify  # for now
}
"""
SESSIONS = [f"session {number}" for number in range(4)]
ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def terse(terse_here: Terse) -> Terse:
    """The command, without the cost of a process for each run."""
    return terse_here


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Rules, and a capture on which their chain is not the best."""
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "rules.terse").write_text(RULES, encoding="utf-8")
    write(tmp_path / "calls.jsonl", issue_lists(SESSIONS, body_words=100))
    return tmp_path


def rules_of(folder: Path) -> str:
    return (folder / "policies" / "rules.terse").read_text(encoding="utf-8")


@pytest.mark.usefixtures("folder")
class TestProposals:
    """What is printed."""

    def test_proposals_are_findings(self, terse: Terse, folder: Path) -> None:
        """Exit code 1, the evidence, the patch, and nothing on disk is another one."""
        done = terse("tune", "calls.jsonl")

        assert done.returncode == 1, done.stderr
        assert b"held out" in done.stdout
        assert b"+  use compact  # for now\n" in done.stdout
        assert rules_of(folder) == RULES

    def test_nothing_to_propose_is_no_finding(self, terse: Terse, folder: Path) -> None:
        """Exit code 0, and it is said."""
        (folder / "policies" / "rules.terse").write_text(RULES.replace("minify", "compact"), encoding="utf-8")

        done = terse("tune", "calls.jsonl")

        assert done.returncode == 0, done.stderr
        assert b"Nothing to propose.\n" in done.stdout

    def test_at_least_says_what_is_worth_it(self, terse: Terse) -> None:
        """What saves less is not proposed: a share, or tokens."""
        assert terse("tune", "calls.jsonl", "--at-least", "60%").returncode == 0
        assert terse("tune", "calls.jsonl", "--at-least", "900000").returncode == 0
        assert terse("tune", "calls.jsonl", "--at-least", "10").returncode == 1

    def test_results_says_how_many_are_enough(self, terse: Terse) -> None:
        """A tool with fewer results is not spoken of where something could be lost."""
        found = json.loads(terse("tune", "calls.jsonl", "--allow", "set-aside", "--output", "json").stdout)
        few = terse("tune", "calls.jsonl", "--allow", "set-aside", "--output", "json", "--results", "99")

        assert "set aside" in [each["kind"] for each in found["proposals"]]
        assert "set aside" not in [each["kind"] for each in json.loads(few.stdout)["proposals"]]

    def test_the_patch_goes_to_a_file(self, terse: Terse, folder: Path) -> None:
        """The one of the JSON, byte for byte."""
        done = terse("tune", "calls.jsonl", "--patch", "out.patch", "--output", "json")

        assert (folder / "out.patch").read_text(encoding="utf-8") == json.loads(done.stdout)["patch"]

    def test_bad_lines_cost_themselves_alone(self, terse: Terse, folder: Path) -> None:
        """They are told, and the others are read."""
        with (folder / "calls.jsonl").open("a", encoding="utf-8") as file:
            file.write('{"server": 1}\nno json\n')

        done = terse("tune", "calls.jsonl")

        assert done.returncode == 1
        assert b"calls.jsonl:26" in done.stdout

    def test_the_ledger_is_asked(self, terse: Terse, folder: Path) -> None:
        """How many results it knows stands on top."""
        noting = Ledger(folder / "ledger.sqlite", print)
        for _ in range(3):
            noting.observe(record())
        noting.close(30.0)

        done = terse("tune", "calls.jsonl", "--ledger", "ledger.sqlite", "--output", "json")

        assert json.loads(done.stdout)["ledger"] == {"results": 3}

    def test_the_captures_of_the_user_are_the_default(self, terse: Terse, folder: Path) -> None:
        """What `terse capture` wrote."""
        (folder / "captured").mkdir()
        shutil.move(folder / "calls.jsonl", folder / "captured" / "calls.jsonl")

        assert terse("tune", TERSE_CAPTURES=str(folder / "captured")).returncode == 1

    def test_hash_seeds_change_nothing(self, folder: Path) -> None:
        """The same captures give the same bytes in any process."""
        allowed = [word for each in ("set-aside", "shorten", "remove") for word in ("--allow", each)]
        printed = {
            subprocess.run(
                [sys.executable, "-m", "terse", "tune", "calls.jsonl", *allowed],
                cwd=folder,
                env={**os.environ, "PYTHONHASHSEED": seed, "COLUMNS": "80"},
                capture_output=True,
                check=False,
            ).stdout
            for seed in ("1", "2")
        }

        assert len(printed) == 1


@pytest.mark.usefixtures("folder")
class TestApply:
    """What is written."""

    def test_apply_writes_and_shows_what_diff_says(self, terse: Terse, folder: Path) -> None:
        """The file is what the patch meant; then nothing is left to propose."""
        done = terse("tune", "calls.jsonl", "--apply")

        assert done.returncode == 0, done.stderr
        assert rules_of(folder) == RULES.replace("minify", "compact")
        assert b"Rules: everything changed" in done.stdout
        assert b"tracker/list_issues, 24 captured" in done.stdout
        assert terse("tune", "calls.jsonl").returncode == 0

    def test_diff_shows_the_same_on_captures(self, terse: Terse, folder: Path) -> None:
        """At any time, with the old rules beside the new ones."""
        shutil.copytree(folder / "policies", folder / "old")
        applied = terse("tune", "calls.jsonl", "--apply").stdout

        done = terse("diff", "old", "--captures", "calls.jsonl")

        assert done.returncode == 0, done.stderr
        assert done.stdout in applied

    def test_figures_are_those_of_replay(self, terse: Terse, folder: Path) -> None:
        """What is run here is what the proxy sends, call by call, with what came before in the session."""
        text = RULES.replace("minify", "compact then dedup then diff")
        (folder / "policies" / "rules.terse").write_text(text, encoding="utf-8")
        lines = [each for each in issue_lists(SESSIONS, per_session=3) for _ in range(3)]
        lines += [line("poll", prose(Random(at % 3), 200), session=SESSIONS[at % 2]) for at in range(12)]
        write(folder / "calls.jsonl", lines)

        replayed = terse("replay", "calls.jsonl", "--rules", "policies", "--output", "json")
        compared = terse("diff", "policies", "--captures", "calls.jsonl", "--output", "json")

        sent = sum(call["sent"] for call in json.loads(replayed.stdout)["calls"])
        assert json.loads(compared.stdout)["tokens"] == {"before": sent, "after": sent}

    def test_diff_names_new_losses_on_captures(self, terse: Terse, folder: Path) -> None:
        """A loss that only captures show is a loss."""
        shutil.copytree(folder / "policies", folder / "old")
        text = RULES.replace("# for now", '\n  remove issues.body\n  because "long"')
        (folder / "policies" / "rules.terse").write_text(text, encoding="utf-8")

        assert terse("diff", "old").returncode == 0
        done = terse("diff", "old", "--captures", "calls.jsonl")
        assert done.returncode == 1
        assert b"new loss   issues.body" in done.stdout

    def test_a_first_file_is_made(self, terse: Terse, folder: Path) -> None:
        """Also where there is no folder yet."""
        assert terse("tune", "calls.jsonl", "--rules", "new", "--apply").returncode == 0

        assert sorted(path.name for path in (folder / "new").iterdir()) == ["tracker.terse"]
        assert terse("check", "new").returncode == 0

    @pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() == 0, reason="root may write to anything")
    def test_a_read_only_file_is_not_written(self, terse: Terse, folder: Path) -> None:
        """Whoever made it so meant it."""
        (folder / "policies" / "rules.terse").chmod(0o444)

        done = terse("tune", "calls.jsonl", "--apply")

        assert (done.returncode, rules_of(folder)) == (2, RULES)

    def test_a_file_that_was_made_read_only_is_named(
        self, terse: Terse, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """In one line, and nothing is written."""
        monkeypatch.setattr("terse.cli.tune.os.access", lambda path, mode: False)

        done = terse("tune", "calls.jsonl", "--apply")

        assert (done.returncode, rules_of(folder)) == (2, RULES)
        assert b"policies/rules.terse cannot be written" in done.stderr

    def test_a_file_that_was_changed_meanwhile_is_not_written(
        self, terse: Terse, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """An editor may have it open."""
        _when_tuned(monkeypatch, lambda: (folder / "policies" / "rules.terse").write_text(RULES + "# mine\n"))

        done = terse("tune", "calls.jsonl", "--apply")

        assert (done.returncode, rules_of(folder)) == (2, RULES + "# mine\n")
        assert b"was changed meanwhile" in done.stderr

    def test_a_new_file_overwrites_nothing(
        self, terse: Terse, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Also one that came while it was looked for proposals."""
        (folder / "new").mkdir()
        _when_tuned(monkeypatch, lambda: (folder / "new" / "tracker.terse").write_text("mine"))

        done = terse("tune", "calls.jsonl", "--rules", "new", "--apply")

        assert done.returncode == 2
        assert (folder / "new" / "tracker.terse").read_text(encoding="utf-8") == "mine"

    def test_a_link_out_of_the_folder_is_not_followed(
        self, terse: Terse, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What it points to belongs to somebody else."""
        target = folder / "elsewhere.terse"
        target.write_text(RULES, encoding="utf-8")
        path = folder / "policies" / "rules.terse"

        def swap() -> None:
            path.unlink()
            path.symlink_to(target)

        _when_tuned(monkeypatch, swap)

        done = terse("tune", "calls.jsonl", "--apply")

        assert done.returncode == 2
        assert b"leads out of policies" in done.stderr
        assert target.read_text(encoding="utf-8") == RULES

    def test_what_cannot_be_written_leaves_all_as_it_was(
        self, terse: Terse, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A full disk in the middle: the file that was written becomes what it was."""
        other = [json.loads(each) | {"server": "zoo"} for each in issue_lists(SESSIONS)]
        write(folder / "zoo.jsonl", map(json.dumps, other))
        text = RULES.replace("*/*", "tracker/*")
        (folder / "policies" / "rules.terse").write_text(text, encoding="utf-8")
        whole = tune.replace_file

        def full(path: str, text: str) -> None:
            if path.endswith("zoo.terse"):
                raise CommandError("cannot write: no space left on device")
            whole(path, text)

        monkeypatch.setattr(tune, "replace_file", full)

        done = terse("tune", "calls.jsonl", "zoo.jsonl", "--apply")

        assert done.returncode == 2, done.stdout
        assert rules_of(folder) == text
        assert [path.name for path in (folder / "policies").iterdir()] == ["rules.terse"]

    def test_line_ends_of_windows_stay(self, terse: Terse, folder: Path) -> None:
        """A patch would mix them; the file is left as it is, and that is said."""
        (folder / "policies" / "rules.terse").write_bytes(RULES.replace("\n", "\r\n").encode())

        done = terse("tune", "calls.jsonl")

        assert done.returncode == 0
        assert b"has line ends of Windows" in done.stdout

    def test_a_file_in_another_style_keeps_it(self, terse: Terse, folder: Path) -> None:
        """The change is about what it proposes, and not about white space."""
        text = RULES.replace("  on */*", "        on   */*")
        (folder / "policies" / "rules.terse").write_text(text, encoding="utf-8")

        assert terse("tune", "calls.jsonl", "--apply").returncode == 0

        assert rules_of(folder) == text.replace("minify", "compact")


def _when_tuned(monkeypatch: pytest.MonkeyPatch, do: Callable[[], object]) -> None:
    """Do something once the proposals are there, and before they are written."""
    from terse.tuning import tune as tuning

    found = tuning.tune

    def and_then(*arguments: object, **more: object) -> object:
        tuned = found(*arguments, **more)  # type: ignore[arg-type]
        do()
        return tuned

    monkeypatch.setattr(tuning, "tune", and_then)


WRONG = {
    "no such capture": ("tune", "missing.jsonl"),
    "write tokens (500) or a share (2%)": ("tune", "calls.jsonl", "--at-least", "some"),
    "a share is at most 100%": ("tune", "calls.jsonl", "--at-least", "101%"),
    "the name is empty": ("tune", "calls.jsonl", "--rules", ""),
    "no results in": ("tune", "empty.jsonl"),
    "broken.terse": ("tune", "calls.jsonl", "--rules", "broken.terse"),
    "--ledger": ("tune", "calls.jsonl", "--ledger", "calls.jsonl"),
    "no regular file": ("tune", "pipe"),
}


@pytest.mark.parametrize("said", WRONG)
def test_what_cannot_be_done_is_one_line(said: str, terse: Terse, folder: Path) -> None:
    """What, and what to write instead; exit code 2, and nothing hangs."""
    (folder / "empty.jsonl").write_bytes(b"\n")
    (folder / "broken.terse").write_text("terse 1\nrule {\n", encoding="utf-8")
    os.mkfifo(folder / "pipe")

    done = terse(*WRONG[said])

    assert done.returncode == 2
    assert said in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1


def test_every_kind_is_found_at_once(terse: Terse, folder: Path) -> None:
    """Of a folder with something of each: what gives something back comes first."""
    text = '\nrule logs {\n  on tracker/logs\n  use compact\n  set aside text\n  because "long"\n}\n'
    (folder / "policies" / "rules.terse").write_text(RULES + text, encoding="utf-8")
    random = Random(9)
    lines = issue_lists(SESSIONS, body_words=100)
    for session in SESSIONS:
        for at in range(8):
            log = {"text": prose(random, 90), "n": at}
            lines.append(line("logs", log, session=session, arguments={"at": at}))
            handle: dict[str, object] = {"handle": handle_of(str(log["text"]))}
            lines.append(line("terse_retrieve", str(log["text"]), session=session, arguments=handle))
            lines.append(line("poll", {"issues": [issue(Random(1), 5, 30)]}, session=session))
    write(folder / "calls.jsonl", lines)
    tools = [_tool(name) for name in ("list_issues", "logs", "poll")]
    lock = {"version": 1, "servers": {"tracker": {"tools": tools}}}
    (folder / "policies" / "tools.lock").write_text(json.dumps(lock), encoding="utf-8")

    done = terse("tune", "calls.jsonl", "--allow", "set-aside", "--output", "json")

    found = [each["kind"] for each in json.loads(done.stdout)["proposals"]]
    assert found == ["taken back", "chain", "repeats", "set aside", "list of tools"]


def _tool(name: str) -> dict[str, object]:
    return {
        "name": name,
        "description": "Asks the tracker.",
        "inputSchema": {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "title": name,
            "properties": {"page": {"type": "integer", "title": "Page", "default": None}},
            "additionalProperties": False,
        },
    }


def test_the_command_is_there() -> None:
    """Help needs no capture."""
    assert run(["tune", "--help"]) == 0
