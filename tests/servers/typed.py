"""A server on the official SDK whose tools are typed: each has an `outputSchema` and sends its data twice.

python typed.py
"""

from __future__ import annotations

from typing import Any

from mcp.server import MCPServer
from mcp_types import CallToolResult, TextContent
from typing_extensions import TypedDict

server = MCPServer("typed")

NOTES = "\n".join(f'{n}: a note with "quotes" — and more of it' for n in range(1, 400))


class Issue(TypedDict):
    id: int
    title: str
    body: str
    price: float


class Page(TypedDict):
    issues: list[Issue]
    total: int


def issues() -> list[Issue]:
    return [
        {"id": n, "title": f"Issue {n}", "body": f"{n}\n" + "words and words " * 60, "price": n / 4}
        for n in range(1, 31)
    ]


@server.tool()
def list_issues() -> Page:
    """Issues, as an object."""
    return {"issues": issues(), "total": 30}


@server.tool()
def all_issues() -> list[Issue]:
    """Issues, as a list."""
    return issues()


@server.tool()
def read_notes() -> str:
    """Notes, as a text."""
    return NOTES


@server.tool()
def long_text() -> str:
    """More than one answer holds."""
    return "\n".join(f"line {n} of a long text, with é" for n in range(1, 9_001))


@server.tool(meta={"ui": {"resourceUri": "ui://issues"}})
def show_issues() -> Page:
    """Issues, for a user interface."""
    return {"issues": issues(), "total": 30}


@server.tool()
def fail() -> Page:
    """Fails."""
    raise ValueError("no issues today " * 40)


@server.tool(structured_output=False)
def nothing_structured() -> Any:
    """Null beside a text."""
    text = TextContent(type="text", text=NOTES)
    return CallToolResult(content=[text], structured_content=None)


server.run("stdio")
