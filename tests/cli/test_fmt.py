"""`terse fmt`: the command around the formatter."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from terse.cli.fmt import COMMAND
from tests.cli.conftest import Terse

UNFORMATTED = "terse 1\nrule a{ # §\r\n  on x/y\n}"
FORMATTED = "terse 1\n\nrule a {  # §\n  on x/y\n}\n"
BROKEN = "terse 1\nrule a {\n  frob x/y\n}\n"


def test_files_of_a_folder_are_formatted_in_place(terse: Terse, tmp_path: Path) -> None:
    """Only files that change are written and named; their permissions stay."""
    (tmp_path / "policies" / "org").mkdir(parents=True)
    first, second = tmp_path / "policies" / "a.terse", tmp_path / "policies" / "org" / "b.terse"
    first.write_text(UNFORMATTED, encoding="utf-8", newline="")
    first.chmod(0o640)
    second.write_text(FORMATTED, encoding="utf-8")
    done = terse("fmt")

    assert (done.returncode, done.stdout, done.stderr) == (0, b"formatted policies/a.terse\n", b"")
    assert first.read_text(encoding="utf-8") == FORMATTED
    assert first.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in first.parent.iterdir()) == ["a.terse", "org"]


def test_the_example_of_the_help(terse: Terse, tmp_path: Path) -> None:
    """--check changes nothing, names each file with T902, and exits 1; 0 when all is formatted."""
    (tmp_path / "policies").mkdir()
    file = tmp_path / "policies" / "a.terse"
    file.write_text(UNFORMATTED, encoding="utf-8", newline="")
    arguments = shlex.split(COMMAND.example)[1:]
    found = terse(*arguments)

    assert found.returncode == 1
    assert "warning[T902]" in found.stdout.decode()
    assert "policies/a.terse:2:" in found.stdout.decode()
    assert "run `terse fmt policies/a.terse`" in found.stdout.decode()
    assert file.read_bytes().decode() == UNFORMATTED

    terse("fmt", "policies/a.terse")

    assert terse(*arguments).returncode == 0


def test_a_file_that_does_not_parse_is_left(terse: Terse, tmp_path: Path) -> None:
    """Its findings are told on stderr, the other files are formatted all the same, and the exit code is 2."""
    (tmp_path / "bad.terse").write_text(BROKEN)
    (tmp_path / "good.terse").write_text(UNFORMATTED, encoding="utf-8", newline="")
    done = terse("fmt", "bad.terse", "good.terse")

    assert done.returncode == 2
    assert b"error[T002]" in done.stderr
    assert b"bad.terse:3:3" in done.stderr
    assert (tmp_path / "bad.terse").read_text() == BROKEN
    assert (tmp_path / "good.terse").read_text(encoding="utf-8") == FORMATTED


def test_stdin_is_printed_formatted(terse: Terse) -> None:
    """- prints the formatted text as UTF-8, whatever the terminal; nothing when it does not parse."""
    done = terse("fmt", "-", stdin=UNFORMATTED.encode(), PYTHONIOENCODING="ascii")
    broken = terse("fmt", "-", stdin=BROKEN.encode())

    assert (done.returncode, done.stdout.decode(), done.stderr) == (0, FORMATTED, b"")
    assert (broken.returncode, broken.stdout) == (2, b"")
    assert b"stdin:3:3" in broken.stderr


def test_a_link_stays_a_link(terse: Terse, tmp_path: Path) -> None:
    """What a link points to is formatted, and the link is kept."""
    (tmp_path / "real.terse").write_text("terse   1\n")
    (tmp_path / "link.terse").symlink_to("real.terse")
    terse("fmt", "link.terse")

    assert (tmp_path / "link.terse").is_symlink()
    assert (tmp_path / "real.terse").read_text() == "terse 1\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nowhere.terse"], "nowhere.terse: "),
        ([], "policies: "),
        (["empty"], "no .terse file below"),
        (["-", "x.terse"], "- is stdin"),
        (["\udcff"], "\\udcff"),
        ([""], ""),
    ],
)
def test_what_cannot_be_read_is_one_line(
    terse: Terse, tmp_path: Path, arguments: list[str], says: str
) -> None:
    """One line on stderr and exit code 2."""
    (tmp_path / "empty").mkdir()
    done = terse("fmt", *arguments)

    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().count("\n") == 1
    assert says in done.stderr.decode()


def test_bytes_that_are_no_text_are_a_finding(terse: Terse, tmp_path: Path) -> None:
    """A binary file is left, with T004."""
    (tmp_path / "x.terse").write_bytes(b"terse 1\n\xff\x00")
    done = terse("fmt", "x.terse")

    assert done.returncode == 2
    assert b"error[T004]" in done.stderr


def test_a_file_that_cannot_be_written_is_one_line(terse: Terse, tmp_path: Path) -> None:
    """A folder that cannot be written to leaves the file as it was."""
    folder = tmp_path / "sealed"
    folder.mkdir()
    (folder / "a.terse").write_text("terse   1\n")
    folder.chmod(0o500)
    if __import__("os").access(folder, 2):
        folder.chmod(0o700)
        pytest.skip("this user may write everywhere")
    done = terse("fmt", "sealed")
    folder.chmod(0o700)

    assert done.returncode == 2
    assert done.stderr.decode().startswith("terse: cannot write sealed/a.terse: ")
    assert (folder / "a.terse").read_text() == "terse   1\n"
