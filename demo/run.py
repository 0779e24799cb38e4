"""`make demo`: one real MCP server, called directly and through `terse proxy`, with no configuration.

Every call is made twice, by the official SDK client. Each text that came through the proxy is expanded
and compared with the direct one; a difference fails the demo.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, TextContent

from terse.payload.exact import NotExact, dump, parse
from terse.tiers.expand import expand
from terse.tokens import Vocabulary, vocabulary

ROOT = Path(__file__).resolve().parent.parent
SERVER = [sys.executable, str(ROOT / "demo" / "server.py"), str(ROOT)]
THROUGH_TERSE = [sys.executable, "-m", "terse", "proxy", "--", *SERVER]

CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("list_files", {}),
    ("list_files", {"folder": "terse"}),
    ("search_files", {"pattern": r"^def ", "folder": "terse"}),
    ("read_file", {"path": "README.md"}),
    ("git_log", {"count": 40}),
    ("list_packages", {}),
)
EXPLAINED = "list_packages"
CALL_SECONDS = 60
"""A server that hangs ends the demo."""
COLUMNS = ("sent", "minified", "through")


@dataclass(frozen=True, slots=True)
class Row:
    """One call: tokens as the server sent it, of the same JSON without white space, and through terse."""

    call: str
    sent: int
    minified: int
    through: int
    equal: bool
    note: str = ""


async def main() -> int:
    print(f"server    {_shown(SERVER)}")
    print(f"through   {_shown(THROUGH_TERSE)}")
    print("rules     none given: the default policy, which loses nothing\n")
    count_with = vocabulary("o200k_base")
    rows: list[Row] = []
    explained = ""
    async with _client(SERVER) as direct, _client(THROUGH_TERSE) as proxied:
        for tool, arguments in CALLS:
            before = await direct.call_tool(tool, arguments)
            after = await proxied.call_tool(tool, arguments)
            rows.append(_row(tool, arguments, before, after, count_with))
            if tool == EXPLAINED:
                explained = _text(before)
    _print_table(rows)
    _explain(explained)
    return _verdict(rows)


def _client(command: list[str]) -> Client:
    server = StdioServerParameters(command=command[0], args=command[1:], cwd=ROOT)
    return Client(server, read_timeout_seconds=CALL_SECONDS)


def _row(
    tool: str, arguments: dict[str, Any], before: CallToolResult, after: CallToolResult, counted: Vocabulary
) -> Row:
    sent, received = _text(before), _text(after)
    call = f"{tool}({', '.join(f'{name}: {json.dumps(value)}' for name, value in arguments.items())})"
    note = f"an error result: {sent.splitlines()[0]}" if before.is_error and sent else ""
    return Row(
        call=call,
        sent=counted.count(sent),
        minified=counted.count(_minified(sent)),
        through=counted.count(received),
        equal=before.is_error == after.is_error and _same(sent, expand(received)),
        note=note,
    )


def _text(result: CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, TextContent))


def _minified(text: str) -> str:
    try:
        return dump(parse(text))
    except NotExact:
        return text


def _same(sent: str, expanded: str) -> bool:
    """Equal texts, or equal JSON: the same keys in the same order, the same number text, the same types."""
    if sent == expanded:
        return True
    try:
        return dump(parse(sent)) == dump(parse(expanded))
    except NotExact:
        return False


def _print_table(rows: list[Row]) -> None:
    sent, minified, through = (sum(getattr(row, column) for row in rows) for column in COLUMNS)
    print(f"{'tokens (o200k_base)':44}{'sent':>8}{'minified':>10}{'terse':>8}{'saved':>8}")
    for row in rows:
        call = row.call if len(row.call) <= 42 else f"{row.call[:41]}…"
        print(_line(call, row.sent, row.minified, row.through))
        if row.note:
            print(f"    {row.note}")
    print(_line("all calls", sent, minified, through))
    print(f"\nBeside the same JSON without white space {_saved(minified, through)} is saved.\n")


def _line(call: str, sent: int, minified: int, through: int) -> str:
    return f"{call:44}{sent:>8,}{minified:>10,}{through:>8,}{_saved(sent, through):>8}"


def _explain(text: str) -> None:
    """What `terse explain` says of one of the results, saved where it finds server and tool by itself."""
    with tempfile.TemporaryDirectory() as folder:
        sample = Path("samples", "demo", EXPLAINED, "packages.json")
        (Path(folder) / sample).parent.mkdir(parents=True)
        (Path(folder) / sample).write_text(text, encoding="utf-8")
        print(f"$ terse explain {sample}\n", flush=True)
        subprocess.run([sys.executable, "-m", "terse", "explain", str(sample)], cwd=folder, check=True)


def _verdict(rows: list[Row]) -> int:
    different = [row.call for row in rows if not row.equal]
    sent, through = sum(row.sent for row in rows), sum(row.through for row in rows)
    print(f"\ntotal: {sent:,} tokens direct, {through:,} through terse: {_saved(sent, through)} saved")
    if different:
        print(f"DIFFERENT after expanding: {', '.join(different)}", file=sys.stderr)
        return 1
    print(f"all {len(rows)} results expanded and compared with the direct ones: equal")
    return 0


def _saved(before: int, after: int) -> str:
    return f"{100 * (before - after) / before if before else 0:.1f}%"


def _shown(command: list[str]) -> str:
    """The command as a reader would type it in this folder."""
    names = {sys.executable: "python", str(ROOT): "."}
    return " ".join(names.get(part, part.removeprefix(f"{ROOT}/")) for part in command)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
