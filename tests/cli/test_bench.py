"""`terse bench`: figures of saved results, and an exit code that says whether every promise was kept."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from terse.capture.results import Whole
from terse.payload.call import Call
from terse.plan.model import Entry, Pattern, Plan, Rule
from terse.report import benched_markdown, benched_text
from terse.report.benched import Bench, Exactness, Measured, Peer
from terse.review.bench import Bencher
from terse.tokens import vocabulary
from tests.cli.conftest import Terse

ORDERS = [{"id": n, "state": "open", "customer": f"customer {n % 7}", "paid": n % 3 == 0} for n in range(60)]
LOG = "".join(f"2026-03-01 12:00:{n:02d} INFO worker[{n % 3}] finished job {n * 37}\n" for n in range(40))


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Two payloads, and a capture of two calls."""
    payloads, captures = tmp_path / "corpus" / "payloads", tmp_path / "corpus" / "captures"
    payloads.mkdir(parents=True)
    captures.mkdir()
    (payloads / "orders.json").write_text(json.dumps(ORDERS, indent=2))
    (payloads / "worker.log").write_text(LOG)
    lines = []
    for text in (json.dumps(ORDERS[:40]), "done"):
        result = {"content": [{"type": "text", "text": text}]}
        lines.append(json.dumps({"server": "shop", "tool": "list", "arguments": {}, "result": result}))
    (captures / "shop.jsonl").write_text("\n".join(lines) + "\n")
    return tmp_path / "corpus"


def test_a_corpus_is_measured_by_file_and_by_kind(terse: Terse, corpus: Path) -> None:
    """Payloads and captures are found, all of them exact, JSON far below minified."""
    done = terse("bench", "--corpus", str(corpus), "--output", "json", "--runs", "1")

    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert [file["name"] for file in facts["files"]] == ["orders.json", "worker.log", "shop.jsonl"]
    assert [text["kind"] for text in facts["texts"]] == ["records", "log", "records", "text"]
    assert {text["exactness"] for text in facts["texts"]} == {"exact"}
    orders = facts["files"][0]
    assert orders["raw"] > orders["minified"] > 2 * orders["emitted"]
    assert facts["all"]["emitted"] == sum(text["emitted"] for text in facts["texts"])


def test_two_runs_write_the_same_bytes_without_times(terse: Terse, corpus: Path) -> None:
    """With `--runs 0` a report can be compared with an earlier one."""
    reports = {terse("bench", str(corpus), "--runs", "0").stdout for _ in range(2)}

    assert len(reports) == 1
    assert b" ms" not in reports.pop()


def test_without_a_path_our_own_samples_are_measured(terse: Terse) -> None:
    """A newcomer has no corpus: the samples of the shipped policies are one."""
    done = terse("bench", "--runs", "0")

    assert done.returncode == 0, done.stderr
    assert b"github/list_issues/open.json" in done.stdout
    assert b"none" not in done.stderr


def test_files_are_compared_with_their_best_public_format(terse: Terse, corpus: Path, tmp_path: Path) -> None:
    """Of each file the smallest figure counts; an empty cell is a format that cannot say it."""
    table = tmp_path / "peers.tsv"
    table.write_text(
        "file\tkind\traw\tminified\ttoon4\tbpp\norders.json\tjson\t9\t9\t900\t20\nworker.log\ttext\t9\t9\t\t\n"
    )

    done = terse("bench", "--corpus", str(corpus), "--against", str(table), "--output", "json", "--runs", "0")

    (row,) = json.loads(done.stdout)["against"]["files"]
    assert (row["file"], row["best"], row["best_tokens"]) == ("orders.json", "bpp", 20)
    assert row["points_behind"] == pytest.approx(row["best_percent"] - row["saved_percent"], abs=0.02)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("nothing-here",), "no such file or folder: nothing-here"),
        (("--corpus", "nothing-here"), "--corpus nothing-here: no such folder"),
        (("empty",), "nothing to measure in empty"),
        (("binary",), "binary: it is binary"),
        (("x.txt", "--against", "x.txt"), "--against x.txt: the first line must name the columns"),
        (("x.txt", "--against", "bad.tsv"), "--against bad.tsv:2: toon is no number of tokens: many"),
        (("x.txt", "--rules", "nothing.terse"), "nothing.terse"),
        (("x.txt", "--vocabulary", "p50k"), "no vocabulary 'p50k'"),
        (("x.txt", "--runs", "-1"), "--runs"),
    ],
)
def test_bad_input_is_one_line_and_two(
    terse: Terse, tmp_path: Path, arguments: tuple[str, ...], says: str
) -> None:
    """What cannot be measured is said in one line, without a traceback."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "binary").write_bytes(b"\0\0")
    (tmp_path / "x.txt").write_text("x")
    (tmp_path / "bad.tsv").write_text("file\ttoon\nx.txt\tmany\n")

    done = terse("bench", *arguments)

    assert done.returncode == 2
    assert says in done.stderr.decode()
    assert b"Traceback" not in done.stderr
    assert done.stdout == b""


def test_a_reducing_rule_is_no_failure(terse: Terse, tmp_path: Path, corpus: Path) -> None:
    """What a rule takes away on purpose is told, and is not `not exact`."""
    rules = tmp_path / "rules.terse"
    rules.write_text(
        'terse 1\n\nrule all {\n  on */*\n  use compact\n  remove every customer\n  because "x"\n}\n'
    )

    done = terse("bench", str(corpus / "payloads" / "orders.json"), "--rules", str(rules), "--runs", "0")

    assert done.returncode == 0, done.stderr
    assert b"reduced by a rule" in done.stdout


def _measured(**changes: object) -> Measured:
    facts: dict[str, object] = {
        "file": "a.json",
        "part": "",
        "family": "json",
        "kind": "records",
        "raw": 1000,
        "minified": 800,
        "emitted": 400,
        "milliseconds": 4.0,
        "exactness": Exactness.EXACT,
    }
    return Measured(**{**facts, **changes})  # type: ignore[arg-type]


def test_a_broken_promise_is_found_apart_from_the_gate() -> None:
    """A text that came back different, one that grew and one on which we failed make the exit code 1."""
    assert _measured(exactness=Exactness.WRONG).fails
    assert _measured(emitted=1001).fails
    assert _measured(fault="running rule x failed").fails
    assert not _measured(exactness=Exactness.BY_RULE).fails
    assert not _measured().fails


def test_time_is_the_median_of_the_runs() -> None:
    """One slow run does not move the figure."""
    ticks = iter([0.0, 0.009, 1.0, 1.001, 2.0, 2.002])
    plan = Plan(1, (Rule("all", "x:1", (Pattern("*", "*"),)),), (), (Entry(0, 0),))
    bencher = Bencher(plan, vocabulary(), runs=3, clock=lambda: next(ticks))

    (measured,) = bencher.measure(Whole("x", "", Call("s", "t"), ("text",), is_texts_alone=True))
    assert measured.milliseconds == pytest.approx(2.0)


@pytest.mark.parametrize("more", [{}, {"annotations": {"priority": 1}}])
def test_many_blocks_are_measured_as_they_are_sent(
    terse: Terse, tmp_path: Path, more: dict[str, Any]
) -> None:
    """As one text where the proxy sends one, and each for itself where a block says more than its text."""
    content = [{"type": "text", "text": json.dumps(order), **more} for order in ORDERS]
    line = {"server": "shop", "tool": "list", "arguments": {}, "result": {"content": content}}
    (tmp_path / "shop.jsonl").write_text(json.dumps(line))
    done = terse("bench", "shop.jsonl", "--output", "json", "--runs", "0")

    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)["all"]
    assert facts["texts"] == (len(ORDERS) if more else 1)
    assert facts["raw"] == sum(vocabulary().count(json.dumps(order)) for order in ORDERS)
    assert facts["emitted"] == facts["raw"] if more else facts["emitted"] < facts["minified"] / 2


def test_the_page_and_the_text_tell_the_same(golden: Callable[[str, str], None]) -> None:
    """Sums, the comparison with public formats, each file, and each broken promise, for people."""
    texts = [
        _measured(),
        _measured(file="b|`c`.txt", family="text", kind="log", raw=500, minified=500, emitted=500),
        _measured(file="small.json", kind="object", raw=30, minified=20, emitted=31, milliseconds=0.2),
        _measured(
            file="shop.jsonl", part="3 shop/list", exactness=Exactness.WRONG, fault="it decodes to another"
        ),
        _measured(file="shop.jsonl", part="4 shop/list", kind="object", milliseconds=200.0),
    ]
    peers = {"a.json": Peer("bpp", 300), "shop.jsonl": Peer("toon4", 900), "small.json": Peer("gcf", 5)}
    facts = Bench(
        "policies/", "o200k_base", 3, texts, over_budget=1, peers=peers, notes=("left out: x: it is binary",)
    )

    golden("bench/all.txt", benched_text.render(facts))
    golden("bench/all.md", benched_markdown.render(facts))


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_bar_is_drawn_on_a_terminal_only(terse: Terse, corpus: Path) -> None:
    """On a terminal progress is shown on stderr; the report on stdout is the same as without."""
    import pty

    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "terse", "bench", str(corpus), "--runs", "0"],
        stdout=subprocess.PIPE,
        stderr=follower,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "80"},
    )
    os.close(follower)
    shown = b""
    with suppress(OSError):  # the end of a pseudo-terminal, on Linux
        while part := os.read(leader, 4096):
            shown += part
    os.close(leader)
    assert process.stdout is not None
    report = process.stdout.read()
    process.stdout.close()

    assert process.wait() == 0
    assert b"measuring" in shown
    plain = terse("bench", str(corpus), "--runs", "0")
    assert report == plain.stdout
    assert plain.stderr == b""
