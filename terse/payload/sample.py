"""A saved tool result: a text as the tool gave it, or a whole MCP result with its text blocks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from terse.payload.blocks import PLAIN

SAMPLES_FOLDER = "samples"
YAML = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Sample:
    """What a saved file holds.

    Attributes:
        texts: the texts that rules work on: the file itself, or the text blocks of the MCP result in it.
        is_result: the file holds an MCP result (`{"content": [...]}`), bare or as a JSON-RPC answer.
        is_error: that result says `isError: true`.
        has_structured: that result has `structuredContent` beside its blocks.
        is_texts_alone: each of its blocks is one of the texts, and says nothing more.
    """

    texts: tuple[str, ...]
    is_result: bool = False
    is_error: bool = False
    has_structured: bool = False
    is_texts_alone: bool = False

    @classmethod
    def of(cls, text: str) -> Sample:
        """Read a saved text. Never raises: whatever is no MCP result is the tool's own text."""
        result = _result_in(text)
        if result is None:
            return cls((text,))
        return cls(
            texts=tuple(_texts(result["content"])),
            is_result=True,
            is_error=result.get("isError") is True,
            has_structured=result.get("structuredContent") is not None,
            is_texts_alone=all(
                block.keys() == PLAIN and block["type"] == "text" and isinstance(block["text"], str)
                for block in result["content"]
            ),
        )

    @classmethod
    def saved(cls, text: str, path: str) -> Sample:
        """Read what a file holds. YAML in a folder `samples` stands for the JSON that the tool sends;
        elsewhere, as in a tool's own output, it is a text like any other.

        Args:
            path: the file's, as far as it is known.

        Raises:
            NotYaml: YAML in such a folder that stands for no JSON document.
        """
        if stands_for_json(path):
            # YAML samples are rare, and the library takes time to load.
            from terse.payload.yaml_sample import to_json

            text = to_json(text)
        return cls.of(text)


def stands_for_json(path: str) -> bool:
    """Whether the file is YAML that stands for the JSON a tool sends: it lies below a folder `samples`."""
    return path.endswith(YAML) and SAMPLES_FOLDER in path.split("/")[:-1]


def place_in_samples(parts: Sequence[str]) -> tuple[str, str] | None:
    """Server and tool from the place of a file, `…/samples/SERVER/TOOL/x.json`; None when it is elsewhere."""
    folders = list(parts)[:-1]
    if len(folders) >= 3 and folders[-3] == SAMPLES_FOLDER:
        return folders[-2], folders[-1]
    return None


def _result_in(text: str) -> dict[str, Any] | None:
    if '"content"' not in text:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, dict) and isinstance(value.get("result"), dict):
        value = value["result"]
    if not isinstance(value, dict) or not isinstance(value.get("content"), list):
        return None
    blocks = value["content"]
    if not all(isinstance(block, dict) and isinstance(block.get("type"), str) for block in blocks):
        return None
    return value


def _texts(blocks: list[dict[str, Any]]) -> list[str]:
    """The texts that a rule may rewrite: text blocks, and the text of embedded resources."""
    texts = []
    for block in blocks:
        if block["type"] == "text" and isinstance(block.get("text"), str):
            texts.append(block["text"])
        elif block["type"] == "resource" and isinstance(block.get("resource"), dict):
            resource = block["resource"].get("text")
            if isinstance(resource, str):
                texts.append(resource)
    return texts
