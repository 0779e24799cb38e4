"""`terse check`: exit codes, formats, and files that are no rule files."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

import pytest

from terse.cli.check import COMMAND, FailOn, Output
from terse.cli.checking import OUTPUTS, SEVERITIES
from tests.cli.conftest import Terse

GOOD = "terse 1\n\nrule everything {\n  on */*\n  use minify\n}\n"
WARNED = "terse 1\n\nchain spare = minify\n\nrule everything {\n  on */*\n  use minify\n}\n"
NOTED = "terse 1\n\nrule one {\n  on a/b\n  use minify\n}\n"
BROKEN = "terse 1\nrule a {\n  kepe x\n}\n"


def _write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / f"{name}.terse").write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "fail_on", "code"),
    [
        (GOOD, "note", 0),
        (NOTED, "warning", 0),
        (NOTED, "note", 1),
        (WARNED, "error", 0),
        (WARNED, "warning", 1),
        (BROKEN, "error", 1),
    ],
)
def test_the_exit_code_says_whether_something_was_found(
    terse: Terse, tmp_path: Path, text: str, fail_on: str, code: int
) -> None:
    """0 for nothing as grave as --fail-on, 1 for something."""
    _write(tmp_path, a=text)

    assert terse("check", "a.terse", "--fail-on", fail_on).returncode == code


def test_nothing_found_is_nothing_said(terse: Terse, tmp_path: Path) -> None:
    """A policy without findings prints nothing at all."""
    _write(tmp_path, a=GOOD)
    done = terse("check", "a.terse")

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_example_of_the_help(terse: Terse, tmp_path: Path) -> None:
    """A folder is one policy: a name in two files of it is a collision. policies/ is the default."""
    (tmp_path / "policies").mkdir()
    _write(tmp_path / "policies", a=GOOD, b=GOOD)
    done = terse(*shlex.split(COMMAND.example)[1:])

    assert done.returncode == 1
    assert b"error[T104]: there are two rules called `everything`" in done.stdout
    assert terse("check").stdout == done.stdout


def test_each_path_is_a_policy_of_its_own(terse: Terse, tmp_path: Path) -> None:
    """Two files that would collide in one policy are each fine for themselves."""
    _write(tmp_path, a=GOOD, b=GOOD)

    assert terse("check", "a.terse", "b.terse").returncode == 0


def test_a_shared_file_is_told_of_once(terse: Terse, tmp_path: Path) -> None:
    """What is wrong in an imported file is one finding, however many policies import it."""
    _write(tmp_path, base=BROKEN, a='terse 1\nimport "base.terse"\n', b='terse 1\nimport "base.terse"\n')
    done = terse("check", "a.terse", "b.terse", "--output", "json")

    assert [d["code"] for d in json.loads(done.stdout)["diagnostics"]] == ["T002"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("check", "no.terse"), b"terse: no.terse: No such file or directory\n"),
        (("check", "empty"), b"terse: empty: there is no .terse file below this folder\n"),
        (("check", "locked.terse"), b"terse: locked.terse: Permission denied\n"),
        (("check", "pipe.terse"), b"terse: pipe.terse: is not a regular file\n"),
    ],
)
def test_what_cannot_be_read_is_one_line_and_exit_code_2(
    terse: Terse, tmp_path: Path, arguments: tuple[str, ...], message: bytes
) -> None:
    """A path that is not there, has no rule files, is closed to us or is no file: nothing is checked."""
    (tmp_path / "empty").mkdir()
    _write(tmp_path, locked=GOOD)
    (tmp_path / "locked.terse").chmod(0)
    os.mkfifo(tmp_path / "pipe.terse")
    if "locked.terse" in arguments and os.access(tmp_path / "locked.terse", os.R_OK):
        pytest.skip("this user may read every file")
    done = terse(*arguments)

    assert (done.returncode, done.stdout, done.stderr) == (2, b"", message)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "T003"),
        (b"\x7fELF\x02\x01\x01\x00\x00\xff\xfe", "T004"),
        (b"\x00" * 1000, "T003"),
        (b"x" * 10_000_000, "T005"),
        (b"terse 1\n" + b"{" * 3_000_000, "T002"),
        (b"\xff\xfet\x00e\x00r\x00s\x00e\x00", "T004"),
    ],
    ids=["empty", "binary", "zeros", "10 MB", "braces", "UTF-16"],
)
def test_a_file_that_is_no_rule_file_is_one_finding(
    terse: Terse, tmp_path: Path, data: bytes, code: str
) -> None:
    """Whatever the file is, the answer is a finding with a code and fits on a screen; no traceback."""
    (tmp_path / "a.terse").write_bytes(data)
    done = terse("check", "a.terse")

    assert done.returncode == 1
    assert done.stderr == b""
    text = done.stdout.decode()
    assert text.startswith(f"error[{code}]: ")
    assert len(text.splitlines()) < 24
    assert "Traceback" not in text


def test_files_that_import_each_other_end(terse: Terse, tmp_path: Path) -> None:
    """A loop of imports is a finding that prints the loop."""
    _write(tmp_path, a='terse 1\nimport "b.terse"\n', b='terse 1\nimport "a.terse"\n')
    done = terse("check", "a.terse")

    assert done.returncode == 1
    assert b"`a.terse` imports `b.terse` imports `a.terse`" in done.stdout


def test_a_link_does_not_lead_out_of_the_folder(terse: Terse, tmp_path: Path) -> None:
    """A file of the policy's folder that is a link to one elsewhere is not read as part of the policy."""
    (tmp_path / "policies").mkdir()
    _write(tmp_path, secret=GOOD)
    (tmp_path / "policies" / "link.terse").symlink_to(tmp_path / "secret.terse")
    _write(tmp_path / "policies", a='terse 1\nimport "link.terse"\n')
    done = terse("check", "policies/a.terse", "--root", "policies")

    assert b"error[T102]" in done.stdout


def test_colours_are_for_terminals(terse: Terse, tmp_path: Path) -> None:
    """In a pipe there is no escape code."""
    _write(tmp_path, a=BROKEN)

    assert b"\x1b" not in terse("check", "a.terse").stdout


def test_names_in_messages_cannot_command_a_terminal(terse: Terse, tmp_path: Path) -> None:
    """Escape codes of a rule file are shown, not sent."""
    _write(tmp_path, a="terse 1\nrule a {\n  on \x1b[31mred/x\n}\n")

    assert b"\x1b" not in terse("check", "a.terse").stdout


def test_options_by_hand_are_the_options_of_the_parser() -> None:
    """The quick way knows the same words as the command that `--help` shows."""
    assert tuple(Output) == OUTPUTS
    assert tuple(FailOn) == SEVERITIES


@pytest.mark.parametrize(
    "arguments", [("check", "--output", "xml"), ("check", "--nope"), ("check", "--root")]
)
def test_a_wrong_option_is_exit_code_2(terse: Terse, arguments: tuple[str, ...]) -> None:
    """An option that is not known, or has no value, is said to be wrong."""
    done = terse(*arguments)

    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("check", ""), b"terse: the name of a file is empty"),
        (("check", "a.terse", "--root", "nowhere"), b"terse: --root nowhere: no such folder"),
        (("check", os.fsdecode(b"\xff.terse")), b"the name is not UTF-8: rename the file or folder"),
        (("check", "."), b"the name is not UTF-8: rename the file or folder"),
    ],
    ids=["empty", "root", "bytes", "bytes-in-folder"],
)
def test_a_name_that_cannot_be_used_is_said_to_be_so(
    terse: Terse, tmp_path: Path, arguments: tuple[str, ...], said: bytes
) -> None:
    """An empty name, a root that is no folder, and a file name of other bytes end in one line."""
    _write(tmp_path, a=GOOD)
    try:
        (tmp_path / os.fsdecode(b"\xff.terse")).write_text(GOOD, encoding="utf-8")
    except OSError:
        pytest.skip("this file system has names in UTF-8 only")

    done = terse(*arguments)

    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count(b"\n") == 1
