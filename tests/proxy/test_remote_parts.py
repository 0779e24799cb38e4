"""The pure parts of remote servers: events, headers, messages, names."""

from __future__ import annotations

import asyncio
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.shared.inbound import (
    decode_header_value,
    find_invalid_x_mcp_header,
    mcp_param_headers,
    x_mcp_header_map,
)

from terse.proxy.remote.events import Event, EventReader
from terse.proxy.remote.flight import Flight
from terse.proxy.remote.headers import encoded, routing_headers
from terse.proxy.remote.marked import marked_properties, problem_of, without_unusable
from terse.proxy.remote.messages import as_line, error, id_key, read_client_message
from terse.proxy.server_name import derived_name_of_url

LINE = st.binary().map(lambda line: re.sub(rb"[\r\n]", b"", line))


def read(*pieces: bytes) -> list[Event]:
    reader = EventReader()
    return [event for piece in pieces for event in reader.feed(piece)]


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        (b"data: a\n\n", [Event(b"a", "message", None)]),
        (b"data:a\r\rdata: b\r\n\r\n", [Event(b"a", "message", None), Event(b"b", "message", None)]),
        (b"data: a\ndata:  b\ndata\n\n", [Event(b"a\n b\n", "message", None)]),
        (b"event: endpoint\ndata: /x\n\n", [Event(b"/x", "endpoint", None)]),
        (b"id: 7\ndata:\n\n", [Event(b"", "message", "7")]),
        (b"id: 7\n\n", [Event(b"", "message", "7")]),
        (b": ping\n\n\n\nretry: 5\n\n", []),
        (b"\xef\xbb\xbfdata: a\n\n", [Event(b"a", "message", None)]),
        (b"id: a\0b\ndata: c\n\n", [Event(b"c", "message", None)]),
        (b"data: \xe2\x80\xa8\n\n", [Event("\u2028".encode(), "message", None)]),
        (b"data: half", []),
        (b"data: half\n", []),
        (b"unknown: x\nDATA: y\ndata: z\n\n", [Event(b"z", "message", None)]),
    ],
)
def test_a_stream_of_events(stream: bytes, events: list[Event]) -> None:
    """As the standard has it; the same however it is cut."""
    assert read(stream) == events
    assert read(*(stream[n : n + 1] for n in range(len(stream)))) == events


@given(st.lists(st.lists(LINE, min_size=1, max_size=3), max_size=4), st.data())
def test_any_data_arrives_however_it_is_cut(documents: list[list[bytes]], data: st.DataObject) -> None:
    """Any bytes but line ends, cut anywhere, with any of the three line ends."""
    end = data.draw(st.sampled_from([b"\n", b"\r\n", b"\r"]))
    stream = b"".join(b"".join(b"data: " + line + end for line in lines) + end for lines in documents)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=6)))
    pieces = [stream[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(stream)], strict=True)]

    assert [event.data for event in read(*pieces)] == [b"\n".join(lines) for lines in documents]


def test_how_long_to_wait_is_the_servers_to_say() -> None:
    """`retry` in milliseconds; what is no number is ignored."""
    reader = EventReader()
    reader.feed(b"retry: 1500\nretry: soon\nretry: -1\n")

    assert reader.retry_seconds == 1.5


@given(st.text())
def test_a_header_value_reads_back(value: str) -> None:
    """By the SDK's own decoder; what HTTP would change is in base64."""
    header = encoded(value)

    assert header.isascii()
    assert header.isprintable()
    assert decode_header_value(header) == value


SCALAR = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
SCHEMA = {
    "type": "object",
    "properties": {
        "a": {"type": "string", "x-mcp-header": "A"},
        "b": {"type": "object", "properties": {"c": {"type": "integer", "x-mcp-header": "B-C"}}},
        "d": {"type": "string"},
    },
}


@given(
    st.fixed_dictionaries(
        {}, optional={"a": SCALAR, "b": SCALAR | st.fixed_dictionaries({"c": SCALAR}), "d": SCALAR}
    )
)
def test_marked_parameters_are_as_the_sdk_has_them(arguments: dict[str, object]) -> None:
    """Its servers compare the headers with the body."""
    params = {
        "name": "t",
        "arguments": arguments,
        "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"},
    }
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    headers = routing_headers(read_client_message(line), marked_properties(SCHEMA))

    found = {name: value for name, value in headers.items() if name.startswith("Mcp-Param-")}
    assert found == mcp_param_headers(x_mcp_header_map(SCHEMA), arguments)


MARK = st.sampled_from(["A", "a", "B-C", "", "no token", 1, None])
KIND = st.sampled_from(["string", "integer", "boolean", "number", "object", ["string"], None])
PROPERTY = st.fixed_dictionaries({}, optional={"type": KIND, "x-mcp-header": MARK, "default": st.none()})
SCHEMAS = st.recursive(
    PROPERTY | st.none(),
    lambda inner: (
        st.dictionaries(
            st.sampled_from(["items", "anyOf", "not", "$defs", "default", "const", "type", "x-mcp-header"]),
            inner
            | st.lists(inner, max_size=2)
            | st.dictionaries(st.sampled_from("ab"), inner, max_size=2)
            | MARK,
            max_size=3,
        )
        | st.fixed_dictionaries(
            {"properties": st.dictionaries(st.sampled_from("abc"), inner, max_size=3)},
            optional={"x-mcp-header": MARK},
        )
    ),
    max_leaves=8,
)


@given(SCHEMAS)
def test_marks_are_sound_where_the_sdk_finds_them_so(schema: object) -> None:
    """And then they are of the same parameters."""
    problem = problem_of(schema)

    assert (problem is None) == (find_invalid_x_mcp_header(schema) is None)
    if problem is None:
        assert marked_properties(schema) == x_mcp_header_map(schema)


def test_a_list_without_the_tools_that_cannot_be_called() -> None:
    """Every other byte stays, escapes and numbers too; a list that says something twice is left alone."""
    bad = '{"name":"b\\u00e9","inputSchema":{"properties":{"n":{"type":"number","x-mcp\\u002dheader":"N"}}}}'
    good = '{ "name":"g", "inputSchema":{"maximum":1.10}}'
    answer = '{"id":1.0,"result":{"ttl":1E2,"tools": [%s] ,"x":[]},"jsonrpc":"2.0"}'

    for listed, left in (((good, bad), good), ((bad, good), good), ((bad,), ""), ((bad, bad), "")):
        found, unusable = without_unusable((answer % " , ".join(listed)).encode())
        assert found.decode() == answer % left
        assert {tool for tool, _ in unusable} == {"bé"}
    for whole in (answer % good, answer % bad.replace("{", '{"name":1,', 1), '{"result":{"tools":3}}', "x"):
        assert without_unusable(whole.encode()) == (whole.encode(), [])


@pytest.mark.parametrize(
    ("line", "ids", "method", "version"),
    [
        (b'{"id":1,"method":"ping"}\n', (b"1",), "ping", None),
        (b'{"id":"a\\u00e9","method":"p\\u0069ng"}', (b'"a\\u00e9"',), "ping", None),
        (b'{"method":"notifications/x"}', (), "notifications/x", None),
        (b'{"id":1,"result":{}}', (), None, None),
        (
            b'[{"id":1,"method":"a"},{"method":"b"},{"id":2,"result":{}},{"id":3.0,"method":"c"}]',
            (b"1", b"3.0"),
            None,
            None,
        ),
        (
            b'{"id":1,"method":"a","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"v"}}}',
            (b"1",),
            "a",
            "v",
        ),
        (b'{"id":1,"method":"a","params":{"s":"\\ud83d"}}', (b"1",), "a", None),
        (b'{"id":null,"method":"a"}', (), "a", None),
        (b'{"id":[1],"method":"a"}', (), "a", None),
        (b'{"id":1,"method":"a","params":[1]}', (b"1",), "a", None),
        (b"garbage", (), None, None),
        (b"[" * 3000, (), None, None),
        (b"", (), None, None),
    ],
)
def test_what_a_line_of_the_client_is(
    line: bytes, ids: tuple[bytes, ...], method: str | None, version: str | None
) -> None:
    """Ids keep their spelling; what is not understood is none of these, and no error."""
    message = read_client_message(line)

    assert (message.ids, message.method, message.version) == (ids, method, version)
    assert message.raw == line.rstrip(b"\r\n")


@given(st.binary())
def test_no_line_of_a_client_raises(line: bytes) -> None:
    """Whatever it holds."""
    read_client_message(line)


@given(
    st.recursive(st.text() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))
)
def test_a_message_on_many_lines_is_the_same_message(value: object) -> None:
    """Line ends between tokens become spaces."""
    line = as_line(json.dumps(value, indent=2).encode())

    assert line.count(b"\n") == 1
    assert json.loads(line) == value


def test_an_error_has_the_id_as_it_was_spelt() -> None:
    """Also an odd one; and ids are compared by what they are."""
    assert error(b'"\\u00e9"', "no").startswith(b'{"jsonrpc":"2.0","id":"\\u00e9","error":{')
    assert id_key(b'"\\u00e9"') == id_key('"é"'.encode())
    assert len({id_key(b'"7"'), id_key(b"7"), id_key(b"7.0")}) == 3


def test_an_answer_is_of_the_request_that_it_names() -> None:
    """In a batch with answers to nobody's requests, too; one that comes after our error is dropped."""
    lines: list[bytes] = []

    async def emit(line: bytes) -> None:
        lines.append(line)

    async def run() -> None:
        flight = Flight(emit)
        one = flight.begin(read_client_message(b'{"id":1,"method":"a"}'))
        two = flight.begin(read_client_message(b'{"id":2,"method":"a"}'))
        await flight.deliver(b'[{"id":9,"result":{}},{"id":2,"result":{}}]')
        assert (one.is_done, two.is_done) == (False, True)
        await flight.fail(one, "no")
        await flight.deliver(b'{"id":1,"result":{}}')
        await flight.deliver(b'{"id":3,"result":{}}')

    asyncio.run(run())
    assert [json.loads(line)[0]["id"] if line[:1] == b"[" else json.loads(line)["id"] for line in lines] == [
        9,
        1,
        3,
    ]
    assert b"error" in lines[1]


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://mcp.linear.app/mcp", "linear"),
        ("https://api.githubcopilot.com/mcp/", "githubcopilot"),
        ("http://localhost:3000/", "localhost"),
        ("http://127.0.0.1:3000/mcp", "server"),
        ("https://user:pass@docs.example.org?x=1", "example"),
        ("http://[::1]:3000/", "server"),
    ],
)
def test_a_name_from_a_url(url: str, name: str) -> None:
    """What says most of the host."""
    assert derived_name_of_url(url) == name
