"""Captured servers behind the proxy, driven by both official SDK clients: every result valid, none missing.

A capture has the results of one server; the schemas are those of the server's list of tools, where that was
captured too. Where it was not, they are made from the results: every key that is in all of them is required,
and no other type or key is allowed. The captures are not part of the project: `CORPUS=FOLDER` in the
environment says where they are, if not beside it; where there are none, nothing is measured.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.proxy import strict
from tests.proxy.strict import Recording
from tests.servers import install

CORPUS = Path(__file__).parent.parent.parent.parent / "shared" / "corpus"
RULES = "terse 1\n\nrule everything {\n  on */*\n  use compact then dedup then diff\n}\n"
NAMES = {"text": "anybody", "structured": "claude-code"}


def measure() -> Iterator[str]:
    """A line for each server and client, and the totals of the four kinds of client."""
    corpus = Path(os.environ.get("CORPUS") or CORPUS)
    captures = sorted((corpus / "captures").glob("*.jsonl"))
    if not captures:
        yield f"no captures in {corpus}: nothing measured"
        return
    totals: dict[str, list[int]] = {}
    with TemporaryDirectory() as folder:
        rules = Path(folder) / "rules.terse"
        rules.write_text(RULES)
        for capture in captures:
            recording = _recording(capture, corpus / "toollists" / f"{capture.stem}.json")
            path = recording.saved(Path(folder))
            for sdk, drive in strict.CLIENTS.items():
                for shows, name in NAMES.items():
                    try:
                        direct = drive(path, name, strict.direct(path))
                    except install.Unavailable as unavailable:
                        yield f"{recording.name}: no {sdk} client: {unavailable}"
                        continue
                    behind = drive(path, name, strict.proxied(path, "--rules", str(rules)))
                    found = strict.invalid(recording, behind)
                    found += strict.differences(recording, direct, behind)
                    counted = totals.setdefault(f"{sdk}, {shows} first", [0, 0, 0, 0, 0])
                    sizes = [len(json.dumps(seen.answers)) for seen in (direct, behind)]
                    for place, number in enumerate((len(recording.calls), len(found), *sizes, 1)):
                        counted[place] += number
                    for fault in found:
                        yield f"{sdk}, {shows} first: {fault}"
    for kind, (calls, faults, before, after, servers) in totals.items():
        yield (
            f"{kind}: {servers} servers, {calls} results, {faults} faults, "
            f"{100 * (1 - after / before):.1f} % fewer characters of JSON at the client"
        )


def _recording(capture: Path, listed: Path) -> Recording:
    calls = [json.loads(line) for line in capture.read_text(encoding="utf-8").split("\n") if line]
    tools = json.loads(listed.read_text(encoding="utf-8"))["tools"] if listed.exists() else []
    known = {tool["name"] for tool in tools}
    for name in dict.fromkeys(call["tool"] for call in calls):
        if name in known:
            continue
        results = [call["result"] for call in calls if call["tool"] == name]
        structured = [result["structuredContent"] for result in results if "structuredContent" in result]
        tool: dict[str, Any] = {"name": name, "inputSchema": {"type": "object"}}
        if structured and len(structured) == len(results):
            tool["outputSchema"] = _schema(structured)
        tools.append(tool)
    return Recording(capture.stem, tools, calls, page=20)


def _schema(values: list[Any]) -> dict[str, Any]:
    """A schema that just these values have."""
    if all(isinstance(value, dict) for value in values):
        keys = {key for value in values for key in value}
        return {
            "type": "object",
            "properties": {key: _schema([value[key] for value in values if key in value]) for key in keys},
            "required": sorted(key for key in keys if all(key in value for value in values)),
            "additionalProperties": False,
        }
    if all(isinstance(value, list) for value in values):
        items = [item for value in values for item in value]
        return {"type": "array", **({"items": _schema(items)} if items else {"maxItems": 0})}
    names = {bool: "boolean", int: "number", float: "number", str: "string", dict: "object", list: "array"}
    return {"type": sorted({names.get(type(value), "null") for value in values})}
