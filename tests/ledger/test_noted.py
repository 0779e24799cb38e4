"""What a running proxy notes of what it sends, and says at its end."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from terse.guarantee import Guarantee
from terse.ledger.place import VARIABLE
from terse.ledger.reader import records
from tests.proxy import process
from tests.proxy.process import call, request

RULES = """terse 1

rule records {
  on */records
  use compact
  remove every open
  because "every record is open"
}
"""
INTRODUCTION = request(
    0, "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "a client"}
)


def proxied(folder: Path, *options: str) -> tuple[Path, str]:
    """A proxy that sent three results, and its ledger, and what it said."""
    (folder / "rules.terse").write_text(RULES)
    ledger = folder / "ledger.sqlite"
    command = [sys.executable, "-m", "terse", "proxy", "--rules", str(folder / "rules.terse"), *options]
    command += ["--server-name", "shop", "--", *process.SERVER]
    with process.started(command, **{VARIABLE: str(ledger)}) as client:
        client.send(INTRODUCTION)
        client.receive()
        client.send(call(1, "records", size=60, secret="hunter2"))
        client.receive()
        client.send(call(2, "echo", text="an unheard-of word"))
        client.receive()
        client.send(call(3, "nothing"))
        client.receive()
        client.close()
        client.rest()
        assert client.wait() == 0
        return ledger, client.errors()


def test_a_proxy_notes_what_it_sends(tmp_path: Path) -> None:
    """Names, sizes, the rule, its steps and the class of each message; a line at the end sums it up."""
    ledger, said = proxied(tmp_path)
    found = {each.tool: each for each in records(ledger, float("-inf"))}

    noted = found["records"]
    assert (noted.client, noted.server, noted.what, noted.rule) == ("a client", "shop", "result", "records")
    assert noted.guarantee is Guarantee.LOSSY
    assert noted.lines == ("remove every open",)
    assert "tabularize" in noted.tiers
    assert noted.tokens_in is not None
    assert noted.tokens_out is not None
    assert 0 < noted.tokens_out < noted.tokens_in / 2
    assert found["echo"].guarantee is Guarantee.EXACT
    assert found["echo"].bytes_in == found["echo"].bytes_out
    assert found["nothing"].what == "error"
    assert said.startswith("terse: 2 results, ")
    assert said.endswith("saved); terse stats has more\n")


def test_no_content_and_no_arguments_are_kept(tmp_path: Path) -> None:
    """Not a word of a result, and not a value of a call, is anywhere in the ledger's files."""
    ledger, said = proxied(tmp_path)
    kept = b"".join(file.read_bytes() for file in tmp_path.iterdir() if file.name.startswith(ledger.name))

    assert b"records" in kept
    for secret in (b"hunter2", b"unheard-of", b"record 7", b'"open"'):
        assert secret not in kept
        assert secret.decode() not in said


def test_nothing_is_noted_where_it_is_not_wanted(tmp_path: Path) -> None:
    """No file, and no line at the end."""
    ledger, said = proxied(tmp_path, "--no-ledger")

    assert not ledger.exists()
    assert said == ""


def test_a_ledger_that_cannot_be_written_disturbs_nobody(tmp_path: Path) -> None:
    """Results go out all the same; one line says that nothing is noted."""
    (tmp_path / "ledger.sqlite").mkdir()
    _, said = proxied(tmp_path)

    first, last = said.splitlines()
    assert first == f"terse: nothing more is noted in {tmp_path / 'ledger.sqlite'}: Is a directory"
    assert last.startswith("terse: 2 results, ")


def test_stats_of_a_proxy(tmp_path: Path) -> None:
    """What `terse stats` says is what the proxy noted."""
    from terse.report.stats import Stats

    ledger, _ = proxied(tmp_path)
    facts = Stats.of(records(ledger, float("-inf")), "tool")
    by_name = {group.name: group for group in facts.groups}

    assert by_name["shop/records"].lossy == 1
    assert by_name["shop/records"].losing == {"remove every open": 1}
    assert facts.all.results == 2
    assert json.dumps(sorted(by_name)) == '["shop/echo", "shop/nothing", "shop/records"]'
