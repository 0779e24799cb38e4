"""Run by a Python that has ContextForge: a call's hooks in its plugin manager, as the gateway does it."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import yaml
from cpex.framework import GlobalContext, PluginManager, ToolPostInvokePayload, ToolPreInvokePayload
from cpex.framework.constants import GATEWAY_METADATA, TOOL_METADATA
from mcpgateway.common.models import TextContent, ToolResult
from mcpgateway.plugins.policy import HOOK_PAYLOAD_POLICIES
from pydantic import BaseModel

ROWS = [{"id": number, "state": "open", "title": f"Issue {number}"} for number in range(60)]
TEXT = json.dumps(ROWS)
RULES = """terse 1

rule open-issues {
  on github/list_issues
  when argument state is "open"
  use compact
}
"""


class Named(BaseModel):
    name: str
    original_name: str = ""


def _config(folder: Path, options: dict[str, str]) -> str:
    """The configuration that docs/python.md shows, with options."""
    page = (Path(__file__).parent.parent.parent / "docs" / "python.md").read_text()
    shown = next(each for each in page.split("```yaml\n") if each.startswith("plugins:")).partition("```")[0]
    said = yaml.safe_load(shown)
    said["plugins"][0]["config"] = options
    path = folder / "plugins.yaml"
    path.write_text(yaml.safe_dump(said))
    return str(path)


async def _answer(
    manager: PluginManager, result: ToolResult, state: str, *, gateway: str | None = "github"
) -> dict[str, object] | None:
    """The result that the gateway would send in place of this one; None where that one is sent."""
    context = GlobalContext(
        request_id="1", metadata={TOOL_METADATA: Named(name="x", original_name="list_issues")}
    )
    if gateway is not None:
        context.metadata[GATEWAY_METADATA] = Named(name=gateway)
    asked = ToolPreInvokePayload(name="github-list-issues", args={"state": state})
    _, contexts = await manager.invoke_hook("tool_pre_invoke", payload=asked, global_context=context)
    given = result.model_dump(by_alias=True)
    before = json.dumps(given)
    answered, _ = await manager.invoke_hook(
        "tool_post_invoke",
        payload=ToolPostInvokePayload(name="github-list-issues", result=given),
        global_context=context,
        local_contexts=contexts,
    )
    assert json.dumps(given) == before
    if answered.modified_payload is None:
        return None
    made = answered.modified_payload.result
    sent = ToolResult(
        content=made["content"], structured_content=made["structuredContent"], is_error=made["isError"]
    )
    return sent.model_dump(by_alias=True, exclude_none=True)


def _result(*texts: str, **others: object) -> ToolResult:
    return ToolResult(content=[TextContent(type="text", text=text) for text in texts], **others)


async def _main(folder: Path) -> None:
    rules = folder / "rules.terse"
    rules.write_text(RULES)
    manager = PluginManager(_config(folder, {"rules": str(rules)}), hook_policies=HOOK_PAYLOAD_POLICIES)
    await manager.initialize()
    each = [json.dumps(row) for row in ROWS]
    answers = {
        "plain": await _answer(manager, _result(TEXT), "open"),
        "blocks": await _answer(manager, _result(*each), "open"),
        "structured": await _answer(manager, _result(TEXT, structured_content={"result": ROWS}), "open"),
        "other argument": await _answer(manager, _result(TEXT), "closed"),
        "other gateway": await _answer(manager, _result(TEXT), "open", gateway="gitlab"),
        "no gateway": await _answer(manager, _result(TEXT), "open", gateway=None),
        "with _meta": await _answer(manager, _result(TEXT, meta={"page": 1}), "open"),
        "error": await _answer(manager, _result("no such issue", is_error=True), "open"),
    }
    print(json.dumps(answers))


asyncio.run(_main(Path(sys.argv[1])))
