"""headroom-ai as a library, compressing the newest result too. `--lossless`: its mode that removes nothing.

It has no way back, so that nothing can be said here of exactness.
"""

from __future__ import annotations

import sys

from driver import serve
from headroom import compress

OPTIONS = {"mode": "agent"} if "--lossless" in sys.argv else {}
# Results of tools with names like `read` are left alone.
CALL = {"id": "1", "type": "function", "function": {"name": "list_records", "arguments": "{}"}}


def encode(text: str) -> str:
    messages = [
        {"role": "user", "content": "Go on."},
        {"role": "assistant", "tool_calls": [CALL], "content": None},
        {"role": "tool", "tool_call_id": "1", "content": text},
    ]
    return str(compress(messages, model="gpt-4o", protect_recent=0, **OPTIONS).messages[-1]["content"])


# A text that comes again is answered from a cache.
serve(encode, None, runs=1)
