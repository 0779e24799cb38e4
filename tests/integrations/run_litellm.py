"""Run by a Python that has LiteLLM: what its MCP gateway sends, and what a model is sent."""

from __future__ import annotations

import asyncio
import json
import sys
from datetime import datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import litellm
from litellm.litellm_core_utils.litellm_logging import Logging
from mcp.types import CallToolResult, TextContent

import terse
from terse.integrations.litellm import TerseCallback

ROWS = [{"id": number, "state": "open", "title": f"Issue {number}"} for number in range(60)]
TEXT = json.dumps(ROWS)
RULES = """terse 1

rule open-issues {
  on github/list_issues
  when argument state is "open"
  use dedup then compact
}
"""


def _result(*texts: str, **others: Any) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text) for text in texts], **others)


async def _sent(
    result: CallToolResult, *, state: str = "open", session: str | None = None, key: str = "a"
) -> dict[str, Any]:
    """What the gateway sends: its own dispatch of the hook, as it is called after a tool's call."""
    now = datetime.now()
    logging = Logging(
        model="MCP: list_issues",
        messages=[],
        stream=False,
        call_type="call_mcp_tool",
        start_time=now,
        litellm_call_id="1",
        function_id="1",
    )
    logging.model_call_details["litellm_params"] = {"metadata": {"user_api_key": key}}
    logging.model_call_details["mcp_tool_call_metadata"] = {
        "name": "list_issues",
        "arguments": {"state": state},
        "namespaced_tool_name": "github/list_issues",
        "mcp_session_id": session,
    }
    logging.post_call(original_response=result)
    sent = await logging.async_post_mcp_tool_call_hook(
        kwargs=logging.model_call_details, response_obj=result, start_time=now, end_time=now
    )
    return sent.model_dump(by_alias=True, exclude_none=True)


class _Model(BaseHTTPRequestHandler):
    """Answers as OpenAI does, and keeps what it was asked."""

    asked: list[dict[str, Any]] = []  # noqa: RUF012 — one server in this process

    def do_POST(self) -> None:
        self.asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        message = {"role": "assistant", "content": "done"}
        answer = {
            "id": "1",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        }
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing: stdout and stderr are the test's."""


def _history() -> list[dict[str, Any]]:
    function = {"name": "list_issues", "arguments": '{"state": "open"}'}
    calls = [{"id": name, "type": "function", "function": function} for name in ("1", "2")]
    return [
        {"role": "user", "content": TEXT},
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "1", "content": TEXT},
        {"role": "tool", "tool_call_id": "2", "content": [{"type": "text", "text": TEXT}]},
        {"role": "tool", "tool_call_id": "3", "content": TEXT},
    ]


async def _asked(url: str) -> list[dict[str, Any]]:
    """The messages that a model is sent."""
    history = _history()
    await litellm.acompletion(model="openai/m", messages=history, api_base=url, api_key="none")
    assert history == _history()
    asked = _Model.asked.pop()["messages"]
    assert isinstance(asked, list)
    return asked


async def _main(folder: Path) -> None:
    rules = folder / "rules.terse"
    rules.write_text(RULES)
    policy = terse.load(rules)
    model = HTTPServer(("127.0.0.1", 0), _Model)
    Thread(target=model.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{model.server_port}"

    def use(callback: TerseCallback) -> None:
        litellm.callbacks = [callback]
        litellm.success_callback = [callback]

    use(TerseCallback(policy))
    answers: dict[str, Any] = {
        "plain": await _sent(_result(TEXT)),
        "blocks": await _sent(_result(*(json.dumps(row) for row in ROWS))),
        "structured": await _sent(_result(TEXT, structured_content={"result": ROWS})),
        "other argument": await _sent(_result(TEXT), state="closed"),
        "error": await _sent(_result(TEXT, is_error=True)),
        "without session": [await _sent(_result(TEXT), session="s") for _ in range(2)],
        "messages as they are": await _asked(url),
    }
    use(TerseCallback(policy, sessions=True, messages_of="github"))
    answers["session"] = [await _sent(_result(TEXT), session="s") for _ in range(2)]
    answers["session of another key"] = await _sent(_result(TEXT), session="s", key="b")
    answers["no session"] = await _sent(_result(TEXT))
    answers["messages"] = [await _asked(url) for _ in range(2)]
    model.shutdown()
    print(json.dumps(answers))


asyncio.run(_main(Path(sys.argv[1])))
