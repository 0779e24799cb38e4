"""The stores of what was set aside: what holds for one in the process, in a file, in Redis; and the file."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terse.memory.redis_link import RedisLink
from terse.memory.redis_store import RedisStore
from terse.memory.sqlite_store import SqliteStore, Unusable
from terse.memory.store import Store, handle_of

Make = Callable[[int], Store]


_PRINCIPALS = count()


@pytest.fixture(params=["process", "file", "redis", "valkey"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Make:
    """Makes a store with room for so many bytes."""
    if request.param == "process":
        return Store
    if request.param == "file":
        return lambda size: SqliteStore(tmp_path / "store.db", size)
    url = request.getfixturevalue(f"{request.param}_url")
    return lambda size: RedisStore(RedisLink(url), f"user {next(_PRINCIPALS)}", size)


# ---- every store -------------------------------------------------------------------------------------


def test_what_was_taken_in_is_given_back(make: Make) -> None:
    """A handle resolves for as long as the store lives; an unknown one does not."""
    store = make(100)

    assert store.keep({"h000000001": "first"})
    assert store.get("h000000001") == "first"
    assert store.get("h000000002") is None


def test_a_full_store_refuses_and_drops_nothing(make: Make) -> None:
    """All of the texts are taken in, or none; what is there stays there."""
    store = make(10)
    assert store.keep({"h000000001": "12345"})

    assert not store.keep({"h000000002": "1234", "h000000003": "12"})
    assert store.get("h000000001") == "12345"
    assert store.get("h000000002") is None
    assert store.free_bytes == 5


def test_the_same_text_counts_once(make: Make) -> None:
    """Setting the same value aside again takes no more room."""
    store = make(10)

    assert store.keep({"h000000001": "1234567890"})
    assert store.keep({"h000000001": "1234567890"})
    assert store.free_bytes == 0


def test_a_handle_never_changes_its_meaning(make: Make) -> None:
    """Where two texts share a handle, the second is refused, and what came with it."""
    store = make(100)

    assert store.keep({"h000000001": "one"})
    assert not store.keep({"h000000002": "other", "h000000001": "two"})
    assert store.get("h000000001") == "one"
    assert store.get("h000000002") is None


@pytest.mark.parametrize("text", ["", "a\ud800b", "\0\r\n\u2028", "é" * 1000])
def test_any_text_comes_back(make: Make, text: str) -> None:
    """Also what is no valid Unicode."""
    store = make(10_000)

    assert store.keep({handle_of(text): text})
    assert store.get(handle_of(text)) == text


def test_threads_may_use_it_at_once(make: Make) -> None:
    """What each of them was promised is there."""
    store = make(1_000_000)
    texts = [f"text {n}" for n in range(200)]
    threads = [
        threading.Thread(target=lambda part=texts[n::4]: [store.keep({handle_of(t): t}) for t in part])
        for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert all(store.get(handle_of(text)) == text for text in texts)
    assert store.free_bytes == 1_000_000 - sum(map(len, texts))


# ---- the file ------------------------------------------------------------------------------------------


def test_a_file_outlives_its_proxy(tmp_path: Path) -> None:
    """Another one that is given the file has what was promised, and no more room than is left."""
    first = SqliteStore(tmp_path / "store.db", 100)
    assert first.keep({"h000000001": "first"})
    first.close()

    second = SqliteStore(tmp_path / "store.db", 100)

    assert second.get("h000000001") == "first"
    assert second.free_bytes == 95


def test_only_its_user_can_read_it(tmp_path: Path) -> None:
    """The file, those beside it, and the folders that had to be made; whatever the umask says."""
    path = tmp_path / "new" / "folder" / "store.db"
    before = os.umask(0)
    try:
        store = SqliteStore(path)
        assert store.keep({"h000000001": "first"})
        modes = {each: stat.S_IMODE(each.stat().st_mode) for each in (tmp_path / "new").rglob("*")}
    finally:
        os.umask(before)

    assert {mode for each, mode in modes.items() if each.is_file()} == {0o600}
    assert modes[path.parent] == stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700


def test_what_was_set_aside_expires(tmp_path: Path) -> None:
    """After its time, counted from when it was last set aside; then there is room again."""
    now = [1000.0]
    store = SqliteStore(tmp_path / "store.db", 10, seconds=60, clock=lambda: now[0])
    assert store.keep({"h000000001": "12345"})
    now[0] += 50
    assert store.keep({"h000000001": "12345", "h000000002": "67890"})
    now[0] += 50
    assert store.get("h000000001") == "12345"
    assert store.free_bytes == 0

    now[0] += 10

    assert store.get("h000000001") is None
    assert store.free_bytes == 10
    assert store.keep({"h000000001": "other"})


_KEEP = """
import sys
from terse.memory.sqlite_store import SqliteStore
from terse.memory.store import handle_of
store = SqliteStore(sys.argv[1], 1_000_000)
for number in range(100):
    text = f"{sys.argv[2]} {number}"
    while not store.keep({handle_of(text): text, handle_of("both"): "both"}):
        pass
"""


def test_several_proxies_may_use_it_at_once(tmp_path: Path) -> None:
    """What each of them was promised is there, and counts once."""
    path = tmp_path / "store.db"
    running = [subprocess.Popen([sys.executable, "-c", _KEEP, str(path), name]) for name in "abc"]
    assert [process.wait(60) for process in running] == [0, 0, 0]

    store = SqliteStore(path, 1_000_000)
    texts = [f"{name} {number}" for name in "abc" for number in range(100)]

    assert all(store.get(handle_of(text)) == text for text in [*texts, "both"])
    assert store.free_bytes == 1_000_000 - sum(map(len, texts)) - len("both")


def test_a_file_that_cannot_be_written_sets_nothing_aside(tmp_path: Path) -> None:
    """While another program holds it, say: refused, and nothing raised."""
    store = SqliteStore(tmp_path / "store.db")
    other = sqlite3.connect(tmp_path / "store.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")

    assert not store.keep({"h000000001": "first"})
    other.execute("ROLLBACK")
    other.close()
    assert store.keep({"h000000001": "first"})


def test_on_a_full_disk_nothing_more_is_set_aside(tmp_path: Path) -> None:
    """What was taken in is still given, and there is room again once the disk has some."""
    store = SqliteStore(tmp_path / "store.db")
    assert store.keep({handle_of("one"): "one"})
    pages = store._database.execute("PRAGMA page_count").fetchone()[0]
    store._database.execute(f"PRAGMA max_page_count = {pages + 2}")
    large = "x" * 100_000

    assert not store.keep({handle_of(large): large})
    assert store.get(handle_of("one")) == "one"
    assert store.get(handle_of(large)) is None

    store._database.execute("PRAGMA max_page_count = 1000000")
    assert store.keep({handle_of(large): large})
    assert store.get(handle_of(large)) == large


def test_what_is_no_store_is_refused(tmp_path: Path) -> None:
    """A folder, a link, another program's file: said at the start, and left as it is."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "words").write_text("words and words\n" * 100)
    (tmp_path / "link").symlink_to(tmp_path / "words")
    (tmp_path / "file").write_text("")

    for name in ("folder", "words", "link", "file/store.db"):
        with pytest.raises(Unusable):
            SqliteStore(tmp_path / name)
    assert (tmp_path / "words").read_text() == "words and words\n" * 100


# ---- handles -------------------------------------------------------------------------------------------


@given(text=st.text())
def test_a_handle_is_short_and_follows_from_the_text(text: str) -> None:
    """`h` and nine digits, the same every time."""
    handle = handle_of(text)

    assert handle == handle_of(text)
    assert handle[0] == "h"
    assert len(handle) == 10
    assert handle[1:].isdigit()
