"""The folder of captured calls: private, bounded, and whole line by line whatever happens."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from terse.capture import folder as folders
from terse.capture.asked import DAYS, LEAST_BYTES, Asked, Unusable, read, write
from terse.capture.folder import Folder, delete, files, opened

LINE = b'{"x":"' + b"y" * 1000 + b'"}\n'


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_folder_and_files_are_the_user_s_alone(tmp_path: Path) -> None:
    """0700 and 0600 under any umask; terse's own folder is closed again where it was open."""
    place = tmp_path / "state" / "captures"
    place.mkdir(parents=True, mode=0o755)
    before = os.umask(0)
    try:
        made = Folder(str(place), LEAST_BYTES, is_ours=True)
        made.write(LINE)
    finally:
        os.umask(before)

    (file,) = place.iterdir()
    assert (mode(place), mode(file)) == (0o700, 0o600)


def test_a_folder_that_others_can_write_to_is_not_used(tmp_path: Path) -> None:
    """They could read, or plant, what lies in it."""
    place = tmp_path / "shared"
    place.mkdir()
    place.chmod(0o777)

    with pytest.raises(OSError, match="others can write to it"):
        opened(str(place), is_ours=False)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    """Somebody else could say with it where calls are written to."""
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "real")

    with pytest.raises(OSError):  # noqa: PT011 — which one hangs on the system
        opened(str(tmp_path / "link"), is_ours=True)


def test_a_folder_of_another_user_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its owner could read what is in it."""
    monkeypatch.setattr(os, "getuid", lambda: 12345)

    with pytest.raises(OSError, match="another user"):
        opened(str(tmp_path), is_ours=True)


def test_the_oldest_files_go_first_and_whole(tmp_path: Path) -> None:
    """What all files take together stays below the bound; what is left is whole lines, the newest."""
    made = Folder(str(tmp_path), LEAST_BYTES, is_ours=True)
    for number in range(3 * LEAST_BYTES // len(LINE)):
        made.write(LINE)
        if number % 100 == 0:
            assert sum(file.size for file in files(str(tmp_path))) <= LEAST_BYTES

    found = files(str(tmp_path))
    assert len(found) > 2
    for file in found:
        assert (tmp_path / file.name).read_bytes().replace(LINE, b"") == b""


def test_files_that_are_too_old_go(tmp_path: Path) -> None:
    """Whatever room there is; a file that is not ours stays."""
    made = Folder(str(tmp_path), LEAST_BYTES, is_ours=True)
    made.write(LINE)
    made.close()
    (old,) = tmp_path.iterdir()
    other = tmp_path / "mine.jsonl"
    other.write_bytes(LINE)
    for path in (old, other):
        os.utime(path, (0, time.time() - (DAYS + 1) * 86400))
    made = Folder(str(tmp_path), LEAST_BYTES, is_ours=True)
    made.write(LINE)

    assert not old.exists()
    assert other.exists()
    delete(str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["mine.jsonl"]


def test_a_file_that_was_deleted_is_not_gone_on_with(tmp_path: Path) -> None:
    """Another process made room, or the user did: the next call is in a new file."""
    made = Folder(str(tmp_path), LEAST_BYTES, is_ours=True)
    made.write(LINE)
    delete(str(tmp_path))
    made.write(LINE)

    (file,) = files(str(tmp_path))
    assert file.size == len(LINE)


def test_a_full_disk_costs_the_line_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of it is left, and what comes later is written once there is room."""
    made = Folder(str(tmp_path), LEAST_BYTES, is_ours=True)
    made.write(LINE)
    real = os.write

    def full(descriptor: int, data: bytes) -> int:
        monkeypatch.setattr(folders.os, "write", fails)
        return real(descriptor, bytes(data)[:10])

    def fails(descriptor: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(folders.os, "write", full)
    with pytest.raises(OSError, match="No space"):
        made.write(LINE)
    monkeypatch.setattr(folders.os, "write", real)
    made.write(LINE)

    assert [(tmp_path / file.name).read_bytes() for file in files(str(tmp_path))] == [LINE, LINE]


WRITER = """
import sys
from terse.capture.folder import Folder
made = Folder(sys.argv[1], 1 << 30, is_ours=True)
line = b'{"server":"s","tool":"t","result":{"from":"' + sys.argv[2].encode() + b'"}}\\n'
while True:
    made.write(line)
"""


def test_many_processes_write_at_once_and_may_be_killed(tmp_path: Path) -> None:
    """Each has files of its own, so that none waits for another; what is left are whole lines, and at most a
    part of one at the end of a file, which readers pass over."""
    from terse.capture.recorded import Notes, recorded_calls

    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), str(n)]) for n in range(3)]
    until = time.monotonic() + 30
    while len(files(str(tmp_path))) < 3 or any(file.size < 10_000 for file in files(str(tmp_path))):
        assert time.monotonic() < until
        time.sleep(0.01)
    for writer in writers:
        writer.kill()
        writer.wait()

    notes = Notes()
    for file in files(str(tmp_path)):
        found = [call.result for call in recorded_calls(str(tmp_path / file.name), file.name, notes)]
        assert len(found) > 100
        assert len(set(found)) == 1
    assert len(notes) == 0


# ---- what is asked for -----------------------------------------------------------------------------------


def test_what_is_asked_for_is_read_as_it_was_written(tmp_path: Path) -> None:
    """In a file of the user's own."""
    asked = Asked(folder="/x", until=12.5, servers=("git*",), names=("*a*",), patterns=(r"\d",))
    write(str(tmp_path / "deep" / "capture.json"), asked)

    assert mode(tmp_path / "deep" / "capture.json") == 0o600
    assert read(str(tmp_path / "deep" / "capture.json")) == asked
    assert asked.names_server("github")
    assert not asked.names_server("shop")
    assert asked.is_over(12.5)
    assert not asked.is_over(12.4)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"folder":1}', b'{"folder":"/x","version":2}', b"\xff"]
)
def test_a_file_that_says_nothing_is_not_followed(tmp_path: Path, content: bytes) -> None:
    """A few words say why."""
    path = tmp_path / "capture.json"
    path.write_bytes(content)
    path.chmod(0o600)

    with pytest.raises(Unusable):
        read(str(path))


def test_only_what_this_user_wrote_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another one could have calls written to a folder of his: by a file, a link, or one that is open."""
    path = tmp_path / "capture.json"
    write(str(path), Asked(folder="/x"))
    (tmp_path / "link.json").symlink_to(path)
    with pytest.raises(Unusable):
        read(str(tmp_path / "link.json"))
    path.chmod(0o622)
    with pytest.raises(Unusable, match="others can write"):
        read(str(path))
    path.chmod(0o600)
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    with pytest.raises(Unusable, match="others can write"):
        read(str(path))
