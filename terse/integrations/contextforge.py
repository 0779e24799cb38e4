"""A plugin of IBM's ContextForge: `kind: terse.integrations.contextforge.TersePlugin`."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Mapping
from typing import Any

from cpex.framework import (  # type: ignore[import-not-found, unused-ignore]
    Plugin,
    PluginConfig,
    PluginContext,
    ToolPostInvokePayload,
    ToolPostInvokeResult,
    ToolPreInvokePayload,
    ToolPreInvokeResult,
)
from cpex.framework.constants import (  # type: ignore[import-not-found, unused-ignore]
    GATEWAY_METADATA,
    TOOL_METADATA,
)

from terse.api import Call, load

OPTIONS = {"rules", "vocabulary", "server"}


class TersePlugin(Plugin):  # type: ignore[misc, unused-ignore]
    """Makes the results of tools smaller. Nothing is remembered: a hook is told neither of which session a
    call is nor whether the result is sent: a later plugin may withhold it, or ask for another attempt.

    Rules know a tool by the name of the gateway that it was registered with, and by its own name there.
    `structuredContent` stays as it is. Under `config` stand, all optional:
        rules: a rule file or a folder; if not given, the default policy, which takes nothing away.
        vocabulary: what tokens are counted with.
        server: the name that rules know tools without a gateway by (REST); their results pass without it.
    """

    def __init__(self, config: PluginConfig) -> None:
        """
        Raises:
            terse.RulesError: the rules cannot be used. The gateway does not start, as it does for any plugin.
            ValueError: an option is none of ours.
        """
        super().__init__(config)
        options: Mapping[str, Any] = config.config or {}
        if unknown := options.keys() - OPTIONS:
            raise ValueError(
                f"terse has no option {', '.join(sorted(unknown))}: {', '.join(sorted(OPTIONS))}"
            )
        self._policy = load(options.get("rules"), vocabulary=options.get("vocabulary") or "o200k_base")
        self._server = options.get("server")

    async def tool_pre_invoke(
        self, payload: ToolPreInvokePayload, context: PluginContext
    ) -> ToolPreInvokeResult:
        """Notes the arguments: the result comes without them."""
        context.state["arguments"] = payload.args or {}
        return ToolPreInvokeResult()

    async def tool_post_invoke(
        self, payload: ToolPostInvokePayload, context: PluginContext
    ) -> ToolPostInvokeResult:
        """The result with smaller texts."""
        call, result = self._call(payload, context), payload.result
        # The gateway rebuilds a changed result without its `_meta`.
        if call is None or not isinstance(result, dict) or result.get("_meta"):
            return ToolPostInvokeResult()
        # It writes out members that a block does not have; one that has nothing but a text can be joined.
        said = [
            {name: value for name, value in block.items() if value is not None} for block in result["content"]
        ]
        # A large result takes a while, and the loop is every client's.
        applied = await to_thread(self._policy.apply, {**result, "content": said}, call)
        if not applied.changed:
            return ToolPostInvokeResult()
        return ToolPostInvokeResult(
            modified_payload=ToolPostInvokePayload(name=payload.name, result=applied.result)
        )

    def _call(self, payload: ToolPostInvokePayload, context: PluginContext) -> Call | None:
        about = context.global_context.metadata
        gateway, tool = about.get(GATEWAY_METADATA), about.get(TOOL_METADATA)
        server = getattr(gateway, "name", None) or self._server
        if not server or "arguments" not in context.state:
            return None
        return Call(server, getattr(tool, "original_name", None) or payload.name, context.state["arguments"])
