"""terse-mcp: all its lossless tiers, then its own gate, as its proxy does."""

from __future__ import annotations

import json

from driver import serve

from terse.transforms import compress_with, decompress, minify, values_equal


def encode(text: str) -> str:
    try:
        value = json.loads(text)
    except ValueError:
        return text
    out = compress_with(value, embedded=True)
    return out if values_equal(decompress(out), value) else minify(value)


def decode(text: str) -> str:
    try:
        return json.dumps(decompress(text), ensure_ascii=False)
    except ValueError:
        return text


serve(encode, decode)
