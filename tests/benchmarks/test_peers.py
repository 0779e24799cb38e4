"""The comparison with public encoders: a peer that fails, hangs or changes values is told as that."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.peers.ask import Back, Driver, Failed, judged
from tests.benchmarks.peers.install import TIKTOKEN_NAMES, NotInstalled, Peer


@pytest.mark.parametrize(
    ("text", "back", "verdict"),
    [
        ('{"a": 1.0}', '{"a":1.0}', Back.EXACT),
        ('{"a":1.0}', '{"a":1}', Back.EQUAL),
        ('{"a":1,"b":2}', '{"b":2,"a":1}', Back.EQUAL),
        ('{"a":true}', '{"a":1}', Back.OTHER),
        ('{"a":1}', '{"a":"1"}', Back.OTHER),
        ('{"a":1}', "a=1", Back.OTHER),
        ('{"a":1,"a":1}', '{"a":1}', Back.EQUAL),
        ('{"a": 1, "a": 1}', '{"a":1,"a":1}', Back.EXACT),
        ("line\n", "line\n", Back.EXACT),
        ("line\n", "line", Back.OTHER),
        ('{"a":1}', None, Back.NONE),
    ],
)
def test_what_comes_back_is_judged_strictly(text: str, back: str | None, verdict: Back) -> None:
    """Exact means number text, types and the order of keys; equal is what Python calls equal."""
    assert judged(text, back) is verdict


def _peer(tmp_path: Path, script: str) -> Peer:
    path = tmp_path / "drive.py"
    path.write_text(script)
    return Peer("made up", "", (str(path),))


def test_a_peer_that_hangs_is_given_up(tmp_path: Path) -> None:
    """One peer without an answer does not hold up the run."""
    with (
        Driver(_peer(tmp_path, "import time\ntime.sleep(60)")) as driver,
        pytest.raises(Failed, match=r"no answer within 0\.2 s"),
    ):
        driver.ask({"text": "{}"}, 0.2)


def test_a_peer_that_ends_tells_its_last_words(tmp_path: Path) -> None:
    """The table says why there are no figures."""
    with (
        Driver(_peer(tmp_path, "import sys\nsys.exit('no such module')")) as driver,
        pytest.raises(Failed, match="it ended: no such module"),
    ):
        driver.ask({"text": "{}"}, 30)


def test_a_peer_that_cannot_be_installed_is_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without node there is no toon-npm, and the others still run."""
    monkeypatch.setattr("tests.benchmarks.peers.install.CACHE", tmp_path)
    monkeypatch.setenv("PATH", "")

    with pytest.raises(NotInstalled, match="no node"):
        Peer("toon", "@toon-format/toon@4.4.0", ("drive_toon.mjs",), npm=True).command()


def test_the_vocabularies_are_where_tiktoken_looks_for_them() -> None:
    """A peer that counts with tiktoken finds both files, and asks no network."""
    from hashlib import sha1

    address = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"

    assert {
        name: sha1(address.format(name).encode()).hexdigest() for name in TIKTOKEN_NAMES
    } == TIKTOKEN_NAMES
