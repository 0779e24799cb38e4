"""`terse init`: a first rule file from a server or from saved results."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from terse.cli.init import COMMAND
from tests.cli.conftest import Terse

SHELF = [sys.executable, str(Path(__file__).parent.parent / "servers" / "shelf.py")]
ROWS = json.dumps([{"id": n, "state": "open", "title": f"issue {n}"} for n in range(150)], indent=1)
LETTERS = json.dumps(
    {"letters": [{"id": n, "body": f"Dear reader {n}, " + f"word{n} " * 80} for n in range(12)]}
)
LOG = "".join(
    f"2026-01-01T00:00:{n % 60:02} INFO request {n * 7919 % 997} took {n % 13} ms\n" for n in range(400)
)


@pytest.fixture
def terse(terse_here: Terse) -> Terse:
    """The command, without the cost of a process for each run."""
    return terse_here


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A folder of saved results: three tools of one server, one tool of another."""
    folder = tmp_path / "results"
    for path, text in (
        ("shop/list_issues/open.json", ROWS),
        ("shop/read_letters/all.json", LETTERS),
        ("shop/tail/build.log", LOG),
        ("shop/tail/none.txt", "there is no such log"),
        ("Other Server/get/x.json", '{"a": 1}'),
    ):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def _passes_everything(terse: Terse, *paths: str) -> None:
    for arguments in (("check",), ("fmt", "--check"), ("test", "--at-least", "100")):
        done = terse(*arguments, *paths)
        assert done.returncode == 0, f"{arguments}\n{done.stdout.decode()}\n{done.stderr.decode()}"


def test_the_example_of_the_help(
    terse: Terse, tmp_path: Path, results: Path, golden: Callable[[str, str], None]
) -> None:
    """From saved results: a file for each server that passes check, fmt and test, and samples by place."""
    done = terse(*shlex.split(COMMAND.example)[1:])
    policies = tmp_path / "policies"

    assert (done.returncode, done.stderr) == (0, b"")
    assert sorted(path.name for path in policies.glob("*.terse")) == ["other-server.terse", "shop.terse"]
    assert (policies / "samples" / "shop" / "list_issues" / "open.json").read_text() == ROWS
    _passes_everything(terse)
    _passes_everything(terse, "policies/shop.terse", "policies/other-server.terse")
    # What exactly is saved is not the point here, and differs as tiers get better.
    written = re.sub(r"  expect saving .*\n", "", (policies / "shop.terse").read_text(encoding="utf-8"))
    golden("init/shop.terse", re.sub(r"has [\d,]+ tokens", "has … tokens", written))


def test_nothing_is_lost_by_what_it_writes(terse: Terse, results: Path) -> None:
    """Every rule in force is lossless or better."""
    terse("init", "--from", "results")
    facts = json.loads(terse("show", "--json").stdout)

    assert {rule["guarantee"] for rule in facts["rules"]} <= {"exact", "lossless"}


def test_the_lines_it_prints_run(terse: Terse, results: Path) -> None:
    """What stands below `Next:` are commands that work (but the proxy, which needs a server)."""
    out = terse("init", "--from", "results").stdout.decode()
    lines = [line.strip() for line in out.partition("Next:\n")[2].splitlines()]

    assert [line.split()[1] for line in lines] == ["check", "test", "explain", "proxy"]
    for line in lines[:-1]:
        assert terse(*shlex.split(line)[1:]).returncode == 0, line


def test_the_advice_is_rules_that_hold(terse: Terse, tmp_path: Path, results: Path) -> None:
    """The rules in comments, without their marks, compile, are formatted, and win over the first one."""
    terse("init", "--from", "results")
    file = tmp_path / "policies" / "shop.terse"
    text = file.read_text(encoding="utf-8")
    rules = re.findall(r"(?:^# (?:rule .*|  .*|\})\n)+", text.partition("rule shop {")[2], re.MULTILINE)
    for rule in rules:
        text = text.replace(rule, re.sub(r"^# ", "", rule, flags=re.MULTILINE))
    file.write_text(text, encoding="utf-8")

    assert len(rules) == 2
    assert terse("check", "policies/shop.terse").returncode == 0
    assert terse("fmt", "--check", "policies/shop.terse").returncode == 0
    explained = terse(
        "explain", "policies/samples/shop/read_letters/all.json", "--rules", "policies/shop.terse"
    )
    assert explained.stdout.decode().startswith("shop/read_letters  →  rule shop-read_letters")


def test_from_a_server(terse: Terse, tmp_path: Path) -> None:
    """tools.lock, a sample and a test for each --call, with its arguments; no other tool is called."""
    done = terse(
        "init", "--call", "list_books", "--call", 'find_book(author: "A \\"B\\" C")', "--call", "burn_book",
        "--", *SHELF,
    )  # fmt: skip
    policies = tmp_path / "policies"
    rules = (policies / "shelf.terse").read_text(encoding="utf-8")

    assert (done.returncode, done.stderr) == (0, b"")
    assert 'call shelf/find_book(author: "A \\"B\\" C")' in rules
    assert "burn_book" in rules
    assert (policies / "tools.lock").exists()
    assert len([path for path in (policies / "samples").rglob("*") if path.is_file()]) == 3
    _passes_everything(terse)


def test_from_a_server_without_calls(terse: Terse, tmp_path: Path) -> None:
    """Nothing is called unasked: the file has a rule and no test, and it is said how to get one."""
    done = terse("init", "--server-name", "My Shelf", "--", *SHELF)

    assert done.returncode == 0
    assert "nothing of the server was called" in done.stdout.decode()
    assert 'on "My Shelf"/*' in (tmp_path / "policies" / "my-shelf.terse").read_text(encoding="utf-8")
    assert not (tmp_path / "policies" / "samples").exists()
    assert terse("check").returncode == 0
    assert terse("fmt", "--check").returncode == 0


def test_nothing_is_overwritten(terse: Terse, tmp_path: Path, results: Path) -> None:
    """A rule file or a sample that is there stays, and then nothing at all is written."""
    policies = tmp_path / "policies"
    policies.mkdir()
    (policies / "shop.terse").write_text("terse 1\n")
    first = terse("init", "--from", "results")
    (policies / "shop.terse").unlink()
    sample = policies / "samples" / "shop" / "list_issues" / "open.json"
    sample.parent.mkdir(parents=True)
    sample.write_text("[]")
    second = terse("init", "--from", "results")

    assert first.returncode == second.returncode == 2
    assert b"policies/shop.terse is there already" in first.stderr
    assert b"policies/samples/shop/list_issues/open.json is there already" in second.stderr
    assert sample.read_text() == "[]"
    assert [path for path in policies.rglob("*") if path.is_file()] == [sample]


def test_samples_in_place_are_used_where_they_are(terse: Terse, tmp_path: Path, results: Path) -> None:
    """`--from policies/samples` makes rules for samples that are there."""
    (tmp_path / "policies").mkdir()
    results.rename(tmp_path / "policies" / "samples")
    done = terse("init", "--from", "policies/samples")

    assert done.returncode == 0
    _passes_everything(terse)


def test_rules_that_do_not_go_with_others_are_not_written(
    terse: Terse, tmp_path: Path, results: Path
) -> None:
    """A rule for the same calls is there: the collision is told before anything is written."""
    policies = tmp_path / "policies"
    policies.mkdir()
    (policies / "mine.terse").write_text("terse 1\n\nrule mine {\n  on shop/*\n  use minify\n}\n")
    done = terse("init", "--from", "results")

    assert done.returncode == 2
    assert b"the new rules do not go with those in policies" in done.stderr
    assert done.stderr.count(b"\n") == 1
    assert [path.name for path in policies.iterdir()] == ["mine.terse"]


def test_what_is_never_stored_is_no_sample(terse: Terse, tmp_path: Path, results: Path) -> None:
    """A guard with `never store` holds for saved results, too."""
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "a.terse").write_text(
        "terse 1\n\nguard letters {\n  on */read_*\n  never store\n}\n"
    )
    done = terse("init", "--from", "results")

    assert done.returncode == 2
    assert b"never stores results of shop/read_letters" in done.stderr
    assert not (tmp_path / "policies" / "samples").exists()


def test_flat_folders_and_odd_files(terse: Terse, tmp_path: Path) -> None:
    """TOOL.json and TOOL/x.json are of a server called like the folder; what is no text is left out."""
    folder = tmp_path / "git hub"
    (folder / "list_commits").mkdir(parents=True)
    (folder / "list_commits" / "a.json").write_text(ROWS)
    (folder / "get_me.json").write_text('{"login": "octo", "name": "* \\n"}')
    (folder / "picture.json").write_bytes(b"\x89PNG\0")
    (folder / "latin.txt").write_bytes(b"caf\xe9")
    (folder / "empty.json").write_bytes(b"")
    (folder / "line\nend.json").write_text("{}")
    done = terse("init", "--from", "git hub")
    out = done.stdout.decode()

    assert done.returncode == 0, done.stderr
    for name, why in (("picture.json", "binary"), ("latin.txt", "not UTF-8"), ("empty.json", "empty")):
        assert re.search(rf"note: .*{name} is left out: it is {why}", out)
    assert "its name does not print" in out
    assert (tmp_path / "policies" / "samples" / "git hub" / "get_me" / "get_me.json").exists()
    _passes_everything(terse)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "name one to begin with"),
        (["--from", "results", "--", "x"], "name one to begin with"),
        (["--from", "results", "--call", "a"], "--call needs a server"),
        (["--from", "nowhere"], "--from nowhere: "),
        (["--from", "empty"], "there is no saved result"),
        (["--from", "results", "--rules", "file"], "not a folder"),
        (["--from", "\udcff"], "--from "),
        (["--server-name", "a\nb", "--", *SHELF], "--server-name: "),
        (["--server-name", "..", "--", *SHELF], "--server-name: "),
        (["--", "/nowhere/server"], "there is no command /nowhere/server"),
        (["--call", "x(", "--", *SHELF], "--call x(: "),
    ],
)
def test_what_cannot_begin(
    terse: Terse, tmp_path: Path, results: Path, arguments: list[str], says: str
) -> None:
    """A reason on stderr, exit code 2, and no file."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("")
    done = terse("init", *arguments)

    assert done.returncode == 2
    assert says in done.stderr.decode()
    assert b"Traceback" not in done.stderr
    assert not (tmp_path / "policies").exists()
