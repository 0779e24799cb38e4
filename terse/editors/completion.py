"""Completion: what could stand where the cursor is, from the grammar, the policy, tools.lock and samples."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from terse.editors.facts import Argument, Facts, Tool, facts, fields
from terse.editors.positions import Position, Range, offset_of, position_of
from terse.editors.project import RULE_FILE, Project
from terse.hidden import quoted
from terse.language import syntax
from terse.language.codes import CODES
from terse.language.cursor import Place, place
from terse.language.words import SENTENCES
from terse.plan.glob import matches
from terse.source import Source
from terse.tiers import BY_NAME

_BARE = {
    "KEY": re.compile(r"[A-Za-z0-9_$@*-]+"),
    "TOOL": re.compile(r"[A-Za-z0-9_.*-]+"),
    "WORD": re.compile(r"[A-Za-z0-9_.+-]+"),
}
_ALLOW = re.compile(r"#\s*allow\s+(?:[a-z0-9-]+\s*,\s*)*$")
_PATTERN = re.compile(r'("[^"\n]*"|[A-Za-z0-9_.*-]+)[ \t]*/[ \t]*("[^"\n]*"|[A-Za-z0-9_.*-]+)?')
_STEP = re.compile(r"\b(?:use|then|=)\s*(?:\w[\w-]*\s*)?$")
_IN_STEP = re.compile(r"([a-z][a-z0-9_-]*)[ \t]*\([^()]*$")
_CALL = re.compile(r'call\s+("[^"\n]*"|[A-Za-z0-9_.-]+)\s*/\s*("[^"\n]*"|[A-Za-z0-9_.-]+)\s*\([^()]*$')
_ARGUMENT_IS = re.compile(r'argument[ \t]+("[^"\n]*"|[A-Za-z0-9_.+-]+)[ \t]+is[ \t]+(?:[^\n]*,[ \t]*)?$')
_ON = re.compile(r"^[ \t]*on[ \t]+((?:[^\n]*,[ \t]*\n)*[^\n]*)", re.MULTILINE)
_PATH = re.compile(r'(?:every[ \t]+)?((?:(?:"[^"\n]*"|[A-Za-z0-9_$@*-]+)\.)*)$')
_ITEM_END = re.compile(r"^}", re.MULTILINE)


class Kind(StrEnum):
    """What is offered, for the editor's sign beside it."""

    WORD = "word"
    TIER = "tier"
    OPTION = "option"
    NAME = "name"
    TOOL = "tool"
    ARGUMENT = "argument"
    FIELD = "field"
    VALUE = "value"
    FILE = "file"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Offer:
    """One thing that could stand at the cursor.

    Attributes:
        label: what the list shows.
        text: what is written in place of `Completion.range`.
        about: one sentence.
    """

    label: str
    text: str
    kind: Kind
    about: str = ""


@dataclass(frozen=True, slots=True)
class Completion:
    """What could stand at the cursor, and the stretch that it replaces."""

    range: Range
    offers: tuple[Offer, ...]


def completion(project: Project, path: str, at: Position, encoding: str = "utf-16") -> Completion:
    """What could be written at a place of a file."""
    source = project.source(path) or Source(path, "")
    offset = offset_of(source, at, encoding)
    where = place(source.text, offset)
    typed = where.typed
    offers: list[Offer] = []
    if _ALLOW.search(where.before):
        offers += (Offer(code.name, code.name, Kind.CODE, code.summary) for code in CODES)
    else:
        offers += _words(where)
        seen = _Seen(project, path, source, offset, where)
        for terminal, offer in _OFFERS.items():
            if terminal in where.terminals:
                offers += offer(seen)
    wanted = tuple(sorted(_fitting(offers, typed), key=lambda offer: (offer.kind != Kind.WORD, offer.label)))
    start = position_of(source, offset - len(typed), encoding)
    return Completion(Range(start, position_of(source, offset, encoding)), wanted)


def _fitting(offers: Iterable[Offer], typed: str) -> Iterator[Offer]:
    seen: set[str] = set()
    start = typed.lstrip('"').lower()
    for offer in offers:
        if offer.label not in seen and start in offer.label.lower():
            seen.add(offer.label)
            yield offer


def _words(where: Place) -> Iterator[Offer]:
    for word in where.words:
        yield Offer(word, word, Kind.WORD, SENTENCES.get(word, ""))


@dataclass(slots=True)
class _Seen:
    """What the offers are made from."""

    project: Project
    path: str
    source: Source
    offset: int
    where: Place

    @property
    def facts(self) -> Facts:
        return facts(self.project, self.path)

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools that the rule or guard around the cursor speaks of; all where it does not say."""
        text = self.source.text
        begin = max((m.start() for m in _ITEM_START.finditer(text, 0, self.offset)), default=0)
        closing = _ITEM_END.search(text, self.offset)
        block = text[begin : closing.start() if closing else len(text)]
        patterns = []
        for line in _ON.findall(block) or re.findall(r"^[ \t]*call[ \t]+([^\n(]*)", block, re.MULTILINE):
            patterns += [(_plain(a), _plain(b or "*")) for a, b in _PATTERN.findall(line)]
        return self.facts.matching(patterns)


_ITEM_START = re.compile(r"^(?:chain|profile|guard|override|rule|tools|test)\b", re.MULTILINE)


def _plain(word: str) -> str:
    return word[1:-1] if word.startswith('"') else word


def _written(word: str, terminal: str) -> str:
    """The word as the language writes it: in quotes where it has to be."""
    if _BARE[terminal].fullmatch(word):
        return word
    return quoted(word)


# ---- one function per terminal ------------------------------------------------------------------------


def _names(seen: _Seen) -> Iterator[Offer]:
    before, statement = seen.where.before, seen.where.statement
    inside = _IN_STEP.search(before)
    if inside is not None and seen.where.block in ("rule", "override", "chain"):
        yield from _options(inside[1])
    elif statement == "apply":
        yield from _defined(seen, syntax.Profile, "profile")
    elif statement == "never":
        yield from _tiers()
    elif statement in ("use", "chain") and _STEP.search(before):
        yield from _tiers()
        yield from _defined(seen, syntax.Chain, "chain")
    elif statement in ("expect", "override"):
        yield from _defined(seen, syntax.Rule, "rule")


def _tiers() -> Iterator[Offer]:
    for tier in BY_NAME.values():
        yield Offer(tier.name, tier.name, Kind.TIER, tier.sentence)


def _options(tier: str) -> Iterator[Offer]:
    if tier in BY_NAME:
        for option in BY_NAME[tier].options:
            unit = f" {option.unit}" if option.unit else ""
            text = f"{option.name} {option.default}{unit}"
            yield Offer(option.name, text, Kind.OPTION, option.sentence)


def _defined(seen: _Seen, kind: type[syntax.Item], word: str) -> Iterator[Offer]:
    for item in seen.project.items(seen.path):
        if isinstance(item, kind) and isinstance(item, (syntax.Profile, syntax.Chain, syntax.Rule)):
            yield Offer(item.name.text, item.name.text, Kind.NAME, f"{word}, {item.span.place}")


def _tools(seen: _Seen) -> Iterator[Offer]:
    before = seen.where.before
    half = re.search(r'("[^"\n]*"|[A-Za-z0-9_.*-]+)[ \t]*/[ \t]*$', before)
    known = seen.facts
    if half is not None:
        for tool in known.tools_of(_plain(half[1])):
            yield Offer(tool.name, _written(tool.name, "TOOL"), Kind.TOOL, tool.description)
    elif seen.where.block == "tools" and seen.where.statement in ("compress", "show", "hide", "rename"):
        for tool in seen.tools:
            yield Offer(tool.name, _written(tool.name, "TOOL"), Kind.TOOL, tool.description)
    else:
        for server in known.servers:
            yield Offer(server, _written(server, "TOOL") + "/", Kind.TOOL, "a server")


def _keys(seen: _Seen) -> Iterator[Offer]:
    before = seen.where.before
    started = _PATH.search(before)
    prefix = tuple(map(_plain, re.findall(r'"[^"\n]*"|[^.\s]+', started[1]))) if started else ()
    anywhere = re.search(r"\bevery[ \t]+$", before) is not None
    known = seen.facts
    files = [file for tool in seen.tools for file in known.samples.get((tool.server, tool.name), ())]
    for key in sorted({keys[len(prefix)] for keys in fields(seen.project, files) if _goes_on(keys, prefix)}):
        yield Offer(key, _written(key, "KEY"), Kind.FIELD, "a field of the samples")
    if anywhere:
        for key in sorted({key for keys in fields(seen.project, files) for key in keys}):
            yield Offer(key, _written(key, "KEY"), Kind.FIELD, "a field of the samples")


def _goes_on(keys: tuple[str, ...], prefix: tuple[str, ...]) -> bool:
    return len(keys) > len(prefix) and all(matches(p, k) for p, k in zip(prefix, keys, strict=False))


def _argument_words(seen: _Seen) -> Iterator[Offer]:
    before = seen.where.before
    call = _CALL.search(before)
    if call is not None:
        tools: tuple[Tool, ...] = seen.facts.matching([(_plain(call[1]), _plain(call[2]))])
        named = re.search(r'("[^"\n]*"|[A-Za-z0-9_.+-]+)[ \t]*:[ \t]*$', before)
    else:
        tools = seen.tools
        named = _ARGUMENT_IS.search(before)
    if named is not None:
        for argument in _arguments(tools, _plain(named[1])):
            for value in argument.values:
                yield Offer(value, f'"{value}"', Kind.VALUE, f"a value of {argument.name}")
    elif call is not None or before.rstrip().endswith("argument"):
        colon = ": " if call is not None else ""
        for argument in _arguments(tools):
            text = _written(argument.name, "WORD") + colon
            yield Offer(argument.name, text, Kind.ARGUMENT, argument.description)


def _arguments(tools: Iterable[Tool], name: str | None = None) -> Iterator[Argument]:
    for tool in tools:
        yield from (argument for argument in tool.arguments if name in (None, argument.name))


def _strings(seen: _Seen) -> Iterator[Offer]:
    here = posixpath.dirname(seen.path) or "."
    if seen.where.statement == "import":
        root = seen.project.root_of(seen.path)
        try:
            files = seen.project.buffers.files(root)
        except OSError:
            files = ()
        for file in files:
            if file.endswith(RULE_FILE) and file != seen.path:
                yield _file(posixpath.relpath(file, here), "a rule file")
    elif seen.where.statement == "given":
        for (server, tool), paths in sorted(seen.facts.samples.items()):
            for file in paths:
                yield _file(posixpath.relpath(file, here), f"a sample of {server}/{tool}")


def _file(path: str, about: str) -> Offer:
    return Offer(path, f'"{path}"', Kind.FILE, about)


_OFFERS: dict[str, Callable[[_Seen], Iterator[Offer]]] = {
    "NAME": _names,
    "TOOL": _tools,
    "KEY": _keys,
    "WORD": _argument_words,
    "STRING": _strings,
}
