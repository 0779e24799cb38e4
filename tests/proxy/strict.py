"""Official SDK clients that make the calls of a recording, and what they must find in the answers.

What they were sent is compared with what was recorded by `tests.memory.reader`, which knows the documentation
of deltas and shares no code with the program.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import jsonschema
from mcp import Client, StdioServerParameters
from mcp_types import Implementation

from terse.tiers.expand import expand
from tests.memory import reader
from tests.servers import install

SERVERS = Path(__file__).parent.parent / "servers"
TIME_LIMIT = 120


class Recording(NamedTuple):
    """What `tests/servers/replay.py` answers with: see there."""

    name: str
    tools: list[dict[str, Any]]
    calls: list[dict[str, Any]]
    page: int = 0

    def saved(self, folder: Path) -> Path:
        path = folder / f"{self.name}.json"
        path.write_text(json.dumps({"tools": self.tools, "page": self.page, "calls": self.calls}))
        return path


class Seen(NamedTuple):
    """What a client saw: the tools as they were shown, and to each call a `result` or the SDK's `error`."""

    tools: list[dict[str, Any]]
    answers: list[dict[str, Any]]

    @property
    def errors(self) -> list[str | None]:
        return [answer.get("error") for answer in self.answers]


Driver = Callable[[Path, str, list[str]], Seen]


def python_client(recording: Path, name: str, command: list[str]) -> Seen:
    """The official Python SDK, through all pages of tools and all calls."""
    calls = json.loads(recording.read_text())["calls"]
    seen = Seen([], [])

    async def run() -> None:
        parameters = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
        info = Implementation(name=name, version="1")
        with anyio.fail_after(TIME_LIMIT):
            async with Client(parameters, mode="legacy", client_info=info) as client:
                cursor = None
                while True:
                    page = await client.list_tools(cursor=cursor)
                    seen.tools.extend(_plain(tool) for tool in page.tools)
                    cursor = page.next_cursor
                    if cursor is None:
                        break
                for call in calls:
                    try:
                        result = await client.call_tool(call["tool"], call["arguments"])
                        seen.answers.append({"result": _plain(result)})
                    except Exception as error:
                        seen.answers.append({"error": f"{type(error).__name__}: {error}"})

    anyio.run(run)
    return seen


def typescript_client(recording: Path, name: str, command: list[str]) -> Seen:
    """The official TypeScript SDK.

    Raises:
        install.Unavailable: it cannot be had here.
    """
    script = install.typescript_client(SERVERS / "strict_client.mjs")
    done = subprocess.run(
        [*script, str(recording), name, *command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=TIME_LIMIT,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    found = json.loads(done.stdout)
    return Seen(found["tools"], found["answers"])


CLIENTS: dict[str, Driver] = {"python": python_client, "typescript": typescript_client}


def direct(recording: Path) -> list[str]:
    """The command of the server that replays the recording."""
    return [sys.executable, str(SERVERS / "replay.py"), str(recording)]


def proxied(recording: Path, *options: str) -> list[str]:
    """The same behind the proxy."""
    return [sys.executable, "-m", "terse", "proxy", *options, "--", *direct(recording)]


def invalid(recording: Recording, seen: Seen) -> list[str]:
    """The results that are not what the schemas say that the client was shown; judged by neither SDK."""
    schemas = {tool["name"]: tool.get("outputSchema") for tool in seen.tools}
    found = []
    for number, (call, answer) in enumerate(zip(recording.calls, seen.answers, strict=True), 1):
        schema, result = schemas.get(call["tool"]), answer.get("result")
        if schema is None or result is None or result.get("isError"):
            continue
        if result.get("structuredContent") is None:
            found.append(f"{recording.name}, call {number}, {call['tool']}: nothing structured")
        for error in jsonschema.Draft202012Validator(schema).iter_errors(result.get("structuredContent")):
            found.append(f"{recording.name}, call {number}, {call['tool']}: {error.message[:80]}")
    return found


def _plain(model: Any) -> Any:
    return model.model_dump(mode="json", by_alias=True, exclude_unset=True)


# ---- nothing is missing ------------------------------------------------------------------------------------


def differences(recording: Recording, direct: Seen, behind: Seen) -> list[str]:
    """What a client behind the proxy cannot read that it reads without it, or reads that it then does not.

    A result that the client refuses without the proxy is not looked at. Only for rules that lose nothing and
    set nothing aside.
    """
    client = reader.Client()
    found = []
    for number, call in enumerate(recording.calls, 1):
        where = f"{recording.name}, call {number}, {call['tool']}"
        before, after = direct.answers[number - 1], behind.answers[number - 1]
        if "error" in before:
            continue
        if "error" in after:
            found.append(f"{where}: {after['error']}")
            continue
        try:
            _compare(call, before["result"], after["result"], client)
        except (AssertionError, ValueError, KeyError) as error:
            found.append(f"{where}: {error or type(error).__name__}")
    return found


def _compare(
    call: dict[str, Any], recorded: dict[str, Any], result: dict[str, Any], client: reader.Client
) -> None:
    for key in recorded.keys() | result.keys():
        if key not in ("content", "structuredContent"):
            assert recorded.get(key, False) == result.get(key, False), f"{key} differs"
    read = _read(call, recorded["content"], result["content"], client)
    if "structuredContent" in result or "structuredContent" not in recorded:
        assert result.get("structuredContent") == recorded.get("structuredContent"), (
            "structuredContent differs"
        )
    else:
        assert _holds(recorded["structuredContent"], read), "structuredContent is gone, and not in the texts"


def _read(call: dict[str, Any], recorded: list[Any], content: list[Any], client: reader.Client) -> list[str]:
    """The texts as the client reads them: those recorded, or, of a list that was joined, that list."""
    texts, sent = _texts(recorded), _texts(content)
    own = [text in texts for text in sent]
    decoded = [text if its_own else expand(text) for text, its_own in zip(sent, own, strict=True)]
    joined = len(sent) == 1 < len(texts) and not reader.ALL.fullmatch(decoded[0])
    arguments = json.dumps(call["arguments"], sort_keys=True)
    full = client.receive(call["tool"], arguments, decoded, 1 if joined else len(texts), own)
    if joined:
        assert list(map(_canonical, split(full[0]))) == list(map(_canonical, texts)), "joined otherwise"
        return [full[0]] if full[0].startswith("[") else texts
    assert list(map(_canonical, full)) == list(map(_canonical, texts)), "a text is another one"
    if len(sent) == len(texts):
        assert _blanked(content) == _blanked(recorded), "what stands around the texts differs"
    return full


_SEVERAL = re.compile(r"([0-9]+) texts, (one a line|an empty line between them|(-{3,}) between them):\n")


def split(joined: str) -> list[str]:
    """The texts that one stands for: see docs/format-blocks.md."""
    if joined.startswith("["):
        items = reader.load(joined)
        return [item if type(item) is str else reader.write(item) for item in items]
    found = _SEVERAL.match(joined)
    assert found, "one text for several that does not say so"
    between = {"o": "\n", "a": "\n\n"}.get(found[2][0], f"\n{found[3]}\n")
    texts = joined[found.end() :].split(between)
    assert len(texts) == int(found[1]), "another number of texts than it says"
    return texts


def _texts(content: list[Any]) -> list[str]:
    """The texts a model reads: those of text blocks and of embedded resources, but for the user's."""
    shown = [block for block in content if (block.get("annotations") or {}).get("audience") != ["user"]]
    return [
        block["text"] if block["type"] == "text" else block["resource"]["text"]
        for block in shown
        if block["type"] == "text" or (block["type"] == "resource" and "text" in block["resource"])
    ]


def _blanked(content: list[Any]) -> list[Any]:
    """The blocks without the texts that may be rewritten."""
    blocks = json.loads(json.dumps(content))
    for block in blocks:
        if (block.get("annotations") or {}).get("audience") == ["user"]:
            continue
        if block["type"] == "text":
            block["text"] = ""
        elif block["type"] == "resource" and "text" in block["resource"]:
            block["resource"]["text"] = ""
    return list(blocks)


def _value(text: str) -> Any:
    try:
        return reader.load(text)
    except ValueError:
        return text


def _canonical(text: str) -> str:
    try:
        value = reader.load(text)
    except (ValueError, AssertionError):
        return text
    return reader.write(value) if isinstance(value, (dict, list)) else text


def _holds(structured: Any, texts: list[str]) -> bool:
    """Whether the texts are the document; its one value; or, one for one, the items of that value.

    A string that is JSON is that document, however it was spaced.
    """
    found = [_number_free(_value(text)) for text in texts]
    if found == [structured]:
        return True
    if not isinstance(structured, dict) or len(structured) != 1:
        return False
    (value,) = structured.values()
    if isinstance(value, str):
        return len(texts) == 1 and _canonical(value) == _canonical(texts[0])
    return value in (found[0], found)


def _number_free(value: Any) -> Any:
    """A document with numbers as values: the SDKs read `structuredContent` so, and lose their spelling."""
    return json.loads(reader.write(value))
