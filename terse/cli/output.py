"""`--output` of the commands that report figures: for a terminal, for a page, for a program."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, TypeVar

import typer

Facts = TypeVar("Facts")


class Output(StrEnum):
    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"


OutputOption = Annotated[Output, typer.Option("--output", help="How figures are written.")]


def renderer(
    output: Output,
    text: Callable[[Facts], str],
    markdown: Callable[[Facts], str],
    json: Callable[[Facts], str],
) -> Callable[[Facts], str]:
    """What writes the facts of a command as its `--output` says."""
    return {Output.TEXT: text, Output.MARKDOWN: markdown, Output.JSON: json}[output]
