"""The started proxy, and what is said where something else arrives than was sent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from terse.report.verified import Place
from terse.verification import live
from terse.verification.live import Run, through_proxy
from terse.verification.original import parsed
from terse.verification.places import KEPT, attempts, places
from tests.verification.test_alone import RECORDS, result

STRUCTURED = {
    "content": [{"type": "text", "text": "{}"}],
    "structuredContent": {"rate": 1.0},
    "isError": False,
}


def test_results_arrive_as_they_were_sent(tmp_path: Path) -> None:
    """Through a process of `terse proxy`, in front of a server that is a process, too."""
    home = tmp_path / "home"
    home.mkdir()
    results = [result(RECORDS), result("a", "b", _meta={"n": 1.5}), result(RECORDS, isError=True)]
    run = through_proxy("plain", results, tmp_path, home, "hook", "--no-ledger", times=2)

    assert (run.calls, run.wrong, run.larger) == (6, [], [])
    assert attempts([run.proxy_log, run.server_log]) == []


def test_a_proxy_that_does_not_start_is_said(tmp_path: Path) -> None:
    """With its exit code, and what it did not answer."""
    home = tmp_path / "home"
    home.mkdir()
    run = through_proxy("plain", [result("a")], tmp_path, home, "hook", "--frobnicate")

    assert run.calls == 0
    assert run.wrong
    assert "no answer to initialize" in run.wrong[0]


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (STRUCTURED, None),
        ({**STRUCTURED, "isError": True}, "other members of the result"),
        ({**STRUCTURED, "structuredContent": {"rate": 1}}, "other members of the result"),
        ({**STRUCTURED, "content": [{"type": "text", "text": "[]"}]}, None),
        ({**STRUCTURED, "content": [{"type": "image", "text": "[]"}]}, "block 1 is another"),
        ({**STRUCTURED, "content": []}, "1 blocks became 0"),
    ],
)
def test_all_but_the_texts_is_compared(sent: object, said: str | None) -> None:
    """Other members and blocks to the text of numbers; texts are read apart from that."""
    assert live._differs(parsed(json.dumps(STRUCTURED)), parsed(json.dumps(sent)), "text") == said


def test_structured_content_may_become_the_text(tmp_path: Path) -> None:
    """For a client that shows it, and for no other."""
    received = parsed(json.dumps(STRUCTURED))
    sent = parsed(json.dumps({"content": STRUCTURED["content"], "isError": False}))

    assert live._differs(received, sent, "structured") is None
    assert live._differs(received, sent, "text") == "other members of the result"


@pytest.mark.parametrize(
    ("structured", "texts", "is_it"),
    [
        ({"a": [1.0, 2]}, ['{"a":[1.0,2]}'], True),
        ({"a": [1.0, 2]}, ["[1.0,2]"], True),
        ({"a": [1.0, 2]}, ["1.0", "2"], True),
        ({"a": [1.0, 2]}, ["1", "2"], False),
        ({"a": [1.0, 2]}, ['{"a":[1,2]}'], False),
        ({"result": "as it is"}, ["as it is"], True),
        ({"result": "as it is", "b": 1}, ["as it is"], False),
    ],
)
def test_a_text_in_place_of_structured_content_says_all_of_it(
    structured: object, texts: list[str], is_it: bool
) -> None:
    """It is the document, or its only value, or one for one the items of that: to the text of numbers."""
    found = live._says_another(parsed(json.dumps(structured)), texts)

    assert (found is None) is is_it


def test_the_page_has_every_place() -> None:
    """docs/verify.md lists what the report lists."""
    page = (Path(__file__).parent.parent.parent / "docs" / "verify.md").read_text(encoding="utf-8")
    rows = page.partition("## What is kept on disk")[2].replace("`", "")

    for kept in KEPT:
        assert f"| {kept.what} | {kept.path} |" in rows, kept.what


def noted(folder: Path, *lines: tuple[str, str]) -> Run:
    log = folder / "proxy.log"
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return Run("plain", log, folder / "server.log")


def test_what_is_written_elsewhere_is_found(tmp_path: Path) -> None:
    """A file that is on no list, and one that came to be without anybody saying so."""
    home = tmp_path / "home"
    ledger = home / ".local" / "state" / "terse" / "ledger.sqlite"
    ledger.parent.mkdir(parents=True)
    for path in (ledger, ledger.with_name("ledger.sqlite-wal"), home / "secret"):
        path.write_text("x")
    run = noted(tmp_path, ("database", str(ledger)), ("write", "/var/lib/elsewhere"), ("write", "/dev/null"))
    found, check = places([(run, home, False)])

    assert [place.path for place in found if place.seen] == ["~/.local/state/terse/ledger.sqlite"]
    assert check.holds is False
    assert check.findings == (
        "plain: /var/lib/elsewhere was written, which is not among the places below",
        "plain: ~/secret was written, which is not among the places below",
        "plain: ~/secret was written by something that Python does not see",
    )


def test_a_run_that_was_to_write_nothing_is_held_to_it(tmp_path: Path) -> None:
    """The ledger is fine, but not with `--no-ledger`."""
    home = tmp_path / "home"
    home.mkdir()
    run = noted(tmp_path, ("database", str(home / ".local/state/terse/ledger.sqlite")))
    found, check = places([(run, home, True)])

    assert check.findings == ("plain: ~/.local/state/terse/ledger.sqlite was written",)
    assert not any(isinstance(place, Place) and place.seen for place in found)
