"""A rewriter that changes nothing, for tests to make others of."""

from __future__ import annotations

from terse.plan.model import Plan
from terse.proxy.answer import Answer
from terse.proxy.retrieval import OwnCall
from terse.proxy.rewriting import Held
from terse.proxy.tool_list import ToolList


class Passive:
    """See `terse.proxy.rewriting.Rewriter`."""

    own_tool = None
    observing = None

    def sent(self, held: Held, message: bytes, seconds: float, *, is_late: bool) -> None:
        pass

    def record(self, held: Held) -> None:
        pass

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
        return answer.message

    def settle(self, *, rewritten: bool) -> None:
        pass

    def forget(self, tool: str, arguments: bytes) -> None:
        pass

    def begin(self) -> None:
        pass

    def follow(self, plan: Plan) -> bool:
        return False

    def warm(self) -> None:
        pass
