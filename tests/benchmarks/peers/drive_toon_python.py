"""toon-format, the Python implementation of TOON."""

from __future__ import annotations

import json

import toon_format
from driver import serve


def encode(text: str) -> str:
    return toon_format.encode(json.loads(text))


def decode(text: str) -> str:
    return json.dumps(toon_format.decode(text), ensure_ascii=False)


serve(encode, decode)
