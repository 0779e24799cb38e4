"""The frame of every folded text: one mark line that says how to read it, then the lines.

    [terse: 120 lines; a line that ends in … starts the lines below it]
    src/app.py…
    :12: first hit
    :30: second hit

The mark line counts the lines of the original and names the folds in the order they were made.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

VERBATIM = "…"
"""A line that starts with this sign stands as it was, without the sign. Every fold keeps to it."""

MAX_CHARACTERS = 1 << 28
"""No form of ours grows beyond this when it is unfolded: a short hostile text must not fill the memory."""

_MARK = re.compile(r"\[terse: ([1-9][0-9]{0,9}) (CRLF )?lines?; ([^\n]+)\]")


class NotFolded(ValueError):  # noqa: N818 — the name says what the text is
    """The text is no form of ours, or not exactly."""


class Room:
    """How many characters may still be written while a form is unfolded.

    INVARIANT: every line that a fold writes twice or more is taken from here before it is written.
    """

    def __init__(self, characters: int = MAX_CHARACTERS) -> None:
        self._characters = characters

    def take(self, characters: int) -> None:
        """Raises `NotFolded` when the form would grow beyond `MAX_CHARACTERS`."""
        self._characters -= characters + 1
        if self._characters < 0:
            raise NotFolded("grows without bound")


@dataclass(frozen=True, slots=True)
class Form:
    """A short form of lines.

    Attributes:
        name: what the specification calls it.
        phrase: the words in the mark line that say how it reads. Unique, and without `; ` or `]`.
        unfold: the lines back. Raises `NotFolded` for lines that this form does not write.
    """

    name: str
    phrase: str
    unfold: Callable[[Sequence[str], Room], list[str]]


@dataclass(frozen=True, slots=True)
class Lines:
    """A text as lines: what stands between line feeds, and how the text ended them.

    Attributes:
        crlf: every line feed had a carriage return before it; `lines` are without it.
        ended: the text ended with a line feed.
    """

    lines: list[str]
    crlf: bool
    ended: bool

    @classmethod
    def of(cls, text: str) -> Lines:
        lines = text.split("\n")
        ended = len(lines) > 1 and lines[-1] == ""
        if ended:
            lines.pop()
        crlf = False
        if "\r" in text:
            whole = lines if ended else lines[:-1]
            crlf = bool(whole) and all(line.endswith("\r") for line in whole)
            if crlf:
                lines = [line[:-1] for line in whole] + lines[len(whole) :]
        return cls(lines, crlf, ended)

    @property
    def text(self) -> str:
        end = "\r\n" if self.crlf else "\n"
        return end.join(self.lines) + (end if self.ended else "")


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text, read: the phrases of its folds in order, and the lines they left.

    Attributes:
        count: lines of the original text.
    """

    count: int
    crlf: bool
    ended: bool
    phrases: tuple[str, ...]
    lines: list[str]

    @classmethod
    def of(cls, text: str) -> Folded:
        """What `text` says of itself.

        Raises:
            NotFolded: its first line is no mark line.
        """
        head, feed, body = text.partition("\n")
        mark = _MARK.fullmatch(head)
        if not mark or not feed:
            raise NotFolded("no mark line")
        lines = body.split("\n")
        ended = len(lines) > 1 and lines[-1] == ""
        if ended:
            lines.pop()
        return cls(int(mark[1]), bool(mark[2]), ended, tuple(mark[3].split("; ")), lines)

    @property
    def text(self) -> str:
        noun = "line" if self.count == 1 else "lines"
        mark = f"[terse: {self.count} {'CRLF ' if self.crlf else ''}{noun}; {'; '.join(self.phrases)}]"
        return "\n".join([mark, *self.lines]) + ("\n" if self.ended else "")


def unfolded(text: str, forms: Sequence[Form]) -> str:
    """The text that was folded.

    Raises:
        NotFolded: `text` is no folded text, or not exactly one.
    """
    folded = Folded.of(text)
    if len(set(folded.phrases)) < len(folded.phrases):
        raise NotFolded("a fold twice")
    by_phrase = {form.phrase: form for form in forms}
    room = Room()
    lines = folded.lines
    for phrase in reversed(folded.phrases):
        if phrase not in by_phrase:
            raise NotFolded("a phrase that no fold uses")
        lines = by_phrase[phrase].unfold(lines, room)
    whole = Lines(lines, folded.crlf, folded.ended)
    if len(lines) != folded.count or folded.text != text:
        raise NotFolded("not the number of lines it says")
    return whole.text
