"""Token counts: exact, offline, whatever the text."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

import terse.tokens.cuts as cuts
from terse.tokens import TokenizerError, UnknownVocabulary, vocabulary
from terse.tokens.counting import KNOWN, LONGEST_TOKEN_BYTES, SHORT, Vocabulary, at_least, at_most
from terse.tokens.encodings import PUBLISHED
from terse.tokens.pack import as_published, main, pack, unpack

NAMES = sorted(PUBLISHED)
PACKS = Path(cuts.__file__).parent


def _tokens(name: str) -> list[bytes]:
    return unpack((PACKS / f"{name}.pack").read_bytes(), PUBLISHED[name].size)


def _plain(name: str, text: str) -> int:
    """The count that tiktoken gives for the text in one piece."""
    encoding = vocabulary(name)._build()
    return len(encoding.encode_ordinary(text))


@pytest.mark.parametrize("name", NAMES)
def test_the_packed_vocabulary_is_the_published_one(name: str) -> None:
    """Unpacked and written out again, the file has the hash that its publisher states."""
    assert sha256(as_published(_tokens(name))).hexdigest() == PUBLISHED[name].sha256


@pytest.mark.parametrize("name", NAMES)
def test_no_token_is_longer_than_stated(name: str) -> None:
    """The lower bound of a count rests on the longest token."""
    assert max(map(len, _tokens(name))) <= LONGEST_TOKEN_BYTES


def test_packing_and_unpacking_agree() -> None:
    """A pack gives back the tokens in rank order."""
    tokens = [b"!", b"ab", b"\xff\x00", b"x" * 255]

    assert unpack(pack(as_published(tokens)), len(tokens)) == tokens


def test_packing_refuses_ranks_with_gaps() -> None:
    """A file whose ranks do not count up is no vocabulary that a pack can hold."""
    with pytest.raises(ValueError, match="line 2 has rank 2"):
        pack(b"IQ== 0\nIg== 2\n")


def test_the_build_script_refuses_another_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Only a file with the published hash is packed."""
    other = tmp_path / "o200k_base.tiktoken"
    other.write_bytes(b"IQ== 0\n")

    assert main([str(other)]) == 1
    assert "not the published o200k_base vocabulary" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "o200k", "cl100k"),
    [("", 0, 0), ("hello world", 2, 2), ('{"id":1,"name":"x"}', 9, 9), ("漢字", 2, 3)],
)
def test_known_counts(text: str, o200k: int, cl100k: int) -> None:
    """A few counts as OpenAI's own tokenizer gives them."""
    assert vocabulary("o200k_base").count(text) == o200k
    assert vocabulary("cl100k_base").count(text) == cl100k


def test_an_unknown_vocabulary_is_named() -> None:
    """The message says which names there are."""
    with pytest.raises(UnknownVocabulary, match="it is one of o200k_base, cl100k_base"):
        vocabulary("o300k")


def test_the_same_name_is_the_same_vocabulary() -> None:
    """It is built once in a process."""
    assert vocabulary() is vocabulary("o200k_base")


@pytest.mark.parametrize("name", NAMES)
def test_special_token_text_is_ordinary_text(name: str) -> None:
    """A README that quotes `<|endoftext|>` is counted, not refused, and not as one token."""
    assert vocabulary(name).count("<|endoftext|>") > 3


@pytest.mark.parametrize("name", NAMES)
def test_lone_surrogates_are_counted(name: str) -> None:
    """A text that is no valid Unicode is counted as if the surrogate were U+FFFD."""
    assert vocabulary(name).count("a\ud800b") == vocabulary(name).count("a\ufffdb")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("blank", "before", "after"), [(" ", "", ""), ("\t", "a!", "x"), ("\xa0", ".\r\n", "7")]
)
def test_a_million_blanks_are_counted(name: str, blank: str, before: str, after: str) -> None:
    """tiktoken panics on a run of 999,999 blanks; here it is one piece, and the rest is counted beside it."""
    run = blank * 1_000_000
    counted = vocabulary(name).count(before + run + after)

    piece = vocabulary(name)._build()._encode_single_piece
    alone = run[:-1] if after else run
    beside = _plain(name, before) + (_plain(name, blank + after) if after else 0)
    assert counted == len(piece(alone)) + beside


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("before", ["", "a", "a!", "a! \n", "7\r\n\n"])
@pytest.mark.parametrize("after", ["", "x", "!", "7", "\n", " \nx", "\n ", "\r\n7"])
def test_a_long_run_of_blanks_counts_as_in_one_piece(
    name: str, before: str, after: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the tokenizer can still count a long run itself, both ways agree."""
    monkeypatch.setattr("terse.tokens.counting.CHUNK", 8)
    monkeypatch.setattr("terse.tokens.counting.MAX_BLANKS", 256)
    text = before + " \t" * 200 + after

    assert vocabulary(name).count(text) == _plain(name, text)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("unit", ["\n", "\r\n", " \n", "=", "a", "7", "'s", "/\n", "\u0301", "漢", "😀"])
def test_long_runs_of_other_characters_are_counted(name: str, unit: str) -> None:
    """Nothing else makes the tokenizer give up."""
    text = unit * (1_100_000 // len(unit))

    assert 0 < vocabulary(name).count(text) <= at_most(text)


PARTS = st.sampled_from(
    ("word", "Word's", "12", "3.14", "\n", "\r\n", " ", "  ", "\t", "/", "'", "'S", '"', "{", "},", "é")  # noqa: RUF005
    + ("漢字", "😀", "<|endoftext|>", "\x85", "\xa0", "\x1c", "½", "//\n", "!\n/", "e\u0301", "\u017f")
)


@pytest.mark.parametrize("name", NAMES)
@given(parts=st.lists(PARTS | st.text(max_size=4), min_size=20, max_size=60))
@settings(deadline=None)
def test_a_text_cut_in_chunks_counts_as_in_one_piece(name: str, parts: list[str]) -> None:
    """Chunks are cut only where the counts of both sides add up."""
    text = "".join(parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuts, "CHUNK", 2)
        pieces = list(cuts.chunks(text))

    assert "".join(pieces) == text
    assert sum(_plain(name, piece) for piece in pieces) == _plain(name, text)


@pytest.mark.parametrize("name", NAMES)
@given(text=st.text(), tokens=st.integers(0, 40))
@settings(deadline=None)
def test_over_says_what_the_count_says(name: str, text: str, tokens: int) -> None:
    """The short cuts by size never decide otherwise than the exact count."""
    assert vocabulary(name).is_over(text, tokens) == (vocabulary(name).count(text) > tokens)


def test_a_panic_of_the_tokenizer_is_an_error_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """What tiktoken raises as a bare BaseException arrives as an Exception that callers can handle."""

    class Panic(BaseException):
        pass

    class Panicking:
        def encode_ordinary(self, text: str) -> list[int]:
            raise Panic("boom")

    broken = Vocabulary("o200k_base")
    monkeypatch.setattr(broken, "_encoding", Panicking())

    with pytest.raises(TokenizerError, match="boom"):
        broken.count("x")


def test_many_threads_get_one_tokenizer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads that count at the same time on a fresh vocabulary build it once."""
    built = []
    original = tiktoken.Encoding.__init__

    def counting(self: tiktoken.Encoding, *args: object, **options: object) -> None:
        built.append(self)
        original(self, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(tiktoken.Encoding, "__init__", counting)
    fresh = Vocabulary("cl100k_base")
    with ThreadPoolExecutor(8) as threads:
        counts = list(threads.map(fresh.count, ["hello world"] * 32))

    assert counts == [2] * 32
    assert len(built) == 1


OFFLINE = """
import socket, sys
def denied(*args, **options):
    raise AssertionError("a socket was asked for")
socket.socket = socket.create_connection = socket.getaddrinfo = denied

import terse.tokens
assert "tiktoken" not in sys.modules, "tiktoken is imported before anything is counted"
for name in ("o200k_base", "cl100k_base"):
    assert terse.tokens.vocabulary(name).count("hello world") == 2
for module in ("tiktoken.load", "tiktoken_ext.openai_public", "requests", "urllib3"):
    assert module not in sys.modules, module
"""


def test_counting_needs_no_network() -> None:
    """A fresh process without sockets counts, and never loads what could download a vocabulary."""
    done = subprocess.run([sys.executable, "-c", OFFLINE], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr


PIECES = st.sampled_from(
    ["'s", "'ll", "it's", "abc", "AbC", "12", "12345", " ", "  ", "\n", "\r\n", '","', "-", "/", "{", "''"]
)


@pytest.mark.parametrize("name", NAMES)
@given(
    text=st.lists(PIECES, max_size=30).map("".join) | st.text(st.characters(max_codepoint=127)) | st.text()
)
@settings(max_examples=300)
def test_what_a_text_has_at_least_it_has(name: str, text: str) -> None:
    """That a text has so many tokens may be known without a count: then it has, in either vocabulary."""
    assert at_least(text) <= vocabulary(name).count(text)
    assert all(at_least(text[:end]) <= vocabulary(name).count(text) for end in range(0, len(text), 7))


def test_a_count_hangs_on_nothing_but_its_text() -> None:
    """Counts of short texts are remembered, so many of them; what was counted counts the same again."""
    counted = Vocabulary("o200k_base")
    words = [f"word{number}" for number in range(KNOWN + 100)]
    first = [counted.count(word) for word in words]

    assert [counted.count(word) for word in words] == first == [_plain("o200k_base", word) for word in words]
    assert counted.count("x" * SHORT) == _plain("o200k_base", "x" * SHORT)
    assert counted._counted.cache_info().currsize <= KNOWN
