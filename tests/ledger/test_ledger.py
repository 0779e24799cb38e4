"""The ledger: what is noted comes back, many processes write it at once, and it fails without a fuss."""

from __future__ import annotations

import os
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from terse.guarantee import Guarantee
from terse.ledger import file as ledger_file
from terse.ledger.file import Unusable
from terse.ledger.place import place
from terse.ledger.reader import records
from terse.ledger.writer import MAX_NAME, Ledger
from terse.record import Record
from tests.ledger.notes import AT, record

ROOT = Path(__file__).parent.parent.parent
ALL = float("-inf")


def noted(path: Path, *wanted: Record) -> list[Record]:
    """What is in a ledger once these were noted."""
    said: list[str] = []
    ledger = Ledger(path, said.append, clock=lambda: AT)
    for each in wanted:
        ledger.observe(each)
    ledger.close(30.0)
    assert said == []
    return list(records(path, ALL))


def writer(path: Path, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.ledger.notes", str(path), *words]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


NAMES = st.text(max_size=20)
RECORDS = st.builds(
    record,
    at=st.floats(AT - 1e6, AT),
    what=st.sampled_from(["result", "list", "retrieve", "definition", "refusal", "error"]),
    client=NAMES,
    server=NAMES,
    tool=NAMES,
    is_error=st.booleans(),
    rule=st.none() | NAMES,
    guarantee=st.sampled_from(list(Guarantee)),
    lines=st.tuples(NAMES),
    tiers=st.tuples(NAMES),
    tokens_in=st.none() | st.integers(0, 2**40),
    tokens_out=st.none() | st.integers(0, 2**40),
    repeat=st.sampled_from([None, "dedup", "diff"]),
    aside_values=st.integers(0, 1000),
    aside_tokens=st.none() | st.integers(0, 2**40),
    retrieved=st.sampled_from([None, "value", "whole"]),
    is_first=st.booleans(),
    bounds=st.sampled_from([(), ("fit in",), ("lose at most", "spend at most")]),
    faults=st.sampled_from([(), ("gate",), ("step", "late")]),
    form=st.sampled_from(["text", "joined", "structured"]),
)


@settings(max_examples=20)
@given(st.lists(RECORDS, max_size=5))
def test_what_is_noted_comes_back(tmp_path_factory: pytest.TempPathFactory, wanted: list[Record]) -> None:
    """Every field of every record, whatever the names are, in the order of their times."""
    if not wanted:
        return
    found = noted(tmp_path_factory.mktemp("ledger") / "ledger.sqlite", *wanted)

    assert found == sorted(wanted, key=lambda each: each.at)


def test_names_are_cut_and_made_storable(tmp_path: Path) -> None:
    """Servers name things as they like: long names are cut, and what is no character becomes a mark."""
    found = noted(tmp_path / "l.sqlite", record(tool="x" * 10_000, server="a\ud800b"))

    assert (found[0].tool, found[0].server) == ("x" * MAX_NAME, "a?b")


def test_the_file_is_the_user_s_own(tmp_path: Path) -> None:
    """Nobody else can read it, nor the folder that is made for it."""
    path = tmp_path / "state" / "terse" / "ledger.sqlite"
    noted(path, record())

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_file_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    """Also where it was there before."""
    path = tmp_path / "ledger.sqlite"
    noted(path, record())
    path.chmod(0o644)
    noted(path, record())

    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_four_processes_write_at_once(tmp_path: Path) -> None:
    """Two thousand results each as fast as a thousand a second: every one of them is there afterwards."""
    path = tmp_path / "ledger.sqlite"
    writers = [writer(path, "2000") for _ in range(4)]
    said = [each.communicate(timeout=120) for each in writers]

    assert [(out.strip(), err) for out, err in said] == [("2000", "")] * 4
    assert sum(1 for _ in records(path, ALL)) == 8000


def test_a_killed_process_leaves_a_ledger_that_can_be_read(tmp_path: Path) -> None:
    """What it had written is there, whole, and others write on."""
    path = tmp_path / "ledger.sqlite"
    killed, other = writer(path, "100000", "0.001"), writer(path, "500", "0.002")
    until = time.monotonic() + 60
    while time.monotonic() < until and (not path.exists() or _count(path) < 100):
        time.sleep(0.02)
    killed.send_signal(signal.SIGKILL)
    out, err = other.communicate(timeout=120)
    killed.communicate(timeout=60)

    assert (out.strip(), err) == ("500", "")
    found = list(records(path, ALL))
    assert len(found) >= 600 - 100
    with sqlite3.connect(path) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def _count(path: Path) -> int:
    try:
        return sum(1 for _ in records(path, ALL))
    except Unusable:
        return 0


def test_the_oldest_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is older than it is to be kept, and what is more than there is room for."""
    monkeypatch.setattr(ledger_file, "MAX_ROWS", 10)
    monkeypatch.setattr("terse.ledger.writer.TRIM_EVERY", 1)
    old = record(at=AT - (ledger_file.DAYS + 1) * 86400, tool="old")
    new = [record(at=AT - 100 + number, tool=str(number)) for number in range(30)]

    found = noted(tmp_path / "ledger.sqlite", old, *new)

    assert [each.tool for each in found] == [str(number) for number in range(20, 30)]


@pytest.mark.parametrize(
    ("prepare", "says"),
    [
        (lambda path: path.mkdir(), "Is a directory"),
        (lambda path: path.write_bytes(b"something else" * 100), "file is not a database"),
        (lambda path: sqlite3.connect(path).execute("PRAGMA user_version = 7").close(), "it is of version 7"),
    ],
    ids=["a folder", "another file", "a newer ledger"],
)
def test_what_is_no_ledger_is_said_once(tmp_path: Path, prepare: object, says: str) -> None:
    """Nothing else happens: records are dropped, and the file is as it was."""
    path = tmp_path / "ledger.sqlite"
    assert callable(prepare)
    prepare(path)
    before = path.read_bytes() if path.is_file() else b""
    said: list[str] = []
    ledger = Ledger(path, said.append)
    for _ in range(3):
        ledger.observe(record())
    ledger.close(30.0)
    ledger.observe(record())

    assert [line.startswith(f"nothing more is noted in {path}: {says}") for line in said] == [True]
    assert (path.read_bytes() if path.is_file() else b"") == before


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    """Somebody else could have put it there."""
    (tmp_path / "target").touch()
    (tmp_path / "ledger.sqlite").symlink_to(tmp_path / "target")
    said: list[str] = []
    ledger = Ledger(tmp_path / "ledger.sqlite", said.append)
    ledger.observe(record())
    ledger.close(30.0)

    assert len(said) == 1
    assert (tmp_path / "target").read_bytes() == b""


def test_on_a_full_disk_what_was_noted_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line says so, nothing more is noted, and what was can still be read."""
    path = tmp_path / "ledger.sqlite"
    noted(path, record())

    opened = ledger_file.opened

    def opened_small(path: Path) -> sqlite3.Connection:
        database = opened(path)
        pages = database.execute("PRAGMA page_count").fetchone()[0]
        database.execute(f"PRAGMA max_page_count = {pages + 2}")
        return database

    said: list[str] = []
    with monkeypatch.context() as small:
        small.setattr(ledger_file, "opened", opened_small)
        ledger = Ledger(path, said.append, clock=lambda: AT)
        for _ in range(2000):
            ledger.observe(record())
        ledger.close(30.0)

    assert said == [f"nothing more is noted in {path}: database or disk is full"]
    assert record() in list(records(path, ALL))
    assert len(noted(path, record())) >= 2


def test_nothing_happens_without_a_record(tmp_path: Path) -> None:
    """No file is made, and the end is not waited for."""
    Ledger(tmp_path / "ledger.sqlite", lambda words: None).close(30.0)

    assert list(tmp_path.iterdir()) == []


def test_where_the_ledger_is() -> None:
    """Where the environment says, or in the user's state folder; nowhere where it is off."""
    assert place({"TERSE_LEDGER": "off"}) is None
    assert place({"TERSE_LEDGER": "/x/y"}) == "/x/y"
    assert place({"XDG_STATE_HOME": "/state"}) == "/state/terse/ledger.sqlite"
    assert place({}) == os.path.expanduser("~/.local/state/terse/ledger.sqlite")


def test_the_line_at_the_end() -> None:
    """Results, tokens and the share that was saved, fetched ones charged; nothing where there was nothing."""
    ledger = Ledger(Path("/nowhere/at/all"), lambda words: None)
    assert ledger.total.line() is None
    ledger.total.add(record())
    ledger.total.add(record(what="list", tokens_in=1000, tokens_out=500, tool=""))
    ledger.total.add(record(what="retrieve", tokens_in=0, tokens_out=100))

    assert ledger.total.line() == "1 result, 2,000 → 1,000 tokens (50% saved); terse stats has more"
