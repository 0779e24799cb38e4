"""A rewriter made for tests: it puts texts in upper case, and obeys a few of them."""

from __future__ import annotations

import time

from terse.proxy.answer import Answer
from tests.proxy.passive import Passive


class Shouting(Passive):
    def rewrite(self, answer: Answer) -> bytes:
        parts, _ = answer.texts()
        for part in parts:
            if part.text.startswith("sleep "):
                time.sleep(float(part.text.split()[1]))
            if part.text == "spin":
                until = time.monotonic() + 1.0
                while time.monotonic() < until:
                    pass
        return answer.with_texts({part.span: part.text.upper() for part in parts})
