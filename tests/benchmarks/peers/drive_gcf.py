"""gcf-python: the generic profile."""

from __future__ import annotations

import json

import gcf
from driver import serve


def encode(text: str) -> str:
    return gcf.encode_generic(json.loads(text))


def decode(text: str) -> str:
    return json.dumps(gcf.decode_generic(text), ensure_ascii=False)


serve(encode, decode)
