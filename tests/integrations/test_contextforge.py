"""The plugin in ContextForge's own plugin manager, from its environment."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from terse.tiers.expand import expand
from tests.integrations.other_python import answers_of, only_with

ROWS = [{"id": number, "state": "open", "title": f"Issue {number}"} for number in range(60)]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder: Path = tmp_path_factory.mktemp("contextforge")
    made: dict[str, Any] = answers_of("CONTEXTFORGE_PYTHON", "run_contextforge.py", str(folder))
    return made


pytestmark = only_with("CONTEXTFORGE_PYTHON", "mcp-contextforge-gateway")


def test_the_gateway_sends_a_smaller_text_that_expands_to_the_same(answers: dict[str, Any]) -> None:
    """Rules know the call by gateway, tool and arguments; nothing but the text is another."""
    plain = answers["plain"]

    (block,) = plain.pop("content")
    assert plain == {"isError": False}
    assert block.keys() == {"type", "text"}
    assert len(block["text"]) < len(json.dumps(ROWS)) / 2
    assert json.loads(expand(block["text"])) == ROWS


def test_a_list_in_many_blocks_becomes_one_text(answers: dict[str, Any]) -> None:
    """The gateway writes `annotations: null` into each block; that does not keep them apart."""
    (block,) = answers["blocks"]["content"]

    assert json.loads(expand(block["text"])) == ROWS


def test_structured_content_stays(answers: dict[str, Any]) -> None:
    """The text is smaller, and what is valid under the tool's schema stays so."""
    structured = answers["structured"]

    assert structured["structuredContent"] == {"result": ROWS}
    assert json.loads(expand(structured["content"][0]["text"])) == ROWS


@pytest.mark.parametrize("case", ["other argument", "other gateway", "no gateway", "with _meta", "error"])
def test_everything_else_passes_as_it_came(answers: dict[str, Any], case: str) -> None:
    """Calls that no rule names, what the gateway could not rebuild, and errors."""
    assert answers[case] is None
