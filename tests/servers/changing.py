"""A server whose results change a little from call to call, as those of files, lists and pages do.

    python changing.py [--lines N] [--typed]

`read`, `list`, `page` and `blocks` answer for a key with revision 0, 0, 1, 1, 2 …: every second result is the
one before. `alert` answers with an error. With `hold` an answer is kept back until the next call has its own.
With `--typed` each tool has an `outputSchema`, and each result its data as `structuredContent` too.
What each answers is `result`, which tests know as well.
"""

from __future__ import annotations

import json
import sys
from random import Random
from typing import Any

SCHEMA = {
    "type": "object",
    "properties": {"result": {"type": ["string", "array"], "items": {"type": "string"}}},
    "required": ["result"],
    "additionalProperties": False,
}
TOOLS = ("read", "list", "page", "blocks", "alert")


def result(tool: str, key: str, revision: int, lines: int) -> list[str]:
    """The texts of a result. The same arguments give the same texts, in any process."""
    random = Random(f"{tool} {key}")
    if tool == "read":
        text = [f"{n} {key}: {random.random()} of a file that is read again" for n in range(lines)]
        for step in range(1, revision + 1):
            at = Random(f"{key} {step}").randrange(len(text))
            text[at : at + 1] = [f"changed in {step}", "and one line more"] if step % 3 else []
        return ["\n".join(text)]
    if tool == "list":
        rows = [
            {"id": f"{key}-{n}", "state": "open", "price": n / 4, "note": str(random.random())}
            for n in range(lines)
        ]
        for step in range(1, revision + 1):
            where = Random(f"{key} {step}")
            rows[where.randrange(len(rows))]["state"] = f"closed in {step}"
            rows.insert(
                where.randrange(len(rows)), {"id": f"{key}+{step}", "state": "new", "price": step, "note": ""}
            )
        return [json.dumps({"rows": rows, "total": len(rows)}, indent=1)]
    if tool == "page":
        first = revision * 1000
        return ["\n".join(f'- link "{key} {random.random()}" [ref=e{first + n}]' for n in range(lines))]
    if tool == "blocks":
        return [f"block {n} of {key}, {revision if n == 1 else 0}: " + "words " * lines for n in range(4)]
    return [f"no such thing as {key}: " + "look again, " * lines]


def structured(texts: list[str]) -> dict[str, Any]:
    """The texts of a result as `structuredContent`."""
    return {"result": texts[0] if len(texts) == 1 else texts}


def main() -> None:
    typed = {"outputSchema": SCHEMA} if "--typed" in sys.argv else {}
    lines = int(sys.argv[sys.argv.index("--lines") + 1]) if "--lines" in sys.argv else 60
    counted: dict[tuple[str, str], int] = {}
    held: list[dict[str, Any]] = []
    for line in sys.stdin.buffer:
        request = json.loads(line)
        if "id" not in request or "method" not in request:
            continue
        params = request.get("params") or {}
        answer: dict[str, Any] = {}
        if request["method"] == "initialize":
            answer = {
                "protocolVersion": params.get("protocolVersion", "2025-11-25"),
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "changing", "version": "1"},
            }
        elif request["method"] == "tools/list":
            answer = {"tools": [{"name": name, "inputSchema": {"type": "object"}, **typed} for name in TOOLS]}
        elif request["method"] == "tools/call":
            asked = params["arguments"]
            place = (params["name"], asked["key"])
            counted[place] = counted.get(place, -1) + 1
            texts = result(*place, counted[place] // 2, lines)
            answer = {"content": [{"type": "text", "text": text} for text in texts]}
            if params["name"] == "alert":
                answer["isError"] = True
            elif typed:
                answer["structuredContent"] = structured(texts)
            if asked.get("hold"):
                held.append({"jsonrpc": "2.0", "id": request["id"], "result": answer})
                continue
        for message in ({"jsonrpc": "2.0", "id": request["id"], "result": answer}, *held):
            sys.stdout.buffer.write(json.dumps(message).encode() + b"\n")
        held.clear()
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
