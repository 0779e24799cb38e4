"""`terse diff`: what a change of rules does over the samples."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from terse.cli.diff import COMMAND
from tests.cli.conftest import Terse

ISSUES = json.dumps(
    {
        "issues": [
            {"number": n, "title": f"issue {n}", "avatar_url": f"https://x.example/{n}", "body": "text " * 40}
            for n in range(30)
        ]
    }
)
BEFORE = """terse 1

guard secrets {
  on vault/*
  require exact
}

rule everything {
  on */*
  use minify
}
"""
LOSING = """
rule issue-lists {
  on github/list_issues
  when payload has issues
  use minify
  remove every *_url
  because "links can be rebuilt | from the number"
}

test "open issues" {
  call github/list_issues(state: "open")
  given "samples/github/list_issues/open.json"
  expect rule issue-lists
}
"""

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def terse(terse_here: Terse) -> Terse:
    """The command, without the cost of a process for each run."""
    return terse_here


def _git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@t.example", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with policies/ as in `BEFORE`, two samples, and, where there is git, a commit on main."""
    samples = tmp_path / "policies" / "samples"
    for path, text in (
        ("github/list_issues/open.json", ISSUES),
        ("github/list_issues/none.json", '{"issues":[]}'),
        ("jira/search/page.json", json.dumps([{"key": f"A-{n}", "done": False} for n in range(30)])),
    ):
        (samples / path).parent.mkdir(parents=True, exist_ok=True)
        (samples / path).write_text(text)
    (tmp_path / "policies" / "all.terse").write_text(BEFORE)
    if shutil.which("git") is not None:
        _git(tmp_path, "init", "-q", "-b", "main")
        _git(tmp_path, "add", ".")
        _git(tmp_path, "commit", "-qm", "before")
    return tmp_path


@needs_git
def test_nothing_changed(terse: Terse, project: Path) -> None:
    """The same rules: no sample changes, exit 0."""
    done = terse("diff", "main")

    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().startswith("0 of 3 samples change.   Guards: unchanged.   Rules: unchanged, ")


@needs_git
def test_a_new_loss_fails(terse: Terse, project: Path, golden: Callable[[str, str], None]) -> None:
    """What is lost only now is named with its line and reason, and exits 1; --allow-loss accepts it."""
    (project / "policies" / "all.terse").write_text(BEFORE + LOSING)
    done = terse("diff", "main")

    assert (done.returncode, done.stderr) == (1, b"")
    golden("diff/new-loss.txt", done.stdout.decode())
    assert terse("diff", "main", "--allow-loss").returncode == 0


@needs_git
def test_the_example_of_the_help(terse: Terse, project: Path, golden: Callable[[str, str], None]) -> None:
    """Markdown for the pull request: new losses first, then the table; what is in it cannot break it."""
    (project / "policies" / "all.terse").write_text(BEFORE + LOSING)
    done = terse(*shlex.split(COMMAND.example)[1:])

    assert done.returncode == 1
    golden("diff/new-loss.md", done.stdout.decode())


@needs_git
def test_a_loss_that_stays_is_no_new_one(terse: Terse, project: Path) -> None:
    """What was lost before may go on being lost; more of it is a new loss."""
    rules = project / "policies" / "all.terse"
    rules.write_text(BEFORE + LOSING.replace("every *_url", "issues.body over 1k characters"))
    _git(project, "commit", "-qam", "lossy already")
    rules.write_text(BEFORE + LOSING.replace("every *_url", "issues.body over 2k characters"))
    less = terse("diff", "main")
    rules.write_text(BEFORE + LOSING.replace("every *_url", "issues.body over 100 characters"))
    more = terse("diff", "main", "--output", "json")

    assert less.returncode == 0
    assert more.returncode == 1
    assert json.loads(more.stdout)["new_losses"][0]["name"] in ("issues.body", "more of issues.body")


@needs_git
def test_removed_guards_and_unreachable_rules_are_told(terse: Terse, project: Path) -> None:
    """A guard that is gone is in the first line though no sample shows it."""
    rules = project / "policies" / "all.terse"
    rules.write_text(
        BEFORE.replace("guard secrets {\n  on vault/*\n  require exact\n}\n\n", "")
        + "\nrule dead {\n  on a/b\n  except a/*\n  use minify\n}\n"
    )
    first = terse("diff", "main").stdout.decode().splitlines()[0]

    assert "Guards: secrets removed." in first
    assert "Rules: dead added, dead unreachable." in first


@needs_git
def test_changed_tools_blocks_are_told(terse: Terse, project: Path) -> None:
    """What an agent is shown of the tools is in the first line, by the patterns of the blocks."""
    rules = project / "policies" / "all.terse"
    rules.write_text(BEFORE + "\ntools github/* {\n  hide delete_*\n}\n")
    _git(project, "commit", "-qam", "hidden")
    rules.write_text(BEFORE + "\ntools github/* {\n  hide x*\n}\n\ntools jira/* {\n  compress low\n}\n")
    first = terse("diff", "main").stdout.decode().splitlines()[0]

    assert first.endswith("Tools: jira/* added, github/* changed.")


@needs_git
def test_the_work_tree_is_not_touched(terse: Terse, project: Path) -> None:
    """The commit is read from git: no file, index or branch changes."""

    def state() -> bytes:
        return subprocess.run(
            ["git", "status", "--porcelain=v2", "--branch"], cwd=project, capture_output=True, check=True
        ).stdout

    (project / "policies" / "all.terse").write_text(BEFORE + LOSING)
    before = state()
    terse("diff", "main")

    assert state() == before


@needs_git
def test_from_a_folder_below(terse: Terse, project: Path) -> None:
    """Paths are from the working directory, wherever in the repository that is; imports are followed."""
    (project / "policies" / "org").mkdir()
    (project / "policies" / "org" / "base.terse").write_text(BEFORE)
    team = project / "policies" / "team.terse"
    (project / "policies" / "all.terse").unlink()
    team.write_text('terse 1\n\nimport "org/base.terse"\n')
    _git(project, "add", ".")
    _git(project, "commit", "-qm", "two files")
    team.write_text('terse 1\n\nimport "org/base.terse"\n' + LOSING)
    done = subprocess.run(
        [__import__("sys").executable, "-m", "terse", "diff", "main", "--rules", "team.terse"],
        cwd=project / "policies",
        capture_output=True,
        check=False,
    )

    assert done.returncode == 1, done.stderr
    assert b"issue-lists added" in done.stdout


@needs_git
def test_rules_that_a_commit_has_not(terse: Terse, project: Path) -> None:
    """A policy that is new is compared with no rules at all, and that is said."""
    (project / "new").mkdir()
    (project / "new" / "a.terse").write_text(BEFORE)
    done = terse("diff", "main", "--rules", "new")

    assert done.returncode == 0
    assert "note: main has no new: compared with no rules at all" in done.stdout.decode()
    assert "there is no sample" in done.stdout.decode()


def test_a_folder_is_compared_without_git(terse: Terse, project: Path) -> None:
    """The other version may be a folder of rules, or one file."""
    shutil.copytree(project / "policies", project / "old")
    (project / "policies" / "all.terse").write_text(BEFORE + LOSING)

    for other in ("old", "old/all.terse"):
        done = terse("diff", other, "--output", "json")
        facts = json.loads(done.stdout)
        assert done.returncode == 1
        assert facts["new_losses"] == [
            {
                "name": "every *_url",
                "at": "policies/all.terse:17",
                "because": ["links can be rebuilt | from the number"],
            }
        ]
        assert facts["tokens"]["after"] < facts["tokens"]["before"]


def test_calls_that_make_a_difference_are_told_apart(terse: Terse, project: Path) -> None:
    """A sample that tests use with two calls has a row for each where they differ."""
    shutil.copytree(project / "policies", project / "old")
    rules = LOSING.replace(
        "when payload has issues", 'when payload has issues\n  when argument state is "open"'
    )
    shut = LOSING.partition("\ntest ")[2].replace('"open issues"', '"shut"').replace('"open"', '"shut"')
    shut = shut.replace("  expect rule issue-lists\n", "")
    (project / "policies" / "all.terse").write_text(f"{BEFORE}{rules}\ntest {shut}")
    text = terse("diff", "old").stdout.decode()

    assert '      github/list_issues(state: "open")\n' in text
    assert text.startswith("1 of 3 samples changes.")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nowhere"], "nowhere: no such folder, and no revision: "),
        (["--output=yaml", "main"], "yaml"),
        (["old", "--rules", "nowhere"], "nowhere"),
        (["broken"], "the rules of broken do not compile: broken/a.terse:4"),
        (["empty"], "no .terse file"),
        (["--", "--exec=touch x"], "no such folder, and no revision"),
        (["\udcff"], "no such folder, and no revision"),
        ([""], ""),
    ],
)
def test_what_cannot_be_compared(terse: Terse, project: Path, arguments: list[str], says: str) -> None:
    """Exit code 2 and the reason; no traceback."""
    (project / "broken").mkdir()
    (project / "broken" / "a.terse").write_text("terse 1\n\nrule a {\n  frob\n}\n")
    (project / "empty").mkdir()
    done = terse("diff", *arguments)

    assert (done.returncode, done.stdout) == (2, b"")
    assert says in done.stderr.decode()
    assert b"Traceback" not in done.stderr


def test_outside_a_repository(terse: Terse, tmp_path: Path) -> None:
    """Without a repository the reason is git's own."""
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "a.terse").write_text(BEFORE)
    done = terse("diff", "main", GIT_CEILING_DIRECTORIES=str(tmp_path.parent))

    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1


def test_sessions_of_tests_are_run(terse: Terse, project: Path) -> None:
    """A rule that only a repeated call reaches is compared, too: the calls of a test are one session."""
    shutil.copytree(project / "policies", project / "old")
    again = LOSING.partition("\ntest ")[0].replace(
        "  when payload has issues\n", "  when payload has issues\n  when call repeats\n"
    )
    pair = '  call github/list_issues\n  given "samples/github/list_issues/open.json"\n'
    (project / "policies" / "all.terse").write_text(f'{BEFORE}{again}\ntest "twice" {{\n{pair}{pair}}}\n')
    done = terse("diff", "old")

    assert done.returncode == 1
    assert "      github/list_issues, then github/list_issues\n" in done.stdout.decode()
    assert "1 of 3 samples changes." in done.stdout.decode()
