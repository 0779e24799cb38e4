"""bpp-format, without its primer."""

from __future__ import annotations

import json

import bpp
from driver import serve


def encode(text: str) -> str:
    return bpp.dumps(json.loads(text))


def decode(text: str) -> str:
    return json.dumps(bpp.loads(text), ensure_ascii=False)


serve(encode, decode)
