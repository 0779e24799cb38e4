"""Recordings of servers as they are found in the field, made here: typed results in every usual form.

Each server has repeats in it, equal and changed, so that rules with a memory have something to speak of.
"""

from __future__ import annotations

import json
from typing import Any

from tests.proxy.strict import Recording

Json = Any
OBJECT, STRING = {"type": "object"}, {"type": "string"}
INTEGER, NUMBER = {"type": "integer"}, {"type": "number"}


def _tool(name: str, schema: Json = None, **more: Json) -> dict[str, Json]:
    tool: dict[str, Json] = {
        "name": name,
        "description": f"What {name} does.",
        "inputSchema": {"type": "object"},
    }
    if schema is not None:
        tool["outputSchema"] = schema
    return {**tool, **more}


def _call(tool: str, content: list[Json], structured: Json = None, **more: Json) -> dict[str, Json]:
    given = more.pop("arguments", {})
    result: dict[str, Json] = {"content": content}
    if structured is not None:
        result["structuredContent"] = structured
    return {"tool": tool, "arguments": given, "result": {**result, **more}}


def _text(text: str, **more: Json) -> dict[str, Json]:
    return {"type": "text", "text": text, **more}


def _strict(**properties: Json) -> dict[str, Json]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _issues(changed: int = 0) -> list[Json]:
    return [
        {
            "key": f"PAY-{n}",
            "summary": f"Payment {n} is late, and nobody was told",
            "status": "Done" if n < changed else "Open",
            "points": n / 2,
        }
        for n in range(1, 41)
    ]


def tracker() -> Recording:
    """A string of JSON inside `structuredContent`, as FastMCP sends what a tool returns as `str`."""
    tools = [_tool("search", _strict(result=STRING)), _tool("read", _strict(result=STRING))]
    calls = []
    for changed in (0, 0, 3):
        listed = json.dumps({"total": 40, "issues": _issues(changed)}, indent=2)
        calls.append(_call("search", [_text(listed)], {"result": listed}, _meta={"fastmcp": {"wrap": True}}))
        page = "\n".join(f"Line {n} of what was agreed{'!' * (n < changed)}" for n in range(60))
        calls.append(_call("read", [_text(page)], {"result": page}))
    return Recording("tracker", tools, calls)


def metrics() -> Recording:
    """An object beside its JSON, schemas that allow nothing more, an error, and tools on many pages."""
    sample = _strict(name=STRING, value=NUMBER, at=INTEGER)
    tools = [
        _tool("query", _strict(kind={"enum": ["vector"]}, samples={"type": "array", "items": sample})),
        _tool("count", _strict(result=INTEGER)),
        _tool("names", _strict(names={"type": "array", "items": STRING})),
        _tool("ping"),
    ]
    calls = []
    for at in (1_700_000_000, 1_700_000_000, 1_700_000_060):
        samples = [{"name": f"node_cpu_{n}", "value": n * 0.25, "at": at} for n in range(50)]
        data = {"kind": "vector", "samples": samples}
        calls.append(_call("query", [_text(json.dumps(data, indent=2))], data, isError=False))
        calls.append(_call("count", [_text("50")], {"result": 50}))
    names = {"names": [f"node_cpu_{n}" for n in range(80)]}
    calls += [
        _call("names", [_text(json.dumps(names))], names),
        _call("names", [_text("no such database: " + "it was moved, see the notes. " * 40)], isError=True),
        _call("ping", [_text("alive " * 100)]),
        _call("names", [_text(json.dumps(names))], names),
    ]
    return Recording("metrics", tools, calls, page=1)


def files() -> Recording:
    """`{"content": text}` beside the text, embedded resources, and blocks that are not for the model."""
    tools = [
        _tool("read_file", _strict(content=STRING)),
        _tool("open"),
        _tool("tree", _strict(content=STRING)),
    ]
    calls = []
    for changed in (0, 0, 5):
        source = "".join(
            f"def step_{n}(state):\n    return state + {n + (n < changed)}\n\n" for n in range(60)
        )
        calls.append(_call("read_file", [_text(source)], {"content": source}, arguments={"path": "a.py"}))
        resource = {"uri": "file:///a.py", "mimeType": "text/x-python", "text": source}
        calls.append(
            _call(
                "open",
                [
                    {"type": "resource", "resource": resource, "annotations": {"priority": 0.5}},
                    {"type": "resource_link", "uri": "file:///b.py", "name": "b.py"},
                    _text("shown to the user alone " * 30, annotations={"audience": ["user"]}),
                    {"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"},
                    _text(source.upper(), annotations={"audience": ["user", "assistant"]}),
                ],
            )
        )
        tree = [{"name": f"folder{n}", "type": "directory", "children": []} for n in range(40)]
        calls.append(
            _call("tree", [_text(json.dumps(tree, indent=2))], {"content": json.dumps(tree, indent=2)})
        )
    return Recording("files", tools, calls, page=2)


def keys() -> Recording:
    """Lists sent as a block for each item, beside `{"result": […]}`, and without it."""
    items = {"type": "array", "items": STRING}
    record = {"type": "array", "items": _strict(id=INTEGER, name=STRING)}
    tools = [_tool("scan", _strict(result=items)), _tool("rows", _strict(result=record)), _tool("notes")]
    calls = []
    for start in (0, 0, 2):
        found = [f"airport:{n:03}:and:its:runways" for n in range(start, 120)]
        calls.append(_call("scan", [_text(each) for each in found], {"result": found}))
        rows = [{"id": n, "name": f"the airport number {n}"} for n in range(start, 60)]
        calls.append(_call("rows", [_text(json.dumps(each, indent=2)) for each in rows], {"result": rows}))
        notes = [f"Note {n}: " + "what was seen there. " * (20 + n + start * (n == 3)) for n in range(6)]
        calls.append(_call("notes", [_text(each) for each in notes]))
    return Recording("keys", tools, calls)


def board() -> Recording:
    """Tools with a user interface (MCP Apps), texts that say less than the structured part, odd schemas."""
    card = _strict(id=INTEGER, title=STRING, notes={"type": ["string", "null"]})
    cards = _strict(cards={"type": "array", "items": card})
    tools = [
        _tool("show_board", cards, _meta={"ui": {"resourceUri": "ui://board"}}),
        _tool("old_board", cards, _meta={"ui/resourceUri": "ui://board"}),
        _tool("cards", cards),
        _tool("exact", {"type": "object", "additionalProperties": NUMBER}),
        _tool(
            "either", {"type": "object", "anyOf": [_strict(result={"type": "array"}), _strict(error=STRING)]}
        ),
    ]
    data = {"cards": [{"id": n, "title": f"A card, {n}", "notes": None if n % 3 else "x"} for n in range(50)]}
    calls = []
    for _ in range(2):
        for name in ("show_board", "old_board", "cards"):
            calls.append(_call(name, [_text(json.dumps(data))], data))
        calls.append(_call("cards", [_text("50 cards, see the board")], data))
        numbers = {f"number {n}": n * 1.5 for n in range(60)}
        calls.append(_call("exact", [_text(json.dumps(numbers, indent=1))], numbers))
        calls.append(_call("either", [_text(json.dumps({"result": []}))], {"result": []}))
        refused = {"error": "no board is called that, " * 40}
        calls.append(_call("either", [_text(json.dumps(refused))], refused))
    return Recording("board", tools, calls, page=3)


RECORDINGS = (tracker(), metrics(), files(), keys(), board())


def together() -> Recording:
    """All of them as one server, whose tools have different names, on pages of four."""
    tools = [tool for recording in RECORDINGS for tool in recording.tools]
    calls = [call for recording in RECORDINGS for call in recording.calls]
    return Recording("together", tools, calls, page=4)
