"""`terse verify` as a user runs it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import Terse

CALL = {"server": "shop", "tool": "orders", "arguments": {}}
ORDERS = json.dumps([{"id": n, "total": 1.0, "state": "paid"} for n in range(60)], indent=2)


def capture(folder: Path, *texts: str) -> Path:
    path = folder / "captures" / "monday.jsonl"
    path.parent.mkdir()
    lines = [{**CALL, "result": {"content": [{"type": "text", "text": text}]}} for text in texts]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path.parent


def test_our_own_samples_hold(terse: Terse, tmp_path: Path) -> None:
    """On any machine: all promises, on one screen; the page is written, too."""
    done = terse("verify", "--html", "page.html")
    lines = done.stdout.decode().splitlines()

    assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()
    assert "all hold" in lines[0]
    for name in (
        "no network",
        "exact",
        "never larger",
        "token counts",
        "same bytes",
        "live proxy",
        "faults",
        "on disk",
    ):
        assert any(line.startswith(f"  ok  {name}") for line in lines), name
    assert len(lines) <= 36
    assert max(map(len, lines)) <= 80
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "JSON outline:" in page


def test_a_users_own_results(terse: Terse, tmp_path: Path) -> None:
    """Captures and saved results, as JSON: figures by tool, an example of each form, what was left out."""
    folder = capture(tmp_path, ORDERS, ORDERS)
    with (folder / "monday.jsonl").open("a") as file:
        file.write("no call\n")
    sample = tmp_path / "samples" / "shop" / "stock" / "all.txt"
    sample.parent.mkdir(parents=True)
    sample.write_text("1 hammer\n" * 300)
    done = terse("verify", "captures", str(sample), "--json", "--denial", "hook")
    found = json.loads(done.stdout)

    assert done.returncode == 0, done.stderr.decode()
    assert found["holds"] is True
    assert found["denial"] == "hook"
    assert [tool["tool"] for tool in found["tools"]] == ["shop/orders", "shop/stock"]
    assert {"tabularize", "fold-repeats", "dedup"} <= {form["name"] for form in found["forms"]}
    assert any("monday.jsonl:3" in note for note in found["notes"])
    assert len(found["digest"]) == 64


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "no such file or folder"),
        (["empty"], "there are no results in it"),
        (["binary.txt"], "it is binary"),
        (["--denial", "prayer"], "prayer"),
        (["--html", "nowhere/page.html", "orders.txt"], "--html"),
    ],
)
def test_what_cannot_be_done_is_said(terse: Terse, tmp_path: Path, arguments: list[str], said: str) -> None:
    """One line, exit code 2."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "binary.txt").write_bytes(b"\0\1")
    (tmp_path / "orders.txt").write_text(ORDERS)
    done = terse("verify", *arguments)

    assert done.returncode == 2
    assert done.stdout == b""
    assert said in done.stderr.decode()
    assert len(done.stderr.splitlines()) == 1


def test_what_does_not_hold_is_a_finding(terse: Terse, tmp_path: Path) -> None:
    """A terse that was tampered with: here one that reaches for the network with each count of tokens."""
    code = (
        "import socket\n"
        "import terse.tokens.counting as counting\n"
        "honest = counting.Vocabulary.count\n"
        "def count(self, text):\n"
        "    try:\n"
        "        socket.create_connection(('127.0.0.1', 9), timeout=1)\n"
        "    except OSError:\n"
        "        pass\n"
        "    return honest(self, text)\n"
        "counting.Vocabulary.count = count\n"
    )
    (tmp_path / "orders.txt").write_text(ORDERS)
    (tmp_path / "path").mkdir()
    (tmp_path / "path" / "sitecustomize.py").write_text(code)
    root = str(Path(__file__).parent.parent.parent)
    path = os.pathsep.join((str(tmp_path / "path"), root))
    done = terse("verify", "orders.txt", PYTHONPATH=path)
    out = done.stdout.decode()

    assert done.returncode == 1, out
    assert out.splitlines()[0].endswith("does not hold: no network")
    assert "socket.connect (('127.0.0.1', 9),)" in out or "socket.__new__" in out


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)], ids=["term", "int"])
def test_what_is_ended_leaves_nothing(tmp_path: Path, sent: signal.Signals, code: int) -> None:
    """No copy of a result, no process; and it says nothing."""
    (tmp_path / "orders.txt").write_text(ORDERS)
    (tmp_path / "temporary").mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "terse", "verify", "orders.txt"],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path / "temporary")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    # Until the worker writes: then all of it is under way.
    while not list((tmp_path / "temporary").glob("*/worker.log")):
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(sent)
    out, error = process.communicate(timeout=60)

    assert (process.returncode, out, error) == (code, b"", b"")
    assert list((tmp_path / "temporary").iterdir()) == []


def test_it_runs_where_there_is_no_network_at_all(tmp_path: Path) -> None:
    """In a network of its own, without even a loopback: as in a container that was given none."""
    (tmp_path / "orders.txt").write_text(ORDERS)
    verify = [sys.executable, "-m", "terse", "verify", "orders.txt"]
    if (
        subprocess.run(["unshare", "--user", "--net", "true"], capture_output=True, check=False).returncode
        != 0
    ):
        pytest.skip("this machine gives out no network namespaces")
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--net", *verify],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "there was no network before, either" in " ".join(done.stdout.split())
