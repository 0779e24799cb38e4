"""`terse verify` for people and programs: what does not hold is seen first, and no name becomes markup."""

from __future__ import annotations

import json

from terse.report import verified_html, verified_json, verified_text
from terse.report.verified import Check, Counted, Form, Installed, Place, Saved, Verified

HOSTILE = '</pre><script>document.title = "run"</script><img src=x>\x1b[2J\u202e'


def verified(*checks: Check, tools: int = 3, notes: tuple[str, ...] = ()) -> Verified:
    """What was found of a few tools, one of them with a hostile name."""
    names = [f"shop/tool{number}" for number in range(tools - 1)]
    return Verified(
        source="our own samples",
        calls=40,
        texts=50,
        checks=checks or (Check("exact", True, "50 texts decoded and compared: 0 differ"),),
        saved=tuple(Saved(name, "log, text", 2, 1000, 400) for name in (*names, HOSTILE)),
        forms=(Form("tabularize", "Reads `so`.", 3, HOSTILE, f'{{"a": 1}}\n{HOSTILE}', "JSON outline: a=1"),),
        installed=Installed(
            "1.2.3", "CPython 3.13.0", "Linux x86_64", {"lark": "1.3"}, "/opt/terse", 600, "ab" * 32
        ),
        counted=Counted("o200k_base", "cd" * 32, 199_998),
        places=(
            Place("ledger", "~/.local/state/terse/ledger.sqlite", "always", True),
            Place("x", "~/x", "--x", False),
        ),
        denial="namespace",
        digest="ef" * 32,
        notes=notes,
        seconds=3.21,
    )


BROKEN = Check("exact", False, "2 differ", ("shop/tool0, call 1: $.a: 1.0 became 1", HOSTILE))
OPEN = Check("install", None, "it runs from a folder")


def test_what_does_not_hold_stands_in_the_first_line() -> None:
    """And below it what exactly, with nothing in it that commands a terminal."""
    found = verified(BROKEN, OPEN)
    text = verified_text.render(found)

    assert text.splitlines()[0] == "terse 1.2.3: does not hold: exact"
    assert "      shop/tool0, call 1: $.a: 1.0 became 1\n" in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert not found.holds


def test_what_cannot_be_told_is_no_promise_that_holds() -> None:
    """It is said, and is no failure."""
    found = verified(Check("exact", True, "all well"), OPEN)

    assert (
        verified_text.headline(found) == "terse 1.2.3: 1 promises checked, all hold; not to be told: install"
    )
    assert found.holds


def test_one_screen_holds_many_tools() -> None:
    """The largest are rows, the rest is a sum; the sum of all is in any case."""
    lines = verified_text.render(verified(tools=200, notes=("a.jsonl:3: no call",))).splitlines()

    assert len(lines) < 25
    assert any(" ".join(line.split()) == "194 more tools 388 194,000 77,600 60.0%" for line in lines)
    assert any(line.split() == ["all", "400", "200,000", "80,000", "60.0%"] for line in lines)
    assert "note: a.jsonl:3: no call" in lines


def test_the_json_has_every_figure() -> None:
    """Also where an example ends in half a character: the document is UTF-8 all the same."""
    found = json.loads(verified_json.render(verified(BROKEN, OPEN)))

    assert found["holds"] is False
    assert [check["holds"] for check in found["checks"]] == [False, None]
    assert found["tools"][2]["tool"] == HOSTILE
    assert found["all"] == {
        "tool": "all",
        "kinds": "",
        "results": 6,
        "received": 3000,
        "sent": 1200,
        "percent": 60.0,
    }
    assert found["counted"]["sha256"] == "cd" * 32
    verified_json.render(verified(Check("exact", False, "\ud83d"))).encode()


def test_nothing_becomes_markup() -> None:
    """Names and results are text, and the page's own policy runs no script."""
    page = verified_html.render(verified(BROKEN, OPEN))

    assert "<script" not in page
    assert "<img" not in page
    assert "\x1b" not in page
    assert "default-src 'none'; style-src 'sha256-" in page
    assert page == verified_html.render(verified(BROKEN, OPEN))
