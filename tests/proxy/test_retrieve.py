"""Set aside, fetched again: through the proxy, by the official SDK's client; and what the tool answers."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client, StdioServerParameters
from mcp_types import CallToolRequest, CallToolRequestParams, CallToolResult, Implementation, TextContent

from terse.memory.store import Store, handle_of
from terse.payload.exact import parse
from terse.proxy.retrieval import PAGE_TOKENS, Given, Refused, own_call, retrieve
from terse.tiers.expand import expand
from terse.tokens import vocabulary
from tests.proxy.process import started

TYPED = [sys.executable, str(Path(__file__).parent.parent / "servers" / "typed.py")]
RULES = """terse 1

rule everything {
  on */*
  use compact
  set aside every body, lines matching /^1/
}

rule long {
  on */long_text
  shorten everything to 10 lines
}
"""
ERAS = ("legacy", "2026-07-28")
COUNT = vocabulary().count


@pytest.fixture(autouse=True)
def cache_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def command(rules: str | None, tmp_path: Path, *options: str) -> list[str]:
    proxy = [sys.executable, "-m", "terse", "proxy", *options]
    if rules is not None:
        (tmp_path / "rules.terse").write_text(rules)
        proxy += ["--rules", str(tmp_path / "rules.terse")]
    return [*proxy, "--", *TYPED]


def converse(
    command: list[str], work: Callable[[Client], Awaitable[None]], era: str = "legacy", name: str = "anybody"
) -> None:
    async def run() -> None:
        parameters = StdioServerParameters(command=command[0], args=command[1:])
        info = Implementation(name=name, version="1")
        with anyio.fail_after(60):
            async with Client(parameters, mode=era, client_info=info) as client:
                await work(client)

    anyio.run(run)


def texts(result: Any) -> list[str]:
    return [block.text for block in result.content if isinstance(block, TextContent)]


# ---- through the proxy ---------------------------------------------------------------------------------


@pytest.mark.parametrize("era", ERAS)
def test_what_was_set_aside_comes_back_exactly(era: str, tmp_path: Path) -> None:
    """A note names the tool as it is listed; the tool gives the value to the character."""

    async def work(client: Client) -> None:
        listed = (await client.list_tools()).tools
        assert listed[-1].name == "terse_retrieve"
        (text,) = texts(await client.call_tool("all_issues", {}))[:1]
        handle, *_ = re.findall(r"set aside: terse_retrieve (h\d{9})\]", expand(text))
        fetched = await client.call_tool("terse_retrieve", {"handle": handle})
        assert not fetched.is_error
        assert texts(fetched) == ["1\n" + "words and words " * 60]

    converse(command(RULES, tmp_path), work, era)


def test_a_long_text_comes_back_page_by_page(tmp_path: Path) -> None:
    """Each page says how to get the next; joined, they are what was set aside."""

    async def work(client: Client) -> None:
        await client.list_tools()
        (text,) = texts(await client.call_tool("long_text", {}))
        (handle,) = re.findall(r"terse_retrieve (h\d{9})", text)
        asked, pages = {"handle": handle}, []
        while asked:
            page, *more = texts(await client.call_tool("terse_retrieve", asked))
            assert COUNT(page) <= PAGE_TOKENS
            pages.append(page)
            asked = json.loads("{" + more[0].rstrip("]").partition("with ")[2] + "}") if more else {}
        assert len(pages) > 2
        whole = "\n".join(f"line {n} of a long text, with é" for n in range(1, 9_001))
        assert "".join(pages) == whole

    converse(command(RULES, tmp_path), work)


@pytest.mark.parametrize("era", ERAS)
def test_an_unknown_handle_is_an_error_that_says_what_to_do(era: str, tmp_path: Path) -> None:
    """One sentence, as an error of the tool."""

    async def work(client: Client) -> None:
        await client.list_tools()
        result = await client.call_tool("terse_retrieve", {"handle": "h000000000"})
        assert result.is_error
        assert texts(result) == [
            "Nothing is kept under h000000000: check it, or call the tool again whose result had it."
        ]

    converse(command(RULES, tmp_path), work, era)


@pytest.mark.parametrize("options", [("--no-retrieve",), ()])
def test_nothing_is_set_aside_before_the_client_has_the_tool(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    """Not if it may not have it, and not before it listed the tools."""

    async def work(client: Client) -> None:
        if options:
            assert "terse_retrieve" not in [tool.name for tool in (await client.list_tools()).tools]
        call = CallToolRequest(params=CallToolRequestParams(name="read_notes", arguments={}))
        assert "set aside" not in texts(await client.session.send_request(call, CallToolResult))[0]

    converse(command(RULES, tmp_path, *options), work)


def test_the_list_passes_untouched_where_no_rule_sets_anything_aside(tmp_path: Path) -> None:
    """Byte for byte, as the server wrote it; with a rule that does, only the tool is added."""
    lines = [
        b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",'
        b'"capabilities":{},"clientInfo":{"name":"x","version":"1"}}}\n',
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n',
    ]

    def listed(command: list[str]) -> bytes:
        with started(command) as client:
            client.send(lines[0])
            client.receive()
            client.send(*lines[1:])
            return client.receive()

    plain = "terse 1\n\nrule everything {\n  on */*\n  use compact\n}\n"
    direct, untouched = listed(TYPED), listed(command(plain, tmp_path))
    first, second = (listed(command(RULES, tmp_path)) for _ in range(2))

    assert untouched == direct
    assert first == second
    start = first.index(b',{"name":"terse_retrieve"')
    added = first[start : start + len(first) - len(direct)]
    assert first.replace(added, b"") == direct
    assert json.loads(added[1:])["inputSchema"]["required"] == ["handle"]


def test_a_store_in_a_file_outlives_the_proxy(tmp_path: Path) -> None:
    """What one proxy set aside another one gives, that was started later with the same file."""
    handles: list[str] = []
    options = ("--store", str(tmp_path / "kept" / "store.db"))

    async def first(client: Client) -> None:
        await client.list_tools()
        (text,) = texts(await client.call_tool("all_issues", {}))[:1]
        handles.extend(re.findall(r"terse_retrieve (h\d{9})", expand(text)))

    async def second(client: Client) -> None:
        await client.list_tools()
        fetched = await client.call_tool("terse_retrieve", {"handle": handles[0]})
        assert texts(fetched) == ["1\n" + "words and words " * 60]

    converse(command(RULES, tmp_path, *options), first)
    converse(command(RULES, tmp_path, *options), second)


def test_what_is_never_stored_is_in_no_file(tmp_path: Path) -> None:
    """A guard with `never store` holds for the file, too: nothing of the result is in it."""
    path = tmp_path / "store.db"
    guard = "\nguard g {\n  on */all_*\n  never store\n}\n"

    async def work(client: Client) -> None:
        await client.list_tools()
        assert "set aside" not in "".join(texts(await client.call_tool("all_issues", {})))

    converse(command(RULES + guard, tmp_path, "--store", str(path)), work)

    assert path.exists()
    assert not any(b"words and words" in each.read_bytes() for each in tmp_path.glob("store.db*"))


def test_a_store_that_cannot_be_used_is_said_at_the_start(tmp_path: Path) -> None:
    """One line, exit code 2: not a session that sets nothing aside."""
    (tmp_path / "words").write_text("words and words")

    with started(command(RULES, tmp_path, "--store", str(tmp_path / "words"))) as client:
        client.close()
        assert client.wait() == 2
        said = f"terse: --store {tmp_path / 'words'}: it is a file of another kind\n"
        assert said in client.errors()


# ---- what it gives ---------------------------------------------------------------------------------------


def asked(text: str, **arguments: object) -> list[str]:
    store = Store()
    store.keep({handle_of(text): text})
    raw = json.dumps({"handle": handle_of(text), **arguments}).encode()
    return retrieve(raw, store, COUNT, "terse_retrieve").texts


LINES = "".join(f"line {n}\n" for n in range(1, 101))
ROWS = "[" + ",".join(f'{{"id":{n},"price":{n}.50}}' for n in range(1, 101)) + "]"


@pytest.mark.parametrize(
    ("text", "arguments", "given"),
    [
        (LINES, {"lines": "2-3"}, "line 2\nline 3\n"),
        (LINES, {"lines": 100}, "line 100\n"),
        (LINES, {"lines": "99-"}, "line 99\nline 100\n"),
        (LINES, {"lines": "99-4000"}, "line 99\nline 100\n"),
        (LINES, {"characters": "1-6"}, "line 1"),
        (LINES, {"search": "line 10"}, "10: line 10\n100: line 100"),
        (LINES, {"search": "line 10", "lines": "50-"}, "100: line 100"),
        (LINES, {"search": "x.*"}, "None of the 100 lines contains it. Upper and lower case differ."),
        (ROWS, {"rows": "2-3"}, '[{"id":2,"price":2.50},{"id":3,"price":3.50}]'),
        (ROWS, {"search": '"id":99'}, '99: {"id":99,"price":99.50}'),
        (ROWS, {"lines": None, "search": ""}, ROWS),
        ("", {}, ""),
    ],
)
def test_a_part_can_be_asked_for(text: str, arguments: dict[str, object], given: str) -> None:
    """Lines, rows, characters, or what contains a text, with numbers that count from the beginning."""
    assert asked(text, **arguments) == [given]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"lines": "0"}, "Write lines as 20-80, 20 or 20-, counted from 1."),
        ({"lines": "8-2"}, "Write lines as 20-80, 20 or 20-, counted from 1."),
        ({"lines": "200"}, "There are 100 lines: ask for some of these."),
        ({"rows": "1"}, "is no list, so it has no rows: ask for lines or characters."),
        ({"rows": "1", "lines": "1"}, "Give only one of lines, rows."),
        ({"line": "1"}, "There is no argument line: use handle, lines, rows, characters and search."),
        ({"handle": 5}, 'Say which handle: {"handle": "h482913007"}.'),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_sentence(arguments: dict[str, object], said: str) -> None:
    """It says what to write instead."""
    with pytest.raises(Refused) as refused:
        asked(LINES, **arguments)

    assert said in str(refused.value)


def pages(text: str, **arguments: object) -> list[str]:
    """All pages, each asked for as the one before it says."""
    found = []
    while True:
        page, *more = asked(text, **arguments)
        found.append(page)
        if not more:
            return found
        arguments = json.loads("{" + more[0].rstrip("]").partition("with ")[2] + "}")
        assert arguments.pop("handle") == handle_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "x" * 200_000,
        "a\n" + "é" * 100_000 + "\nb\n",
        "".join(f"{n} {'word ' * (n % 50)}\n" for n in range(3_000)),
        "\U0001f9ff" * 30_000,
    ],
)
def test_pages_of_a_text_are_the_text(text: str) -> None:
    """Also where one line is longer than an answer."""
    found = pages(text)

    assert len(found) > 1
    assert "".join(found) == text
    assert all(COUNT(page) <= PAGE_TOKENS for page in found)


def test_pages_of_a_list_are_lists() -> None:
    """Each page has whole rows, with their numbers as they were written."""
    rows = "[" + ",".join(f'{{"id":{n},"price":{n}.50,"text":"{"word " * 20}"}}' for n in range(2_000)) + "]"

    found = [parse(page) for page in pages(rows)]

    assert len(found) > 1
    assert [row for page in found if isinstance(page, list) for row in page] == parse(rows)


@given(text=st.text(max_size=200), part=st.text(max_size=3))
def test_a_search_is_for_a_text_and_finds_it(text: str, part: str) -> None:
    """Nothing in it has a meaning of its own, and any text can be searched."""
    said = asked(text, search=part) if part else asked(text)

    assert len(said) == 1


@pytest.mark.parametrize("identifier", ["7", '"7"', "1.0", '"\\u00e9"'])
def test_an_answer_has_the_id_as_it_was_spelt(identifier: str) -> None:
    """And says that it is complete only to those who know that word."""
    asked = f'{{"jsonrpc":"2.0","id":{identifier},"method":"tools/call","params":{{"name":"t"%s}}}}'
    plain = own_call((asked % "").encode(), "t")
    modern = own_call(
        (asked % ',"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}').encode(), "t"
    )

    assert plain is not None
    assert modern is not None
    answer = plain.answer(Given(["é"])).decode()
    assert answer.startswith(f'{{"jsonrpc":"2.0","id":{identifier},"result":')
    assert json.loads(answer)["result"] == {"content": [{"type": "text", "text": "é"}]}
    assert json.loads(modern.answer(Given(["é"])))["result"]["resultType"] == "complete"
    assert own_call((asked % "").encode(), "other") is None
