"""The callback in the real LiteLLM, from its environment."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from terse.tiers.expand import expand
from tests.integrations.other_python import answers_of, only_with

ROWS = [{"id": number, "state": "open", "title": f"Issue {number}"} for number in range(60)]
TEXT = json.dumps(ROWS)


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder: Path = tmp_path_factory.mktemp("litellm")
    made: dict[str, Any] = answers_of("LITELLM_PYTHON", "run_litellm.py", str(folder))
    return made


pytestmark = only_with("LITELLM_PYTHON", "litellm[mcp]")


def _text(result: dict[str, Any]) -> str:
    (block,) = result["content"]
    text = block["text"]
    assert isinstance(text, str)
    return text


@pytest.mark.parametrize("case", ["plain", "blocks"])
def test_the_gateway_sends_a_smaller_text_that_expands_to_the_same(
    answers: dict[str, Any], case: str
) -> None:
    """Rules know the call by server, tool and arguments; a list in many blocks becomes one text."""
    assert len(_text(answers[case])) < len(TEXT) / 2
    assert json.loads(expand(_text(answers[case]))) == ROWS
    assert not answers[case].get("isError")


def test_a_result_with_structured_content_passes(answers: dict[str, Any]) -> None:
    """LiteLLM would make an error of it."""
    assert _text(answers["structured"]) == TEXT
    assert answers["structured"]["structuredContent"] == {"result": ROWS}
    assert not answers["structured"].get("isError")


def test_a_call_that_no_rule_names_passes(answers: dict[str, Any]) -> None:
    """The rule asks for another argument."""
    assert _text(answers["other argument"]) == TEXT


def test_an_error_stays_an_error(answers: dict[str, Any]) -> None:
    """It may be written shorter, and loses nothing."""
    assert answers["error"]["isError"] is True
    assert json.loads(expand(_text(answers["error"]))) == ROWS


def test_nothing_is_remembered_unless_asked_for(answers: dict[str, Any]) -> None:
    """Two equal results of one session are sent in full each."""
    first, again = map(_text, answers["without session"])

    assert again == first


def test_a_session_is_sent_a_result_once(answers: dict[str, Any]) -> None:
    """The second time it is one line, for the same session and key; another key, or no session, gets all."""
    first, again = map(_text, answers["session"])

    assert json.loads(expand(first)) == ROWS
    assert len(again) < len(first) / 2
    assert _text(answers["session of another key"]) == first
    assert _text(answers["no session"]) == first


def test_messages_stay_unless_asked_for(answers: dict[str, Any]) -> None:
    """Without `messages_of`, a model is sent the results as they are."""
    assert [message.get("content") for message in answers["messages as they are"][2:]] == [
        TEXT,
        [{"type": "text", "text": TEXT}],
        TEXT,
    ]


def test_a_model_is_sent_smaller_results_of_tools(answers: dict[str, Any]) -> None:
    """Of those whose call stands in the history, in text or in parts, each time the same; all else stays."""
    messages, again = answers["messages"]

    assert again == messages
    assert messages[0]["content"] == TEXT
    assert messages[4]["content"] == TEXT
    (part,) = messages[3]["content"]
    for text in (messages[2]["content"], part["text"]):
        assert len(text) < len(TEXT) / 2
        assert json.loads(expand(text)) == ROWS
