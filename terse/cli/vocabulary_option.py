"""`--vocabulary` of the commands that count tokens."""

from __future__ import annotations

from typing import Annotated

import typer

DEFAULT_VOCABULARY = "o200k_base"

VocabularyOption = Annotated[
    str, typer.Option("--vocabulary", metavar="NAME", help="Count with o200k_base or cl100k_base.")
]
