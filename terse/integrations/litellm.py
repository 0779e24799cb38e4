"""A callback of LiteLLM: results of its MCP gateway's tools, and results of tools in a model's messages."""

from __future__ import annotations

import json
from asyncio import to_thread
from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from threading import Lock
from typing import Any

from litellm.integrations.custom_logger import (  # type: ignore[import-not-found, unused-ignore]
    CustomLogger,
)

from terse.api import Call, Policy
from terse.integrations.sessions import Sessions

MAX_CHARACTERS = 64 * 1024 * 1024
"""Of the contents of messages that are remembered."""


class TerseCallback(CustomLogger):  # type: ignore[misc, unused-ignore]
    """Makes results smaller: those that LiteLLM's MCP gateway sends, and on request those in chat messages.

    INVARIANT: nothing is raised; whatever fails, what came is sent.
    """

    def __init__(self, policy: Policy, *, sessions: bool = False, messages_of: str | None = None) -> None:
        """
        Args:
            sessions: remember what an MCP session of the gateway was sent, for steps such as `dedup`. Only
                where no later callback changes or withholds results: what it did would count as sent.
            messages_of: the name that rules know the server of the tools by whose results stand in messages
                of the role `tool`. None: messages stay as they are.
        """
        super().__init__()
        self._policy = policy
        self._sessions = Sessions(policy) if sessions else None
        self._messages_of = messages_of
        self._written = _Written()

    async def async_post_mcp_tool_call_hook(
        self, kwargs: Mapping[str, Any], response_obj: Any, start_time: Any, end_time: Any
    ) -> Any:
        """The content with smaller texts; None where it stays as it is."""
        try:
            result = kwargs.get("original_response")
            call = _call(kwargs.get("mcp_tool_call_metadata"))
            # LiteLLM makes an error of a result with other texts beside structured content.
            if call is None or result is None or result.structured_content is not None:
                return None
            given = {"content": response_obj.mcp_tool_call_response, "isError": result.is_error}
            session = _session(kwargs) if self._sessions is not None else None
            # A large result takes a while, and the loop is every client's.
            if self._sessions is None or session is None:
                applied = await to_thread(self._policy.apply, given, call)
            else:
                applied = await to_thread(self._sessions.apply, given, call, session)
            if not applied.changed:
                return None
            return response_obj.model_copy(update={"mcp_tool_call_response": applied.result["content"]})
        except Exception:
            return None

    async def async_pre_call_deployment_hook(
        self, kwargs: dict[str, Any], call_type: Any
    ) -> dict[str, Any] | None:
        """The request with smaller texts in its messages of the role `tool`; None where it stays as it is."""
        if self._messages_of is None:
            return None
        try:
            messages = kwargs.get("messages")
            if not isinstance(messages, list):
                return None
            smaller = await to_thread(self._smaller, messages, self._messages_of)
            return None if smaller is None else {**kwargs, "messages": smaller}
        except Exception:
            return None

    def _smaller(self, messages: Sequence[Any], server: str) -> list[Any] | None:
        calls = _calls(messages, server)
        made = [self._message(message, calls) for message in messages]
        changed = any(old is not new for old, new in zip(messages, made, strict=True))
        return made if changed else None

    def _message(self, message: Any, calls: Mapping[object, Call]) -> Any:
        if not isinstance(message, Mapping) or message.get("role") != "tool":
            return message
        call, content = calls.get(message.get("tool_call_id")), message.get("content")
        if call is None or not content:
            return message
        # A history comes again with each request. The same words keep the model's prompt cache.
        key = json.dumps([call.name, call.arguments, content])
        written = self._written.get(key)
        if written is None:
            written = self._policy.apply(content, call).result
            self._written.put(key, written)
        return message if written == content else {**message, "content": written}


def _call(about: Mapping[str, Any] | None) -> Call | None:
    """What the gateway notes of a call: `server/tool`, the tool, the arguments."""
    if not about:
        return None
    tool = about.get("name") or ""
    server = (about.get("namespaced_tool_name") or "").removesuffix(f"/{tool}")
    return Call(server, tool, about.get("arguments") or {}) if server and tool and server != tool else None


def _session(kwargs: Mapping[str, Any]) -> Hashable | None:
    """Of the key alone: two users who claim one id do not share a session."""
    session = kwargs["mcp_tool_call_metadata"].get("mcp_session_id")
    about = (kwargs.get("litellm_params") or {}).get("metadata") or {}
    return (about.get("user_api_key"), session) if session else None


def _calls(messages: Sequence[Any], server: str) -> dict[object, Call]:
    """The calls that the model made, by their ids."""
    made = {}
    for message in messages:
        for asked in (message.get("tool_calls") if hasattr(message, "get") else None) or ():
            function = asked["function"]
            arguments = json.loads(function["arguments"] or "{}")
            if isinstance(arguments, dict):
                made[asked["id"]] = Call(server, function["name"], arguments)
    return made


class _Written:
    """What contents became, by call and content; the one not asked for longest goes first."""

    def __init__(self) -> None:
        self._written: OrderedDict[str, Any] = OrderedDict()
        self._characters = 0
        self._lock = Lock()

    def get(self, key: str) -> Any:
        with self._lock:
            if key in self._written:
                self._written.move_to_end(key)
            return self._written.get(key)

    def put(self, key: str, written: Any) -> None:
        with self._lock:
            if key not in self._written:
                self._characters += len(key)
            self._written[key] = written
            while self._characters > MAX_CHARACTERS:
                self._characters -= len(self._written.popitem(last=False)[0])
