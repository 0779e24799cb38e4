"""The wire: which message answers which call, and what comes out in its place. Bytes in, bytes out."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from terse.proxy.answer import Answer
from terse.proxy.spans import encode_string
from terse.proxy.wire import MAX_AWAITED, MAX_AWAITED_BYTES, Wire


def tell(wire: Wire, *lines: bytes) -> None:
    """Lines from the client, seen, forwarded and read."""
    for line in lines:
        wire.from_client(line)
        wire.read()


def request(ident: str = "7", tool: str = "list", arguments: str = '{"state": "OPEN"}') -> bytes:
    """A tools/call line as a client writes it; the id as JSON text."""
    return (
        f'{{"jsonrpc":"2.0","id":{ident},"method":"tools/call",'
        f'"params":{{"name":"{tool}","arguments":{arguments}}}}}\n'
    ).encode()


def answered(line: bytes, *, asked: bytes | None = None) -> Answer | None:
    """What a fresh wire makes of a server's line, after one call with id 7."""
    wire = Wire()
    tell(wire, request() if asked is None else asked)
    return wire.from_server(line)


def shout(line: bytes, *, asked: bytes | None = None) -> bytes:
    """The line as it would be sent on when every text is put in upper case."""
    answer = answered(line, asked=asked)
    if answer is None:
        return line
    parts, _ = answer.texts()
    return answer.with_texts({part.span: part.text.upper() for part in parts})


def result(content: str, more: str = "") -> bytes:
    return f'{{"jsonrpc":"2.0","id":7,"result":{{"content":{content}{more}}}}}\n'.encode()


TEXT = '[{"type":"text","text":"hello"}]'


# ---- which message is an answer ------------------------------------------------------------------


def test_the_answer_to_a_call_is_found_with_its_tool_and_arguments() -> None:
    """An answer carries the tool that was called and the arguments as the client spelt them."""
    answer = answered(result(TEXT))

    assert answer is not None
    assert (answer.tool, answer.arguments) == ("list", b'{"state": "OPEN"}')
    assert [part.text for part in answer.texts()[0]] == ["hello"]


@pytest.mark.parametrize(
    ("asked", "answered_as", "same"),
    [
        ("7", "7", True),
        ('"7"', '"7"', True),
        ('"a\\u0062"', '"ab"', True),
        ("7", '"7"', False),
        ('"7"', "7", False),
        ("7", "7.0", False),
        ("7.0", "7", False),
        ("1e1", "10", False),
        ("123456789012345678901234567890", "123456789012345678901234567890", True),
    ],
)
def test_ids_match_by_type_and_spelling(asked: str, answered_as: str, same: bool) -> None:
    """`"7"`, `7` and `7.0` are three ids: only the one that was asked under is answered."""
    wire = Wire()
    tell(wire, request(asked))

    line = f'{{"jsonrpc":"2.0","id":{answered_as},"result":{{"content":{TEXT}}}}}\n'.encode()

    assert (wire.from_server(line) is not None) is same


@pytest.mark.parametrize("ident", ["null", "true", "[2]", '{"a":1}', '"' + "x" * 5000 + '"'])
def test_an_id_that_no_request_can_have_is_no_key(ident: str) -> None:
    """A call under such an id is forwarded, and so is whatever answers it."""
    wire = Wire()
    tell(wire, request(ident))

    assert not wire.awaits_answers


def test_an_answer_may_come_before_its_request_was_read() -> None:
    """A request is read while the server works on it; a quick answer does not overtake the reading."""
    wire = Wire()
    wire.from_client(request())

    assert wire.awaits_answers
    assert wire.from_server(result(TEXT)) is not None
    assert not wire.awaits_answers


def test_an_answer_is_one_only_once() -> None:
    """A second answer under the same id is forwarded as it came."""
    wire = Wire()
    tell(wire, request())

    assert wire.from_server(result(TEXT)) is not None
    assert wire.from_server(result(TEXT)) is None


def test_two_calls_under_one_id_are_both_left_alone() -> None:
    """Nobody can tell which answer belongs to which call, so neither is touched."""
    wire = Wire()
    tell(wire, request(tool="one"))
    tell(wire, request(tool="two"))

    assert wire.from_server(result(TEXT)) is None
    assert wire.from_server(result(TEXT)) is None


def test_an_error_ends_the_wait() -> None:
    """After an error under its id nothing is awaited any more."""
    wire = Wire()
    tell(wire, request())

    assert wire.from_server(b'{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"no"}}\n') is None
    assert not wire.awaits_answers


def test_a_cancelled_call_is_forgotten() -> None:
    """A late answer to a cancelled call is forwarded as it came."""
    wire = Wire()
    tell(wire, request())
    tell(wire, b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}\n')

    assert not wire.awaits_answers


def test_a_request_from_the_server_with_the_same_id_is_no_answer() -> None:
    """Servers number their own requests; the call goes on waiting."""
    wire = Wire()
    tell(wire, request())
    line = b'{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{"result":"result"}}\n'

    assert wire.from_server(line) is None
    assert wire.awaits_answers


def test_answers_to_other_requests_are_no_answers() -> None:
    """`tools/list` and the like pass while a call waits."""
    assert answered(b'{"jsonrpc":"2.0","id":8,"result":{"tools":[]}}\n') is None


def test_what_is_awaited_is_bounded_in_number_and_bytes() -> None:
    """A server that never answers does not fill our memory."""
    wire = Wire()
    for number in range(MAX_AWAITED * 2):
        tell(wire, request(str(number)))
    assert len(wire._awaited) == MAX_AWAITED

    large = json.dumps({"a": "x" * (MAX_AWAITED_BYTES // 4)})
    for number in range(8):
        tell(wire, request(f'"{number}"', arguments=large))
    assert sum(len(call.arguments) for call in wire._awaited.values() if call) <= MAX_AWAITED_BYTES


def test_nothing_is_parsed_while_no_call_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages that could not matter are not even decoded."""
    monkeypatch.setattr("terse.proxy.spans.members", None)
    wire = Wire()
    tell(wire, b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n')

    assert wire.from_server(result(TEXT)) is None


def test_a_method_with_an_escaped_slash_is_a_call() -> None:
    """Some JSON writers escape the slash."""
    assert answered(result(TEXT), asked=request().replace(b"tools/call", b"tools\\/call")) is not None


# ---- tasks ------------------------------------------------------------------------------------------

TASK_2025 = b'{"jsonrpc":"2.0","id":7,"result":{"task":{"taskId":"t1","status":"working"}}}\n'
TASK_2026 = b'{"jsonrpc":"2.0","id":7,"result":{"resultType":"task","taskId":"t1","status":"working"}}\n'


def test_the_result_of_a_task_is_an_answer_to_its_call() -> None:
    """2025-11-25: the tool's result comes as the answer to `tasks/result`."""
    wire = Wire()
    tell(wire, request())
    assert wire.from_server(TASK_2025) is None
    tell(wire, b'{"jsonrpc":"2.0","id":9,"method":"tasks/result","params":{"taskId":"t1"}}\n')

    answer = wire.from_server(result(TEXT).replace(b'"id":7', b'"id":9'))

    assert answer is not None
    assert answer.tool == "list"
    assert [part.text for part in answer.texts()[0]] == ["hello"]


def test_the_result_inside_a_completed_task_is_an_answer() -> None:
    """2026-07-28 with the tasks extension: it comes inside what `tasks/get` answers."""
    wire = Wire()
    tell(wire, request())
    assert wire.from_server(TASK_2026) is None
    tell(wire, b'{"jsonrpc":"2.0","id":9,"method":"tasks/get","params":{"taskId":"t1"}}\n')
    working = (
        b'{"jsonrpc":"2.0","id":9,"result":{"resultType":"complete","taskId":"t1","status":"working"}}\n'
    )
    answer = wire.from_server(working)
    assert answer is not None
    assert answer.texts() == ([], False)

    tell(wire, b'{"jsonrpc":"2.0","id":10,"method":"tasks/get","params":{"taskId":"t1"}}\n')
    done = (
        b'{"jsonrpc":"2.0","id":10,"result":{"resultType":"complete","taskId":"t1","status":"completed",'
        b'"result":{"resultType":"complete","content":[{"type":"text","text":"hello"}]}}}\n'
    )
    answer = wire.from_server(done)

    assert answer is not None
    assert [part.text for part in answer.texts()[0]] == ["hello"]


def test_a_task_nobody_called_for_is_not_looked_at() -> None:
    """`tasks/result` for a task of another request (sampling, say) is forwarded."""
    wire = Wire()
    tell(wire, b'{"jsonrpc":"2.0","id":9,"method":"tasks/result","params":{"taskId":"t1"}}\n')

    assert not wire.awaits_answers


# ---- which texts --------------------------------------------------------------------------------------


def test_text_blocks_and_embedded_texts_are_what_may_change() -> None:
    """Images, links, blobs, the user's own blocks and structuredContent stay."""
    line = result(
        '[{"type":"text","text":"a"},{"type":"image","data":"text","mimeType":"image/png"},'
        '{"type":"resource","resource":{"uri":"file:///x","mimeType":"text/plain","text":"b"}},'
        '{"type":"resource","resource":{"uri":"file:///y","blob":"c"}},'
        '{"type":"resource_link","uri":"file:///z","name":"d"},'
        '{"type":"text","text":"e","annotations":{"audience":[ "user" ]}},'
        '{"type":"text","text":"f","annotations":{"audience":["user","assistant"],"priority":0.50}}]',
        ',"structuredContent":{"text":"g"}',
    )

    assert shout(line) == line.replace(b'"a"', b'"A"').replace(b'"b"', b'"B"').replace(b'"f"', b'"F"')


def test_an_error_result_is_known_as_one() -> None:
    """`isError: true` reaches the plan, which then loses nothing."""
    answer = answered(result(TEXT, ',"isError": true'))

    assert answer is not None
    assert answer.texts()[1] is True


@pytest.mark.parametrize("kind", ["input_required", "task", "something-new"])
def test_a_result_that_is_not_complete_is_left_alone(kind: str) -> None:
    """Only an absent `resultType`, or `complete`, is a result to rewrite; `requestState` is never touched."""
    line = result(TEXT, f',"resultType":"{kind}","requestState":"opaque"')

    assert shout(line) == line


def test_a_complete_result_of_2026_is_rewritten() -> None:
    """`resultType: complete` is what every result of 2026-07-28 says."""
    line = result(TEXT, ',"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{}}')

    assert shout(line) == line.replace(b"hello", b"HELLO")


@pytest.mark.parametrize(
    "line",
    [
        result('[{"type":"text","text":"a","text":"b"}]'),
        result('[{"type":"text","text":"a","type":"text"}]'),
        result(TEXT, ',"content":[]'),
        b'{"jsonrpc":"2.0","id":7,"id":7,"result":{"content":[{"type":"text","text":"a"}]}}\n',
        b'{"id":7,"result":{"content":[{"type":"text","text":"a"}]},"result":{"content":[]}}\n',
        b'{"id":7,"result":{},"result":{"content":[{"type":"text","text":"a"}]}}\n',
        b'{"id":7,"result":{"content":[{"type":"text","text":"a"}]},"error":null}\n',
        result('[{"type":"text","text":"a"},7]'),
        result('{"type":"text","text":"a"}'),
        result('[{"type":"text","text":7}]'),
        result('[{"type":"text"}]'),
        result("null"),
        b'{"id":7,"result":[{"type":"text","text":"a"}]}\n',
        b'{"id":7,"result":"content"}\n',
        b'[{"id":7,"result":{"content":[{"type":"text","text":"a"}]}}]\n',
        b'{"id":7,"result":{"content":' + b"[" * 100_000 + b"]" * 100_000 + b"}}\n",
        b'{"id":7,"result":{"content":[{"type":"text","text":"a"}],"x":NaN}}\n',
        b'{"id":7,"result":{"content":[{"type":"text","text":"a"}]}} trailing\n',
        b'\xef\xbb\xbf{"id":7,"result":{"content":[{"type":"text","text":"a"}]}}\n',
        b'{"id":7,"result":{"content":[{"type":"text","text":"\xff"}]}}\n',
        b'"result" 7\n',
        b"\n",
        b"\r\n",
        b"",
    ],
    ids=range(24),
)
def test_what_is_not_plainly_a_result_is_forwarded_as_it_came(line: bytes) -> None:
    """Doubled keys, wrong shapes, noise, invalid UTF-8, depth: the same bytes, and no exception."""
    assert shout(line) == line


def test_a_text_that_is_not_utf8_does_not_keep_the_others_back() -> None:
    """Each text stands for itself."""
    line = result('[{"type":"text","text":"?"},{"type":"text","text":"b"}]').replace(b"?", b"\xff\xfe")

    assert shout(line) == line.replace(b'"b"', b'"B"')


# ---- how a text is put back ------------------------------------------------------------------------


def test_everything_but_the_text_keeps_its_bytes() -> None:
    """Ids, unknown fields, number text, key order, escapes, white space and the line end stay."""
    line = (
        b' {"x-trace" : 1.10, "id":7 ,"result":{ "_meta":{"v":1E400,"d":0.100,"\\u0061":"\\/"},\t'
        b'"content":[ {"annotations":{"priority":0.50},"text":"h\\u0069","\\u0074ype":"text","z":-0} ],'
        b'"n":12345678901234567890123} , "jsonrpc":"2.0"}\r\n'
    )

    assert shout(line) == line.replace(b'"h\\u0069"', b'"HI"')


def test_a_text_is_written_as_one_line_of_utf8() -> None:
    """Line ends are escaped, other characters are not: but for those at which some readers split lines."""
    assert (
        encode_string('é\n"\u2028\u2029\x85\U0001f600')
        == 'é\\n\\"\\u2028\\u2029\\u0085\U0001f600'.join('""').encode()
    )


def test_lone_surrogates_survive() -> None:
    """A server that cut an emoji in half gets its half through, escaped as it must be."""
    line = result('[{"type":"text","text":"cut \\ud83d here"}]')

    assert json.loads(shout(line))["result"]["content"][0]["text"] == "CUT \ud83d HERE"


def test_surrogates_that_json_would_join_are_refused() -> None:
    """Two halves that were apart must not come out as one character: the caller sends the original."""
    with pytest.raises(ValueError, match="surrogates"):
        encode_string("\ud83d\ude00")


@given(st.text(st.characters(exclude_categories=())))
def test_an_encoded_string_reads_back_or_is_refused(text: str) -> None:
    """Any string of Python's: its JSON is one line of valid UTF-8 and reads back equal."""
    try:
        encoded = encode_string(text)
    except ValueError:
        assert any("\ud800" <= char <= "\udfff" for char in text)
        return

    assert json.loads(encoded.decode()) == text
    assert len(encoded.decode().splitlines()) == 1


# ---- any bytes, any messages -----------------------------------------------------------------------

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)
METHODS = (
    *("initialize", "ping", "tools/list", "tools/call", "resources/list", "resources/read"),
    *("resources/templates/list", "resources/subscribe", "resources/unsubscribe", "prompts/list"),
    *("prompts/get", "completion/complete", "logging/setLevel", "sampling/createMessage"),
    *("roots/list", "elicitation/create", "tasks/get", "tasks/result", "tasks/list", "tasks/cancel"),
    *("tasks/update", "server/discover", "subscriptions/listen", "notifications/initialized"),
    *("notifications/cancelled", "notifications/progress", "notifications/message"),
    *("notifications/resources/updated", "notifications/tasks"),
    *("notifications/resources/list_changed", "notifications/tools/list_changed"),
    *("notifications/prompts/list_changed", "notifications/roots/list_changed"),
    *("notifications/elicitation/complete", "notifications/tasks/status"),
)
methods = st.sampled_from(METHODS)
idents = st.integers(0, 3) | st.sampled_from(["0", "1", "a"]) | st.none()
blocks = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "image", "resource", "resource_link", "new"])},
    optional={
        "text": st.text(max_size=10) | st.integers(),
        "annotations": json_values,
        "resource": st.fixed_dictionaries({}, optional={"text": st.text(max_size=5), "uri": st.text()}),
        "_meta": json_values,
    },
)
results = st.fixed_dictionaries(
    {},
    optional={
        "content": st.lists(blocks, max_size=3) | json_values,
        "isError": st.booleans(),
        "structuredContent": json_values,
        "resultType": st.sampled_from(["complete", "task", "input_required"]),
        "task": json_values,
        "taskId": st.sampled_from(["t1", "t2"]),
        "result": json_values,
    },
)
params = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from(["one", "two"]),
        "arguments": json_values,
        "taskId": st.sampled_from(["t1", "t2"]),
        "requestId": idents,
        "_meta": json_values,
    },
)
messages = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0")},
    optional={
        "id": idents,
        "method": methods,
        "params": params | json_values,
        "result": results,
        "error": json_values,
        "x": json_values,
    },
)
spellings: st.SearchStrategy[Callable[[object], bytes]] = st.sampled_from(
    [
        lambda value: json.dumps(value).encode() + b"\n",
        lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\r\n",
        lambda value: json.dumps(value, indent=1).encode().replace(b"\n", b"\t") + b"\n",
        lambda value: json.dumps([value]).encode() + b"\n",
    ]
)


@given(st.lists(st.tuples(st.booleans(), messages, spellings), max_size=8))
def test_messages_of_every_method_pass_and_only_texts_change(
    conversation: list[tuple[bool, object, Callable[[object], bytes]]],
) -> None:
    """A generated conversation: what comes out is what came in, but for texts that are put in upper case."""
    wire = Wire()
    for from_client, value, spelling in conversation:
        line = spelling(value)
        if from_client:
            tell(wire, line)
            continue
        answer = wire.from_server(line)
        if answer is None:
            continue
        parts, _ = answer.texts()
        assert answer.with_texts({}) == line
        assert answer.with_texts({part.span: part.text for part in parts}).count(b"\n") == 1
        sent = json.loads(answer.with_texts({part.span: "\u2603" + part.text for part in parts}))
        assert _without_snowmen(sent) == json.loads(line)


def _without_snowmen(value: object) -> object:
    if isinstance(value, str):
        return value.removeprefix("\u2603")
    if isinstance(value, list):
        return [_without_snowmen(item) for item in value]
    if isinstance(value, dict):
        return {key: _without_snowmen(item) for key, item in value.items()}
    return value


PIECES = [
    *(b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"\\ud800", b" ", b"\r", b"\xff", b"\xe2\x80\xa8"),
    *(b'"id":7', b'"result":', b'"content":', b'"type":"text"', b'"text":"a"', b'"error":1', b'"id":7,'),
    *(b'{"id":7,"result":{"content":[{"type":"text","text":"a"}]}}', b"1e400", b"null", b'"taskId":"t"'),
]


@given(st.lists(st.sampled_from(PIECES) | st.binary(max_size=6), max_size=14).map(b"".join))
@example(b'{"id":7,"result":{"a":1,"content":[{"type":"text","text":"a"}],"a":1}}')
@example(b'{"id":7,"result":{"content":[{"type":"text","text":"a"}],"content":1}}')
def test_any_bytes_come_out_unchanged_or_valid(line: bytes) -> None:
    """Whatever a server or a client writes: the same bytes, or a valid message with a changed text."""
    wire = Wire()
    tell(wire, line)
    tell(wire, request())

    answer = wire.from_server(line)

    if answer is None:
        return
    parts, _ = answer.texts()
    sent = answer.with_texts({part.span: part.text + "!" for part in parts})
    if not parts:
        assert sent == line
    else:
        assert json.loads(sent) != json.loads(line)
        assert sent.replace(b"\n", b"") == sent or b"\n" in line


LISTENS = (
    b'{"jsonrpc":"2.0","id":%b,"method":"subscriptions/listen","params":'
    b'{"notifications":{"toolsListChanged":%b}}}\n'
)


def test_who_is_told_when_the_tools_change() -> None:
    """Each request for that, by its id as it stands, until it is answered or cancelled; no other one."""
    wire = Wire()
    tell(
        wire,
        *(
            LISTENS % (ident, wants)
            for ident, wants in ((b'"a"', b"true"), (b"7", b"true"), (b"8", b"false"))
        ),
    )
    tell(
        wire,
        b'{"jsonrpc":"2.0","id":9,"method":"subscriptions/listen","params":{}}\n',
        LISTENS % (b"10", b"true"),
    )

    assert wire.listening() == [b'"a"', b"7", b"10"]
    assert wire.from_server(b'{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete"}}\n') is None
    tell(wire, b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}\n')
    assert wire.listening() == [b"10"]
