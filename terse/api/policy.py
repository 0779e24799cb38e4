"""A plan that results are run through, one at a time or in sessions."""

from __future__ import annotations

from typing import TypeVar

from terse.api.applied import Applied
from terse.api.apply import apply
from terse.api.session import Session
from terse.memory.session import Session as Memory
from terse.payload.call import Call
from terse.plan.model import Plan
from terse.tokens import vocabulary as vocabulary_of

R = TypeVar("R")


class Policy:
    """Rules, ready to run. Made by `terse.load`. Safe to use from any thread."""

    def __init__(self, plan: Plan, *, vocabulary: str = "o200k_base") -> None:
        """
        Raises:
            UnknownVocabulary: there is no vocabulary of this name.
        """
        self._plan = plan
        self._vocabulary = vocabulary_of(vocabulary)

    def apply(self, result: R, call: Call | str) -> Applied[R]:
        """What is to be sent in place of a result. Nothing is remembered, so nothing is set aside, and no
        result is sent as a change of another. Never raises, whatever the result is: see `Applied.fault`.

        Args:
            result: a text, a list of texts or of content blocks, or a result with `content`: a dict, or an
                object such as an SDK's `CallToolResult`. It is not changed.
            call: what it answers, by the names that rules match on; `"server/tool"` for a call without
                arguments.

        Raises:
            ValueError: `call` is a text, and not `server/tool`.
        """
        return apply(self._plan, result, call, Memory(), self._vocabulary)[0]

    def session(self, *, retrieve_tool: str | None = None) -> Session:
        """A session: one model's context, in which results may speak of earlier ones.

        Args:
            retrieve_tool: the name of the tool that the program offers the model for what was set aside:
                see `Session.answer`. None: there is none, and nothing is set aside.
        """
        return Session(self._plan, self._vocabulary, retrieve_tool)
