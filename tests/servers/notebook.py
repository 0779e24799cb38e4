"""A server on the official SDK with tools of every kind, as `terse cli` meets them.

python notebook.py
"""

from __future__ import annotations

import json
import os
from typing import Annotated, Literal

from mcp.server import MCPServer
from mcp_types import BlobResourceContents, EmbeddedResource, ImageContent
from pydantic import BaseModel, Field

server = MCPServer("notebook")
calls = 0


class Filter(BaseModel):
    state: Literal["open", "closed"] = "open"
    tags: list[str] = []


@server.tool(structured_output=False)
def list_notes(
    state: Annotated[
        Literal["open", "closed", "all"], Field(description="Which notes, e.g. open ones.")
    ] = "open",
    maxResults: Annotated[int, Field(ge=1, le=50, description="How many.")] = 3,  # noqa: N803 — as servers spell it
    labels: list[str] | None = None,
    draft: bool = False,
    filter: Filter | None = None,
) -> str:
    """Lists notes, e.g. those that are open. The newest come first.

    Args that are not given are not used.
    """
    given = {"state": state, "labels": labels, "draft": draft, "filter": filter and filter.model_dump()}
    return json.dumps([{"id": number, **given} for number in range(maxResults)])


@server.tool(structured_output=False)
def write_note(title: str, body: str, priority: float | None = None) -> str:
    """Writes a note."""
    return json.dumps({"title": title, "body": body, "priority": priority})


@server.tool()
def add(first: int, second: int) -> int:
    """Adds two numbers."""
    return first + second


@server.tool(structured_output=False)
def picture(count: int = 1) -> list[ImageContent]:
    """Draws a picture."""
    return [ImageContent(type="image", data="aGVsbG8=", mime_type="image/png") for _ in range(count)]


@server.tool(structured_output=False)
def archive() -> EmbeddedResource:
    """Gives a file."""
    contents = BlobResourceContents(uri="note://archive", mime_type="application/zip", blob="emlw")
    return EmbeddedResource(type="resource", resource=contents)


@server.tool(structured_output=False)
def fail(why: str) -> str:
    """Fails."""
    raise ValueError(why)


@server.tool(structured_output=False)
def where() -> str:
    """Tells where it runs, and how often it was called."""
    global calls
    calls += 1
    return json.dumps({"pid": os.getpid(), "cwd": os.getcwd(), "calls": calls})


@server.tool(structured_output=False)
def report(lines: int = 400) -> str:
    """A long text, with one part that rules may set aside."""
    return json.dumps({"title": "report", "log": "\n".join(f"line {n} of the log" for n in range(lines))})


@server.tool(structured_output=False)
def secret() -> str:
    """What rules may hide."""
    return "secret"


server.run("stdio")
