"""A vocabulary and its exact token counts."""

from __future__ import annotations

import re
import threading
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from terse.tokens.cuts import CHUNK, blank_pieces, chunks
from terse.tokens.encodings import PUBLISHED

if TYPE_CHECKING:
    from tiktoken import Encoding

LONGEST_TOKEN_BYTES = 128
"""No token of either vocabulary has more bytes, so a text of n bytes has at least n/128 tokens."""

MAX_BLANKS = 500_000
"""Longest run of blanks that the tokenizer is given: tiktoken 0.14 panics at 999,999 of them."""


SHORT, KNOWN = 48, 4_096
"""Characters of a text whose count is remembered, and how many of those counted last are: 1 MB at most."""


class UnknownVocabulary(LookupError):  # noqa: N818 — the name says what it is
    """No vocabulary of that name is part of the package."""


class TokenizerError(RuntimeError):
    """The tokenizer gave up on a text, and its count is not known."""


class Vocabulary:
    """Token counts in one encoding. Built on first use, safe to use from any thread.

    INVARIANT: nothing here ever opens a socket: the vocabulary is read from the package.
    """

    def __init__(self, name: str) -> None:
        """
        Raises:
            UnknownVocabulary: `name` is none of `o200k_base` and `cl100k_base`.
        """
        if name not in PUBLISHED:
            raise UnknownVocabulary(f"no vocabulary {name!r}: it is one of {', '.join(PUBLISHED)}")
        self.name = name
        self._encoding: Encoding | None = None
        self._building = threading.Lock()
        self._counted = lru_cache(KNOWN)(self._count)

    def count(self, text: str) -> int:
        """The number of tokens of `text`, exactly; special tokens are counted as the text they are.

        Raises:
            TokenizerError: the tokenizer panicked.
        """
        # Names and headers come again with every result of a tool. A count hangs on nothing but its text.
        return self._counted(text) if len(text) <= SHORT else self._count(text)

    def _count(self, text: str) -> int:
        encoding = self._encoding or self._build()
        try:
            if len(text) <= 2 * CHUNK:
                return len(encoding.encode_ordinary(text))
            total = 0
            # One chunk after another: threads that share them were measured, and gain nothing.
            for part, is_piece in blank_pieces(text, MAX_BLANKS):
                if is_piece:
                    total += len(encoding._encode_single_piece(part))
                else:
                    total += sum(len(encoding.encode_ordinary(chunk)) for chunk in chunks(part))
            return total
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            # A panic in tiktoken's Rust arrives as a BaseException that is no Exception.
            raise TokenizerError(f"{type(error).__name__}: {error}") from error

    def is_over(self, text: str, tokens: int) -> bool:
        """Whether `text` has more than so many tokens; without counting where its size decides.

        Raises:
            TokenizerError: the tokenizer panicked.
        """
        if len(text) > tokens * LONGEST_TOKEN_BYTES:
            return True
        return at_most(text) > tokens and self.count(text) > tokens

    def warm(self) -> None:
        """Build the tokenizer now, so that the first count need not wait for it."""
        if self._encoding is None:
            self._build()

    def _build(self) -> Encoding:
        with self._building:
            if self._encoding is None:
                from tiktoken import Encoding

                from terse.tokens.pack import unpack

                published = PUBLISHED[self.name]
                packed = (Path(__file__).parent / f"{self.name}.pack").read_bytes()
                ranks = dict(zip(unpack(packed, published.size), range(published.size), strict=True))
                encoding = Encoding(
                    self.name, pat_str=published.pattern, mergeable_ranks=ranks, special_tokens={}
                )
                # The core has copied them: nothing that counts asks for them again, and they take 25 MB.
                encoding._mergeable_ranks = {}
                self._encoding = encoding
            return self._encoding


def at_most(text: str) -> int:
    """A number of tokens that `text` does not exceed in any vocabulary: its bytes in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


_RUNS = re.compile(r"[A-Za-z]+|[0-9]{1,3}")


def at_least(text: str) -> int:
    """A number of tokens that `text` has in any vocabulary; 0 where nothing is known without counting.

    The patterns of the encodings cut before and behind each run of letters, and behind every third digit of a
    number; but for what stands behind an apostrophe. Ten times as fast as a count.
    """
    return len(_RUNS.findall(text)) - text.count("'") if text.isascii() else 0


_VOCABULARIES = {name: Vocabulary(name) for name in PUBLISHED}


def vocabulary(name: str = "o200k_base") -> Vocabulary:
    """The vocabulary of that name, the same object every time.

    Raises:
        UnknownVocabulary: `name` is none of `o200k_base` and `cl100k_base`.
    """
    return _VOCABULARIES.get(name) or Vocabulary(name)
