"""Which of a result's two forms a client shows its model: the texts, or `structuredContent`.

Where a server sends both, MCP says that they hold the same data, and not which one a model is to read.
What is known here is what people saw clients do, with the place where it is written down.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Shown = Literal["text", "structured"]
"""`structured`: where both are there, the texts are dropped, or shown as well. Where `structuredContent` is
not, such a client shows the texts: it can be sent the same data once, as the text that rules made."""


class Client(NamedTuple):
    """A client by its `clientInfo.name`, in lower case with one `-` for all that is no letter or digit.

    Attributes:
        shows: `both` where the model gets the texts and `structuredContent`, one after the other.
        evidence: where it can be looked up.
    """

    name: str
    shows: Literal["text", "structured", "both"]
    evidence: str


CLIENTS = (
    Client("claude-code", "structured", "anthropics/claude-code issues 9962, 55677, 79944; errors: 86032"),
    Client("visual-studio-code", "structured", "microsoft/vscode, mcpLanguageModelToolContribution.ts"),
    Client("visual-studio-code-insiders", "structured", "microsoft/vscode, as above"),
    Client("code-oss", "structured", "microsoft/vscode, as above: built from it under its own name"),
    Client("codex-mcp-client", "structured", "openai/codex, codex-rs/protocol/src/models.rs"),
    Client("opencode", "structured", "anomalyco/opencode pull request 32074"),
    # Other hosts of Copilot are said to give this name as well.
    Client("github-copilot-developer", "both", "github/copilot-cli issues 3258 (structured), 4515 (both)"),
    # Which name it gives itself is not known: this one is for `--client`.
    Client("copilot-intellij", "both", "microsoft/copilot-intellij-feedback issue 2058"),
    Client("gemini-cli-mcp-client", "text", "google-gemini/gemini-cli, mcp-tool.ts"),
    Client("kimi-code", "text", "MoonshotAI/kimi-code pull request 3234: the text unless it is empty"),
    Client("cursor-vscode", "text", "modelcontextprotocol, the discussion of SEP-1624"),
    Client("q-dev-cli", "text", "modelcontextprotocol, the discussion of SEP-1624: Amazon Q"),
    Client("claude-ai", "text", "modelcontextprotocol, the discussion of SEP-1624"),
    Client("openai-mcp", "text", "modelcontextprotocol, the discussion of SEP-1624: ChatGPT"),
)
"""A client that is not here is taken to show the texts: nothing of its results is then taken out."""

_SHOWN: dict[str, Shown] = {
    client.name: "text" if client.shows == "text" else "structured" for client in CLIENTS
}
_ALIASES = {
    "codex": "codex-mcp-client",
    "copilot": "github-copilot-developer",
    "copilot-cli": "github-copilot-developer",
    "github-copilot-cli": "github-copilot-developer",
    "vscode": "visual-studio-code",
}
# What is not ASCII stays as it is: it may be written in more than one way, and is in no name here.
_LETTERS = bytes(byte if byte >= 128 or chr(byte).isalnum() else 32 for byte in range(256))


def shown_by(name: str | None) -> Shown:
    """What the client of this name shows; `text`, `structured` and `both` are names for what they say.

    Args:
        name: as the client gives it, or as `--client` has it; None for a client that gave none.
    """
    plain = "" if name is None else _plain(name.encode("utf-8", "replace")).decode()
    if plain in ("structured", "both"):
        return "structured"
    return _SHOWN.get(_ALIASES.get(plain, plain), "text")


def may_show_structured(introduction: bytes) -> bool:
    """Whether bytes that hold a client's name may be those of one that shows structured content.

    A first look that needs no parser; it may say yes where `shown_by` then says no, and never the other way.
    """
    if b"\\" in introduction:
        return True
    plain = _plain(introduction)
    names = [
        "structured",
        "both",
        *(name for name, shows in _SHOWN.items() if shows == "structured"),
        *_ALIASES,
    ]
    return any(name.encode() in plain for name in names)


def _plain(name: bytes) -> bytes:
    return b"-".join(name.lower().translate(_LETTERS).split())
