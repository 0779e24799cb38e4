"""`terse lsp`: the language server that editors start."""

from __future__ import annotations

import sys

from terse.cli.command import Command
from terse.cli.console import fail


def lsp() -> None:
    try:
        from terse.editors.server import server
    except ModuleNotFoundError as missing:
        if (missing.name or "").split(".")[0] not in ("pygls", "lsprotocol"):
            raise
        fail("the language server needs pygls, which is not installed: pip install 'terse[lsp]'")
    if sys.stdin is None or sys.stdout is None:
        fail("stdin or stdout is closed, and the language server speaks over them: let an editor start it")
    server().start_io()


COMMAND = Command(
    name="lsp",
    sentence="Serve rule files to an editor: findings, hover, completion, definitions, format.",
    run=lsp,
    example="terse lsp",
    example_does="speaks the Language Server Protocol on stdin and stdout",
    notes=(
        "Editors start it: docs/editors.md. It needs the extra `lsp`: pip install 'terse[lsp]'.",
        "Exit codes: 0 the editor ended it; 2 it cannot begin.",
    ),
)
