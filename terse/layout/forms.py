"""What kind of text a layout stands for: JSON, or a text that is nearly JSON and is rebuilt to the byte.

Each form has its own first line; the lines below it are the same layout.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from terse.layout.embedded import STYLES, spell
from terse.layout.python import spell_python, spell_tuples
from terse.layout.strict import NotLayout
from terse.payload.exact import JsonValue, dump


@dataclass(frozen=True, slots=True)
class Json:
    """A JSON document: `JSON outline: …`. White space between its tokens is not kept."""

    @property
    def mark(self) -> str:
        return "JSON outline"

    @property
    def before(self) -> Sequence[str]:
        return ()

    def spelled(self, value: JsonValue) -> str:
        """The text that the layout stands for."""
        return dump(value)


@dataclass(frozen=True, slots=True)
class JsonLines:
    """One JSON document a line: `JSON lines outline: …`.

    Attributes:
        style: how each was spelt, see `embedded.STYLES`.
        ended: the last line has a line end too.
    """

    style: str
    ended: bool

    @property
    def mark(self) -> str:
        return f"JSON lines outline{_words(self.style, self.ended)}"

    @property
    def before(self) -> Sequence[str]:
        return ()

    def spelled(self, value: JsonValue) -> str:
        if not isinstance(value, list):
            raise NotLayout("no list of lines")
        lines = [spell(item, self.style) for item in value]
        if any("\n" in line for line in lines):
            raise NotLayout("a document over several lines")
        return "\n".join(lines) + ("\n" if self.ended else "")


@dataclass(frozen=True, slots=True)
class Python:
    """Lists and dicts as Python prints them: `Python outline: …`.

    Attributes:
        ended: there is a line end behind.
        tuples: the lists in the outermost list are tuples.
    """

    ended: bool
    tuples: bool = False

    @property
    def mark(self) -> str:
        return f"Python outline{_words('_tuples' if self.tuples else '', self.ended)}"

    @property
    def before(self) -> Sequence[str]:
        return ()

    def spelled(self, value: JsonValue) -> str:
        return (spell_tuples if self.tuples else spell_python)(value) + ("\n" if self.ended else "")


@dataclass(frozen=True, slots=True)
class Prose:
    """JSON between lines of other text: `2 lines, then JSON:`, those lines, and the layout.

    Attributes:
        head, tail: the text before and after the JSON, each of whole lines.
        style: how the JSON was spelt.
    """

    head: tuple[str, ...]
    tail: tuple[str, ...]
    style: str

    @property
    def mark(self) -> str:
        return "JSON outline"

    @property
    def before(self) -> Sequence[str]:
        words = f"{_lines(self.head)}, then JSON{_words(self.style, False)}"
        if self.tail:
            words += f", then {_lines(self.tail)}"
        return [f"{words}:", *self.head, *self.tail]

    def spelled(self, value: JsonValue) -> str:
        return "\n".join([*self.head, spell(value, self.style), *self.tail])


Form = Json | JsonLines | Python | Prose

JSON = Json()


def _words(style: str, ended: bool) -> str:
    words = [*style.split("_")[1:], *(["ended"] if ended else [])]
    return f" ({' '.join(words)})" if words else ""


def _lines(lines: Sequence[str]) -> str:
    return f"{len(lines)} line{'' if len(lines) == 1 else 's'}"


_MARK = re.compile(
    r"(?:(?P<json>JSON outline)|(?P<lines>JSON lines outline)|(?P<python>Python outline))"
    r"(?: \((?P<words>[a-z0-9 ]+)\))?(?=:)"
)
_PROSE = re.compile(
    r"(?P<head>[1-9][0-9]{0,4}) lines?, then JSON(?: \((?P<words>[a-z0-9 ]+)\))?"
    r"(?:, then (?P<tail>[1-9][0-9]{0,4}) lines?)?:"
)


def read_form(text: str) -> tuple[Form, str]:
    """The form of a layout, and its text from the line with the mark on.

    Raises:
        NotLayout: the first line is none that a form begins with.
    """
    found = _MARK.match(text)
    if found is not None:
        style, ended = _words_of(found["words"])
        form: Form
        if found["lines"]:
            form = JsonLines(_style(style), ended)
        elif found["python"]:
            form = Python(ended, style == "_tuples")
        else:
            form = JSON
        if form.mark != found[0]:
            raise NotLayout("no mark in the first line")
        return form, text
    first, _, rest = text.partition("\n")
    prose = _PROSE.fullmatch(first)
    if prose is None:
        raise NotLayout("no mark in the first line")
    heads, tails = int(prose["head"]), int(prose["tail"] or 0)
    lines = rest.split("\n", heads + tails)
    if len(lines) <= heads + tails:
        raise NotLayout("fewer lines than announced")
    made = Prose(tuple(lines[:heads]), tuple(lines[heads:-1]), _style(_words_of(prose["words"])[0]))
    if made.before[0] != first or not lines[-1].startswith(f"{made.mark}:"):
        raise NotLayout("no mark below the text")
    return made, lines[-1]


def _words_of(words: str | None) -> tuple[str, bool]:
    """What `_words` was made of."""
    names = words.split(" ") if words else []
    ended = bool(names) and names[-1] == "ended"
    return "".join(f"_{name}" for name in (names[:-1] if ended else names)), ended


def _style(name: str) -> str:
    if name not in STYLES:
        raise NotLayout("no such spelling of JSON")
    return name
