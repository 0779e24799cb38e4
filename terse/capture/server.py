"""Asking a server over stdio, with the official SDK's client."""

from __future__ import annotations

import json
import logging
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TextIO, cast

from terse.payload.call import Call
from terse.payload.exact import JsonValue, dump

if TYPE_CHECKING:
    from mcp import Client

MAX_PAGES = 1_000
"""Pages of tools/list. A server with more hands out cursors for ever."""


class ServerFailed(Exception):  # noqa: N818 — it is the server that failed
    """The server did not do what was asked. The message is one line and says what the server said."""


@dataclass(frozen=True, slots=True)
class Result:
    """The answer to one call: its text blocks as received.

    Attributes:
        other: the types of the blocks that have no text: `image`, `audio`, …
    """

    call: Call
    texts: tuple[str, ...]
    is_error: bool = False
    other: tuple[str, ...] = ()


@dataclass(slots=True)
class Answers:
    """What a server said: its tools as the protocol writes them, and results in the order of the calls."""

    tools: list[dict[str, Any]] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)


def ask(command: Sequence[str], calls: Sequence[Call], timeout: float) -> Answers:
    """Start a server, list its tools, make the calls, and stop it.

    Args:
        timeout: seconds that all of it may take.

    Raises:
        ServerFailed: it cannot be started, ends, answers with an error, or takes too long.
    """
    import anyio

    # What the SDK logs on the way (a line that is no JSON) is not for the user: failures are told by us.
    logging.getLogger("mcp").addHandler(logging.NullHandler())
    logging.getLogger("mcp").propagate = False
    answers = Answers()
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log:
        try:
            anyio.run(_ask, command, calls, timeout, answers, cast(TextIO, log))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise ServerFailed(_reason(error, command, timeout, cast(TextIO, log))) from None
    return answers


async def _ask(
    command: Sequence[str], calls: Sequence[Call], timeout: float, answers: Answers, log: TextIO
) -> None:
    import anyio
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    # The SDK hands a server a few variables only; a token in the environment is what many need.
    server = StdioServerParameters(command=command[0], args=list(command[1:]), env=dict(os.environ))
    with anyio.fail_after(timeout):
        async with Client(stdio_client(server, errlog=log)) as client:
            answers.tools += await _tools(client)
            for call in calls:
                answers.results.append(await _call(client, call))


async def _tools(client: Client) -> list[dict[str, Any]]:
    tools: list[dict[str, Any]] = []
    cursors: set[str] = set()
    cursor: str | None = None
    for _ in range(MAX_PAGES):
        page = await client.list_tools(cursor=cursor)
        tools += [tool.model_dump(by_alias=True, exclude_unset=True, mode="json") for tool in page.tools]
        cursor = page.next_cursor
        if cursor is None:
            return tools
        if cursor in cursors:
            raise ServerFailed("its tools/list hands out the same cursor twice")
        cursors.add(cursor)
    raise ServerFailed(f"its tools/list has more than {MAX_PAGES:,} pages")


async def _call(client: Client, call: Call) -> Result:
    try:
        result = await client.call_tool(call.tool, _plain(call.arguments))
    except Exception as error:
        # An unknown tool, arguments that it does not take, a result that is not what its schema says.
        raise ServerFailed(f"{call.name}: {' '.join(str(error).split())[:300]}") from error
    texts: list[str] = []
    other: list[str] = []
    for block in result.content:
        text = getattr(block.resource if block.type == "resource" else block, "text", None)
        if isinstance(text, str):
            texts.append(text)
        else:
            other.append(block.type)
    return Result(call, tuple(texts), bool(result.is_error), tuple(other))


def _plain(arguments: Mapping[str, object]) -> dict[str, Any]:
    # Numbers are carried as their text; the SDK wants them as numbers.
    members: JsonValue = dict(arguments)  # type: ignore[arg-type]
    plain: dict[str, Any] = json.loads(dump(members))
    return plain


def _reason(error: BaseException, command: Sequence[str], timeout: float, log: TextIO) -> str:
    """The failure in one line: the innermost of what anyio nests, and the last the server wrote to stderr."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, FileNotFoundError):
        return f"there is no command {command[0]}"
    if isinstance(error, TimeoutError):
        said = f"it took more than {timeout:g} seconds (--timeout)"
    elif isinstance(error, OSError):
        said = f"it cannot be run: {error.strerror or error}"
    else:
        said = " ".join(str(error).split())[:300] or type(error).__name__
    log.seek(0)
    last = next((line.strip() for line in reversed(log.readlines()[-50:]) if line.strip()), "")
    return f"{said}; its last words: {last[:200]}" if last else said
