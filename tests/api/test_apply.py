"""Rules in other people's programs: `terse.load(…).apply(result, call)`."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.types import CallToolResult, EmbeddedResource, TextContent, TextResourceContents

import terse
from terse.plan import result as plan_result
from terse.tiers.expand import expand

ROWS = json.dumps([{"id": number, "state": "open", "title": f"Issue {number}"} for number in range(60)])
RULES = """terse 1

rule issues {
  on github/*
  use compact
  remove secret
  because "the test says so"
}

"""


@pytest.fixture(scope="module")
def policy() -> terse.Policy:
    return terse.load()


def _bare(*texts: str) -> dict[str, object]:
    return {"content": [{"type": "text", "text": text} for text in texts]}


def test_a_text_comes_back_smaller_and_expands_to_what_it_was(policy: terse.Policy) -> None:
    """A text in, a text out, with its class, its rule, its tokens, and nothing lost."""
    applied = policy.apply(ROWS, "github/list_issues")

    assert json.loads(expand(applied.result)) == json.loads(ROWS)
    assert applied.guarantee.word == "lossless"
    assert applied.rules == ("everything",)
    assert applied.tokens_out < applied.tokens_in
    assert applied.texts == (applied.result,)
    assert applied.changed
    assert (applied.handles, applied.fault) == ((), None)


def test_what_no_rule_changes_is_the_very_object(policy: terse.Policy) -> None:
    """A result that passes is not copied."""
    result = {"content": [{"type": "text", "text": "ok"}], "_meta": {"x": 1}}
    applied = policy.apply(result, "github/ping")

    assert applied.result is result
    assert not applied.changed
    assert applied.tokens_in == applied.tokens_out == 1


def test_a_dict_keeps_all_that_is_no_text(policy: terse.Policy) -> None:
    """Images, structuredContent, unknown members and what is for the user alone stay."""
    result = {
        "content": [
            {"type": "image", "data": "aGk=", "mimeType": "image/png"},
            {"type": "text", "text": ROWS, "_meta": {"page": 1}},
            {"type": "text", "text": ROWS, "annotations": {"audience": ["user"]}},
            {"type": "resource", "resource": {"uri": "file:///x", "text": ROWS}},
        ],
        "structuredContent": {"result": json.loads(ROWS)},
        "isError": False,
    }
    before = copy.deepcopy(result)
    applied = policy.apply(result, terse.Call("github", "list_issues", {"state": "open"}))

    assert result == before
    small = applied.texts[0]
    wanted = copy.deepcopy(before)
    wanted["content"][1]["text"] = wanted["content"][3]["resource"]["text"] = small
    assert applied.result == wanted
    assert small != ROWS
    assert applied.texts == (small, small)


def test_an_object_of_the_sdk_comes_back_as_one(policy: terse.Policy) -> None:
    """A CallToolResult in, a CallToolResult out, resources and all."""
    resource = TextResourceContents(uri="file:///x", text=ROWS)
    given = CallToolResult(
        content=[TextContent(type="text", text=ROWS), EmbeddedResource(type="resource", resource=resource)]
    )
    applied = policy.apply(given, "github/list_issues")

    assert type(applied.result) is CallToolResult
    block, embedded = applied.result.content
    assert (block.text, embedded.resource.text) == applied.texts
    assert given.content[0].text == ROWS
    assert resource.text == ROWS


@pytest.mark.parametrize("shape", ["texts", "blocks", "dict", "object"])
def test_many_texts_may_come_back_as_one(policy: terse.Policy, shape: str) -> None:
    """A list sent as many texts is one text, in each of the shapes that hold many."""
    texts = [json.dumps(row) for row in json.loads(ROWS)]
    given = {
        "texts": texts,
        "blocks": _bare(*texts)["content"],
        "dict": _bare(*texts),
        "object": CallToolResult(content=[TextContent(type="text", text=text) for text in texts]),
    }[shape]
    applied = policy.apply(given, "github/list_issues")

    assert len(applied.texts) == 1
    assert json.loads(expand(applied.texts[0])) == json.loads(ROWS)
    if shape == "texts":
        assert applied.result == list(applied.texts)
    elif shape == "object":
        assert [block.text for block in applied.result.content] == list(applied.texts)
    else:
        blocks = applied.result if shape == "blocks" else applied.result["content"]
        assert blocks == _bare(applied.texts[0])["content"]


def test_a_result_is_what_the_proxy_would_send(policy: terse.Policy) -> None:
    """The text is the one that the plan's own run gives."""
    from terse.cli.policy import default_plan
    from terse.memory.session import Session
    from terse.payload.call import Call
    from terse.tokens import vocabulary

    ran = plan_result.run_result(default_plan(), [ROWS], Call("a", "b"), Session(), vocabulary())

    assert policy.apply(ROWS, "a/b").texts == ran.texts


def test_rules_are_loaded_from_a_path(tmp_path: Path) -> None:
    """A rule that removes does so, and the class says it; an error result loses nothing."""
    (tmp_path / "rules.terse").write_text(RULES, encoding="utf-8")
    policy = terse.load(tmp_path / "rules.terse")
    text = json.dumps({"id": 1, "secret": "x" * 200})

    applied = policy.apply(_bare(text), "github/get")
    assert json.loads(applied.texts[0]) == {"id": 1}
    assert applied.guarantee.word == "lossy"
    failed = policy.apply({**_bare(text), "isError": True}, "github/get")
    assert json.loads(failed.texts[0]) == json.loads(text)


@pytest.mark.parametrize("content", ["terse 1\nrule a {\n  on */*\n  use nothing-such\n}\n", None])
def test_rules_that_cannot_be_used_are_refused(tmp_path: Path, content: str | None) -> None:
    """Errors are raised when the rules are loaded, with the place, and not when a result comes."""
    path = tmp_path / "rules.terse"
    if content is not None:
        path.write_text(content, encoding="utf-8")

    with pytest.raises(terse.RulesError, match=r"rules\.terse"):
        terse.load(path)


def test_a_call_that_is_none_is_refused(policy: terse.Policy) -> None:
    """A name without a server is a mistake in the program, and said so."""
    with pytest.raises(ValueError, match="server/tool"):
        policy.apply(ROWS, "list_issues")


@pytest.mark.parametrize("given", [None, 7, object(), {"no": "content"}, [1, 2], [None], {"content": "x"}])
def test_what_is_no_result_comes_back(policy: terse.Policy, given: object) -> None:
    """Whatever is given comes back as the same object, and nothing is raised."""
    applied = policy.apply(given, "github/list_issues")

    assert applied.result is given
    assert applied.guarantee.word == "exact"


def test_arguments_that_are_no_json_send_the_original(policy: terse.Policy) -> None:
    """Rules cannot be asked about them: the result is as it came, with a fault."""
    applied = policy.apply(ROWS, terse.Call("github", "list_issues", {"since": object()}))

    assert (applied.result, applied.fault) == (ROWS, "TypeError")


@pytest.mark.parametrize("error", [RuntimeError("x" + ROWS), MemoryError(), BaseException("panic")])
def test_a_fault_of_ours_sends_the_original(
    policy: terse.Policy, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    """Whatever is raised within gives the original; the fault has none of the payload's words."""

    def fails(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("terse.api.apply.run_result", fails)
    applied = policy.apply(ROWS, "github/list_issues")

    assert applied.result is ROWS
    assert applied.fault == type(error).__name__


def test_rules_are_compiled_once_for_all_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The plan is kept in the user's cache, and made anew when a rule file changes."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    rules = tmp_path / "rules.terse"
    rules.write_text(RULES)
    call = terse.Call("github", "list_issues")
    first = terse.load(rules).apply(ROWS, call)
    with monkeypatch.context() as patched:
        patched.setattr("terse.rules._compile", None)
        assert terse.load(rules).apply(ROWS, call) == first

    rules.write_text(RULES.replace("use compact", "use minify"))
    assert terse.load(rules).apply(ROWS, call).tokens_out > first.tokens_out


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "content",
                        "type",
                        "text",
                        "resource",
                        "annotations",
                        "audience",
                        "isError",
                        "resultType",
                    ]
                ),
                inner,
            )
        ),
        max_leaves=12,
    )
)
def test_nothing_is_raised_on_any_payload(value: object) -> None:
    """Any value at all comes back; what has no rule's text in it, unchanged."""
    applied = terse.load().apply(value, "github/list_issues")

    if not applied.changed:
        assert applied.result is value


def test_a_policy_is_safe_in_many_threads(policy: terse.Policy) -> None:
    """Results at once come out as they do one by one."""
    payloads = [json.dumps([{"id": row, "n": number} for row in range(30)]) for number in range(24)]
    one_by_one = [policy.apply(text, "a/b").result for text in payloads]

    with ThreadPoolExecutor(8) as pool:
        at_once = list(pool.map(lambda text: policy.apply(text, "a/b").result, payloads))

    assert at_once == one_by_one


def test_importing_terse_imports_nothing_else() -> None:
    """`import terse` costs nothing; the default policy needs no grammar, and no name is missing."""
    code = (
        "import sys, terse\n"
        "assert not [m for m in sys.modules if m.startswith('terse.')], 'import terse'\n"
        "terse.load()\n"
        "assert not {'lark', 'typer', 'mcp', 'pydantic', 'asyncio'} & set(sys.modules), 'terse.load()'\n"
        "[getattr(terse, name) for name in terse.__all__]\n"
        "assert not hasattr(terse, 'nothing_such')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
