"""Which of a result's two forms a client shows its model: the texts, or `structuredContent`.

Where a server sends both, MCP says that they hold the same data, and not which one a model is to read.
What is known here is what people saw clients do, with the place where it is written down.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Shown = Literal["text", "structured"]
"""`structured`: where both are there, the texts are dropped (or shown as well)."""


class Client(NamedTuple):
    """A client by its `clientInfo.name`, in lower case with `-` for spaces.

    Attributes:
        evidence: where it can be looked up.
    """

    name: str
    shows: Shown
    evidence: str


CLIENTS = (
    Client("claude-code", "structured", "anthropics/claude-code issues 9962, 55677, 79944"),
    Client("visual-studio-code", "structured", "microsoft/vscode, mcpLanguageModelToolContribution.ts"),
    Client("visual-studio-code-insiders", "structured", "microsoft/vscode, as above"),
    Client("codex-mcp-client", "structured", "openai/codex, codex-rs/protocol/src/models.rs"),
    Client("opencode", "structured", "anomalyco/opencode pull request 32074"),
    Client("gemini-cli-mcp-client", "text", "google-gemini/gemini-cli, mcp-tool.ts"),
    Client("kimi", "text", "MoonshotAI/kimi-code pull request 3234: the text unless it is empty"),
    Client("cursor-vscode", "text", "modelcontextprotocol, the discussion of SEP-1624"),
)
"""A client that is not here is taken to show the texts: nothing of its results is then taken out."""

_SHOWN = {client.name: client.shows for client in CLIENTS}
_ALIASES = {"codex": "codex-mcp-client", "vscode": "visual-studio-code"}


def shown_by(name: str | None) -> Shown:
    """What the client of this name shows; `text` and `structured` are names for what they say.

    Args:
        name: as the client gives it, or as `--client` has it; None for a client that gave none.
    """
    plain = "" if name is None else "-".join(name.lower().split())
    if plain == "structured":
        return "structured"
    return _SHOWN.get(_ALIASES.get(plain, plain), "text")


def may_show_structured(introduction: bytes) -> bool:
    """Whether bytes that hold a client's name may be those of one that shows structured content.

    A first look that needs no parser; it may say yes where `shown_by` then says no, and never the other way.
    """
    plain = b"-".join(introduction.lower().split())
    names = [b"structured", *(name.encode() for name, shows in _SHOWN.items() if shows == "structured")]
    return any(name in plain for name in (*names, *(alias.encode() for alias in _ALIASES)))
