"""Whose resource or task something is: servers name them as they like, and requests speak of that name."""

from __future__ import annotations

import json

from terse.proxy.many.merged import ITEMS, Answer
from terse.proxy.message import Message

MAX_KNOWN = 65536
"""Names whose server is remembered; the oldest are forgotten, and their server is looked for again."""

_LISTS = ("resources/list", "resources/templates/list", "tasks/list")
_NAMES = ("uri", "uriTemplate", "taskId")


class Known:
    """Servers by the URIs of their resources and the ids of their tasks."""

    def __init__(self) -> None:
        self._servers: dict[str, str] = {}

    def server_of(self, name: str | None) -> str | None:
        """The server that was last heard to have it; None if nobody was."""
        return None if name is None else self._servers.get(name)

    def learn(self, name: str, server: str) -> None:
        """The server has it."""
        self._servers.pop(name, None)
        if len(self._servers) >= MAX_KNOWN:
            del self._servers[next(iter(self._servers))]
        self._servers[name] = server

    def learn_listed(self, method: str | None, answer: Answer) -> None:
        """A server lists what it has."""
        if method not in _LISTS:
            return
        span = answer.result.get(ITEMS[method])
        try:
            listed = [] if span is None else json.loads(answer.message.raw[slice(*span)])
        except (ValueError, RecursionError):
            return
        for item in listed if isinstance(listed, list) else []:
            for key in _NAMES:
                if isinstance(item, dict) and isinstance(item.get(key), str):
                    self.learn(item[key], answer.server)

    def learn_task(self, server: str, message: Message) -> None:
        """A server answers a call with a task."""
        if "result" not in message.members:
            return
        result = message.inside(message.members["result"])
        for found in (result, message.inside(result["task"]) if "task" in result else {}):
            task = message.text(found["taskId"]) if "taskId" in found else None
            if task is not None:
                self.learn(task, server)
