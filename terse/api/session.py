"""The results that one model has been sent, for later ones to speak of."""

from __future__ import annotations

import json
from collections.abc import Mapping
from threading import Lock
from typing import Any, TypeVar

from terse.api.applied import Applied
from terse.api.apply import apply, exact_call, named_call
from terse.fields.marks import RETRIEVE
from terse.memory.session import Session as Memory
from terse.payload.call import Call
from terse.plan.model import Plan
from terse.plan.run import sent
from terse.proxy.retrieval import definition, retrieve
from terse.tokens import Vocabulary

R = TypeVar("R")


class Session:
    """Made by `Policy.session`. Safe to use from any thread: results are taken one after another.

    INVARIANT: what `apply` gave is taken as sent. Whoever does not send it says so with `forget`.
    """

    def __init__(self, plan: Plan, vocabulary: Vocabulary, retrieve_tool: str | None) -> None:
        self._plan = plan
        self._vocabulary = vocabulary
        self._tool = retrieve_tool
        self._memory = Memory()
        self._one_at_a_time = Lock()

    @property
    def remembered_bytes(self) -> int:
        """What the remembered results take in memory."""
        return self._memory.base_bytes

    def apply(self, result: R, call: Call | str) -> Applied[R]:
        """As `Policy.apply`, and the result is remembered."""
        with self._one_at_a_time:
            applied, ran = apply(
                self._plan, result, call, self._memory, self._vocabulary, retrieve_tool=self._tool
            )
            if ran is not None:
                try:
                    sent(self._plan, ran.outcomes, ran.call, self._memory, self._vocabulary)
                except (KeyboardInterrupt, SystemExit):
                    raise
                # A panic in a tokenizer's native code arrives as a BaseException.
                except BaseException:
                    self._memory.forget(ran.call)
            return applied

    def forget(self, call: Call | str) -> None:
        """The model may not have the results of the call (they were not sent, or its context was cut): the
        next one is sent in full.

        Raises:
            ValueError, TypeError: it is no call: not `server/tool`, or with arguments that are no JSON.
        """
        asked = exact_call(named_call(call))
        with self._one_at_a_time:
            self._memory.forget(asked)

    def retrieve(self, handle: str) -> str:
        """All of what a handle stands for.

        Raises:
            KeyError: nothing is kept under it in this session.
        """
        text = self._memory.store.get(handle)
        if text is None:
            raise KeyError(handle)
        return text

    def tool(self) -> dict[str, Any]:
        """The tool to offer the model, as MCP's `tools/list` has it: name, description, inputSchema."""
        made: dict[str, Any] = json.loads(definition(self._tool or RETRIEVE))
        return made

    def answer(self, arguments: Mapping[str, Any]) -> list[str]:
        """What a call of that tool gives: the texts of its result, in pages that fit a context.

        Raises:
            Refused: there is no such handle, or the arguments make no sense. Its message is for the model.
        """
        raw = json.dumps(dict(arguments), default=str).encode()
        return retrieve(raw, self._memory.store, self._vocabulary.count, self._tool or RETRIEVE).texts
