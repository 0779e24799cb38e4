"""Clients that show `structuredContent` and drop the texts: the same data once, and valid all the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client

from terse.cli.policy import default_plan
from terse.payload.exact import dump, parse
from terse.plan.model import Entry, Guard, Pattern, Plan
from terse.proxy.answer import Answer
from terse.proxy.clients import CLIENTS, may_show_structured, shown_by
from terse.proxy.complaints import Complaints
from terse.proxy.session import ProxySession
from terse.proxy.structured import document, says_the_same
from terse.proxy.tool_list import ToolList
from terse.proxy.wire import Wire
from terse.tiers.expand import expand
from terse.tokens import vocabulary
from tests.proxy.test_retrieve import ERAS, command, converse, texts

RECORDS = [{"id": n, "name": f"name {n}", "open": True} for n in range(40)]
SCHEMA = {"type": "object"}


# ---- through the proxy, with a client that checks every result -----------------------------------------


@pytest.fixture(autouse=True)
def cache_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.mark.parametrize("era", ERAS)
def test_a_client_that_shows_structured_content_gets_the_data_once(era: str, tmp_path: Path) -> None:
    """As the text that the rules made; the SDK's client takes every result, and no data is missing."""

    async def work(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert [name for name, tool in tools.items() if tool.output_schema] == ["show_issues"]
        for name in tools:
            results[name] = await client.call_tool(name, {})

    async def directly(client: Client) -> None:
        for name in results:
            originals[name] = await client.call_tool(name, {})

    results: dict[str, Any] = {}
    originals: dict[str, Any] = {}
    converse(command(None, tmp_path), work, era, "claude-code")
    converse(command(None, tmp_path)[command(None, tmp_path).index("--") + 1 :], directly, era)

    for name in ("list_issues", "all_issues", "read_notes", "long_text"):
        assert results[name].structured_content is None
    assert parse(expand(texts(results["list_issues"])[0])) == parse(texts(originals["list_issues"])[0])
    assert expand(texts(results["read_notes"])[0]) == texts(originals["read_notes"])[0]
    (listed,) = texts(results["all_issues"])
    assert parse(expand(listed)) == parse(f"[{','.join(texts(originals['all_issues']))}]")
    assert results["show_issues"].structured_content == originals["show_issues"].structured_content
    assert results["fail"].is_error
    assert texts(results["fail"]) == texts(originals["fail"])
    assert results["nothing_structured"].structured_content is None


@pytest.mark.parametrize(
    ("name", "options", "once"),
    [
        ("anybody", (), False),
        ("gemini-cli-mcp-client", (), False),
        ("claude-code", ("--client", "text"), False),
        ("anybody", ("--client", "structured"), True),
        ("anybody", ("--client=codex",), True),
        ("github-copilot-developer", (), True),
        ("anybody", ("--client", "both"), True),
        ("github-copilot-developer", ("--client", "text"), False),
    ],
)
def test_it_depends_on_the_client(name: str, options: tuple[str, ...], once: bool, tmp_path: Path) -> None:
    """By the name that it gives itself, or by `--client`; whoever is not known shows the text."""

    async def work(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert any(tool.output_schema for tool in tools if tool.name == "list_issues") != once
        result = await client.call_tool("list_issues", {})
        assert (result.structured_content is None) == once

    converse(command(None, tmp_path, *options), work, name=name)


@pytest.mark.parametrize(
    ("name", "shows"),
    [
        ("Claude Code", "structured"),
        ("Visual Studio Code", "structured"),
        ("Visual Studio Code - Insiders", "structured"),
        ("Code - OSS", "structured"),
        ("CODEX", "structured"),
        ("copilot-cli", "structured"),
        ("GitHub Copilot CLI", "structured"),
        ("Cursor", "text"),
        ("Q DEV CLI", "text"),
        ("claude-ai", "text"),
        ("my claude-code", "text"),
        ("claude\u2011code", "text"),
        ("", "text"),
        (None, "text"),
    ],
)
def test_names_of_clients_are_taken_as_people_write_them(name: str | None, shows: str) -> None:
    """Upper case, spaces and dashes do not matter; a name that is not known shows the texts."""
    assert shown_by(name) == shows
    if name:
        # Also in a message, however its letters are escaped.
        for ascii_only in (True, False):
            introduction = json.dumps({"clientInfo": {"name": name}}, ensure_ascii=ascii_only).encode()
            assert may_show_structured(introduction) or shows == "text"


def test_every_client_that_is_known_has_its_evidence() -> None:
    """A name stands once; one that shows both forms is sent the data once, as one that drops the texts is."""
    assert len({client.name for client in CLIENTS}) == len(CLIENTS)
    for client in CLIENTS:
        assert client.evidence
        assert shown_by(client.name) == ("text" if client.shows == "text" else "structured")
        assert may_show_structured(client.name.encode()) or client.shows == "text"
    assert not may_show_structured(b'{"clientInfo":{"name":"anybody"}}')


# ---- what is the same data ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("structured", "said"),
    [
        ({"a": 1}, ['{"a": 1}']),
        ({"a": 1, "b": [2]}, ['{"b":[2],\n"a":1}']),
        ([1, 2], ["[1,2]"]),
        ({"result": "a text"}, ["a text"]),
        ({"content": "a text"}, ["a text"]),
        ({"result": [{"a": 1}, {"a": 2}]}, ['{"a":1}', '{"a":2}']),
        ({"result": [{"a": 1}, {"a": 2}]}, ['[{"a":1},{"a":2}]']),
        ({"result": ["x", 5, None]}, ["x", "5", "null"]),
        ({"result": 5}, ["5"]),
    ],
)
def test_texts_that_say_the_same(structured: object, said: list[str]) -> None:
    """The usual ways in which servers send their data twice."""
    assert says_the_same(parse(json.dumps(structured)), said)


@pytest.mark.parametrize(
    ("structured", "said"),
    [
        ('{"a": 1.0}', ['{"a": 1}']),
        ('{"a": 1}', ['{"a": "1"}']),
        ('{"a": 1}', ['{"a": true}']),
        ('{"a": 0}', ['{"a": false}']),
        ('{"a": null}', ["{}"]),
        ('{"a": 1, "b": 2}', ['{"a": 1}']),
        ('{"result": "x", "more": 1}', ["x"]),
        ('{"result": "5"}', ["6"]),
        ('{"result": 5}', ["5.0"]),
        ('{"result": [1, 2]}', ["1"]),
        ('{"result": [1, 2]}', ["2", "1"]),
        ('{"a": 1}', ["done"]),
        ('{"a": 1}', ['{"a": 1}', "and a word about it"]),
        ("{}", [""]),
    ],
)
def test_texts_that_do_not_say_the_same(structured: str, said: list[str]) -> None:
    """By type, by number text, and all of it: in doubt they differ."""
    assert not says_the_same(parse(structured), said)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(one=JSON.filter(lambda value: isinstance(value, (dict, list))), other=JSON)
def test_only_equal_documents_are_the_same(one: Any, other: Any) -> None:
    """A document says the same as its own JSON, and as no other document's."""
    first = parse(json.dumps(one))

    assert says_the_same(first, [json.dumps(one, indent=1)])
    if isinstance(other, (dict, list)) and one not in ({"x": other}, [other]):
        same = parse(json.dumps(other)) == first
        wrapped = isinstance(one, dict) and list(one.values()) == [other]
        assert says_the_same(first, [json.dumps(other)]) in ((True,) if same else (wrapped, False))


def test_what_is_no_json_document_is_none() -> None:
    """A scalar, a key that stands twice: nobody says what it is."""
    assert document(b"5") is document(b'{"a":1,"a":2}') is document(b'"\xff"') is None


# ---- step by step -----------------------------------------------------------------------------------------


def session(plan: Plan | None = None, client: str = "structured") -> ProxySession:
    return ProxySession(plan or default_plan(), "server", vocabulary(), Complaints(), client=client)


def page(tools: list[dict[str, Any]], cursor: object = None, more: object = None) -> ToolList:
    wire = Wire(lambda introduction: True)
    params = {} if cursor is None else {"cursor": cursor}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params}
    wire.from_client(json.dumps(asked).encode())
    wire.read()
    result = {"tools": tools} if more is None else {"tools": tools, "nextCursor": more}
    found = wire.from_server(json.dumps({"jsonrpc": "2.0", "id": 1, "result": result}).encode() + b"\n")
    assert isinstance(found, ToolList)
    return found


def tool(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": SCHEMA, "outputSchema": SCHEMA, **more}


def show(proxy: ProxySession, listed: ToolList, *, rewritten: bool = True) -> list[dict[str, Any]]:
    """What the client is shown of a page."""
    message = proxy.rewrite_list(listed)
    proxy.settle(rewritten=rewritten)
    tools: list[dict[str, Any]] = json.loads(message if rewritten else listed.message)["result"]["tools"]
    return tools


def answer(structured: object, *said: str, tool: str = "list", **more: Any) -> Answer:
    wire = Wire()
    wire.from_client(json.dumps({"id": 1, "method": "tools/call", "params": {"name": tool}}).encode())
    content = [{"type": "text", "text": text} for text in said]
    result = {"content": content, "structuredContent": structured, **more}
    found = wire.from_server(json.dumps({"id": 1, "result": result}).encode() + b"\n")
    assert isinstance(found, Answer)
    return found


def sent(proxy: ProxySession, given: Answer) -> dict[str, Any]:
    message = proxy.rewrite(given)
    proxy.settle(rewritten=True)
    result: dict[str, Any] = json.loads(message)["result"]
    return result


DATA = {"records": RECORDS}
TWICE = (DATA, json.dumps(DATA, indent=2))


def test_the_same_data_is_sent_once() -> None:
    """After the tool was shown without a schema, the text stands alone, and expands to the data."""
    proxy = session()
    assert show(proxy, page([tool("list")])) == [{"name": "list", "inputSchema": SCHEMA}]

    result = sent(proxy, answer(*TWICE))

    assert "structuredContent" not in result
    assert parse(expand(result["content"][0]["text"])) == parse(json.dumps(DATA))


@pytest.mark.parametrize(
    "given",
    [
        answer(DATA, json.dumps(DATA), isError=True),
        answer(DATA, json.dumps({"records": RECORDS[1:]})),
        answer(DATA, "here you are"),
        answer(DATA),
        answer(None, json.dumps(DATA)),
        answer(5, "5"),
    ],
)
def test_structured_content_stays_where_it_could_be_missed(given: Answer) -> None:
    """In an error, beside other data, without a text, or null: it is sent as it came."""
    proxy = session()
    show(proxy, page([tool("list")]))

    result = sent(proxy, given)

    assert result["structuredContent"] == json.loads(given.message)["result"]["structuredContent"]


@pytest.mark.parametrize(
    "shown", ["never", "as it came", "passed", "with a user interface", "old name of it"]
)
def test_structured_content_stays_where_the_client_has_a_schema(shown: str) -> None:
    """Or may have one, or shows it to its user: the result is valid as it is."""
    proxy = session()
    if shown == "as it came":
        show(proxy, page([tool("list")]), rewritten=False)
        assert "outputSchema" in show(proxy, page([tool("list")]))[0]
    elif shown == "passed":
        show(proxy, page([tool("list")]))
        proxy.list_passed()
    elif shown == "with a user interface":
        (listed,) = show(proxy, page([tool("list", _meta={"ui": {"resourceUri": "ui://x"}})]))
        assert "outputSchema" in listed
    elif shown == "old name of it":
        (listed,) = show(proxy, page([tool("list", _meta={"ui/resourceUri": "ui://x"})]))
        assert "outputSchema" in listed

    assert sent(proxy, answer(*TWICE))["structuredContent"] == DATA


def test_schemas_are_withdrawn_on_every_page() -> None:
    """And nothing else changes: not the cursor, not a tool without one."""
    proxy = session()
    pages = [page([tool("a"), {"name": "b", "inputSchema": SCHEMA}], more="x"), page([tool("c")], cursor="x")]

    shown = [show(proxy, each) for each in pages]

    assert shown == [[{"name": name, "inputSchema": SCHEMA} for name in names] for names in ("ab", "c")]
    for name in "abc":
        assert "structuredContent" not in sent(proxy, answer(*TWICE, tool=name))


def test_a_guard_that_wants_results_exact_keeps_them_whole() -> None:
    """Nothing is withdrawn and nothing taken out for its calls."""
    plan = default_plan()
    guard = Guard("g", "g.terse:1", (Pattern("*", "list"),), require="exact")
    proxy = session(Plan(1, plan.rules, (guard,), plan.order))
    given = answer(*TWICE)

    assert "outputSchema" in show(proxy, page([tool("list")]))[0]
    assert proxy.rewrite(given) == given.message


def test_a_tool_that_no_rule_is_for_is_left_alone() -> None:
    """Its schema and its results are the server's."""
    rules = default_plan().rules
    proxy = session(Plan(1, (), (), ()))
    assert rules
    assert "outputSchema" in show(proxy, page([tool("list")]))[0]


def test_what_would_have_more_tokens_is_sent_as_it_came() -> None:
    """A short text with white space is longer than what such a client shows: it shows the other one."""
    proxy = session()
    show(proxy, page([tool("list")]))
    given = answer({"a": 1, "b": [1, 2]}, json.dumps({"a": 1, "b": [1, 2]}, indent=8))

    assert proxy.rewrite(given) == given.message


@pytest.mark.parametrize(
    "order",
    [
        ("content", "structuredContent", "x"),
        ("structuredContent", "content"),
        ("x", "structuredContent", "content"),
    ],
)
def test_the_rest_of_the_message_stays_byte_for_byte(order: tuple[str, ...]) -> None:
    """Wherever the member stands, it goes with one comma, and the message is JSON still."""
    values = {
        "content": json.dumps([{"type": "text", "text": "line\n" * 100}]),
        "structuredContent": json.dumps({"r": "line\n" * 100}),
        "x": " { } ",
    }
    line = '{"id":1,"result":{' + " , ".join(f'"{key}" : {values[key]}' for key in order) + "}}\n"
    wire = Wire()
    wire.from_client(b'{"id":1,"method":"tools/call","params":{"name":"list"}}\n')
    given = wire.from_server(line.encode())
    assert isinstance(given, Answer)

    result = json.loads(given.with_texts({}, without_structured=True))["result"]

    assert result == {key: json.loads(values[key]) for key in order if key != "structuredContent"}


# ---- the name of the tool ------------------------------------------------------------------------------


def setting_aside() -> Plan:
    from terse.fields.selector import Everything
    from terse.plan.model import Rule, SetAside

    rule = Rule("r", "r.terse:1", (Pattern("*", "*"),), fields=(SetAside((Everything(),)),))
    return Plan(1, (rule,), (), (Entry(0, 0),))


def test_the_added_tool_has_a_name_of_its_own() -> None:
    """Whatever page the other one is on; notes then say that name, and it stays for the connection."""
    proxy = session(setting_aside(), client="text")
    first = show(proxy, page([tool("terse_retrieve")], more="x"))
    last = show(proxy, page([tool("terse_retrieve_2"), tool("list")], cursor="x"))

    assert [each["name"] for each in first] == ["terse_retrieve"]
    assert [each["name"] for each in last] == ["terse_retrieve_2", "list", "terse_retrieve_3"]
    assert proxy.own_tool == "terse_retrieve_3"
    text = sent(proxy, answer(None, "words " * 500))["content"][0]["text"]
    assert "set aside: terse_retrieve_3 h" in text
    again = show(proxy, page([tool("list")]))
    assert again[-1]["name"] == "terse_retrieve_3"


def test_nothing_is_set_aside_until_the_last_page_was_sent() -> None:
    """A list that was sent as it came, or of which a page is missing, does not count."""
    words = answer(None, "words " * 500)
    for steps in ("", "first", "as it came", "begin"):
        proxy = session(setting_aside(), client="text")
        if steps == "first":
            show(proxy, page([tool("a")], more="x"))
        elif steps == "as it came":
            show(proxy, page([tool("a")]), rewritten=False)
        elif steps == "begin":
            show(proxy, page([tool("a")]))
            proxy.begin()
        assert sent(proxy, words)["content"][0]["text"] == "words " * 500, steps


def test_an_empty_list_gets_the_tool_too() -> None:
    """`[]` has no comma to put before it."""
    assert [each["name"] for each in show(session(setting_aside()), page([]))] == ["terse_retrieve"]


def test_dumped_data_is_what_is_compared() -> None:
    """What such a client shows is counted as compact JSON."""
    assert dump(parse(json.dumps(DATA, indent=3))) == json.dumps(DATA, separators=(",", ":"))
