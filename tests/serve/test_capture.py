"""`terse serve --capture`: calls of many clients in one folder, each session by itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.serve.served import Alone, Client, refused, served


def lines(folder: Path) -> list[dict[str, Any]]:
    return [
        json.loads(line) for path in sorted(folder.glob("*.jsonl")) for line in path.read_text().splitlines()
    ]


def test_each_session_is_one_of_its_own(tmp_path: Path) -> None:
    """Calls of two clients at once are told apart; of requests that stand alone nobody knows whose they are,
    so that each is a session."""
    folder = tmp_path / "c"
    options = ("--server-name", "shop", f"--capture={folder}")
    with served(*options, XDG_STATE_HOME=str(tmp_path)) as service:
        with Client(service.url) as one, Client(service.url) as two, Alone(service.url) as alone:
            one.begin(name="first")
            two.begin(name="second")
            for client, text in ((one, "a"), (two, "b"), (one, "c"), (alone, "d"), (alone, "password: e")):
                client.call("say", text=text)
        assert service.stop() == 0
        assert sum("are captured in" in line for line in service.said) == 1

    said = {each["arguments"]["text"]: each for each in lines(folder)}
    assert set(said) >= {"a", "b", "c", "d"}
    assert len(said) == 5
    assert "password: e" not in said
    assert said["a"]["session"] == said["c"]["session"]
    assert len({each["session"] for each in said.values()}) == 4
    assert (said["a"]["client"], said["b"]["client"]) == ("first", "second")
    assert {each["server"] for each in said.values()} == {"shop"}


def test_a_rule_that_makes_no_sense_is_refused(tmp_path: Path) -> None:
    """Before it listens."""
    code, said = refused(f"--capture={tmp_path / 'c'}", "--redact", "(", "--", "true")

    assert code == 2
    assert "redaction: the pattern '('" in said
