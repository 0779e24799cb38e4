"""The published encodings: how text is cut into pieces, and the hash of the vocabulary file.

Patterns and hashes are those of tiktoken (MIT, see NOTICE). Special tokens are left out on purpose:
in a tool result, `<|endoftext|>` is ordinary text.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Published:
    """One encoding.

    Attributes:
        pattern: the regex that cuts a text into the pieces that byte-pair encoding works on.
        sha256: of the `.tiktoken` file as published: one line a token, base64, a blank and its rank.
        size: its number of tokens.
    """

    pattern: str
    sha256: str
    size: int


_O200K_PATTERN = "|".join(
    (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    )
)

_CL100K_PATTERN = "|".join(
    (
        r"'(?i:[sdmt]|ll|ve|re)",
        r"[^\r\n\p{L}\p{N}]?+\p{L}++",
        r"\p{N}{1,3}+",
        r" ?[^\s\p{L}\p{N}]++[\r\n]*+",
        r"\s++$",
        r"\s*[\r\n]",
        r"\s+(?!\S)",
        r"\s",
    )
)

PUBLISHED = {
    "o200k_base": Published(
        _O200K_PATTERN, "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d", 199_998
    ),
    "cl100k_base": Published(
        _CL100K_PATTERN, "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7", 100_256
    ),
}
