"""`tools` blocks at work: what a client is shown of the tools, and what becomes of its calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from terse.proxy.complaints import Complaints
from terse.proxy.listing import Request
from terse.proxy.session import ProxySession, named_server
from terse.proxy.tool_list import ToolList
from terse.proxy.wire import Wire
from terse.tokens import vocabulary
from tests.language.example import check_text
from tests.proxy.test_retrieve import ERAS, command, converse, texts

SEARCH = {
    "name": "search",
    "description": "Searches issues. Newest first.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "query": {"type": "string", "title": "Query", "description": "What to look for."},
            "sort": {"type": "object", "properties": {"order": {"type": "string"}}},
        },
        "required": ["query"],
        "additionalProperties": False,
    },
    "outputSchema": {"type": "object"},
    "annotations": {"title": "Search"},
}


def tool(name: str, **members: Any) -> dict[str, Any]:
    return {**SEARCH, "name": name, **members}


def session(block: str, client: str = "text", **options: Any) -> ProxySession:
    plan = check_text(f"terse 1\n{block}").plan
    assert plan is not None
    return ProxySession(plan, "x", vocabulary(), Complaints(), client=client, **options)


def tools(*lines: str, on: str = "x/*") -> str:
    return f"tools {on} {{\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


def page(listed: list[dict[str, Any]], *, more: str = "", cursor: str = "", **members: Any) -> ToolList:
    wire = Wire(lambda _: True)
    params = {"cursor": cursor} if cursor else {}
    wire.from_client(json.dumps({"id": 1, "method": "tools/list", "params": params}).encode() + b"\n")
    result = {"tools": listed, **({"nextCursor": more} if more else {}), **members}
    found = wire.from_server(json.dumps({"jsonrpc": "2.0", "id": 1, "result": result}).encode() + b"\n")
    assert isinstance(found, ToolList)
    return found


def result(proxy: ProxySession, given: ToolList) -> dict[str, Any]:
    message = proxy.rewrite_list(given)
    proxy.settle(rewritten=True)
    found: dict[str, Any] = json.loads(message)["result"]
    return found


def show(proxy: ProxySession, *listed: dict[str, Any], **members: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = result(proxy, page(list(listed), **members))["tools"]
    return found


def call(name: str, **arguments: Any) -> bytes:
    params = {"name": name, "arguments": arguments}
    return json.dumps({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}).encode() + b"\n"


def answered(request: Request) -> tuple[str, bool]:
    """The text of our answer, and whether it is an error."""
    assert not request.to_server
    message = json.loads(request.to_client)
    assert message["id"] == 7
    (block,) = message["result"]["content"]
    return block["text"], message["result"].get("isError", False)


# ---- the list -------------------------------------------------------------------------------------------


def test_a_page_that_no_block_speaks_of_passes_byte_for_byte() -> None:
    """With its spaces, its numbers and its `cacheScope`."""
    proxy = session(tools("compress max", on="y/*"))
    given = page([SEARCH], cacheScope="public")

    assert proxy.rewrite_list(given) == given.message
    assert not proxy.touches_lists("anybody")


def test_tools_that_no_block_speaks_of_stay_as_they_came() -> None:
    """Beside others that change."""
    proxy = session(tools("compress high", on="x/search"))
    spaced = page([SEARCH, tool("other")])

    message = proxy.rewrite_list(spaced)

    assert json.dumps(tool("other")).encode() in message
    assert json.dumps(SEARCH).encode() not in message


def test_hidden_tools_are_not_listed_and_others_renamed() -> None:
    """On every page; tools keep their order, and each is one still."""
    proxy = session(tools("hide del*", "rename search to find", "compress low"))
    first = show(proxy, tool("delete"), SEARCH, more="x")
    last = show(proxy, tool("list"), tool("del_2"), cursor="x")

    assert [one["name"] for one in first] == ["find"]
    assert [one["name"] for one in last] == ["list"]


def test_a_new_name_that_a_tool_of_the_server_has_is_not_given() -> None:
    """Two tools of one name would be one too many: the tool keeps its own."""
    proxy = session(tools("rename search to find"))

    assert [one["name"] for one in show(proxy, SEARCH, tool("find"))] == ["search", "find"]
    assert proxy.request(call("find", a=1)) == Request(call("find", a=1))


@pytest.mark.parametrize("level", ["medium", "high", "max"])
def test_what_is_left_out_is_one_call_away(level: str) -> None:
    """The tool that gives it stands at the end of the last page, and gives the server's own definition."""
    proxy = session(tools(f"compress {level}"))
    first = show(proxy, SEARCH, more="x")
    last = show(proxy, tool("list"), cursor="x")

    assert [one["name"] for one in (*first, *last)] == ["search", "list", "terse_schema"]
    text, is_error = answered(proxy.request(call("terse_schema", tool="search")))
    assert not is_error
    assert json.loads(text) == {key: SEARCH[key] for key in ("name", "description", "inputSchema")}
    assert text == json.dumps(json.loads(text), separators=(",", ":"))


def test_nothing_is_left_out_that_could_not_be_fetched() -> None:
    """At `low` nothing is; and a client that is to be offered no tool is shown everything."""
    assert [one["name"] for one in show(session(tools("compress low")), SEARCH)] == ["search"]
    proxy = session(tools("compress max", "hide del*"), retrieves=False)
    (listed,) = show(proxy, SEARCH, tool("delete"))
    assert listed["description"] == SEARCH["description"]
    assert proxy.request(call("terse_schema", tool="search")).to_server


def test_the_added_tool_gives_way_to_one_of_the_server() -> None:
    """A tool called so by the server is the server's."""
    proxy = session(tools("compress max"))
    listed = show(proxy, SEARCH, tool("terse_schema"))

    assert [one["name"] for one in listed] == ["search", "terse_schema", "terse_schema_2"]
    own = call("terse_schema", query="a")
    assert proxy.request(own) == Request(own)
    assert not answered(proxy.request(call("terse_schema_2", tool="search")))[1]


def test_output_schemas_go_where_nobody_uses_them() -> None:
    """Of a client that shows texts; not of a tool with a user interface, nor of one no block speaks of."""
    app = tool("app", _meta={"ui": {"resourceUri": "ui://x"}})
    block = tools("compress low", on="x/search, x/app")

    shown = {one["name"]: one for one in show(session(block), SEARCH, app, tool("other"))}
    assert ["outputSchema" in shown[name] for name in ("search", "app", "other")] == [False, True, True]
    shown = {one["name"]: one for one in show(session(block, client="structured"), SEARCH, app)}
    assert ["outputSchema" in shown[name] for name in ("search", "app")] == [True, True]


@pytest.mark.parametrize(
    ("scope", "sent"), [("public", "private"), ("private", "private"), ("other", "other")]
)
def test_a_page_that_was_changed_is_for_this_client_only(scope: str, sent: str) -> None:
    """A cache would give it to clients with other rules."""
    found = result(session(tools("compress low")), page([SEARCH], cacheScope=scope, ttlMs=5))

    assert (found["cacheScope"], found["ttlMs"]) == (sent, 5)


def test_the_same_list_gives_the_same_bytes() -> None:
    """Whenever it is asked for: prompt caches rest on it."""
    proxy = session(tools("compress high"))
    given = [SEARCH, tool("list")]

    assert show(proxy, *given) == show(proxy, *given) == show(session(tools("compress high")), *given)


def test_a_tool_that_is_no_longer_there_is_forgotten() -> None:
    """A list that is asked for anew is a new list."""
    proxy = session(tools("compress max"))
    show(proxy, SEARCH, tool("old"))
    show(proxy, SEARCH)

    text, is_error = answered(proxy.request(call("terse_schema", tool="old")))
    assert is_error
    assert text == "There is no tool old."


# ---- calls ----------------------------------------------------------------------------------------------


def test_a_call_by_the_new_name_is_one_of_the_tool() -> None:
    """Every other byte of the request is as it came; also before any list was asked for."""
    spelt = (
        b'{ "id" : 7.0, "method":"tools\\/call", "params":{"arguments":{"a":1.0},"name" : "find" ,"x":1}}\n'
    )
    proxy = session(tools("rename search to find"))

    assert proxy.request(spelt) == Request(spelt.replace(b'"find"', b'"search"'))
    show(proxy, SEARCH)
    assert proxy.request(spelt) == Request(spelt.replace(b'"find"', b'"search"'))
    assert proxy.request(call("other")) == Request(call("other"))


@pytest.mark.parametrize(
    "message",
    [
        call("delete", a=1),
        call("delete", a=1).replace(b"tools/call", b"tools\\/call"),
        call("delete", a=1).replace(b"tools/call", b"\\u0074ools/call"),
        call("delete", a=1).replace(b'"delete"', b'"\\u0064elete"'),
        call("shown").replace(b'"shown"', b'"shown","name":"delete"'),
        call("delete").replace(b'"delete"', b'"delete","name":"shown"'),
        call("delete", a=[]).replace(b"[]", b"[" * 3000 + b"]" * 3000),
    ],
)
def test_a_hidden_tool_cannot_be_called(message: bytes) -> None:
    """However the request is written, and whether or not the client asked for the list."""
    assert session(tools("hide delete")).request(message).to_server == b""
    assert session(tools("show shown")).request(message).to_server == b""


def test_the_model_is_told_that_a_tool_is_hidden() -> None:
    """As the result of the call: protocol errors are not always shown to it."""
    text, is_error = answered(session(tools("hide delete")).request(call("delete")))

    assert is_error
    assert text == "The tool delete is hidden by a policy, and cannot be called."


def test_calls_in_a_batch_are_looked_at_one_by_one() -> None:
    """What may pass does, with its own bytes; the rest is answered."""
    proxy = session(tools("hide delete", "rename search to find"))
    ping = b'{"id":1.0,"method":"ping"}'
    plain = b"[" + ping + b" , " + ping + b"]\n"
    mixed = b"[" + b",".join((ping, call("delete").strip(), call("find").strip())) + b"]\n"

    assert proxy.request(plain) == Request(plain)
    request = proxy.request(mixed)
    assert request.to_server == b"[" + ping + b"," + call("search").strip() + b"]\n"
    assert b"hidden by a policy" in request.to_client


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, 'missing: "query" (string)'),
        ({"Query": "a"}, 'missing: "query" (string); there is no "Query": did you mean "query" (string)?'),
        ({"query": "a", "order": "asc"}, '"order" belongs into "sort"'),
        ({"query": "a", "limit": 1}, 'there is no "limit": there are "query" (string), "sort" (object)'),
    ],
)
def test_a_mistake_is_told_where_the_schema_was_not(arguments: dict[str, Any], said: str) -> None:
    """The field, its type and the nearest name; the server is not asked."""
    proxy = session(tools("compress max"))
    show(proxy, SEARCH)

    text, is_error = answered(proxy.request(call("search", **arguments)))

    assert is_error
    assert text == f"search: {said}. terse_schema gives the whole definition."


@pytest.mark.parametrize("level", ["low", "medium"])
def test_the_server_answers_where_its_schema_was_shown(level: str) -> None:
    """A mistake is its own matter then, and so is a call that is right."""
    proxy = session(tools(f"compress {level}"))
    show(proxy, SEARCH)

    assert proxy.request(call("search")) == Request(call("search"))
    proxy = session(tools("compress max"))
    show(proxy, SEARCH)
    assert proxy.request(call("search", query=1)) == Request(call("search", query=1))


@pytest.mark.parametrize(
    "message",
    [
        b"not JSON tools/call\n",
        b'{"id":1,"method":"tools/call"}\n',
        b'{"id":1,"method":"tools/call","params":[]}\n',
        b'{"id":1,"method":"other","params":{"name":"delete","a":"tools/call"}}\n',
        b'["tools/call"]\n',
        b"\n",
    ],
)
def test_what_is_no_call_passes(message: bytes) -> None:
    """Byte for byte."""
    assert session(tools("hide delete")).request(message) == Request(message)


def test_a_block_that_names_a_server_needs_the_server_s_name() -> None:
    """As rules do: with a wrong name nothing would be hidden."""
    plan = check_text("terse 1\n" + tools("hide a", on="vault/*")).plan
    assert plan is not None

    assert named_server(plan) == ("vault", "main.terse:2")


# ---- through the proxy, by the official SDK's client ------------------------------------------------------


@pytest.fixture(autouse=True)
def cache_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.mark.parametrize("era", ERAS)
def test_a_real_client_works_with_what_it_is_shown(era: str, tmp_path: Path) -> None:
    """It calls a renamed tool, is refused a hidden one, and fetches a definition."""
    rules = "terse 1\n" + tools("compress max", "hide fail", "rename list_issues to issues", on="*/*")

    async def work(client: Client) -> None:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert "fail" not in names
        assert "issues" in names
        assert names[-1] == "terse_schema"
        assert not (await client.call_tool("issues", {})).is_error
        hidden = await client.call_tool("fail", {})
        assert hidden.is_error
        assert "hidden by a policy" in texts(hidden)[0]
        (definition,) = texts(await client.call_tool("terse_schema", {"tool": "issues"}))
        assert json.loads(definition)["inputSchema"]["type"] == "object"

    converse(command(rules, tmp_path), work, era)
