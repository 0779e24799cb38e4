"""The fixture server of the official suite; with --long, its results are long enough for rules to work on.

    python fixture.py FOLDER [--long] stdio | PORT

The suite looks at what a result begins with, and that stays; what follows it is data as servers send it.
FOLDER holds the fixture. Runs in its environment, and imports nothing of ours.
"""

import itertools
import json
import sys
from typing import Any

sys.path.insert(0, sys.argv[1])
from mcp_everything_server.server import event_store, mcp

calls = itertools.count(1)


def records() -> str:
    """Records of which one differs from call to call."""
    number = next(calls)
    rows: list[dict[str, Any]] = [
        {
            "id": row,
            "title": f"Order {row} of the day",
            "state": ("open", "closed")[row % 3 == 0],
            "html_url": f"https://shop.example.org/orders/{row}",
            "amount": row * 1.10,
            "body": f"Order {row} was placed by customer {row * 7 % 40}. "
            + "It is to be sent as a whole. " * 4,
        }
        for row in range(40)
    ]
    rows[number % 40]["state"] = f"changed by call {number}"
    return json.dumps({"orders": rows, "total": len(rows)}, indent=2)


def log() -> str:
    """A log, the same for each call."""
    lines = (
        f"2026-03-01T10:{minute:02}:{second:02}Z INFO worker-{second % 3} took order {minute * 60 + second}"
        for minute in range(3)
        for second in range(0, 60, 2)
    )
    return "\n".join(lines)


async def lengthened(ctx: Any, call_next: Any) -> Any:
    """Add two blocks to each complete result of a tool that is no error."""
    result = await call_next(ctx)
    if ctx.method != "tools/call":
        return result
    found = (
        result
        if isinstance(result, dict)
        else result.model_dump(mode="json", by_alias=True, exclude_none=True)
    )
    if "content" in found and not found.get("isError"):
        found["content"] += [{"type": "text", "text": records()}, {"type": "text", "text": log()}]
    return found


if "--long" in sys.argv:
    mcp.middleware.append(lengthened)
if sys.argv[-1] == "stdio":
    mcp.run("stdio")
else:
    port = int(sys.argv[-1])
    mcp.run(transport="streamable-http", port=port, event_store=event_store, retry_interval=100)
