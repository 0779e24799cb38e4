"""`tools` blocks at work: what a client is shown of the tools, and what becomes of its calls."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from terse.listing.in_place import shown as real
from terse.proxy.complaints import Complaints
from terse.proxy.listing import Request
from terse.proxy.rules_at_hand import named_server
from terse.proxy.session import ProxySession
from terse.proxy.tool_list import ToolList
from terse.proxy.wire import Wire
from terse.tokens import vocabulary
from tests.language.example import check_text
from tests.proxy.test_retrieve import ERAS, command, converse, texts

LONG = "Searches issues." + " It looks at titles, texts and comments, and gives the newest first." * 8
SEARCH = {
    "name": "search",
    "description": LONG,
    "inputSchema": {
        "type": "object",
        "properties": {
            "query": {"type": "string", "title": "Query", "description": LONG},
            "sort": {
                "type": "object",
                "properties": {
                    "order": {"type": "string"},
                    "by": {"type": "array", "items": {"type": "object", "required": ["key"]}},
                },
            },
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


def test_a_new_name_that_a_tool_of_the_server_has_is_not_given(capfd: pytest.CaptureFixture[str]) -> None:
    """Two tools of one name would be one too many: the tool keeps its own, and stderr says so."""
    proxy = session(tools("rename search to find"))

    assert [one["name"] for one in show(proxy, SEARCH, tool("find"))] == ["search", "find"]
    assert proxy.request(call("find", a=1)) == Request(call("find", a=1))
    assert "search is not renamed: the server has a tool find" in capfd.readouterr().err


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


@pytest.mark.parametrize("name", ["search", "mcp__x__search", "x_search", "x/search", "x__search"])
def test_a_tool_is_found_by_the_name_that_a_client_gives_it(name: str) -> None:
    """Clients of many servers put the server's name before the tool's; models say that."""
    proxy = session(tools("compress max"))
    show(proxy, SEARCH, tool("arch"))

    text, is_error = answered(proxy.request(call("terse_schema", tool=name)))

    assert not is_error
    assert json.loads(text)["description"] == LONG
    assert json.loads(text)["name"] == name


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


def test_a_tool_that_fails_shows_no_hidden_one(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """It is listed as it came, and stderr says so; the others are what the blocks make of them."""

    def failing(definition: dict[str, Any], *arguments: Any, **options: Any) -> Any:
        return 1 / 0 if definition["name"] == "search" else real(definition, *arguments, **options)

    monkeypatch.setattr("terse.proxy.listing.shown", failing)
    listed = show(session(tools("compress max", "hide delete")), SEARCH, tool("delete"), tool("list"))

    assert [one["name"] for one in listed] == ["search", "list", "terse_schema"]
    assert listed[0] == {key: value for key, value in SEARCH.items() if key != "outputSchema"}
    assert "description" not in listed[1]
    assert "the tool search is listed as it came: ZeroDivisionError" in capfd.readouterr().err


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


@pytest.mark.parametrize("line", ["compress medium", "present wrapped", "compress max"])
def test_a_list_that_our_tools_would_make_longer_has_none(line: str) -> None:
    """A small server keeps its tools, whole and in place."""
    small = {"name": "ping", "description": "Pings. Now.", "inputSchema": {"type": "object"}}
    proxy = session(tools(line, "hide del*"))

    assert show(proxy, small, tool("delete")) == [small]
    assert proxy.request(call("ping", a=1)) == Request(call("ping", a=1))


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


@pytest.mark.parametrize(("line", "is_sent"), [("hide delete", False), ("compress low", True)])
def test_a_failure_calls_no_hidden_tool(
    line: str, is_sent: bool, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A call that cannot be looked at is made where nothing is hidden, and only there; stderr says so."""
    proxy = session(tools(line))
    monkeypatch.setattr("terse.proxy.listing.ToolRequest.read", lambda _: 1 / 0)

    assert proxy.request(call("other")) == Request(call("other") if is_sent else b"")
    assert "ZeroDivisionError" in capfd.readouterr().err


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
        ({"query": ["a"]}, '"query" is to be string'),
        ({"query": "a", "sort": 1}, '"sort" is to be object'),
        ({"query": "a", "sort": {"by": [{}, {"key": "a"}]}}, 'missing: "sort.by[0].key"'),
        (
            {"limit": 1},
            'missing: "query" (string); there is no "limit": there are "query" (string), "sort" (object)',
        ),
        ({"query": "a", "srot": {}}, 'there is no "srot": did you mean "sort" (object)?'),
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
    for right in (
        {"query": 1},
        {"query": "a", "limit": 1},
        {"query": "a", "sort": '{"order": "asc"}'},
        {"query": None},
    ):
        assert proxy.request(call("search", **right)) == Request(call("search", **right))


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


# ---- wrapped ----------------------------------------------------------------------------------------------

WRAPPED = ("x_get_tool_schema", "x_invoke_tool")


def invoke(tool_name: str, **more: Any) -> bytes:
    return call("x_invoke_tool", tool_name=tool_name, **more)


def test_wrapped_tools_are_behind_three() -> None:
    """With the server's name before them; the first is there where the list leaves something out."""
    low = show(session(tools("present wrapped", "compress low")), SEARCH, tool("list"))
    high = show(session(tools("present wrapped", "compress high")), SEARCH, tool("list"))

    assert tuple(one["name"] for one in low) == WRAPPED
    assert tuple(one["name"] for one in high) == ("x_list_tools", *WRAPPED)
    assert low[-1]["description"] == (
        f"Calls a tool:\nsearch(query, [sort]): {LONG}\nlist(query, [sort]): {LONG}"
    )
    assert high[-1]["description"] == "Calls a tool:\nsearch(query, [sort])\nlist(query, [sort])"


def test_some_tools_stay_beside_the_wrapped_ones() -> None:
    """Each page shows what stays; the last one has ours, with the wrapped tools of all pages."""
    block = tools("present wrapped", "compress max") + tools(
        "present in place", "compress low", on="x/search"
    )
    proxy = session(block)

    assert show(proxy, tool("a"), more="x") == []
    last = show(proxy, SEARCH, tool("b"), cursor="x")
    assert [one["name"] for one in last] == ["search", "x_list_tools", *WRAPPED]
    assert last[-1]["description"] == "Calls a tool:\na, b"


@pytest.mark.parametrize(
    ("more", "arguments"),
    [
        ({"tool_input": {"query": "a"}}, {"query": "a"}),
        ({"tool_input": '{"query": "a"}'}, {"query": "a"}),
        ({"query": "a"}, {"query": "a"}),
        ({"tool_input": {}, "query": "a"}, {"query": "a"}),
        ({"arguments": {"query": "a"}}, {"query": "a"}),
    ],
)
def test_a_call_through_ours_is_one_of_the_tool(more: dict[str, Any], arguments: dict[str, Any]) -> None:
    """As the model sends it: as it should be, as a text of JSON, or beside the name."""
    proxy = session(tools("present wrapped", "rename search to find"))
    show(proxy, SEARCH)

    request = proxy.request(invoke("find", **more))

    assert request.to_client == b""
    message = json.loads(request.to_server)
    assert message == {**json.loads(call("search")), "params": {"name": "search", "arguments": arguments}}


def test_arguments_pass_byte_for_byte() -> None:
    """With their numbers and spaces."""
    proxy = session(tools("present wrapped"))
    show(proxy, SEARCH)
    spelt = invoke("search", tool_input={"query": 1}).replace(b'{"query": 1}', b'{ "query" : 1.0e400 }')

    assert b'"arguments": { "query" : 1.0e400 }}' in proxy.request(spelt).to_server


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (invoke("serch", tool_input={}), "There is no tool serch: did you mean search?"),
        (invoke("delete", tool_input={}), "The tool delete is hidden by a policy, and cannot be called."),
        (call("x_invoke_tool"), 'Say which tool, and with what: {"tool_name": "…", "tool_input": {…}}.'),
        (
            invoke("search", tool_input="query"),
            'Say which tool, and with what: {"tool_name": "…", "tool_input": {…}}.',
        ),
        (call("x_get_tool_schema"), 'Say which tool: {"tool_name": "its name"}.'),
        (call("x_get_tool_schema", tool_name="delete"), "There is no tool delete."),
    ],
)
def test_a_call_that_cannot_be_made_says_why(message: bytes, said: str) -> None:
    """As a result that the model sees."""
    proxy = session(tools("present wrapped", "hide delete"))
    show(proxy, SEARCH, tool("delete"))

    assert answered(proxy.request(message)) == (said, True)


def test_a_mistake_comes_with_the_definition() -> None:
    """So that the next call is right: a definition costs no more than its compact form."""
    proxy = session(tools("present wrapped"))
    show(proxy, SEARCH)
    text, is_error = answered(proxy.request(invoke("search", tool_input={"q": "a"})))
    said, _, definition = text.partition(". Its definition: ")

    assert is_error
    assert said.startswith('search: missing: "query" (string); there is no "q"')
    assert json.loads(definition) == {key: SEARCH[key] for key in ("name", "description", "inputSchema")}
    assert answered(proxy.request(call("x_get_tool_schema", tool_name="search"))) == (definition, False)


def test_a_tool_with_a_user_interface_stays_one() -> None:
    """Its client finds the interface by the tool."""
    proxy = session(tools("present wrapped", "compress max"))
    listed = show(proxy, SEARCH, tool("app", _meta={"ui": {"resourceUri": "ui://x"}}))

    assert [one["name"] for one in listed] == ["app", "terse_schema", "x_list_tools", *WRAPPED]


def test_a_client_may_have_the_list_from_before() -> None:
    """It calls through ours without asking again; a definition is there once it has asked."""
    proxy = session(tools("present wrapped", "rename search to find", "hide delete"))
    asked = proxy.request(invoke("find", tool_input={"query": "a"}))

    assert json.loads(asked.to_server)["params"] == {"name": "search", "arguments": {"query": "a"}}
    assert answered(proxy.request(invoke("delete")))[1]
    said, is_error = answered(proxy.request(call("x_get_tool_schema", tool_name="find")))
    assert is_error
    assert said == "find is not known yet: the list of tools was not asked for in this session."


def test_tools_can_be_looked_for() -> None:
    """By words of their names, arguments and descriptions."""
    proxy = session(tools("present wrapped", "compress max"))
    show(proxy, SEARCH, tool("list", description="Lists users."))

    both = "search(query, [sort]): Searches issues.\nlist(query, [sort]): Lists users."
    assert answered(proxy.request(call("x_list_tools"))) == (both, False)
    found, _ = answered(proxy.request(call("x_list_tools", search="USERS list")))
    assert found == "list(query, [sort]): Lists users."


def test_wrapped_needs_a_client_that_is_offered_tools() -> None:
    """Without ours, the tools could not be called: they stay in place."""
    proxy = session(tools("present wrapped"), retrieves=False)

    assert [one["name"] for one in show(proxy, SEARCH)] == ["search"]


def test_only_reading_is_told_of_the_whole() -> None:
    """A client that lets its user allow what only reads may do so where every tool says it of itself."""
    reads = {"readOnlyHint": True}
    proxy = session(tools("present wrapped"))

    assert show(proxy, tool("a", annotations=reads))[-1]["annotations"] == reads
    assert "annotations" not in show(proxy, tool("a", annotations=reads), tool("b", annotations={}))[-1]


def test_a_real_client_calls_through_ours(tmp_path: Path) -> None:
    """The result is the tool's own, rules go by the tool's own name, and a hidden tool is refused."""
    rules = "terse 1\n" + tools("present wrapped", "hide delete", "rename search to find", on="*/*")
    rules += 'rule searches {\n  on */search\n  remove name\n  because "known"\n}\n'
    (tmp_path / "rules.terse").write_text(rules)
    (tmp_path / "tools.json").write_text(json.dumps({"tools": [SEARCH, tool("list"), tool("delete")]}))
    server = str(Path(__file__).parent.parent / "servers" / "tool_list.py")
    started = ["--rules", str(tmp_path / "rules.terse"), "--server-name", "x", "--", sys.executable, server]

    async def work(client: Client) -> None:
        assert tuple(tool.name for tool in (await client.list_tools()).tools) == WRAPPED
        asked = {"tool_name": "find", "tool_input": {"query": "a"}}
        assert texts(await client.call_tool("x_invoke_tool", asked)) == ['{"arguments":{"query":"a"}}']
        listed = await client.call_tool("x_invoke_tool", {**asked, "tool_name": "list"})
        assert json.loads(texts(listed)[0]) == {"name": "list", "arguments": {"query": "a"}}
        hidden = await client.call_tool("x_invoke_tool", {**asked, "tool_name": "delete"})
        assert hidden.is_error

    converse([sys.executable, "-m", "terse", "proxy", *started, str(tmp_path / "tools.json")], work)
