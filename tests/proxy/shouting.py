"""A rewriter made for tests: it puts texts in upper case, and obeys a few of them."""

from __future__ import annotations

import time

from terse.plan.model import Plan
from terse.proxy.answer import Answer
from terse.proxy.retrieval import OwnCall
from terse.proxy.rewriting import Held
from terse.proxy.tool_list import ToolList


class Shouting:
    own_tool = None
    observing = None

    def touches_lists(self, client: str | None) -> bool:
        return False

    def rewrite_list(self, page: ToolList) -> bytes:
        return page.message

    def list_passed(self) -> None:
        pass

    def sent(self, held: Held, message: bytes, seconds: float, *, is_late: bool) -> None:
        pass

    def follow(self, plan: Plan) -> bool:
        return False

    def retrieve(self, call: OwnCall) -> bytes:
        return call.message

    def touches(self, tool: str, size: int) -> bool:
        return tool != "untouched"

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

    def settle(self, *, rewritten: bool) -> None:
        pass

    def forget(self, tool: str, arguments: bytes) -> None:
        pass

    def begin(self) -> None:
        pass

    def warm(self) -> None:
        pass
