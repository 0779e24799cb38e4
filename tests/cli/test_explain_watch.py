"""`terse explain --watch` as a process that a person leaves running; and what `--html` and `--to` write."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

import pytest

from tests.cli.conftest import Terse

ROWS = json.dumps([{"number": n, "link": f"https://x.example/{n}", "title": f"issue {n}"} for n in range(80)])
RULES = 'terse 1\n\nrule {name} {{\n  on */*\n  use minify then tabularize\n  because "a test"\n}}\n'
SECONDS = 60


class Watching:
    """A running `terse explain --watch`, its output in files."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder = folder
        with open(folder / "out", "wb") as out, open(folder / "err", "wb") as err:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "terse", "explain", *arguments, "--watch"],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env={**os.environ, "COLUMNS": "80"},
            )

    @property
    def out(self) -> str:
        return (self.folder / "out").read_text(encoding="utf-8")

    @property
    def err(self) -> str:
        return (self.folder / "err").read_text(encoding="utf-8")

    def until(self, name: str, words: str) -> None:
        end = monotonic() + SECONDS
        while words not in (self.folder / name).read_text(encoding="utf-8"):
            assert monotonic() < end, (words, self.out, self.err)
            assert self.process.poll() is None, self.err
            sleep(0.05)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "x.json").write_text(ROWS)
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "a.terse").write_text(RULES.format(name="first"))
    return tmp_path


@pytest.fixture
def watching(folder: Path) -> Iterator[Watching]:
    running = Watching(folder, "x.json", "--rules", "policies", "--call", "x/y")
    yield running
    running.process.kill()
    running.process.wait()


def test_it_explains_again_when_something_changes(watching: Watching) -> None:
    """A changed rule, a new rule file and a changed result are each seen; a pipe is never cleared."""
    policies = watching.folder / "policies"
    watching.until("out", "rule first")
    (policies / "a.terse").write_text(RULES.format(name="second"))
    watching.until("out", "rule second")
    (policies / "b.terse").write_text(RULES.format(name="narrower").replace("*/*", "x/*"))
    watching.until("out", "rule narrower")
    (watching.folder / "x.json").write_text('{"now": "another result", "n": 1.50}')
    watching.until("out", "1.50")

    assert "\x1b" not in watching.out
    assert watching.err == ""


def test_broken_rules_are_told_and_waited_out(watching: Watching) -> None:
    """While a rule file does not compile its findings are shown, and the next change is explained."""
    rules = watching.folder / "policies" / "a.terse"
    watching.until("out", "rule first")
    rules.write_text("terse 1\n\nrule broken {\n  on */*\n  use minfy\n}\n")
    watching.until("err", "minfy")
    (watching.folder / "x.json").unlink()
    rules.write_text(RULES.format(name="mended"))
    watching.until("err", "no such file: x.json")
    (watching.folder / "x.json").write_text(ROWS)
    watching.until("out", "rule mended")

    assert "error T" in watching.err
    assert "Traceback" not in watching.err


def test_an_interrupt_ends_it_silently(watching: Watching) -> None:
    """Ctrl-C is how it is meant to end."""
    watching.until("out", "rule first")
    watching.process.send_signal(signal.SIGINT)

    assert watching.process.wait(SECONDS) == 130
    assert watching.err == ""


def test_a_page_is_written_anew(folder: Path) -> None:
    """With --html and --to a browser only has to load the file again."""
    running = Watching(folder, "x.json", "--rules", "policies", "--html", "--to", "page.html")
    (folder / "page.html").touch()
    try:
        running.until("page.html", "rule first")
        (folder / "policies" / "a.terse").write_text(RULES.format(name="second"))
        running.until("page.html", "rule second")
    finally:
        running.process.kill()
        running.process.wait()

    assert running.out == ""


def test_a_page_goes_to_stdout(terse: Terse, folder: Path) -> None:
    """`terse explain x.json --html > page.html` is UTF-8 whatever the terminal speaks."""
    done = terse("explain", "x.json", "--html", PYTHONIOENCODING="ascii")
    page = done.stdout.decode("utf-8")

    assert done.returncode == 0
    assert page.startswith("<!doctype html>")
    assert "→ rule everything" in page


def test_any_product_can_be_written_to_a_file(terse: Terse, folder: Path) -> None:
    """--to takes what would be printed."""
    printed = terse("explain", "x.json", "--json")
    written = terse("explain", "x.json", "--json", "--to", "new/x-explained.json")

    assert written.stdout == b""
    assert (folder / "new" / "x-explained.json").read_bytes() == printed.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["x.json", "--to", "x.json"], "it is what is explained, and would be overwritten"),
        (["x.json", "--rules", "policies/a.terse", "--to", "policies/a.terse"], "would be overwritten"),
        (["x.json", "--to", "policies"], "cannot write policies"),
        (["x.json", "--html", "--json"], "exclude each other"),
        (["x.json", "x.json", "--html"], "--html shows one result"),
        (["-", "--watch"], "--watch needs a file"),
    ],
)
def test_what_cannot_be_is_one_line(terse_here: Terse, folder: Path, arguments: list[str], said: str) -> None:
    """Nothing that is read is overwritten, and every refusal says why."""
    done = terse_here("explain", *arguments)

    assert done.returncode == 2
    assert said in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1
    assert (folder / "x.json").read_text() == ROWS
