"""`terse stats`: reading a ledger, and what it says of what it cannot read."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from terse.ledger.writer import Ledger
from tests.cli.conftest import Terse
from tests.ledger.notes import record


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """Results of now and of ten days ago."""
    path = tmp_path / "ledger.sqlite"
    writing = Ledger(path, print)
    now = time.time()
    for number in range(3):
        writing.observe(record(at=now - 60))
        writing.observe(record(at=now - 10 * 86400, tool=f"old {number}"))
    writing.close(30.0)
    return path


def test_since_and_by(terse: Terse, ledger: Path) -> None:
    """Only what was sent since then is spoken of, by what was asked for."""
    for since, results in (("7d", 3), ("2w", 6), ("1h", 3), ("all", 6), ("2020-01-01", 6)):
        done = terse("stats", "--ledger", str(ledger), "--since", since, "--by", "client", "--json")
        assert done.returncode == 0, done.stderr
        facts = json.loads(done.stdout)
        assert [(each["name"], each["results"]) for each in facts["groups"]] == [("claude-code", results)]


def test_the_ledger_of_the_environment(terse: Terse, ledger: Path) -> None:
    """Without an option it is the one that the proxies write."""
    done = terse("stats", TERSE_LEDGER=str(ledger))

    assert done.returncode == 0
    assert b"3 results in the last 30d" not in done.stdout
    assert b"6 results in the last 30d" in done.stdout


def test_a_page_is_written(terse: Terse, ledger: Path, tmp_path: Path) -> None:
    """To the file that was named; nothing else is printed but its name."""
    done = terse("stats", "--ledger", str(ledger), "--html", "page.html")

    assert (done.returncode, done.stdout) == (0, b"page.html\n")
    assert "<title>terse stats</title>" in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--ledger", "nowhere"], "nowhere: there is no such file: nothing was noted yet"),
        (["--ledger", "text"], "text: file is not a database"),
        (["--since", "soon"], "--since soon: write 45m, 24h, 7d, 4w, a day such as 2026-11-30, or all"),
        (["--json", "--csv"], "--json, --csv and --html are three ways to write the same: choose one"),
        (["--prices", "text"], "--prices text: neither a number nor a table in TOML or JSON"),
        (["--prices", "-1"], "no such file: -1"),
        (["--prices", "wrong.json"], "--prices wrong.json: there is no 'claude-code': write models, clients"),
        (["--model", "large"], "--model large: there are no prices: write "),
        (["--prices", "p.toml", "--model", "b"], "--model b: p.toml has a"),
        (["--html", "no/where.html"], "--html no/where.html: No such file or directory"),
    ],
)
def test_what_cannot_be_read(
    terse: Terse, ledger: Path, tmp_path: Path, arguments: list[str], says: str
) -> None:
    """One line says why, and the exit code is 2."""
    (tmp_path / "text").write_text("no database at all, and no JSON")
    (tmp_path / "p.toml").write_text("models.a.input = 1")
    (tmp_path / "wrong.json").write_text('{"claude-code": "much"}')
    given = arguments if "--ledger" in arguments else ["--ledger", str(ledger), *arguments]
    done = terse("stats", *given)

    assert done.returncode == 2
    assert says in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1


def test_the_own_table_of_prices(terse: Terse, ledger: Path, tmp_path: Path) -> None:
    """A table below the configuration folder is used without being named; `--prices` names another one."""
    own = tmp_path / "config" / "terse" / "prices.toml"
    own.parent.mkdir(parents=True)
    own.write_text(
        'currency = "EUR"\n[models.a]\ninput = 1000\n[models.b]\ninput = 1\n[clients]\n"*" = "a"\n'
    )
    (tmp_path / "other.json").write_text('{"models": {"a": {"input": 2000, "cached_input": 500}}}')
    for arguments, says in (
        ((), "money: 3.60 EUR once\n"),
        (("--model", "b"), "money: 0.00 EUR once\n"),
        (("--prices", "other.json"), "money: 7.20 once, and 1.80 on each later turn\n"),
        (("--prices", "100"), "money: 0.36 once\n"),
    ):
        done = terse("stats", "--ledger", str(ledger), *arguments, XDG_CONFIG_HOME=str(tmp_path / "config"))
        assert done.returncode == 0, done.stderr
        assert says in done.stdout.decode()


def test_a_ledger_that_is_off(terse: Terse) -> None:
    """It is said how to name one."""
    done = terse("stats", TERSE_LEDGER="off")

    assert done.returncode == 2
    assert b"TERSE_LEDGER=off" in done.stderr
