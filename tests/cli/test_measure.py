"""`terse measure`: savings over captured calls, with memory and without, gross and net."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from terse.tokens import vocabulary
from tests.cli.conftest import Terse

ORDERS = [{"id": n, "state": "open", "customer": f"customer {n % 7}", "paid": n % 3 == 0} for n in range(60)]
LATER = [{**order, "state": "closed"} if order["id"] == 12 else order for order in ORDERS]
NOTES = [{"id": n, "note": f"note {n}: " + "what was said of it " * 8} for n in range(20)]
RULES = """terse 1

rule orders {
  on shop/*
  use compact then dedup then diff
}

rule notes {
  on bank/notes
  use compact
  set aside every note
  because "nobody reads them"
}
"""


def line(tool: str, text: str, session: str = "one", server: str = "shop", **result: Any) -> str:
    content = {"content": [{"type": "text", "text": text}], **result}
    made = {"session": session, "at": 1.0, "server": server, "client": "", "tool": tool, "arguments": {}}
    return json.dumps({**made, "result": content})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two files of captured calls, and rules that remember and set aside."""
    (tmp_path / "rules.terse").write_text(RULES)
    (tmp_path / "c").mkdir()
    one = [
        line("list", json.dumps(ORDERS)),
        line("list", json.dumps(LATER)),
        line("list", json.dumps(LATER)),
        line("read", "short"),
        line("list", json.dumps(ORDERS), "two"),
    ]
    two = [
        line("notes", json.dumps(NOTES), "three", "bank"),
        line("other", "nothing speaks of this: " + "word " * 300, "three", "bank"),
        json.dumps({"server": "shop", "tool": "picture", "arguments": None, "result": {"content": []}}),
    ]
    (tmp_path / "c" / "a.jsonl").write_text("\n".join(one) + "\n")
    (tmp_path / "c" / "b.jsonl").write_text("\n".join(two) + "\n")
    return tmp_path


def measured(terse: Terse, *arguments: str) -> dict[str, Any]:
    done = terse("measure", *arguments, "--output", "json")
    assert done.returncode == 0, done.stderr
    facts: dict[str, Any] = json.loads(done.stdout)
    return facts


def by_name(groups: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {group["name"]: group for group in groups}


def test_figures_by_tool_kind_and_server(terse_here: Terse, folder: Path) -> None:
    """Each is the sum of its calls; all of them are the whole."""
    facts = measured(terse_here, "c", "--rules", "rules.terse")

    counted = vocabulary()
    tools = by_name(facts["tools"])
    assert set(tools) == {"shop/list", "shop/read", "shop/picture", "bank/notes", "bank/other"}
    assert tools["shop/list"]["calls"] == 4
    assert tools["shop/list"]["received"] == 2 * counted.count(json.dumps(ORDERS)) + 2 * counted.count(
        json.dumps(LATER)
    )
    assert set(by_name(facts["servers"])) == {"shop", "bank"}
    for groups in ("tools", "kinds", "servers"):
        for key in ("calls", "received", "sent", "sent_without_memory", "lost", "aside"):
            assert sum(group[key] for group in facts[groups]) == facts["all"][key]
    assert (facts["files"], facts["sessions"]) == (2, 4)


def test_with_memory_and_without(terse_here: Terse, folder: Path) -> None:
    """Repeats are short with the memory of their session; without it each call is the first. What is sent
    with memory is what `terse replay` says."""
    facts = measured(terse_here, "c/a.jsonl", "--rules", "rules.terse")
    replayed = json.loads(
        terse_here("replay", "c/a.jsonl", "--rules", "rules.terse", "--output", "json").stdout
    )

    whole = facts["all"]
    assert whole["sent"] == replayed["total"]["sent"]
    assert whole["received"] == replayed["total"]["received"]
    alone = [call["sent"] for call in replayed["calls"] if call["repeat"] is None]
    assert whole["sent_without_memory"] == pytest.approx(sum(alone) + 2 * max(alone), rel=0.01)
    assert whole["repeats"] == {"same": 1, "changed": 1}
    assert facts["saved"] == whole["received"] - whole["sent"]


def test_net_is_less_what_is_charged(terse_here: Terse, folder: Path) -> None:
    """Our own tool in the lists of tools, once a session, and what is fetched later of what was set aside."""
    plain = measured(terse_here, "c", "--rules", "rules.terse")
    half = measured(terse_here, "c", "--rules", "rules.terse", "--fetched", "50")

    aside = by_name(plain["tools"])["bank/notes"]["aside"]
    assert aside > 300
    assert plain["charged"]["own_tools"] > 0
    assert plain["saved"] - plain["saved_net"] == plain["charged"]["own_tools"]
    assert half["charged"]["fetched"] == round(aside / 2)
    assert plain["saved_net"] - half["saved_net"] == half["charged"]["fetched"]


def test_what_was_sent_as_it_came_and_why(terse_here: Terse, folder: Path) -> None:
    """No text, no rule, too small: each with its tokens; tools that no rule matches are named."""
    facts = measured(terse_here, "c", "--rules", "rules.terse")

    unchanged = {each["why"]: each["calls"] for each in facts["all"]["unchanged"]}
    assert unchanged == {"too small": 1, "no rule matches": 1, "no text": 1}
    assert facts["without_rule"] == ["bank/other"]
    assert facts["largest_unchanged"][0]["name"] == "bank/other: no rule matches"
    assert facts["largest_unchanged"][0]["place"] == "b.jsonl:2"


def test_two_policies_stand_side_by_side(terse_here: Terse, folder: Path) -> None:
    """What the other rules would send, by tool, and in all."""
    (folder / "old.terse").write_text("terse 1\n\nrule everything {\n  on */*\n  use minify\n}\n")
    facts = measured(terse_here, "c", "--rules", "rules.terse", "--against", "old.terse")
    swapped = measured(terse_here, "c", "--rules", "old.terse", "--against", "rules.terse")

    assert facts["all"]["sent_against"] == swapped["all"]["sent"]
    assert facts["all"]["sent"] == swapped["all"]["sent_against"]
    text = terse_here("measure", "c", "--rules", "rules.terse", "--against", "old.terse").stdout.decode()
    assert "against old.terse" in text


def test_losses_are_told(terse_here: Terse, folder: Path) -> None:
    """The calls that lost most, and where they stand."""
    (folder / "lossy.terse").write_text(
        'terse 1\n\nrule notes {\n  on bank/notes\n  remove every note\n  because "for the test"\n}\n'
    )
    facts = measured(terse_here, "c", "--rules", "lossy.terse")

    (loss,) = facts["largest_losses"]
    assert (loss["name"], loss["place"]) == ("bank/notes", "b.jsonl:1")
    assert loss["size"] == facts["all"]["lost"] > 300


def test_text_and_page_have_the_figures(terse_here: Terse, folder: Path) -> None:
    """Sums first; a table by tool, kind and server; what stands out."""
    text = terse_here("measure", "c", "--rules", "rules.terse").stdout.decode()
    page = terse_here("measure", "c", "--rules", "rules.terse", "--output", "markdown").stdout.decode()

    for said in (
        "by tool",
        "by kind",
        "by server",
        "sent as they came",
        "tools that no rule matches",
        "net ",
    ):
        assert said in text
    assert "2 files, 4 sessions, 8 calls, rules rules.terse" in text
    assert page.count("| `shop/") == 3


def test_the_page_is_written_beside_it(terse_here: Terse, folder: Path) -> None:
    """One file that needs nothing else; a folder that is not there is said before the work."""
    done = terse_here("measure", "c", "--rules", "rules.terse", "--html", "page.html")
    assert done.returncode == 0
    assert b"<svg" in (folder / "page.html").read_bytes()

    done = terse_here("measure", "c", "--html", "nowhere/page.html")
    assert done.returncode == 2
    assert b"there is no such folder" in done.stderr


def test_bad_lines_and_files_are_left_out_and_said(terse_here: Terse, folder: Path) -> None:
    """Each costs itself alone; the exit code says that it is not all."""
    text = (folder / "c" / "a.jsonl").read_text()
    deep = '{"server":"shop","tool":"deep","result":{"content":' + "[" * 500 + "]" * 500 + "}}"
    (folder / "c" / "a.jsonl").write_text("broken\n" + text + deep + "\n")
    (folder / "c" / "empty.jsonl").write_text("")
    done = terse_here("measure", "c", "--rules", "rules.terse", "--output", "json")

    assert done.returncode == 1
    facts = json.loads(done.stdout)
    assert facts["all"]["calls"] == 8
    assert [note.split(" ")[0] for note in facts["notes"]] == ["a.jsonl:1:", "a.jsonl:7:"]


def test_the_users_own_captures_are_measured_unless_named(terse_here: Terse, folder: Path) -> None:
    """What `terse capture` wrote."""
    done = terse_here("measure", TERSE_CAPTURES=str(folder / "c"))
    assert done.returncode == 0
    assert b"8 calls" in done.stdout

    done = terse_here("measure", TERSE_CAPTURES=str(folder / "none"))
    assert done.returncode == 2
    assert b"nothing was captured yet" in done.stderr


def test_several_processes_give_the_same_figures(
    terse: Terse, terse_here: Terse, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files are put together in their order, whoever measured them."""
    many = folder / "many"
    many.mkdir()
    picture = {"type": "image", "data": "A" * 800_000, "mimeType": "image/png"}
    for number in range(3):
        rows = [line("list", json.dumps(ORDERS[: 20 + n % 9]), f"s{number}{n % 3}") for n in range(12)]
        rows.append(line("picture", "a picture", content=[picture]))
        (many / f"{number}.jsonl").write_text("\n".join(rows) + "\n")
    together = measured(terse, "many", "--rules", "rules.terse")
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    alone = measured(terse_here, "many", "--rules", "rules.terse")

    def figures(groups: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{key: value for key, value in group.items() if "milliseconds" not in key} for group in groups]

    assert figures(together["tools"]) == figures(alone["tools"])
    assert together["all"]["calls"] == 39
    assert together["sessions"] == alone["sessions"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing"], "no such file or folder: nothing"),
        (["rules.terse"], "no calls in rules.terse (rules.terse:1: not JSON"),
        (["empty"], "no *.jsonl in empty"),
        (["c", "--rules", "none.terse"], "none.terse"),
        (["c", "--vocabulary", "x"], "x"),
        (["c", "--fetched", "200"], "--fetched"),
        (["c", "--client", "x"], "--client"),
    ],
)
def test_bad_input_is_one_line(terse_here: Terse, folder: Path, arguments: list[str], said: str) -> None:
    """What is wrong, and nothing on stdout."""
    (folder / "empty").mkdir()
    done = terse_here("measure", *arguments)

    assert done.returncode == 2
    assert done.stdout == b""
    assert said in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1
