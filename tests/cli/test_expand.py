"""`terse expand`: back to what the tool had sent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from terse.payload.exact import dump, parse
from tests.cli.conftest import Terse

ROWS = [f'{{"number":{n},"price":{n}.50,"state":"open","title":"issue {n}"}}' for n in range(60)]
RECORDS = f"[{','.join(ROWS)}]"
NO_FORMS = [b"", b"plain text", b"{}\n", b"\xff\xfe\x00", b"a\r\nb\r", b"\xef\xbb\xbf{}", b"[1,2", b"\x1b[m"]


def test_an_emitted_text_comes_back(terse: Terse, tmp_path: Path) -> None:
    """explain --emitted | expand gives the same JSON, number text included."""
    (tmp_path / "records.json").write_text(RECORDS)
    emitted = terse("explain", "records.json", "--emitted").stdout
    done = terse("expand", "-", stdin=emitted)

    assert emitted != RECORDS.encode()
    assert done.returncode == 0
    assert dump(parse(done.stdout.decode())) == dump(parse(RECORDS))


@pytest.mark.parametrize("data", NO_FORMS)
def test_what_is_no_form_comes_back_as_it_is(terse: Terse, data: bytes) -> None:
    """Bytes that terse did not emit are written as they came."""
    done = terse("expand", "-", stdin=data)

    assert (done.returncode, done.stdout, done.stderr) == (0, data, b"")


def test_a_file_is_read(terse: Terse, tmp_path: Path) -> None:
    """A file is read as stdin is."""
    (tmp_path / "x.txt").write_bytes(b"as it is")

    assert terse("expand", "x.txt").stdout == b"as it is"


def test_a_missing_file_is_one_line(terse: Terse) -> None:
    """A missing file is told by its name."""
    done = terse("expand", "missing.txt")

    assert (done.returncode, done.stdout, done.stderr) == (2, b"", b"terse: no such file: missing.txt\n")


@pytest.mark.parametrize(
    "texts",
    [ROWS, [f"2026-11-30 10:00:{n:02} INFO worker {n % 3} took a job from the queue" for n in range(40)]],
    ids=["documents", "lines"],
)
def test_the_texts_of_one_that_stands_for_several_come_back(
    terse: Terse, tmp_path: Path, texts: list[str]
) -> None:
    """`--texts` prints them as a list of strings, in order."""
    content = [{"type": "text", "text": text} for text in texts]
    (tmp_path / "result.json").write_text(json.dumps({"content": content}))
    emitted = terse("explain", "result.json", "--emitted").stdout
    done = terse("expand", "-", "--texts", stdin=emitted)

    assert len(emitted) < sum(map(len, texts)) / 2
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == texts


@pytest.mark.parametrize("data", [b"plain text", b"[1,2]", b"\xff", b""])
def test_a_text_that_stands_for_no_others_is_one_line(terse: Terse, data: bytes) -> None:
    """With `--texts` there must be some."""
    done = terse("expand", "-", "--texts", stdin=data)

    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"terse: stdin ")
    assert done.stderr.count(b"\n") == 1
