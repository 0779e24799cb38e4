"""`terse snapshot`: tools.lock and samples, from a running server."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from terse.cli.snapshot import COMMAND
from tests.cli.conftest import Terse

SHELF = [sys.executable, str(Path(__file__).parent.parent / "servers" / "shelf.py")]


@pytest.fixture
def terse(terse_here: Terse) -> Terse:
    """The command, without the cost of a process for each run."""
    return terse_here


def _lock(folder: Path) -> dict[str, list[str]]:
    lock = json.loads((folder / "tools.lock").read_text(encoding="utf-8"))
    return {name: [tool["name"] for tool in server["tools"]] for name, server in lock["servers"].items()}


def test_all_pages_of_the_tools_are_saved(terse: Terse, tmp_path: Path) -> None:
    """tools.lock has every tool with its schema, sorted by name, in policies/ if nothing else is said."""
    done = terse("snapshot", "--server-name", "shelf", "--", *SHELF)
    lock = json.loads((tmp_path / "policies" / "tools.lock").read_text(encoding="utf-8"))

    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == "policies/tools.lock: shelf has 5 tools: 5 new\n"
    assert _lock(tmp_path / "policies") == {
        "shelf": ["burn_book", "find_book", "list_books", "open_book", "two_books"]
    }
    properties = lock["servers"]["shelf"]["tools"][0]["inputSchema"]["properties"]
    assert properties["order"]["enum"] == ["title", "price"]


def test_other_servers_stay_and_changes_are_named(terse: Terse, tmp_path: Path) -> None:
    """A second server is added beside the first; what a server changes is told."""
    lock = tmp_path / "policies" / "tools.lock"
    terse("snapshot", "--server-name", "zoo", "--", *SHELF)
    terse("snapshot", "--server-name", "ark", "--", *SHELF, "--tools", "list_books,sell_book")
    before = lock.read_bytes()
    again = terse("snapshot", "--server-name", "ark", "--", *SHELF, "--tools", "sell_book,list_books")
    changed = terse("snapshot", "--server-name", "ark", "--", *SHELF, "--tools", "list_books,buy_book,x")

    assert list(json.loads(before)["servers"]) == ["ark", "zoo"]
    assert again.stdout.decode() == "policies/tools.lock: ark has 2 tools, as before\n"
    assert changed.stdout.decode() == "policies/tools.lock: ark has 3 tools: 2 new; sell_book removed\n"
    assert _lock(tmp_path / "policies")["zoo"] == sorted(_lock(tmp_path / "policies")["zoo"])


def test_calls_are_saved_as_samples(terse: Terse, tmp_path: Path) -> None:
    """The text as received, by place: JSON or not, an error whole, several texts each a file."""
    done = terse(
        *("snapshot", "--rules", "rules", "--server-name", "shelf"),
        *("--call", "list_books", "--call", 'shelf/find_book(author: "Ada")'),
        *("--call", "burn_book(id: 7)", "--call", "two_books", "--call", "open_book"),
        *("--", *SHELF),
    )
    samples = tmp_path / "rules" / "samples" / "shelf"

    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads((samples / "list_books" / "result.json").read_text())[0]["price"] == 1.5
    found = samples / "find_book" / "author-Ada.txt"
    assert found.read_text(encoding="utf-8") == "Nothing by Ada — «nothing».\n"
    assert json.loads((samples / "burn_book" / "id-7-error.json").read_text())["isError"] is True
    assert sorted(path.name for path in (samples / "two_books").iterdir()) == [
        "result-1.json",
        "result-2.txt",
    ]
    assert "not saved, as they have no text: image" in done.stdout.decode()
    assert "shelf/open_book: the result is empty" in done.stdout.decode()


def test_the_example_of_the_help(terse: Terse, tmp_path: Path) -> None:
    """The line of --help, with this server for the one it names; the sample can be explained by its place."""
    arguments = shlex.split(COMMAND.example)[1:]
    command = arguments.index("--")
    done = terse(*arguments[:command], "--", *SHELF)
    sample = "policies/samples/shelf/list_tables/schema-public.json"

    assert done.returncode == 0
    assert done.stdout.decode().startswith("the server is called shelf (--server-name")
    assert (tmp_path / sample).read_text() == '[{"name": "books"}, {"name": "readers"}]'
    assert terse("explain", sample).stdout.decode().startswith("shelf/list_tables  →  rule everything")


def test_what_is_never_stored_is_no_sample(terse: Terse, tmp_path: Path) -> None:
    """A guard with `never store` holds for samples; rules that do not compile stop them, too."""
    folder = tmp_path / "policies"
    folder.mkdir()
    (folder / "a.terse").write_text("terse 1\n\nguard secrets {\n  on */find_*\n  never store\n}\n")
    arguments = ("snapshot", "--server-name", "shelf", "--call", "find_book", "--", *SHELF)
    refused = terse(*arguments)
    (folder / "a.terse").write_text("terse 1\n\nguard secrets {\n")
    broken = terse(*arguments)

    assert refused.returncode == broken.returncode == 2
    assert b"guard secrets (policies/a.terse:3) never stores results of shelf/find_book" in refused.stderr
    assert b"no sample is saved while nobody can tell" in broken.stderr
    assert refused.stderr.count(b"\n") == broken.stderr.count(b"\n") == 1
    assert not (folder / "samples").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--", "/nowhere/server"], "there is no command /nowhere/server"),
        (["--", *SHELF, "--die"], "its last words: no more books"),
        (["--call", "sell_book", "--", *SHELF], "the server failed: shelf/sell_book: no"),
        (["--", *SHELF, "--same-cursor"], "the same cursor twice"),
        (["--timeout", "1", "--", *SHELF, "--silent"], "more than 1 seconds"),
        (["--", sys.executable, "-c", "print('hello')"], "the server failed: "),
        (["--call", "list_books(", "--", *SHELF], "--call list_books(: "),
        (["--call", "*", "--", *SHELF], "is a pattern"),
        (["--call", '".."', "--", *SHELF], "cannot be the name of a folder"),
        (
            ["--call", "other/list_books", "--server-name", "shelf", "--", *SHELF],
            "the server is called shelf",
        ),
        (["--rules", "x.json", "--", *SHELF], "neither a .terse file nor a folder"),
        ([], ""),
    ],
)
def test_what_fails_is_one_line(terse: Terse, tmp_path: Path, arguments: list[str], says: str) -> None:
    """The reason on stderr, no traceback, and no file is written."""
    (tmp_path / "x.json").write_text("{}")
    done = terse("snapshot", *arguments)

    assert done.returncode == 2
    assert says in done.stderr.decode()
    assert b"Traceback" not in done.stderr
    assert not (tmp_path / "policies").exists()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"version": 2}', '{"version": 1, "servers": {"a": []}}', "\udcff"]
)
def test_a_lock_that_is_none_is_left(terse: Terse, tmp_path: Path, text: str) -> None:
    """What is in the way is named and not overwritten."""
    lock = tmp_path / "policies" / "tools.lock"
    lock.parent.mkdir()
    lock.write_bytes(text.encode("utf-8", "surrogateescape"))
    done = terse("snapshot", "--server-name", "shelf", "--", *SHELF)

    assert done.returncode == 2
    assert b"policies/tools.lock" in done.stderr
    assert done.stderr.count(b"\n") == 1
    assert lock.read_bytes() == text.encode("utf-8", "surrogateescape")
