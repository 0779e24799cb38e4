"""The language server as an editor uses it: a real client, a real process, stdio."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

lsp = pytest.importorskip("lsprotocol.types", reason="the extra `lsp` is not installed")

from pygls.lsp.client import LanguageClient  # noqa: E402 — it is there only with the extra

from tests.editors.conftest import TEAM  # noqa: E402

SECONDS = 60
"""How long a test waits before it says that the server hangs."""


class Editor(LanguageClient):  # type: ignore[misc]
    """A client that keeps the findings it was sent."""

    def __init__(self, folder: Path) -> None:
        super().__init__("test-editor", "1")
        self.folder = folder
        self.found: dict[str, list[Any]] = {}
        self.news = asyncio.Condition()

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    async def until(self, holds: Callable[[], bool]) -> None:
        async with self.news:
            await asyncio.wait_for(self.news.wait_for(holds), SECONDS)

    def open(self, name: str, text: str) -> None:
        item = lsp.TextDocumentItem(uri=self.uri(name), language_id="terse", version=1, text=text)
        self.text_document_did_open(lsp.DidOpenTextDocumentParams(item))

    def change(self, name: str, text: str, version: int) -> None:
        document = lsp.VersionedTextDocumentIdentifier(version=version, uri=self.uri(name))
        whole = lsp.TextDocumentContentChangeWholeDocument(text=text)
        self.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [whole]))

    def at(self, name: str, text: str, mark: str, after: bool = False) -> dict[str, Any]:
        """The document and the place of a piece of its text."""
        offset = text.index(mark) + (len(mark) if after else 0)
        line = text.count("\n", 0, offset)
        place = lsp.Position(line, offset - (text.rfind("\n", 0, offset) + 1))
        return {"text_document": lsp.TextDocumentIdentifier(self.uri(name)), "position": place}


@asynccontextmanager
async def editor(folder: Path) -> AsyncIterator[Editor]:
    client = Editor(folder)

    @client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)  # type: ignore[untyped-decorator]
    async def published(params: Any) -> None:
        async with client.news:
            client.found[params.uri] = list(params.diagnostics)
            client.news.notify_all()

    await client.start_io(sys.executable, "-m", "terse", "lsp", cwd=str(folder))
    await client.initialize_async(
        lsp.InitializeParams(
            capabilities=lsp.ClientCapabilities(),
            root_uri=folder.as_uri(),
            workspace_folders=[lsp.WorkspaceFolder(uri=folder.as_uri(), name="policies")],
        )
    )
    client.initialized(lsp.InitializedParams())
    try:
        yield client
    finally:
        await client.shutdown_async(None)
        client.exit(None)
        await client.stop()


def run(folder: Path, story: Callable[[Editor], Awaitable[None]]) -> None:
    async def told() -> None:
        async with editor(folder) as client:
            await story(client)

    asyncio.run(asyncio.wait_for(told(), SECONDS))


def test_findings_come_as_you_type_and_go_when_they_are_put_right(workspace: Path) -> None:
    """A misspelt tier is told with its code and what was meant; putting it right clears the finding."""

    async def story(client: Editor) -> None:
        uri = client.uri("team.terse")
        client.open("team.terse", TEAM)
        await client.until(lambda: client.found.get(uri) == [])

        client.change("team.terse", TEAM.replace("use records", "use minfy"), 2)
        await client.until(lambda: bool(client.found.get(uri)))
        [finding] = client.found[uri]
        assert finding.code == "T301 unknown-tier"
        assert finding.severity == lsp.DiagnosticSeverity.Error
        assert "did you mean `minify`?" in finding.message
        line = TEAM.splitlines()[finding.range.start.line]
        assert line.strip() == "use records"

        client.change("team.terse", TEAM, 3)
        await client.until(lambda: client.found.get(uri) == [])

    run(workspace, story)


def test_hover_completion_definition_and_format(workspace: Path) -> None:
    """One session: what a rule does to its sample, the tools of the lock, where a chain is, one style."""

    async def story(client: Editor) -> None:
        client.open("team.terse", TEAM)
        place = client.at("team.terse", TEAM, "issue-lists")

        hover = await client.text_document_hover_async(lsp.HoverParams(**place))
        assert "rule issue-lists" in hover.contents.value
        assert "github/list_issues/open.json" in hover.contents.value
        assert "triage reads titles" in hover.contents.value

        typing = client.at("team.terse", TEAM, "on github/", after=True)
        offered = await client.text_document_completion_async(lsp.CompletionParams(**typing))
        assert [item.label for item in offered.items] == ["get_file_contents", "list_issues"]

        chain = client.at("team.terse", TEAM, "records")
        found = await client.text_document_definition_async(lsp.DefinitionParams(**chain))
        assert found.uri == client.uri("base.terse")
        assert found.range.start == lsp.Position(3, 6)

        untidy = TEAM.replace("  when payload", "      when   payload")
        client.change("team.terse", untidy, 2)
        document = lsp.TextDocumentIdentifier(client.uri("team.terse"))
        style = lsp.FormattingOptions(tab_size=2, insert_spaces=True)
        [edit] = await client.text_document_formatting_async(lsp.DocumentFormattingParams(document, style))
        assert edit.new_text == TEAM

    run(workspace, story)


def test_a_text_that_is_no_rule_file_ends_nothing(workspace: Path) -> None:
    """Noise, an emoji and half a line get findings or silence, and the server answers the next question."""

    async def story(client: Editor) -> None:
        uri = client.uri("new.terse")
        client.open("new.terse", "")
        await client.until(lambda: uri in client.found)
        for version, text in enumerate(
            ("\x00\x01{{{", "terse 1\n\nrule 🦊 {\n", "terse 1\nrule a {\n  use", "\ud83d")
        ):
            client.found.pop(uri, None)
            client.change("new.terse", text, version + 2)
            await client.until(lambda: uri in client.found)
            place = client.at("new.terse", text, text[-1:])
            await client.text_document_hover_async(lsp.HoverParams(**place))
            await client.text_document_completion_async(lsp.CompletionParams(**place))
            await client.text_document_definition_async(lsp.DefinitionParams(**place))
        assert client.found[uri]

    run(workspace, story)
