"""`terse lsp`: the language server. It speaks the protocol; the answers come from the files beside it."""

from __future__ import annotations

import asyncio

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

import terse
from terse.diagnostic import Severity
from terse.editors.completion import Kind as OfferKind
from terse.editors.completion import completion
from terse.editors.findings import Finding, findings
from terse.editors.hover import hover
from terse.editors.names import definition, name_at
from terse.editors.positions import Position, Range, offset_of, range_of
from terse.editors.project import Project, file_path
from terse.language.format import formatted
from terse.language.parse import parse_text
from terse.source import Span

NAME = "terse"
PAUSE = 0.15
"""Seconds without a key pressed before the policy is checked anew."""

_SEVERITIES = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.NOTE: lsp.DiagnosticSeverity.Information,
}
_OFFERS = {
    OfferKind.WORD: lsp.CompletionItemKind.Keyword,
    OfferKind.TIER: lsp.CompletionItemKind.Function,
    OfferKind.OPTION: lsp.CompletionItemKind.Property,
    OfferKind.NAME: lsp.CompletionItemKind.Reference,
    OfferKind.TOOL: lsp.CompletionItemKind.Method,
    OfferKind.ARGUMENT: lsp.CompletionItemKind.Variable,
    OfferKind.FIELD: lsp.CompletionItemKind.Field,
    OfferKind.VALUE: lsp.CompletionItemKind.EnumMember,
    OfferKind.FILE: lsp.CompletionItemKind.File,
    OfferKind.CODE: lsp.CompletionItemKind.Constant,
}


class RuleServer(LanguageServer):
    """The server and what it knows of the workspace."""

    def __init__(self) -> None:
        super().__init__(NAME, terse.__version__, text_document_sync_kind=lsp.TextDocumentSyncKind.Full)
        self.project = Project.at(".")
        self.shown: set[str] = set()
        """Paths with findings on the screen."""
        self.pressed: dict[str, int] = {}
        """By path: how often its text was changed."""

    @property
    def encoding(self) -> str:
        """The units in which positions are counted, as agreed with the editor."""
        return str(getattr(self.workspace.position_encoding, "value", self.workspace.position_encoding))

    def publish(self, path: str) -> None:
        """Check the policy of a file anew and show what is found in all its files."""
        self.project.check(path)
        found = findings(self.project, path, self.encoding)
        for place, of_file in found.items():
            if of_file or place in self.shown or place == path:
                shown = [_diagnostic(self.project, finding) for finding in of_file]
                uri = self.project.uri(place)
                self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, shown))
        self.shown = (self.shown - found.keys()) | {place for place, of_file in found.items() if of_file}


def server() -> RuleServer:
    """A server that is ready for `start_io`."""
    made = RuleServer()

    @made.feature(lsp.INITIALIZED)
    def initialized(ls: RuleServer, params: lsp.InitializedParams) -> None:
        folders = list(ls.workspace.folders.values())
        root = folders[0].uri if folders else ls.workspace.root_uri
        if root:
            ls.project = Project.at(file_path(root))

    @made.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(ls: RuleServer, params: lsp.DidOpenTextDocumentParams) -> None:
        path = ls.project.path(params.text_document.uri)
        ls.project.buffers.open[path] = params.text_document.text
        ls.publish(path)

    @made.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(ls: RuleServer, params: lsp.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        path = ls.project.path(uri)
        ls.project.buffers.open[path] = ls.workspace.get_text_document(uri).source
        ls.project.forget(path)
        ls.pressed[path] = pressed = ls.pressed.get(path, 0) + 1
        await asyncio.sleep(PAUSE)
        if ls.pressed.get(path) == pressed and path in ls.project.buffers.open:
            ls.publish(path)

    @made.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def saved(ls: RuleServer, params: lsp.DidSaveTextDocumentParams) -> None:
        ls.publish(ls.project.path(params.text_document.uri))

    @made.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(ls: RuleServer, params: lsp.DidCloseTextDocumentParams) -> None:
        path = ls.project.path(params.text_document.uri)
        ls.project.buffers.open.pop(path, None)
        ls.project.forget(path)
        ls.shown.discard(path)
        ls.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(params.text_document.uri, []))

    @made.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hovered(ls: RuleServer, params: lsp.HoverParams) -> lsp.Hover | None:
        path, at = ls.project.path(params.text_document.uri), _from(params.position)
        found = hover(ls.project, path, at, ls.encoding)
        if found is None:
            return None
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, found.text), _range(found.range))

    @made.feature(
        lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=["/", ".", "(", '"', " "])
    )
    def completed(ls: RuleServer, params: lsp.CompletionParams) -> lsp.CompletionList:
        path, at = ls.project.path(params.text_document.uri), _from(params.position)
        found = completion(ls.project, path, at, ls.encoding)
        replaced = _range(found.range)
        items = [
            lsp.CompletionItem(
                label=offer.label,
                kind=_OFFERS[offer.kind],
                documentation=lsp.MarkupContent(lsp.MarkupKind.Markdown, offer.about),
                filter_text=offer.text,
                text_edit=lsp.TextEdit(replaced, offer.text),
            )
            for offer in found.offers
        ]
        return lsp.CompletionList(is_incomplete=False, items=items)

    @made.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def defined(ls: RuleServer, params: lsp.DefinitionParams) -> lsp.Location | None:
        path = ls.project.path(params.text_document.uri)
        source = ls.project.source(path)
        if source is None:
            return None
        name = name_at(source, offset_of(source, _from(params.position), ls.encoding))
        span = definition(ls.project, path, name) if name is not None else None
        if span is None:
            return None
        return lsp.Location(ls.project.uri(span.source.path), _range(range_of(span, ls.encoding)))

    @made.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    def formatting(ls: RuleServer, params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit] | None:
        source = ls.project.source(ls.project.path(params.text_document.uri))
        parsed = parse_text(source) if source is not None else None
        # A file that cannot be read as a whole is left as it is.
        if source is None or parsed is None or parsed.diagnostics:
            return None
        text = formatted(parsed.file)
        if text == source.text:
            return []
        whole = range_of(Span(source, 0, len(source.text)), ls.encoding)
        return [lsp.TextEdit(_range(whole), text)]

    return made


def _from(position: lsp.Position) -> Position:
    return Position(position.line, position.character)


def _range(where: Range) -> lsp.Range:
    return lsp.Range(lsp.Position(*where.start), lsp.Position(*where.end))


def _diagnostic(project: Project, finding: Finding) -> lsp.Diagnostic:
    related = [
        lsp.DiagnosticRelatedInformation(
            lsp.Location(project.uri(other.path), _range(other.range)), other.text
        )
        for other in finding.related
    ]
    return lsp.Diagnostic(
        range=_range(finding.range),
        message=finding.text,
        severity=_SEVERITIES[finding.severity],
        code=f"{finding.code} {finding.name}",
        source=NAME,
        related_information=related or None,
    )
