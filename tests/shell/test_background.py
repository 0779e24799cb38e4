"""The process in the background: races, ends, what is stale, who may use it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.shell.lines import NOTEBOOK, PATIENCE, TALKING, Shell


@pytest.fixture
def talking(shell: Shell) -> Shell:
    """One that knows a small server on the standard library."""
    shell.knows(talking=TALKING)
    return shell


def _waited(gone: object) -> None:
    """Until it is true; it fails where that takes too long."""
    assert callable(gone)
    until = time.monotonic() + PATIENCE
    while not gone():
        assert time.monotonic() < until, "that never came"
        time.sleep(0.05)


def _lives(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    # One that has ended, and that nobody has waited for.
    stat = Path(f"/proc/{number}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


def test_two_first_calls_at_once(talking: Shell) -> None:
    """Both are answered, by one process."""
    processes = [talking.started("talking", "pid") for _ in range(3)]
    said = [process.communicate(timeout=PATIENCE) for process in processes]

    assert {error for _, error in said} == {b""}
    assert len({out for out, _ in said}) == 1


def test_its_files_are_private(talking: Shell) -> None:
    """The folder is of mode 0700, every file in it of 0600, whatever the umask; the token is in no command
    line and no environment."""
    before = os.umask(0)
    try:
        talking.out("talking", "pid")
    finally:
        os.umask(before)
    state = talking.state("talking")

    assert talking.private.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in talking.private.iterdir()} == {0o600}
    for name in ("cmdline", "environ"):
        path = Path(f"/proc/{state['pid']}/{name}")
        if path.exists():
            assert state["token"].encode() not in path.read_bytes()


def test_without_the_token_nobody_is_served(talking: Shell) -> None:
    """It listens on a loopback address only, and refuses who has no token, or another one."""
    talking.out("talking", "pid")
    state = talking.state("talking")
    body = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
    for line in ("", "Authorization: Bearer x\r\n", f"Authorization: Bearer {state['token']}x\r\n"):
        with socket.create_connection(("127.0.0.1", state["port"]), 10) as connection:
            head = f"POST /mcp HTTP/1.0\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n{line}"
            connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            assert b" 401 " in connection.recv(100)
    if sys.platform == "linux":
        listening = f":{state['port']:04X}"
        rows = [row.split() for row in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        assert {row[1] for row in rows if row[1].endswith(listening) and row[3] == "0A"} == {
            f"0100007F{listening}"
        }


@pytest.mark.parametrize("mode", [0o644, 0o660])
def test_a_file_that_others_may_open_is_refused(talking: Shell, mode: int) -> None:
    """Whatever is in it may be somebody else's."""
    talking.out("talking", "pid")
    (path,) = talking.private.glob("talking-*.json")
    path.chmod(mode)

    assert f"others may open {path}" in talking.refused("talking", "pid")
    path.chmod(0o600)


def test_a_folder_that_others_may_open_is_refused(talking: Shell) -> None:
    """And one that is a link, too."""
    talking.private.mkdir(parents=True)
    talking.private.chmod(0o755)
    assert f"chmod 700 {talking.private}" in talking.refused("talking", "pid")
    talking.private.rmdir()
    (talking.folder / "elsewhere").mkdir(mode=0o700)
    talking.private.symlink_to(talking.folder / "elsewhere")
    assert "is no folder of yours" in talking.refused("talking", "pid")
    talking.private.unlink()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file away")
def test_a_file_of_somebody_else_is_refused(talking: Shell) -> None:
    """Though nobody but its owner may open it."""
    talking.out("talking", "pid")
    (path,) = talking.private.glob("talking-*.json")
    os.chown(path, 12345, 12345)

    assert f"{path} is no file of yours" in talking.refused("talking", "pid")
    os.chown(path, 0, 0)


def test_a_runtime_folder_of_somebody_else_is_not_used(talking: Shell) -> None:
    """$XDG_RUNTIME_DIR that others may write to: the state folder is used."""
    (talking.folder / "runtime").chmod(0o777)
    talking.out("talking", "pid")

    assert list((talking.folder / "state" / "terse" / "cli").glob("talking-*.json"))


def test_a_killed_process_is_replaced(talking: Shell) -> None:
    """What it left is stale: its port is not talked to, and a new one is started."""
    first, other = _killed(talking)
    asked: list[bytes] = []
    with other:
        other.settimeout(0.1)

        def listen() -> None:
            while not over.is_set():
                try:
                    connection, _ = other.accept()
                except TimeoutError:
                    continue
                with connection:
                    asked.append(connection.recv(1000))

        over = threading.Event()
        listener = threading.Thread(target=listen)
        listener.start()
        second = talking.out("talking", "pid")
        over.set()
        listener.join()

    assert first != second
    assert asked == []


def _killed(talking: Shell) -> tuple[str, socket.socket]:
    """What the process said before it was killed, and a listener on its port."""
    while True:
        said = talking.out("talking", "pid")
        state = talking.state("talking")
        os.kill(state["pid"], signal.SIGKILL)
        _waited(lambda: not _lives(state["pid"]))  # noqa: B023 — called at once
        try:
            return said, socket.create_server(("127.0.0.1", state["port"]))
        except OSError:
            # Something else on this machine was given the port meanwhile: another try.
            continue


def test_another_process_on_its_port(talking: Shell) -> None:
    """One that does not know the token: nothing was done, so a new process is started and asked."""
    talking.out("talking", "pid")
    (path,) = talking.private.glob("talking-*.json")
    before = talking.state("talking")
    path.write_text(json.dumps({**before, "token": "another" * 5}))

    assert talking.out("talking", "say", "--text", "hello") == "hello\n"
    assert talking.state("talking")["token"] not in (before["token"], "another" * 5)
    _waited(lambda: not _lives(before["pid"]))


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"port": "x"}', b"\xff\xfe"])
def test_a_damaged_file_is_replaced(talking: Shell, content: bytes) -> None:
    """The process that it was about is ended, and a new one is started."""
    talking.out("talking", "pid")
    (path,) = talking.private.glob("talking-*.json")
    before = talking.state("talking")["pid"]
    path.write_bytes(content)

    assert talking.out("talking", "say", "--text", "hello") == "hello\n"
    _waited(lambda: not _lives(before))


def test_a_server_that_ends_is_started_again(talking: Shell) -> None:
    """The call that it ended in is not made again, and said to have failed; the next one is answered."""
    first = talking.out("talking", "pid")
    done = talking.run("talking", "die")

    assert (done.returncode, done.stdout) == (1, b"")
    assert b"the server has ended" in done.stderr
    assert talking.run("talking", "pid").stdout.decode() not in ("", first)


def test_it_ends_by_itself(talking: Shell) -> None:
    """Without a call for the time given; with it the server, and its file."""
    server = int(talking.out("talking", "--idle", "1", "pid"))
    state = talking.state("talking")
    _waited(lambda: not _lives(state["pid"]) and not _lives(server))

    assert not list(talking.private.glob("talking-*.json"))


def test_stop_and_list(talking: Shell) -> None:
    """What runs is listed, and ended on request."""
    assert talking.out("--list").startswith("talking  does not run: ")
    server = int(talking.out("talking", "pid"))
    state = talking.state("talking")
    assert f"talking  runs, process {state['pid']}, for 0 min: " in talking.out("--list")
    assert talking.out("talking", "--stop") == ""
    _waited(lambda: not _lives(state["pid"]) and not _lives(server))
    done = talking.run("talking", "--stop")
    assert (done.returncode, done.stderr) == (0, b"terse: talking does not run\n")


def test_once_without_a_process_in_the_background(talking: Shell) -> None:
    """`--no-daemon`: the same answer, and nothing is left."""
    server = int(talking.out("talking", "--no-daemon", "pid"))
    _waited(lambda: not _lives(server))

    assert list(talking.private.iterdir()) == []


def test_a_killed_command_line_leaves_nothing(talking: Shell) -> None:
    """`--no-daemon`, and a SIGKILL: the server ends all the same."""
    process = talking.started("talking", "--no-daemon", "hang")
    _waited(lambda: list(talking.private.glob("*.alive")) and (talking.private / "x").parent.exists())
    (alive,) = talking.private.glob("*.alive")
    _waited(lambda: alive.read_bytes().isdigit())
    number = int(alive.read_bytes())
    process.kill()
    process.communicate()
    _waited(lambda: not _lives(number))


@pytest.mark.parametrize("ends", ["--wait", "ctrl-c"])
def test_a_call_that_is_given_up(talking: Shell, ends: str) -> None:
    """The server is told that nobody waits; the session goes on."""
    talking.out("talking", "pid")
    if ends == "--wait":
        assert "no answer in 0.5 s" in talking.refused("talking", "--wait", "0.5", "hang")
    else:
        process = talking.started("talking", "hang")
        _waited(lambda: "hang" in json.loads(talking.out("talking", "calls")))
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=PATIENCE) == (b"", b"")
        assert process.returncode == 130
    _waited(lambda: len(json.loads(talking.out("talking", "cancelled"))) == 1)


def test_a_server_that_asks_is_refused(talking: Shell) -> None:
    """A command line has nobody to ask: the server is told so, and its answer comes."""
    said = json.loads(talking.out("talking", "ask", "--method", "elicitation/create"))
    assert said["code"] == -32601
    assert json.loads(talking.out("talking", "ask", "--method", "ping")) == {}


def test_calls_side_by_side(talking: Shell) -> None:
    """Each gets its own answer, also while another one is under way."""
    talking.out("talking", "pid")
    slow = talking.started("talking", "wait", "--seconds", "1")
    assert talking.out("talking", "say", "--text", "quick") == "quick\n"
    assert slow.communicate(timeout=PATIENCE)[0] == b"waited\n"


def test_what_is_said_on_the_way_is_no_answer(talking: Shell) -> None:
    """Log messages and late ones do not stand in for the result."""
    assert talking.out("talking", "log", "--text", "a", "--pause", "2.5") == "logged\n"
    assert talking.out("talking", "later", "--text", "a") == "soon\n"
    done = talking.run("talking", "noise")
    assert (done.returncode, done.stdout) == (0, b"after the noise\n")
    assert b"a server wrote what is no message of MCP: it was dropped" in done.stderr


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["/no/such/server"], "broken: it does not begin: "),
        ([sys.executable, "-c", "import sys; sys.exit('no ink left')"], "no ink left"),
        ([sys.executable, "-c", "print('hello')"], "broken: "),
    ],
)
def test_a_server_that_does_not_start(shell: Shell, command: list[str], said: str) -> None:
    """Why, with what it said on stderr; exit code 2; no process is left."""
    shell.knows(broken=command)
    found = shell.refused("broken", "x")

    assert found.startswith("broken: ")
    assert said in found
    assert not list(shell.private.glob("*.json"))
    _waited(lambda: not any(_lives(int(path.read_bytes())) for path in shell.private.glob("*.alive")))


def test_rules_that_do_not_compile(talking: Shell) -> None:
    """The server does not run without the rules that were asked for."""
    (talking.folder / "bad.terse").write_text("terse 1\n\nrule x {\n", encoding="utf-8")
    found = talking.refused("talking", "--rules", "bad.terse", "pid")

    assert "the rules do not compile" in found
    assert "no such file or folder" in talking.refused("talking", "--rules", "no.terse", "pid")


def test_rules_are_followed(talking: Shell) -> None:
    """A change that compiles holds; of one that does not, the user is told, and the old rules stay."""
    rules = talking.folder / "rules.terse"
    rules.write_text("terse 1\n\ntools talking/* {\n  hide say\n}\n", encoding="utf-8")
    asked = ["talking", "--rules", "rules.terse"]
    assert "has no tool say" in talking.refused(*asked, "say", "--text", "a")
    pid = talking.out(*asked, "pid")
    rules.write_text("terse 1\n\ntools talking/* {\n  hide big\n}\n", encoding="utf-8")
    _waited(lambda: talking.run(*asked, "say", "--text", "a").returncode == 0)
    rules.write_text("terse 1\n\ntools talking/* {\n", encoding="utf-8")
    _waited(lambda: b"the old rules stay" in talking.run(*asked, "pid").stderr)
    assert talking.out(*asked, "pid") == pid


def test_a_changed_entry_is_a_new_server(talking: Shell) -> None:
    """Also where only a variable has changed that it names; any other change of the document is none."""
    entry = {"command": TALKING[0], "args": TALKING[1:], "env": {"WORD": "${TERSE_TEST_WORD:-none}"}}
    talking.knows(talking=entry)
    assert json.loads(talking.out("talking", "--raw", "environment"))["WORD"] == "none"
    talking.environment["TERSE_TEST_WORD"] = "one"
    assert json.loads(talking.out("talking", "--raw", "environment"))["WORD"] == "one"
    pid = talking.out("talking", "pid")
    talking.knows(talking=entry, other=NOTEBOOK)
    assert talking.out("talking", "pid") == pid


def test_a_server_gets_a_name(shell: Shell) -> None:
    """`-- COMMAND` writes it down, privately; again is no mistake; another one of that name is."""
    done = shell.run("mine", "-e", "WORD=w", "say", "--text", "a", "--", *TALKING)
    path = shell.folder / "config" / "terse" / "servers.json"
    assert (done.returncode, done.stdout) == (0, b"a\n")
    assert done.stderr.decode() == f"terse: mine is in {path} now\n"
    assert path.stat().st_mode & 0o777 == 0o600
    assert json.loads(path.read_text())["mcpServers"]["mine"] == {
        "command": TALKING[0],
        "args": TALKING[1:],
        "env": {"WORD": "w"},
        "cwd": str(shell.folder),
    }
    assert json.loads(shell.out("mine", "--raw", "environment"))["WORD"] == "w"
    assert shell.out("mine", "-e", "WORD=w", "say", "--text", "b", "--", *TALKING) == "b\n"
    assert "there is another server mine" in shell.refused("mine", "--", "cat")
    assert shell.out("mine", "--forget") == ""
    assert "there is no server mine" in shell.refused("mine", "--forget")
    assert json.loads(path.read_text()) == {"mcpServers": {}}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nobody"], "there is no "),
        (
            ["--config", '{"mcpServers": {"a": {"command": "x"}}}', "b", "t"],
            "there is no server b; there is a",
        ),
        (["--config", "no.json", "b"], "there is no "),
        (["a", "--"], "write the server's command, or its URL, after `--`"),
        (["https://example.com/mcp"], "write a name for the server first"),
        (["a", "--config", "x", "--", "cat"], "--config says which server it is"),
        (["a", "--idle", "-3"], "--idle '-3' is no time"),
        (["a", "--cwd", "/no/such"], "--cwd: no such folder: /no/such"),
        (["a", "--list"], "--list stands alone"),
    ],
)
def test_wrong_command_lines(shell: Shell, arguments: list[str], said: str) -> None:
    """What is wrong and what to write instead, in one line; nothing is started."""
    found = shell.refused(*arguments)

    assert said in found
    assert "\n" not in found


def test_an_alias(talking: Shell) -> None:
    """A line for a shell's start file; nothing is written."""
    assert talking.out("talking", "--alias") == "alias talking='terse cli talking'\n"
    line = talking.out("talking", "--alias", "--config", "a b.json")
    shown = subprocess.run(
        ["bash", "--norc", "-c", f'shopt -s expand_aliases\nterse() {{ echo "$@"; }}\n{line}talking x'],
        capture_output=True,
        check=True,
    )
    assert shown.stdout.decode() == f"cli talking --config {talking.folder}/a b.json x\n"
