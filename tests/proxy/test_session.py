"""What the plan makes of an answer; and that nothing that goes wrong reaches the client or is silent."""

from __future__ import annotations

import json
from typing import Any

import pytest

from terse.cli.policy import default_plan
from terse.fields.selector import Path
from terse.payload.blocks import split
from terse.payload.exact import dump, parse
from terse.plan.model import CallRepeats, Entry, Guard, Pattern, Plan, Remove, Rule, Step
from terse.plan.result import Answered, run_result
from terse.proxy.answer import Answer
from terse.proxy.complaints import Complaints
from terse.proxy.rules_at_hand import named_server
from terse.proxy.session import MAX_MESSAGE_BYTES, ProxySession
from terse.proxy.wire import Wire
from terse.tiers import BY_NAME
from terse.tiers.expand import expand
from terse.tokens import Vocabulary, vocabulary

RECORDS = json.dumps([{"id": n, "name": f"name {n}", "open": True} for n in range(40)], indent=1)


def answer(content: list[dict[str, Any]], tool: str = "list", arguments: str = "{}", **more: Any) -> Answer:
    wire = Wire()
    wire.from_client(
        f'{{"id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}\n'.encode()
    )
    found = wire.from_server(json.dumps({"id": 1, "result": {"content": content, **more}}).encode() + b"\n")
    assert found is not None
    return found


def text(content: str) -> dict[str, Any]:
    return {"type": "text", "text": content}


def session(plan: Plan | None = None) -> ProxySession:
    return ProxySession(plan or default_plan(), "server", vocabulary(), Complaints())


def texts(message: bytes) -> list[str]:
    return [block["text"] for block in json.loads(message)["result"]["content"]]


def rule(name: str, *on: tuple[str, str], **more: Any) -> Rule:
    return Rule(name, f"rules.terse:{name}", tuple(Pattern(*pattern) for pattern in on), **more)


def test_every_text_of_a_result_is_rewritten_for_itself() -> None:
    """Each comes out smaller and expands to what it was; a text that cannot shrink stays."""
    before = answer([text(RECORDS), text("plain words"), text(RECORDS)])

    after = texts(session().rewrite(before))

    assert after[1] == "plain words"
    for shrunk in (after[0], after[2]):
        assert len(shrunk) < len(RECORDS)
        assert parse(expand(shrunk)) == parse(RECORDS)


def test_a_result_counts_as_one_call() -> None:
    """`when call repeats` holds for the second call, not for the second text of the first."""
    condition = CallRepeats()
    plan = Plan(1, (rule("r", ("*", "*"), when=(condition,), chain=(Step("minify"),)),), (), (Entry(0, 0),))
    proxy = session(plan)
    message = answer([text(RECORDS), text(RECORDS)])

    assert proxy.rewrite(message) == message.message
    proxy.settle(rewritten=True)
    assert texts(proxy.rewrite(message)) != texts(message.message)


def test_a_tool_that_no_rule_names_is_not_touched() -> None:
    """By pattern and exception; unless the plan asks about the history, which then needs every call."""
    patterns = rule("r", ("*", "list_*"), except_=(Pattern("*", "list_secrets"),), chain=(Step("minify"),))
    proxy = session(Plan(1, (patterns,), (), (Entry(0, 0),)))
    asks = rule("s", ("*", "other"), when=(CallRepeats(),))

    assert [proxy.touches(tool) for tool in ("list_a", "list_secrets", "get")] == [True, False, False]
    assert session(Plan(1, (patterns, asks), (), (Entry(0, 0), Entry(1, 0)))).touches("get")


def test_a_message_too_small_for_any_step_is_not_touched() -> None:
    """A message of n bytes has no text of more tokens; field lines have no such floor."""
    least = BY_NAME["minify"].least_tokens
    chained = session(Plan(1, (rule("r", ("*", "*"), chain=(Step("minify"),)),), (), (Entry(0, 0),)))
    removes = rule("r", ("*", "*"), fields=(Remove((Path(("a",)),)),), chain=(Step("minify"),))
    edited = session(Plan(1, (removes,), (), (Entry(0, 0),)))

    assert [chained.touches("get", size) for size in (least - 1, least)] == [False, True]
    assert edited.touches("get", 1)


@pytest.mark.parametrize("arguments", ['{"a":1,"a":2}', "[1]", '"x"', '{"a":' + "[" * 300 + "]" * 300 + "}"])
def test_arguments_that_rules_cannot_be_asked_about_leave_the_result(arguments: str) -> None:
    """A key that stands twice, no object, too deep: what `when argument` would say is anybody's guess."""
    before = answer([text(RECORDS)], arguments=arguments)

    assert session().rewrite(before) == before.message


def test_null_arguments_are_none() -> None:
    """Some clients write `"arguments": null`."""
    before = answer([text(RECORDS)], arguments="null")

    assert session().rewrite(before) != before.message


def test_a_message_that_is_very_long_is_forwarded(capfd: pytest.CaptureFixture[str]) -> None:
    """It would take too long and too much memory; stderr says so once."""
    before = answer([text("x" * MAX_MESSAGE_BYTES)])
    proxy = session()

    assert proxy.rewrite(before) is before.message
    assert proxy.rewrite(before) is before.message
    assert capfd.readouterr().err == "terse: a result of server/list is over 8 MiB: sent as it came\n"


class Panic(BaseException):
    """What a panic in native code arrives as: no Exception."""


@pytest.mark.parametrize("error", [Panic("secret"), ValueError("secret"), MemoryError(), RecursionError()])
def test_any_failure_sends_the_original_and_is_said_once(
    error: BaseException, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Also what is no Exception; without the error's own words, which may quote the result."""

    def fail(*arguments: object, **options: object) -> None:
        raise error

    monkeypatch.setattr("terse.proxy.session.run_result", fail)
    proxy = session()
    before = answer([text(RECORDS)])

    assert proxy.rewrite(before) == before.message
    assert proxy.rewrite(before) == before.message
    said = capfd.readouterr().err
    assert said.startswith(f"terse: rewriting a result of server/list failed ({type(error).__name__} at ")
    assert said.count("\n") == 1
    assert "secret" not in said


def test_an_interrupt_is_not_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C and exit are no failures of ours."""

    def interrupt(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("terse.proxy.session.run_result", interrupt)

    with pytest.raises(KeyboardInterrupt):
        session().rewrite(answer([text(RECORDS)]))


def test_a_step_that_fails_is_said(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The engine goes on without the step, and the log has it."""
    from terse.tiers import BY_NAME, minify

    def fail(*arguments: object, **options: object) -> None:
        raise ValueError("secret")

    monkeypatch.setitem(BY_NAME, "minify", _with_run(minify.TIER, fail))
    session().rewrite(answer([text(RECORDS)]))

    assert capfd.readouterr().err == "terse: minify failed on a result of server/list\n"


def _with_run(tier: Any, run: Any) -> Any:
    from dataclasses import replace

    return replace(tier, run=run)


def test_the_first_server_that_is_named_is_found() -> None:
    """In rules, exceptions and guards; `*` is no name."""
    everything = rule("r", ("*", "*"))
    vault = Guard("g", "base.terse:3", (Pattern("vault", "*"),))

    assert named_server(Plan(1, (everything,))) is None
    assert named_server(Plan(1, (everything,), (vault,))) == ("vault", "base.terse:3")
    excepting = rule("s", ("*", "*"), except_=(Pattern("git*", "*"),))
    assert named_server(Plan(1, (excepting,))) == ("git*", "rules.terse:s")


# ---- many texts as one -------------------------------------------------------------------------------


ROWS = [json.dumps({"id": 4000 + n, "state": "open", "customer": f"customer {n % 7}"}) for n in range(40)]


def test_a_list_of_blocks_is_sent_as_one_text() -> None:
    """For a client that shows texts, too; the rest of the message stays byte for byte."""
    before = answer([text(row) for row in ROWS], _meta={"v": "1.0"}, structuredContent={"note": "other"})

    after = session().rewrite(before)

    (one,) = texts(after)
    assert split(expand(one)) == [dump(parse(row)) for row in ROWS]
    block = json.dumps([text(one)], ensure_ascii=False, separators=(",", ":")).encode()
    start = before.message.index(b'[{"type"')
    end = before.message.index(b"]", before.message.rindex(b"customer")) + 1
    assert after == before.message[:start] + block + before.message[end:]


@pytest.mark.parametrize(
    "block",
    [
        {"type": "text", "text": "{}", "annotations": {"priority": 1}},
        {"type": "text", "text": "{}", "annotations": {}},
        {"type": "text", "text": "{}", "_meta": {"v": 1}},
        {"type": "text", "text": "{}", "name": "STDERR"},
        {"type": "image", "data": "AA==", "mimeType": "image/png"},
        {"type": "resource", "resource": {"uri": "f:/a", "text": "{}"}},
        {"type": "resource_link", "uri": "f:/a", "name": "a"},
        {"type": "another", "text": "{}"},
        {"type": "text", "text": 5},
    ],
)
def test_a_block_that_is_more_than_a_text_keeps_all_blocks(block: dict[str, Any]) -> None:
    """Each is where it was, with all that it says."""
    before = answer([*map(text, ROWS[:20]), block, *map(text, ROWS[20:])])

    content = json.loads(session().rewrite(before))["result"]["content"]

    assert len(content) == len(ROWS) + 1
    assert content[20] == block


def test_an_error_of_many_texts_stays_one() -> None:
    """What went wrong is read as it was said."""
    before = answer([text(row) for row in ROWS], isError=True)

    assert len(texts(session().rewrite(before))) == len(ROWS)


def test_what_failed_on_the_list_is_said(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Though the texts are then sent each for itself."""
    from terse.plan import gate

    def refuse(*arguments: object, **options: object) -> None:
        raise gate.Refused("it decodes to another document")

    monkeypatch.setattr("terse.plan.gate.check_document", refuse)
    before = answer([text(row) for row in ROWS])

    assert session().rewrite(before) == before.message
    assert capfd.readouterr().err.startswith(
        "terse: a result of server/list was sent as it came: the gate refused"
    )


def test_the_tokenizer_is_built_before_the_first_chain_runs() -> None:
    """A chain has little time: the first result would get no further than its first count."""
    fresh = Vocabulary("o200k_base")
    is_built: list[bool] = []

    def run(*given: Any, **options: Any) -> Answered:
        is_built.append(fresh._encoding is not None)
        return run_result(*given, **options)

    proxy = ProxySession(default_plan(), "server", fresh, Complaints(), run=run)
    proxy.rewrite(answer([text("a short one")]))
    proxy.rewrite(answer([text(RECORDS)]))

    assert is_built[-1]
