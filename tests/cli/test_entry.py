"""The quick start of `terse`, exit codes, and what happens when the reader goes away."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import pytest

import terse as package
from tests.cli.conftest import Terse

WHAT_IS_LOADED = """
import sys
from terse.cli.entry import main
code = main({arguments!r})
heavy = {{"typer", "lark", "mcp", "tiktoken", "rich"}}
print(sorted(heavy.intersection(name.partition(".")[0] for name in sys.modules)))
sys.exit(code)
"""


def _loaded(*arguments: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-c", WHAT_IS_LOADED.format(arguments=list(arguments))],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout.splitlines()[-1]


def test_version_loads_nothing_heavy() -> None:
    """`terse --version` needs neither typer nor any other library."""
    assert _loaded("--version") == (0, "[]")


@pytest.mark.parametrize("arguments", [["--version"], ["-V"]])
def test_version_is_printed(terse: Terse, arguments: list[str]) -> None:
    """`python -m terse --version` prints name and version."""
    done = terse(*arguments)

    assert (done.returncode, done.stdout, done.stderr) == (0, f"terse {package.__version__}\n".encode(), b"")


def test_the_installed_script_is_the_same(terse: Terse) -> None:
    """The `terse` of the environment's bin folder starts as `python -m terse` does."""
    script = Path(sys.executable).parent / "terse"
    if not script.exists():
        pytest.skip("terse is not installed in this environment, only on its path")
    done = subprocess.run(
        [script, "--help"], capture_output=True, env={**os.environ, "COLUMNS": "80"}, check=False
    )

    assert done.stdout == terse("--help").stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["frobnicate"],
        ["--frobnicate"],
        ["explain"],
        ["explain", "--frobnicate", "x"],
        ["explain", "a.json", "b.json"],
        ["explain", "x.json", "--call"],
        ["expand"],
        ["expand", "a", "b"],
        ["explain", "\x00"],
        ["explain", ""],
        ["explain", "\udcff\udcfe"],
        ["check", "--output", "yaml"],
        ["check", "--fail-on", "whim"],
    ],
)
def test_a_bad_argument_is_exit_code_2_and_no_traceback(terse: Terse, arguments: list[str]) -> None:
    """Every wrong command line is told in a few lines on stderr, with nothing on stdout."""
    if any("\0" in argument for argument in arguments):
        pytest.skip("no process can be given a NUL in its arguments")
    done = terse(*arguments)

    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.strip()
    assert b"Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) <= 5


def test_a_closed_pipe_is_silent(tmp_path: Path) -> None:
    """`terse explain … | head -1` prints no error about the pipe."""
    lines = [sha256(str(number).encode()).hexdigest() for number in range(20_000)]
    (tmp_path / "long.txt").write_text("\n".join(lines))
    with subprocess.Popen(
        [sys.executable, "-m", "terse", "explain", "long.txt", "--whole"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read()

    assert said == b""
    assert process.returncode == 141


def _open_when_read(fifo: Path, reader: subprocess.Popen[bytes]) -> int:
    """The writing end of the pipe, once the process has opened the other one."""
    for _ in range(2000):
        try:
            return os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            assert reader.poll() is None, "the command ended before it read"
            time.sleep(0.01)
    raise AssertionError("the command does not read its file")


def test_ctrl_c_is_silent(tmp_path: Path) -> None:
    """An interrupted command ends with 130 and says nothing."""
    os.mkfifo(tmp_path / "never")
    process = subprocess.Popen(
        [sys.executable, "-m", "terse", "explain", "never"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
    )
    try:
        writer = _open_when_read(tmp_path / "never", process)
        process.send_signal(signal.SIGINT)
        # One that comes in the moment before a read blocks is seen by Python only when the read is over:
        # a user presses the keys again.
        for _ in range(10):
            with suppress(subprocess.TimeoutExpired):
                process.wait(6)
                break
            process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        os.close(writer)
    finally:
        process.kill()

    assert said == b""
    assert process.returncode == 130


def test_a_full_disk_is_said(tmp_path: Path) -> None:
    """Output that cannot be written is one line on stderr and exit code 2."""
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    (tmp_path / "x.txt").write_text("text")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "terse", "explain", "x.txt"],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )

    assert done.returncode == 2
    assert done.stderr.decode() == "terse: cannot write to stdout: No space left on device\n"


def test_a_terminal_without_unicode_gets_escapes(terse: Terse, tmp_path: Path) -> None:
    """An ASCII terminal shows every page; what it cannot show is escaped."""
    (tmp_path / "x.txt").write_text("é → ü\n", encoding="utf-8")
    done = terse("explain", "x.txt", PYTHONIOENCODING="ascii")

    assert done.returncode == 0
    assert rb"\xe9 \u2192 \xfc" in done.stdout


@pytest.mark.skipif(os.name != "posix", reason="descriptors are closed before exec")
@pytest.mark.parametrize("arguments", [("check", "a.terse"), ("check", "b.terse"), ("explain", "T201")])
def test_a_closed_stdout_is_said_in_one_line(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """`terse … >&-` writes nothing; what has something to write says that it cannot."""
    (tmp_path / "a.terse").write_text("terse 1\n\nrule all {\n  on */*\n  use compact\n}\n")
    (tmp_path / "b.terse").write_text("terse 1\n\nrule all {\n")
    done = subprocess.run(
        [sys.executable, "-m", "terse", *arguments],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        timeout=120,
        check=False,
        preexec_fn=lambda: os.close(1),
    )

    assert b"Traceback" not in done.stderr
    assert b"fault" not in done.stderr
    if arguments != ("check", "a.terse"):
        assert done.stderr == b"terse: cannot write to stdout: it is closed\n"
        assert done.returncode == 2


def test_help_on_a_full_disk_is_said() -> None:
    """Also what the option parser writes itself."""
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "terse", "--help"],
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=120,
            check=False,
        )

    assert done.returncode == 2
    assert done.stderr == b"terse: cannot write: No space left on device\n"


def test_an_error_cannot_command_a_terminal(terse: Terse, tmp_path: Path) -> None:
    """Escape codes of a rule file that does not compile are shown, and not sent."""
    (tmp_path / "x.txt").write_text("text")
    (tmp_path / "a.terse").write_text("terse 1\nrule a {\n  on */*\n  keep \x1b[31mred\n}\n")
    done = terse("explain", "x.txt", "--rules", "a.terse")

    assert done.returncode == 1
    assert b"\x1b" not in done.stderr
    assert b"U+001B" in done.stderr
