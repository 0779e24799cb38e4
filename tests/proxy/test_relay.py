"""The relay with real processes: nothing lost, nothing late, nobody left behind."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.proxy.process import RELAY, SERVER, answers, call, ends, pid_in, request, started, text_of

INIT = request(0, "initialize", protocolVersion="2025-11-25", capabilities={})


# ---- messages ---------------------------------------------------------------------------------------


def test_only_results_of_calls_change() -> None:
    """`initialize` passes byte for byte; the text of a call's result is the rewriter's."""
    with started(SERVER) as direct, started([*RELAY, *SERVER]) as client:
        for end in (direct, client):
            end.send(INIT, call(1, "echo", text="hello é"))
        lines = [client.receive(), client.receive()]

        assert lines[0] == direct.receive()
        assert direct.receive().replace(b"hello", b"HELLO").endswith(b'\\u00e9"}]}}\n')
        assert text_of(lines[1]) == "HELLO É"


def test_a_client_that_stops_sending_still_gets_its_answers() -> None:
    """`printf init,call | terse proxy`: the end of the input does not take the answers away."""
    with started([*RELAY, *SERVER]) as client:
        client.send(INIT, call(1, "echo", text="sleep 0.3"), call(2, "untouched"))
        client.close()
        found = answers(client.rest().splitlines())

        assert text_of(found[1]) == "SLEEP 0.3"
        assert set(found) == {0, 1, 2}
        assert client.wait() == 0
        assert client.errors() == ""


def test_noise_from_the_server_passes_unchanged() -> None:
    """Log lines on stdout, blank lines, invalid UTF-8, 100,000 brackets: the client sees them as they are."""
    with started([*RELAY, *SERVER]) as client:
        client.send(call(1, "noise"))
        lines = [client.receive() for _ in range(5)]

        assert lines[:3] == [b"starting up...\n", b"\n", b"\xff\xfe not utf-8\r\n"]
        assert lines[3] == b"[" * 100_000 + b"\n"
        assert text_of(lines[4]) == "AFTER THE NOISE"


@pytest.mark.parametrize(
    "line",
    [
        '{"id":IDENT,"result":{"content":[{"type":"text","text":"\xff"}]}}\n',
        '{"id":IDENT,"result":{"content":' + "[" * 100_000 + "]" * 100_000 + "}}\n",
        '{"id":IDENT,"id":IDENT,"result":{"content":[{"type":"text","text":"a"}]}}\n',
        '[{"id":IDENT,"result":{"content":[{"type":"text","text":"a"}]}}]\n',
        '{"id":[2],"result":{}}\n',
        '{"method":"notifications/message","params":{"data":' + "[" * 1200 + "]" * 1200 + ',"result":1}}\n',
        '"\xe2\x80\xa8 \x0b \x85"\r\n',
        "\r\n",
    ],
    ids=["utf-8", "depth", "doubled", "batch", "list-id", "deep-notification", "line-separators", "blank"],
)
def test_a_line_that_kills_other_proxies_passes_and_the_session_lives(line: str) -> None:
    """Each of these ended a session of the nearest peer, or was lost in the SDK's own relay."""
    with started([*RELAY, *SERVER]) as client:
        client.send(call(5, "raw", line=line), call(6, "echo", text="alive"))

        assert client.receive() == line.replace("IDENT", "5").encode("latin-1")
        assert text_of(client.receive()) == "ALIVE"


def test_noise_from_the_client_reaches_the_server() -> None:
    """What a client writes is the server's to judge: also invalid UTF-8, surrogates, batches, and depth."""
    lines = [
        b"\xff\xfe\n",
        b"\r\n",
        b'{"id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"\\ud83d"}}}\n',
        b'{"id":2,"method":"tools/call","params":{"arguments":' + b"[" * 3000 + b"]" * 3000 + b"}}\n",
        b'[{"jsonrpc":"2.0","id":3,"method":"ping"}]\n',
        b'{"id":4,"method":"tools/call" unterminated',
    ]
    with started([*RELAY, "cat"]) as client:
        client.send(*lines)
        client.close()

        assert client.rest() == b"".join(lines)


def test_a_last_line_without_an_end_is_not_lost() -> None:
    """A server that dies in the middle of a message: its half of it, its exit code, no extra word."""
    with started([*RELAY, *SERVER]) as client:
        client.send(INIT, call(1, "die"))
        client.receive()

        assert client.rest() == b'{"jsonrpc":"2.0","id":1,"resu'
        assert client.wait() == 7
        assert client.errors() == ""


def test_progress_comes_before_its_answer() -> None:
    """Notifications of a call keep their place before the call's answer."""
    with started([*RELAY, *SERVER]) as client:
        client.send(call(1, "progress", size=200))
        lines = [json.loads(client.receive()) for _ in range(201)]

        assert [line["params"]["progress"] for line in lines[:200]] == list(range(200))
        assert lines[200]["result"]["content"][0]["text"] == "DONE"


def test_fifty_megabytes_pass_in_both_directions() -> None:
    """No limit on a message's length, either way."""
    text = "x" * 50_000_000
    with started([*RELAY, *SERVER]) as client:
        client.send(call(1, "echo", text=text))

        assert len(text_of(client.receive())) == len(text)


# ---- slow work ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("work", ["sleep 1", "spin"])
def test_slow_work_on_one_result_holds_up_nothing_else(work: str) -> None:
    """Other answers, and messages to the server, pass a result that is being worked on."""
    with started([*RELAY, *SERVER]) as client:
        client.send(INIT, call(1, "echo", text=work))
        client.receive()
        for ident in range(10, 30):
            client.send(request(ident, "ping"))
            assert json.loads(client.receive())["id"] == ident

        assert text_of(client.receive()) == work.upper()


def test_results_are_sent_in_the_order_they_came() -> None:
    """Rewritten results do not overtake each other."""
    with started([*RELAY, *SERVER]) as client:
        client.send(call(1, "echo", text="sleep 0.2"), *(call(n, "echo", text="b") for n in range(2, 6)))

        assert [json.loads(client.receive())["id"] for _ in range(5)] == [1, 2, 3, 4, 5]


def test_work_that_takes_too_long_is_given_up() -> None:
    """The original goes out, also of results that wait behind it, and stderr says so once."""
    with started([*RELAY, *SERVER]) as client:
        client.send(*(call(n, "echo", text="sleep 4") for n in (1, 2)), call(3, "echo", text="c"))
        texts = [text_of(client.receive()) for _ in range(3)]
        client.send(call(4, "echo", text="d"))

        assert texts == ["sleep 4", "sleep 4", "c"]
        assert text_of(client.receive()) == "d"
        client.close()
        client.wait()
        assert client.errors() == "terse: a result of echo was not rewritten in time: the original was sent\n"


# ---- loading -----------------------------------------------------------------------------------------


def test_a_result_waits_for_the_rules_to_be_loaded() -> None:
    """The first result may come before the modules are there; it is rewritten all the same."""
    with started([*RELAY, *SERVER], TERSE_TEST_LOAD="slow") as client:
        client.send(call(1, "echo", text="a"), request(2, "ping"))

        assert json.loads(client.receive())["id"] == 2
        assert text_of(client.receive()) == "A"


def test_a_refused_policy_ends_the_server_and_is_said() -> None:
    """A policy that does not compile is an error at start: exit code 2, and no server left."""
    with started([*RELAY, *SERVER], TERSE_TEST_LOAD="refuse") as client:
        client.send(call(1, "echo", text="not to be sent under rules that do not hold"))
        assert client.rest() == b""
        assert client.wait() == 2
        assert client.errors() == "terse: the policy is wrong\n"


def test_a_failure_to_load_sends_originals_and_quotes_nothing() -> None:
    """Any other failure of ours: everything passes, and one line says where it failed."""
    with started([*RELAY, *SERVER], TERSE_TEST_LOAD="fail") as client:
        client.send(call(1, "echo", text="a"))

        assert text_of(client.receive()) == "a"
        client.close()
        assert client.wait() == 0
        errors = client.errors()
        assert errors.startswith("terse: loading the rules failed (ValueError at ")
        assert "secret" not in errors
        assert errors.count("\n") == 1


# ---- life and death ----------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("options", [[], ["--ignore-eof"], ["--ignore-eof", "--ignore-sigterm"]])
def test_a_signal_ends_the_relay_and_the_server(
    number: signal.Signals, options: list[str], tmp_path: Path
) -> None:
    """INT, TERM or HUP: exit code 128+n, and the server is gone, whatever it ignores."""
    with started([*RELAY, *SERVER, "--pid", str(tmp_path / "pid"), *options]) as client:
        client.send(INIT)
        client.receive()
        os.kill(client.process.pid, number)

        assert client.wait() == 128 + number
        assert ends(pid_in(tmp_path / "pid"))
        assert client.errors() == ""


def test_a_killed_relay_leaves_no_server(tmp_path: Path) -> None:
    """SIGKILL cannot be handled: the kernel ends the server (Linux), its input ends (everywhere)."""
    options = ["--ignore-eof"] if sys.platform == "linux" else []
    with started([*RELAY, *SERVER, "--pid", str(tmp_path / "pid"), *options]) as client:
        client.send(INIT)
        client.receive()
        client.process.kill()

        assert ends(pid_in(tmp_path / "pid"))


def test_the_children_of_a_launcher_end_with_it(tmp_path: Path) -> None:
    """`npx` and `uv run` leave the server proper behind when they are killed: the whole group is ended."""
    with started([*RELAY, *SERVER, "--grandchild", str(tmp_path / "pid")]) as client:
        client.send(INIT)
        client.receive()
        client.process.terminate()
        client.wait()

        assert ends(pid_in(tmp_path / "pid"))


def test_a_server_that_ignores_the_end_of_its_input_goes_when_the_client_is_gone(tmp_path: Path) -> None:
    """A client that dies closes all its pipes: no pair of orphans stays."""
    with started([*RELAY, *SERVER, "--ignore-eof", "--pid", str(tmp_path / "pid")]) as client:
        client.send(INIT)
        client.receive()
        client.close()
        assert client.process.stdout
        client.process.stdout.close()

        client.wait()
        assert ends(pid_in(tmp_path / "pid"))


def test_a_client_that_reads_no_more_ends_the_relay(tmp_path: Path) -> None:
    """Writing to a client that is gone is the end, not an error on stderr."""
    with started([*RELAY, *SERVER, "--pid", str(tmp_path / "pid")]) as client:
        client.send(INIT)
        client.receive()
        assert client.process.stdout
        client.process.stdout.close()
        client.send(call(1, "big", size=1_000_000))

        client.wait()
        assert ends(pid_in(tmp_path / "pid"))
        assert client.errors() == ""


def test_a_server_that_closes_its_output_ends_the_session(tmp_path: Path) -> None:
    """The client sees the end at once; the server is not waited for without end."""
    with started([*RELAY, *SERVER, "--pid", str(tmp_path / "pid")]) as client:
        client.send(call(1, "close-stdout"))

        assert client.receive() == b""
        client.wait()
        assert ends(pid_in(tmp_path / "pid"))


def test_what_a_dead_server_left_running_does_not_keep_the_relay(tmp_path: Path) -> None:
    """A process of the server's that holds its output open does not hide the server's end."""
    with started([*RELAY, *SERVER, "--grandchild", str(tmp_path / "pid")]) as client:
        client.send(call(1, "die"))

        assert client.wait() == 7
        os.kill(pid_in(tmp_path / "pid"), signal.SIGKILL)


def test_the_servers_exit_code_is_ours() -> None:
    """Also 128+n for a server that a signal ended."""
    for code, source in ((3, "raise SystemExit(3)"), (137, "import os; os.kill(os.getpid(), 9)")):
        with started([*RELAY, sys.executable, "-c", source]) as client:
            assert client.wait() == code


def test_a_server_that_floods_stderr_is_not_blocked() -> None:
    """stderr is the client's own: nobody needs to read it for the messages to pass."""
    with started([*RELAY, *SERVER, "--flood-stderr"]) as client:
        client.send(INIT)
        assert client.process.stderr
        flood = client.process.stderr.read(40_000 * 29)

        assert flood.count(b"\n") == 40_000
        assert json.loads(client.receive())["id"] == 0


def test_a_client_that_does_not_read_blocks_only_itself() -> None:
    """Both pipes full: messages to the server still pass, and all is there when the client reads again."""
    with started([*RELAY, *SERVER]) as client:
        client.send(call(1, "untouched"), *(call(n, "big", size=300_000) for n in range(2, 12)))
        time.sleep(0.3)

        assert [json.loads(client.receive())["id"] for _ in range(11)] == list(range(1, 12))


def test_the_server_gets_our_environment_directory_and_arguments(tmp_path: Path) -> None:
    """Nothing is filtered, nothing goes through a shell; the server has a process group of its own."""
    arguments = ["--odd argument", "$HOME", "*", "", "'\""]
    with started([*RELAY, *SERVER, *arguments], TERSE_TEST_WORD="caf\u00e9") as client:
        client.send(call(1, "environment"))
        facts = json.loads(text_of(client.receive()).lower())

        assert facts["env"]["terse_test_word"] == "caf\u00e9".encode().decode("latin-1")
        assert facts["cwd"] == os.getcwd().lower()
        assert facts["argv"] == [argument.lower() for argument in arguments]
        assert facts["group"] != client.process.pid


@pytest.mark.skipif(sys.platform != "linux", reason="how a process was started is read from /proc")
def test_the_c_locale_stays_the_c_locale() -> None:
    """Python sets LC_CTYPE for itself in the C locale; the server must not see that."""
    unset = {"LC_ALL": "", "LANG": "C", "LC_CTYPE": ""}
    shell = 'unset LC_ALL LC_CTYPE; exec "$0" "$@"'
    with started(["sh", "-c", shell, *RELAY, "env"], **unset) as client:
        assert b"LC_CTYPE" not in client.rest()


def test_descriptors_that_do_not_block_are_no_trouble() -> None:
    """A client may hand over pipes in non-blocking mode."""
    with started([*RELAY, *SERVER]) as client:
        assert client.process.stdin
        assert client.process.stdout
        for pipe in (client.process.stdin, client.process.stdout):
            os.set_blocking(os.open(f"/proc/self/fd/{pipe.fileno()}", os.O_RDWR), False)
        client.send(INIT, call(1, "big", size=500_000))

        client.receive()
        assert len(text_of(client.receive())) == 500_000


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_descriptors_are_no_trouble(closed: str, tmp_path: Path) -> None:
    """A client may start us without stdin, stdout or stderr: no pipe of ours takes their place."""
    pid = tmp_path / "pid"
    with started(["sh", "-c", f'exec "$0" "$@" {closed}', *RELAY, *SERVER, "--pid", str(pid)]) as client:
        if "<" not in closed:
            client.send(INIT)
            if closed != ">&-":
                assert json.loads(client.receive())["id"] == 0
            client.close()
        client.wait()

        assert client.errors() == ""
        assert ends(pid_in(pid))
