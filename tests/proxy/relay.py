"""A relay with a rewriter made for tests: it puts texts in upper case, and obeys a few of them.

    python relay.py COMMAND…

TERSE_TEST_LOAD in the environment: `refuse` (the policy is refused), `fail` (loading raises), `slow`.
"""

from __future__ import annotations

import os
import sys
import time

from terse.proxy.child import Child

child = Child.spawn(sys.argv[1:])

from terse.proxy.answer import Answer  # noqa: E402 — the server is started first, as the command does
from terse.proxy.complaints import Complaints  # noqa: E402
from terse.proxy.retrieval import OwnCall  # noqa: E402
from terse.proxy.stdio import Refused, Relay  # noqa: E402
from terse.proxy.tool_list import ToolList  # noqa: E402


class Shouting:
    own_tool = None

    def touches_lists(self, client: str | None) -> bool:
        return False

    def rewrite_list(self, page: ToolList) -> bytes:
        return page.message

    def list_passed(self) -> None:
        pass

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


def load(complaints: Complaints) -> Shouting:
    how = os.environ.get("TERSE_TEST_LOAD")
    if how == "refuse":
        raise Refused("the policy is wrong")
    if how == "fail":
        raise ValueError("secret words")
    if how == "slow":
        time.sleep(0.5)
    return Shouting()


os._exit(Relay(child, load, must_load="TERSE_TEST_LOAD" in os.environ).run())
