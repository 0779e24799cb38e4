"""A small MCP server on the standard library, for `snapshot` and `init`: books on a shelf, tools in pages.

python shelf.py [--tools NAME,…] [--same-cursor] [--silent] [--die]
"""

from __future__ import annotations

import json
import sys
import time

NAMES = ("list_books", "find_book", "open_book", "burn_book", "two_books")
BOOKS = [
    {"id": n, "title": f"Volume {n}", "author": {"name": "A. Author", "born": 1900 + n}, "price": 1.50}
    for n in range(1, 25)
]


def option(name: str) -> str | None:
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else None


def tool(name: str) -> dict[str, object]:
    properties = {"author": {"type": "string"}, "order": {"type": "string", "enum": ["title", "price"]}}
    return {
        "name": name,
        "description": f"{name.replace('_', ' ')}.",
        "inputSchema": {"type": "object", "properties": properties},
    }


def listed(cursor: object) -> dict[str, object]:
    """Two tools a page, in no order that means anything."""
    names = (option("--tools") or ",".join(NAMES)).split(",")
    start = int(str(cursor or 0))
    page: dict[str, object] = {"tools": [tool(name) for name in names[start : start + 2]]}
    if start + 2 < len(names):
        page["nextCursor"] = "0" if "--same-cursor" in sys.argv else str(start + 2)
    return page


def called(name: str, arguments: dict[str, object]) -> dict[str, object]:
    match name:
        case "list_books":
            return text(json.dumps(BOOKS, indent=1))
        case "find_book":
            return text(f"Nothing by {arguments.get('author', 'nobody')} — «nothing».\n")
        case "two_books":
            return {
                "content": [
                    {"type": "text", "text": json.dumps(BOOKS[0])},
                    {"type": "image", "data": "", "mimeType": "image/png"},
                    {"type": "text", "text": "a second text"},
                ]
            }
        case "list_tables":
            return text('[{"name": "books"}, {"name": "readers"}]')
        case "burn_book":
            return {**text("no fire in the library"), "isError": True}
    return {"content": []}


def text(said: str) -> dict[str, object]:
    return {"content": [{"type": "text", "text": said}]}


def answer(request: dict[str, object]) -> dict[str, object] | None:
    params = request.get("params") or {}
    assert isinstance(params, dict)
    match request["method"]:
        case "initialize":
            return {
                "protocolVersion": "2025-06-18",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "shelf", "version": "1"},
            }
        case "tools/list":
            return listed(params.get("cursor"))
        case "tools/call" if params["name"] != "sell_book":
            return called(params["name"], params.get("arguments") or {})
    return None


print("the shelf is open", file=sys.stderr, flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    if "--silent" in sys.argv:
        time.sleep(60)
    if "--die" in sys.argv:
        sys.exit("no more books")
    result = answer(message)
    reply = {"result": result} if result is not None else {"error": {"code": -32601, "message": "no"}}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **reply}), flush=True)
