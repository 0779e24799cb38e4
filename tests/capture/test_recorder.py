"""What is called with each result that was sent: it follows what is asked for, and disturbs nobody."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from terse.capture import recorder as recording
from terse.capture import writing
from terse.capture.asked import Asked, write
from terse.capture.recorder import Recorder


class Answer:
    """The answer to a call."""

    client: str | None = "cc"

    def __init__(self, text: str, tool: str = "get", arguments: str = '{"id":1}') -> None:
        content = {"content": [{"type": "text", "text": text}]}
        self.tool = tool
        self.arguments = arguments.encode()
        self.message = json.dumps({"id": 1, "result": content}).encode() + b"\n"

    def whole_result(self) -> bytes | None:
        return json.dumps(json.loads(self.message)["result"]).encode()


class Session:
    """What stands for a session."""


class Proxy:
    """A recorder, as a proxy has it, and what it said."""

    def __init__(self, folder: Path, asked: Asked | None = None) -> None:
        self.folder = folder
        self.said: list[str] = []
        self.complaints: list[str] = []
        self.now = 1000.0
        self.recorder = Recorder(
            asked,
            str(folder / "capture.json"),
            self.said.append,
            lambda kind, message: self.complaints.append(message),
            clock=lambda: self.now,
        )

    def ask(self, **more: Any) -> None:
        made = {"until": 2000.0, **more}
        write(str(self.folder / "capture.json"), Asked(folder=str(self.folder / "captures"), **made))

    def sent(self, *answers: Answer, session: object | None = None, server: str = "shop") -> None:
        for answer in answers:
            self.recorder.sent(answer, server, session)
        self.settle()

    def settle(self) -> None:
        until = time.monotonic() + 20
        while self.recorder._waiting_bytes and time.monotonic() < until:
            time.sleep(0.001)

    def lines(self) -> list[dict[str, Any]]:
        return [
            json.loads(line)
            for path in sorted((self.folder / "captures").glob("*.jsonl"))
            for line in path.read_text().splitlines()
        ]


@pytest.fixture
def proxy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    """One that looks at once at what is asked for."""
    monkeypatch.setattr(recording, "LOOK_SECONDS", 0.0)
    monkeypatch.setattr(recording, "QUIET_SECONDS", 0.0)
    made = Proxy(tmp_path)
    yield made
    made.recorder.close(5)


def test_nothing_is_captured_unless_asked_for(proxy: Proxy) -> None:
    """No folder, no file, no word."""
    proxy.sent(Answer("one"), Answer("two"))

    assert list(proxy.folder.iterdir()) == []
    assert proxy.said == proxy.complaints == []


def test_a_running_proxy_follows_and_says_so(proxy: Proxy) -> None:
    """From the next result on, until it is stopped; each of both is one line."""
    proxy.sent(Answer("before"))
    proxy.ask()
    proxy.sent(Answer("one"), Answer("two"))
    (proxy.folder / "capture.json").unlink()
    proxy.sent(Answer("after"), Answer("after"))

    assert [line["result"]["content"][0]["text"] for line in proxy.lines()] == ["one", "two"]
    assert len(proxy.said) == 2
    assert "are captured in" in proxy.said[0]
    assert "not captured any more" in proxy.said[1]


def test_the_time_limit_ends_it_by_itself(proxy: Proxy) -> None:
    """Whether or not anybody takes the request away; and it does not begin again."""
    proxy.ask()
    proxy.sent(Answer("one"))
    proxy.now = 2000.0
    proxy.sent(Answer("late"), Answer("later"))

    assert len(proxy.lines()) == 1
    assert len(proxy.said) == 2
    other = Proxy(proxy.folder)
    other.now = 2000.0
    other.sent(Answer("much later"))
    assert len(proxy.lines()) == 1
    assert other.said == []
    other.recorder.close(5)


def test_a_line_says_whose_call_it_was(proxy: Proxy) -> None:
    """Session, time, server, client, tool and arguments; another session is another one."""
    one, two = Session(), Session()
    proxy.ask()
    proxy.sent(Answer("a"), Answer("b"), session=one)
    proxy.sent(Answer("c"), session=two)
    proxy.sent(Answer("d"), Answer("e"))

    lines = proxy.lines()
    first = lines[0]
    assert list(first) == ["session", "at", "server", "client", "tool", "arguments", "result"]
    assert (first["at"], first["server"], first["client"], first["tool"]) == (1000.0, "shop", "cc", "get")
    assert first["arguments"] == {"id": 1}
    sessions = [line["session"] for line in lines]
    assert sessions[0] == sessions[1]
    assert len(set(sessions)) == 4


def test_other_servers_and_arguments_are_left_out(proxy: Proxy) -> None:
    """As it was asked for."""
    proxy.ask(servers=("sh*",), arguments=False)
    proxy.sent(Answer("one"))
    proxy.sent(Answer("two"), server="bank")

    (line,) = proxy.lines()
    assert line["arguments"] is None


def test_secrets_are_redacted_before_anything_is_written(proxy: Proxy) -> None:
    """In arguments and results, and by the rules that were asked for."""
    proxy.ask(names=("*mail*",), patterns=(r"cust-\d+",))
    text = json.dumps({"mail": "bob@example.com", "of": "cust-123"})
    proxy.sent(Answer(text, arguments='{"token":"hunter2","q":"cust-77"}'))

    content = next((proxy.folder / "captures").iterdir()).read_text()
    assert not any(said in content for said in ("bob@", "cust-", "hunter2"))


def test_a_fault_loses_the_line_alone(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said without the result's words; what could not be redacted is in no file; the next call is."""
    proxy.ask()
    real = writing.Redactor.document

    def fails(self: Any, text: str) -> str:
        if "odd" in text:
            raise RuntimeError(f"cannot read {text}")
        return real(self, text)

    monkeypatch.setattr(writing.Redactor, "document", fails)
    proxy.sent(Answer("odd"), Answer("odd"), Answer("fine"))

    assert [line["result"]["content"][0]["text"] for line in proxy.lines()] == ["fine"]
    assert set(proxy.complaints) == {"a call was not captured: RuntimeError"}


def test_a_folder_that_cannot_be_written_disturbs_nobody(proxy: Proxy) -> None:
    """It is said, and where it can be written later, it is."""
    (proxy.folder / "captures").write_text("a file")
    proxy.ask()
    proxy.sent(Answer("one"))
    assert len(proxy.complaints) == 1
    (proxy.folder / "captures").unlink()
    proxy.sent(Answer("two"))

    assert len(proxy.lines()) == 1


def test_what_is_too_large_or_too_much_is_said(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounded in memory and on the disk."""
    monkeypatch.setattr(writing, "MAX_RESULT_BYTES", 2000)
    proxy.ask()
    proxy.sent(Answer("x" * 3000), Answer("y"))
    monkeypatch.setattr(recording, "MAX_WAITING_BYTES", 2000)
    proxy.recorder.sent(Answer("x" * 3000), "shop", None)

    assert len(proxy.lines()) == 1
    assert "over 0 MiB" in proxy.complaints[0]
    assert "faster than they are captured" in proxy.complaints[1]


def test_a_file_of_somebody_else_is_not_followed(proxy: Proxy) -> None:
    """One that others can write to says nothing that counts."""
    proxy.ask()
    (proxy.folder / "capture.json").chmod(0o666)
    proxy.sent(Answer("one"), Answer("two"))

    assert not (proxy.folder / "captures").exists()
    assert "others can write to it" in proxy.complaints[0]


def test_results_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While they come one after another nothing is written; at the end of the process all of it is."""
    monkeypatch.setattr(recording, "QUIET_SECONDS", 60.0)
    monkeypatch.setattr(recording, "LONGEST_WAIT", 60.0)
    proxy = Proxy(tmp_path, Asked(folder=str(tmp_path / "captures"), is_default_folder=False))
    for number in range(5):
        proxy.recorder.sent(Answer(str(number)), "shop", None)
    assert proxy.lines() == []
    monkeypatch.setattr(recording, "QUIET_SECONDS", 0.05)
    proxy.recorder.close(20)

    assert len(proxy.lines()) == 5


def test_it_is_looked_for_once_a_second(tmp_path: Path) -> None:
    """Not with each message: results in between cost a comparison of times."""
    proxy = Proxy(tmp_path)
    proxy.sent(Answer("one"))
    proxy.ask()
    proxy.sent(*(Answer("two") for _ in range(100)))

    assert proxy.said == []
    proxy.recorder.close(5)


def test_an_option_captures_from_the_first_result_on(tmp_path: Path) -> None:
    """It says so when the proxy starts, and needs no file."""
    proxy = Proxy(tmp_path, Asked(folder=str(tmp_path / "captures"), is_default_folder=False))
    assert len(proxy.said) == 1
    proxy.sent(Answer("one"))
    proxy.recorder.close(5)

    assert len(proxy.lines()) == 1
