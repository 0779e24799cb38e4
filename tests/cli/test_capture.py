"""`terse capture`, and proxies that follow it: real processes."""

from __future__ import annotations

import json
import os
import signal
import stat
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Terse
from tests.proxy import process
from tests.proxy.process import call, request

INTRODUCTION = request(
    0, "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "a client"}
)


def proxy(*options: str) -> list[str]:
    return [sys.executable, "-m", "terse", "proxy", *options, "--server-name", "shop", "--", *process.SERVER]


def lines(folder: Path) -> list[dict[str, Any]]:
    return [
        json.loads(line) for path in sorted(folder.glob("*.jsonl")) for line in path.read_text().splitlines()
    ]


def until(condition: Any) -> None:
    end = time.monotonic() + process.PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_start_status_stop(terse_here: Terse, tmp_path: Path) -> None:
    """What is asked for is said; the end of it deletes what was captured, where that is asked for."""
    here = {"XDG_STATE_HOME": str(tmp_path)}
    assert b"not capturing" in terse_here("capture", **here).stdout
    started = terse_here("capture", "start", "shop", "git*", "--for", "30m", "--max", "10MB", **here)
    assert started.returncode == 0, started.stderr
    facts = json.loads(terse_here("capture", "status", "--json", **here).stdout)
    assert facts["capturing"]
    assert facts["servers"] == ["shop", "git*"]
    assert facts["max_bytes"] == 10 << 20
    assert 1700 < facts["until"] - time.time() <= 1800
    assert b"shop, git*" in terse_here("capture", "status", **here).stdout
    assert terse_here("capture", "stop", **here).returncode == 0
    assert not json.loads(terse_here("capture", "status", "--json", **here).stdout)["capturing"]


def test_a_running_proxy_captures_while_it_is_asked_to(terse: Terse, tmp_path: Path) -> None:
    """No restart: from its next result on, in a private folder, with secrets redacted; what the client gets
    stays what it was."""
    here = {"XDG_STATE_HOME": str(tmp_path)}
    folder = tmp_path / "terse" / "captures"
    with process.started(proxy(), **here) as client:
        client.send(INTRODUCTION, call(1, "echo", text="before"))
        client.receive(), client.receive()
        assert terse("capture", "start", **here).returncode == 0
        number = 1

        def is_captured() -> bool:
            nonlocal number
            number += 1
            client.send(call(number, "records", size=60, password="hunter2"))
            assert b'"id": %d' % number in client.receive()
            return folder.exists() and bool(lines(folder))

        until(is_captured)
        assert terse("capture", "stop", **here).returncode == 0
        client.close()
        client.rest()
        assert client.wait() == 0
        said = client.errors()

    assert said.count("are captured in") == 1
    first = lines(folder)[0]
    assert (first["server"], first["client"], first["tool"]) == ("shop", "a client", "records")
    assert len(json.loads(first["result"]["content"][0]["text"])) == 60
    assert first["arguments"]["password"].startswith("[redacted:")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    deleted = terse("capture", "stop", "--delete", **here)
    assert deleted.returncode == 0
    assert list(folder.iterdir()) == []


def test_a_proxy_captures_by_an_option(tmp_path: Path) -> None:
    """To a folder that is named, with rules of its own, from the first result on; small results, too, that no
    rule touches."""
    folder = tmp_path / "mine"
    options = (f"--capture={folder}", "--redact", "rec[a-z]+d", "--no-arguments")
    with process.started(proxy(*options), XDG_STATE_HOME=str(tmp_path)) as client:
        client.send(INTRODUCTION, call(1, "echo", text="a record"), call(2, "records", size=3))
        for _ in range(3):
            client.receive()
        client.close()
        client.rest()
        assert client.wait() == 0
        assert client.errors().count("captured") == 1

    found = lines(folder)
    assert [each["tool"] for each in found] == ["echo", "records"]
    assert found[0]["arguments"] is None
    assert "record " not in json.dumps(found[1]["result"])
    assert len({each["session"] for each in found}) == 1


def test_a_proxy_that_is_killed_leaves_whole_lines(tmp_path: Path) -> None:
    """What was written can be read."""
    from terse.capture.recorded import Notes, capture_files, recorded_calls

    folder = tmp_path / "mine"
    with process.started(proxy(f"--capture={folder}"), XDG_STATE_HOME=str(tmp_path)) as client:
        client.send(INTRODUCTION)
        client.receive()
        for number in range(1, 40):
            client.send(call(number, "records", size=60))
            client.receive()
        until(lambda: folder.exists() and any(path.stat().st_size for path in folder.iterdir()))
        client.process.send_signal(signal.SIGKILL)
        client.process.wait()

    notes = Notes()
    found = [each for path in capture_files([str(folder)]) for each in recorded_calls(path, path, notes)]
    assert len(notes) == 0
    assert 0 < len(found) < 40


def test_a_full_disk_loses_the_lines_and_the_session_goes_on(tmp_path: Path) -> None:
    """It is said once; every result arrives."""
    if not os.path.exists("/dev/full"):
        pytest.skip("no device that is full")
    script = (
        "import os, sys\nreal = os.write\n"
        "def write(descriptor, data):\n"
        "    if descriptor > 2 and bytes(data[:10]).startswith(b'{\"session\"'):\n"
        "        return real(os.open('/dev/full', os.O_WRONLY), data)\n"
        "    return real(descriptor, data)\n"
        "os.write = write\nfrom terse.cli.entry import main\nsys.exit(main(sys.argv[1:]))\n"
    )
    (tmp_path / "full.py").write_text(script)
    command = [sys.executable, str(tmp_path / "full.py"), *proxy(f"--capture={tmp_path / 'c'}")[3:]]
    with process.started(command, XDG_STATE_HOME=str(tmp_path)) as client:
        client.send(INTRODUCTION)
        client.receive()
        for number in range(1, 6):
            client.send(call(number, "records", size=60))
            assert b'"id": %d' % number in client.receive()
        client.close()
        client.rest()
        assert client.wait() == 0
        said = client.errors()

    assert said.count("a call was not captured") == 1
    assert "No space left on device" in said
    assert lines(tmp_path / "c") == []


def test_several_servers_are_captured_as_one_session(tmp_path: Path) -> None:
    """Each call under its own server's name."""
    servers = {name: {"command": process.SERVER[0], "args": process.SERVER[1:]} for name in ("shop", "bank")}
    document = json.dumps({"mcpServers": servers})
    command = [sys.executable, "-m", "terse", "proxy", "--config", document, f"--capture={tmp_path / 'c'}"]
    with process.started(command, XDG_STATE_HOME=str(tmp_path)) as client:
        client.send(INTRODUCTION)
        client.receive()
        for number, name in enumerate(("shop__records", "bank__records"), 1):
            client.send(call(number, name, size=3))
            while b'"id":%d' % number not in client.receive().replace(b" ", b""):
                pass
        client.close()
        client.rest()
        assert client.wait() == 0

    found = lines(tmp_path / "c")
    assert [(each["server"], each["tool"]) for each in found] == [("shop", "records"), ("bank", "records")]
    assert len({each["session"] for each in found}) == 1


def test_redact_takes_out_more_afterwards(terse_here: Terse, tmp_path: Path) -> None:
    """In place, private; lines that are no calls are gone, which is said."""
    folder = tmp_path / "c"
    folder.mkdir()
    line = {"session": "s", "at": 1.5, "server": "shop", "tool": "t", "arguments": {"q": "cust-1"}}
    text = json.dumps({**line, "result": {"content": [{"type": "text", "text": "of cust-1"}]}})
    (folder / "a.jsonl").write_text(f"{text}\nbroken\n{text}\n")
    done = terse_here("capture", "redact", "c", "--redact", r"cust-\d+", "--no-arguments")

    assert done.returncode == 1
    assert done.stdout.decode().splitlines() == [
        "2 calls in 1 files redacted",
        "taken out: c/a.jsonl:2: not JSON",
    ]
    found = lines(folder)
    assert len(found) == 2
    assert found[0]["at"] == 1.5
    assert found[0]["arguments"] is None
    assert "cust" not in (folder / "a.jsonl").read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["capture", "begin"], "'begin' is not one of"),
        (["capture", "start", "--for", "soon"], "--for soon: write 30m, 2h or 3d"),
        (["capture", "start", "--for", "90d"], "at most 30d"),
        (["capture", "start", "--max", "7"], "--max '7' is no size"),
        (["capture", "start", "--max", "1KB"], "at least 1MB"),
        (["capture", "start", "--redact", "("], "redaction: the pattern '('"),
        (["capture", "start", "--redact-name", "*"], "every name"),
        (["capture", "start", "--redact-file", "nothing"], "--redact-file nothing: No such file"),
        (["capture", "stop", "shop"], "is for all proxies"),
        (["capture", "status", "--delete"], "--delete does not go with"),
        (["capture", "redact", "nothing.jsonl"], "nothing.jsonl: No such file"),
        (["proxy", "--redact", "x", "--", "true"], "--redact goes with --capture"),
        (["proxy", "--capture", "--redact", "(", "--", "true"], "the pattern '('"),
        (["proxy", "--capture=/dev/null", "--", "true"], "--capture=/dev/null: "),
    ],
)
def test_what_makes_no_sense_is_one_line(
    terse: Terse, terse_here: Terse, tmp_path: Path, arguments: list[str], said: str
) -> None:
    """It says what is wrong, and nothing is captured."""
    run = terse_here if arguments[0] == "capture" else terse
    done = run(*arguments, XDG_STATE_HOME=str(tmp_path))

    assert done.returncode == 2
    assert said in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1
    assert not (tmp_path / "terse" / "capture.json").exists()


def test_a_hook_captures_too(terse: Terse, tmp_path: Path) -> None:
    """Nobody waits for it: a process of its own writes the call; what the hook prints is what it was."""
    here = {"XDG_STATE_HOME": str(tmp_path)}
    told = {
        "session_id": "abc",
        "hook_event_name": "PostToolUse",
        "tool_name": "mcp__shop__list",
        "tool_input": {"q": "x", "token": "hunter2"},
        "tool_response": [{"type": "text", "text": json.dumps([{"id": n, "open": True} for n in range(60)])}],
    }
    before = terse("hook", stdin=json.dumps(told).encode(), **here)
    assert terse("capture", "start", **here).returncode == 0
    after = terse("hook", stdin=json.dumps(told).encode(), **here)
    folder = tmp_path / "terse" / "captures"
    until(lambda: folder.exists() and bool(lines(folder)))

    (call_,) = lines(folder)
    assert before.stdout == after.stdout != b""
    assert after.stderr == b""
    assert (call_["server"], call_["tool"], call_["client"]) == ("shop", "list", "claude-code")
    assert call_["arguments"]["token"].startswith("[redacted:")
    assert call_["result"]["content"] == told["tool_response"]
