"""Real servers, driven by the official SDK's client: the same answers through the proxy as without it.

The servers come from npm and PyPI (see tests/servers/install.py). Where they cannot be installed the tests
are skipped with the reason; with CI=true in the environment that is a failure.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import pytest
from mcp import Client, MCPError, StdioServerParameters

from terse.payload.exact import NotExact, parse
from terse.proxy.structured import says_the_same
from terse.tiers.expand import expand
from tests.servers import install

PROXY = [sys.executable, "-m", "terse", "proxy", "--"]
TIME_LIMIT = 60

Calls = list[tuple[str, dict[str, Any]]]


class Scene(NamedTuple):
    """What a server works on, made anew for each run, and what it is called for."""

    arguments: list[str]
    calls: Calls
    environment: dict[str, str]


def git(folder: Path) -> Scene:
    environment = {
        "GIT_AUTHOR_NAME": "A",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_COMMITTER_NAME": "A",
        "GIT_COMMITTER_EMAIL": "a@example.org",
        "GIT_CONFIG_SYSTEM": os.devnull,
    }
    for number in range(12):
        (folder / f"file{number}.txt").write_text(f"one\ntwo {number}\nthree é\n")
        dates = dict.fromkeys(
            ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), f"2026-01-{number + 1:02} 12:00:00 +0000"
        )
        steps = (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", f"Commit {number}"])
        for step in steps if number == 0 else steps[1:]:
            subprocess.run(["git", *step], cwd=folder, env={**os.environ, **environment, **dates}, check=True)
    (folder / "file0.txt").write_text("changed\n")
    repository = {"repo_path": str(folder)}
    calls: Calls = [
        ("git_status", repository),
        ("git_log", {**repository, "max_count": 10}),
        ("git_diff_unstaged", repository),
        ("git_show", {**repository, "revision": "HEAD~3"}),
        ("git_show", {**repository, "revision": "no-such-revision"}),
        ("git_branch", {**repository, "branch_type": "all"}),
        ("no_such_tool", {}),
    ]
    return Scene(["--repository", str(folder)], calls, environment)


def time(folder: Path) -> Scene:
    noon = {"source_timezone": "Europe/Berlin", "time": "12:00", "target_timezone": "Asia/Kathmandu"}
    calls: Calls = [("convert_time", noon), ("convert_time", {**noon, "time": "noon"})]
    return Scene(["--local-timezone", "UTC"], calls, {})


def sqlite(folder: Path) -> Scene:
    rows = ", ".join(f"({n}, 'name {n}', {n}.50, NULL)" for n in range(60))
    calls: Calls = [
        ("create_table", {"query": "CREATE TABLE things (id INTEGER, name TEXT, price REAL, note TEXT)"}),
        ("write_query", {"query": f"INSERT INTO things VALUES {rows}"}),
        ("read_query", {"query": "SELECT * FROM things"}),
        ("describe_table", {"table_name": "things"}),
        ("list_tables", {}),
        ("read_query", {"query": "SELECT nonsense"}),
        ("append_insight", {"insight": "a thing costs more than none"}),
    ]
    return Scene(["--db-path", str(folder / "things.db")], calls, {})


def everything(folder: Path) -> Scene:
    calls: Calls = [
        ("echo", {"message": "hello é \u2028 \U0001f600"}),
        ("get-sum", {"a": 1, "b": 2.5}),
        ("get-annotated-message", {"messageType": "debug", "includeImage": True}),
        ("get-resource-links", {"count": 3}),
        ("get-structured-content", {"location": "Chicago"}),
        ("get-tiny-image", {}),
        ("trigger-long-running-operation", {"duration": 1, "steps": 4}),
        ("get-sum", {"a": "one"}),
    ]
    return Scene([], calls, {})


def filesystem(folder: Path) -> Scene:
    for number in range(8):
        inner = folder / f"folder{number}"
        inner.mkdir()
        records = [{"id": n, "name": f"record {n}", "price": n / 4} for n in range(40)]
        (inner / "records.json").write_text(json.dumps(records, indent=2))
        (inner / "notes.md").write_text("# Notes\n\n- one\n- two\n")
    inside = {"path": str(folder / "folder1" / "records.json")}
    calls: Calls = [
        ("list_directory", {"path": str(folder)}),
        ("directory_tree", {"path": str(folder)}),
        ("read_text_file", inside),
        ("read_text_file", {**inside, "head": 3}),
        ("read_multiple_files", {"paths": [inside["path"], str(folder / "folder2" / "notes.md")]}),
        ("search_files", {"path": str(folder), "pattern": "**/*.md"}),
        ("read_text_file", {"path": "/etc/hostname"}),
        ("list_allowed_directories", {}),
    ]
    return Scene([str(folder)], calls, {})


def memory(folder: Path) -> Scene:
    entities = [
        {"name": f"thing {n}", "entityType": "thing", "observations": [f"is number {n}", "is blue"]}
        for n in range(20)
    ]
    relations = [{"from": f"thing {n}", "to": "thing 0", "relationType": "follows"} for n in range(1, 20)]
    calls: Calls = [
        ("create_entities", {"entities": entities}),
        ("create_relations", {"relations": relations}),
        ("read_graph", {}),
        ("search_nodes", {"query": "number 7"}),
        ("open_nodes", {"names": ["thing 3", "no such thing"]}),
    ]
    return Scene([], calls, {"MEMORY_FILE_PATH": str(folder / "memory.jsonl")})


SCENES: dict[str, Callable[[Path], Scene]] = {
    "git": git,
    "time": time,
    "sqlite": sqlite,
    "everything": everything,
    "filesystem": filesystem,
    "memory": memory,
}
NEEDS = {"git": "git"}
SPEAKS_2026 = ("git", "time")
"""The servers here that speak 2026-07-28; the SDK's client does not get on with the others in that mode."""
SMALLER = ("filesystem", "memory")
"""The servers whose scene has results that the default policy makes smaller."""

RUNS = [
    (server, mode)
    for server in SCENES
    for mode in ("auto", "legacy", "2026-07-28")
    if mode != "2026-07-28" or server in SPEAKS_2026
]


@pytest.mark.servers
@pytest.mark.parametrize(("server", "mode"), RUNS)
def test_a_public_server_answers_the_same_through_the_proxy(server: str, mode: str, tmp_path: Path) -> None:
    """Lists, results, errors and progress are equal; a text that was rewritten expands to the original."""
    command = _command(server)

    answered = []
    for proxy in ([], PROXY):
        folder = tmp_path / "scene"
        folder.mkdir()
        scene = SCENES[server](folder)
        answered.append(anyio.run(_converse, [*proxy, *command, *scene.arguments], mode, scene))
        shutil.rmtree(folder)

    direct, proxied = answered
    assert len(direct) == len(proxied)
    for before, after in zip(direct, proxied, strict=True):
        assert _expanded(after, before) == before
    if server in SMALLER:
        assert len(json.dumps(proxied)) < len(json.dumps(direct))


@pytest.mark.servers
@pytest.mark.parametrize("server", ["filesystem", "memory", "everything"])
def test_a_client_that_shows_structured_content_takes_every_result(server: str, tmp_path: Path) -> None:
    """The SDK's client checks each against the schema that it was shown, and the data is all there, once."""
    command = _command(server)
    structured = [*PROXY[:-1], "--client", "structured", "--"]

    answered = []
    for proxy in ([], structured):
        folder = tmp_path / "scene"
        folder.mkdir()
        scene = SCENES[server](folder)
        answered.append(anyio.run(_converse, [*proxy, *command, *scene.arguments], "legacy", scene))
        shutil.rmtree(folder)

    once = 0
    for before, after in zip(*(_results(seen) for seen in answered), strict=True):
        if before["structuredContent"] is None or after["structuredContent"] is not None:
            assert _expanded(after, before) == before
            continue
        once += 1
        texts = [block["text"] for block in before["content"]]
        assert says_the_same(parse(json.dumps(before["structuredContent"])), texts)
        assert _expanded(after["content"], before["content"]) == before["content"]
    assert once > 0


def _results(seen: list[Any]) -> list[Any]:
    return [each for each in seen if isinstance(each, dict) and "content" in each]


def _command(server: str) -> list[str]:
    reason = f"{NEEDS[server]} is not installed" if shutil.which(NEEDS.get(server, "sh")) is None else ""
    try:
        if not reason:
            return install.command(server)
    except install.Unavailable as unavailable:
        reason = str(unavailable)
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


async def _converse(command: list[str], mode: str, scene: Scene) -> list[Any]:
    """All that the client sees, in order: what was negotiated, the lists, each call's answer and progress."""
    seen: list[Any] = []
    parameters = StdioServerParameters(
        command=command[0], args=command[1:], env={**os.environ, **scene.environment}
    )

    async def note_progress(progress: float, total: float | None, message: str | None) -> None:
        seen.append(["progress", progress, total, message])

    with anyio.fail_after(TIME_LIMIT):
        async with Client(parameters, mode=mode) as client:
            capabilities = client.server_capabilities
            seen.append([client.protocol_version, _plain(client.server_info), _plain(capabilities)])
            seen.append(_plain(await client.list_tools()))
            if capabilities.prompts:
                seen.append(_plain(await client.list_prompts()))
            if capabilities.resources:
                seen.append(_plain(await client.list_resources()))
            for tool, arguments in scene.calls:
                try:
                    result = await client.call_tool(tool, arguments, progress_callback=note_progress)
                    seen.append(_plain(result))
                except MCPError as error:
                    seen.append(["error", error.code, error.message])
    return seen


def _plain(model: Any) -> Any:
    return None if model is None else model.model_dump(mode="json", by_alias=True)


def _expanded(after: Any, before: Any) -> Any:
    """`after`, with every text that stands for its counterpart replaced by it: JSON may be written anew."""
    if isinstance(after, dict) and isinstance(before, dict) and after.keys() == before.keys():
        return {key: _expanded(after[key], before[key]) for key in after}
    if isinstance(after, list) and isinstance(before, list) and len(after) == len(before):
        return [_expanded(inner, outer) for inner, outer in zip(after, before, strict=True)]
    if isinstance(after, str) and isinstance(before, str) and after != before:
        text = expand(after)
        if text == before:
            return before
        try:
            return before if parse(text) == parse(before) else after
        except NotExact:
            return after
    return after
