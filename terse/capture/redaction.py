"""What is taken out of a call before it is written anywhere: the rules, and who applies them in a session."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from terse.capture.secret_formats import LABELS, VALUES, Span, beside_names, end_of_quoted, well_known
from terse.capture.unescaped import Unescaped
from terse.fields.regex import Refused, Regex
from terse.fields.wildcard import matches

NAMES = (
    *("*authorization*", "*token*", "*secret*", "*passw*", "*passphrase*", "*pwd*", "*apikey*"),
    *("*privatekey*", "*accesskey*", "*signingkey*", "*credential*", "*cookie*", "*sessionid*"),
)
"""Names of members whose values are secrets, whoever wrote them how: letter case, `_`, `-`, `.` and spaces
do not count."""

STRETCH = 1 << 17
"""Characters of one text that are looked at in one go."""
DOCUMENT_STRETCH = 1 << 13
"""Characters of a JSON document that are: a token takes a microsecond."""
MAX_DEPTH = 64
"""Texts within texts that are read as JSON; what is deeper is a text like any other."""

_SEPARATORS = re.compile(r"[\s_.-]+")
_OPEN = ("{", "[", '"')
# The beginning of a line of its own, among others.
_JSON_LINE = re.compile(r"\n[ \t]*+[\[{\"]|\A[ \t]*+[\[{\"][^\n]*+\n")
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[{}\[\],:]|[^\s"{}\[\],:]++', re.DOTALL)


# Numbers are not to be read: those of thousands of digits are refused.
_loads = partial(json.loads, parse_int=str, parse_float=str)


class BadRule(ValueError):  # noqa: N818 — says what is wrong with a rule
    """A rule of redaction makes no sense. The message is one line."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What is redacted.

    Attributes:
        names: globs for names of members; all that is in such a member is redacted.
        patterns: regexes for parts of texts; see `terse.fields.regex`.
    """

    names: tuple[str, ...] = NAMES
    patterns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in self.names:
            if not _plain(name).strip("*"):
                raise BadRule(f"the name {name!r} is every name: write a part of it beside the `*`")
        for pattern in self.patterns:
            _compiled(pattern)

    def with_file(self, text: str) -> Rules:
        """These and those of a file: `name GLOB` or `text PATTERN` a line; `#` begins a comment.

        Raises:
            BadRule: a line is neither.
        """
        names, patterns = list(self.names), list(self.patterns)
        for number, line in enumerate(text.splitlines(), 1):
            kind, _, rest = line.strip().partition(" ")
            if not kind or kind.startswith("#"):
                continue
            rest = rest.strip()
            if kind not in ("name", "text") or not rest:
                raise BadRule(f"line {number}: write `name GLOB` or `text PATTERN`")
            try:
                Rules((rest,) if kind == "name" else (), (rest,) if kind == "text" else ())
            except BadRule as error:
                raise BadRule(f"line {number}: {error}") from None
            (names if kind == "name" else patterns).append(rest)
        return Rules(tuple(names), tuple(patterns))


def _compiled(pattern: str) -> Regex:
    try:
        regex = Regex(pattern)
    except Refused as refused:
        raise BadRule(f"the pattern {pattern!r}: {refused.reason}") from None
    if regex.found_in(""):
        raise BadRule(f"the pattern {pattern!r} is found in every text: there must be something to find")
    return regex


def _plain(name: str) -> str:
    return _SEPARATORS.sub("", name).casefold()


@dataclass(slots=True)
class _Frame:
    """An object or array that is being read."""

    is_object: bool
    is_secret: bool
    key: str | None = None
    is_type: bool = False
    """The last key was `type`."""
    kind: str = ""
    label_is_secret: bool = False
    values: list[Span] = field(default_factory=list)
    data: list[Span] = field(default_factory=list)


class Redactor:
    """Takes secrets out of the calls of one session.

    INVARIANT: equal values have equal stand-ins, so that repeats stay repeats; but nobody can find out a
    value by trying: the stand-ins hang on a key that is never written, and is another one for each session.

    Args:
        pause: called between two stretches of work, so that other threads get on.
    """

    def __init__(self, rules: Rules, pause: Callable[[], None] = lambda: None) -> None:
        self._globs = tuple(map(_plain, rules.names))
        # What a text must have in it to have such a name; `a*b` is looked for as `a` and `b`.
        self._pieces = tuple(tuple(piece for piece in glob.split("*") if piece) for glob in self._globs)
        self._regexes = tuple(map(_compiled, rules.patterns))
        self._key = secrets.token_bytes(32)
        self._known: dict[str, bool] = {}
        self._pause = pause

    def document(self, text: str) -> str:
        """A JSON document, redacted: keys, strings, numbers beside a secret name. All else stays as it is
        spelt.

        Raises:
            ValueError: the text is no JSON document.
        """
        _loads(text)
        return self._document(text, 0)

    def text(self, text: str) -> str:
        """Any text, redacted: as JSON, or as lines of JSON, where it is that."""
        return self._string(text, 0)

    # ---- JSON --------------------------------------------------------------------------------------------

    def _document(self, text: str, depth: int) -> str:
        edits: dict[Span, str] = {}
        frames: list[_Frame] = []
        done = 0
        for token in _TOKEN.finditer(text):
            if token.start() - done > DOCUMENT_STRETCH:
                done = token.start()
                self._pause()
            sign = token[0]
            top = frames[-1] if frames else None
            if sign in "{[":
                frames.append(_Frame(sign == "{", top is not None and self._is_secret_here(top)))
            elif sign in "}]":
                self._close(frames.pop(), text, edits)
            elif sign == ",":
                if top is not None and top.is_object:
                    top.key = None
            elif sign != ":":
                self._scalar(top, token.span(), sign, edits, depth)
        return _edited(text, edits)

    def _is_secret_here(self, frame: _Frame) -> bool:
        return frame.is_secret or (frame.is_object and frame.key is not None and self._is_secret(frame.key))

    def _scalar(self, top: _Frame | None, span: Span, sign: str, edits: dict[Span, str], depth: int) -> None:
        is_string = sign.startswith('"')
        if top is not None and top.is_object and top.key is None:
            top.key = _read(sign)
            redacted = self._string(top.key, depth + 1)
            if redacted != top.key:
                edits[span] = json.dumps(redacted)
            return
        is_secret = top is not None and self._is_secret_here(top)
        if is_string:
            value = _read(sign)
            if top is not None and top.is_object:
                self._note(top, value, span)
            new = self._stand_in(value) if is_secret else self._string(value, depth + 1)
            if new != value:
                edits[span] = json.dumps(new)
        elif sign not in ("true", "false", "null"):
            if top is not None and top.is_object and top.key is not None and top.key.casefold() in VALUES:
                top.values.append(span)
            if is_secret or any(regex.found_in(sign) for regex in self._regexes):
                edits[span] = self._number(sign)

    def _note(self, frame: _Frame, value: str, span: Span) -> None:
        """Remember what may say of a neighbour that it is to go."""
        key = (frame.key or "").casefold()
        if key == "type":
            frame.kind = value
        if key in LABELS and self._is_secret(value):
            frame.label_is_secret = True
        if key in VALUES:
            frame.values.append(span)
        if key in ("data", "blob"):
            frame.data.append(span)

    def _close(self, frame: _Frame, text: str, edits: dict[Span, str]) -> None:
        if frame.label_is_secret:
            for span in frame.values:
                sign = text[span[0] : span[1]]
                is_string = sign.startswith('"')
                edits[span] = json.dumps(self._stand_in(_read(sign))) if is_string else self._number(sign)
        for span in frame.data:
            # A whole blob: `blob` of an embedded resource, `data` of an image or of sound.
            is_blob = frame.kind in ("image", "audio") or _is_blob(text, span)
            if is_blob:
                size = (span[1] - span[0] - 2) * 3 // 4
                edits[span] = json.dumps(f"[{size:,} bytes]")

    # ---- texts -------------------------------------------------------------------------------------------

    def _string(self, text: str, depth: int) -> str:
        if len(text) < 4:
            return text
        if depth < MAX_DEPTH:
            if text.lstrip()[:1] in _OPEN and _is_json(text):
                return self._matched(self._document(text, depth))
            if _JSON_LINE.search(text):
                return self._lines(text, depth)
        return self._matched(self._flat(text))

    def _lines(self, text: str, depth: int) -> str:
        """JSON lines, or what looks like them; else a text."""
        lines = text.split("\n")
        kinds = [line.strip()[:1] in _OPEN and _is_json(line) for line in lines]
        if not any(kinds):
            return self._matched(self._flat(text))
        made: list[str] = []
        plain: list[str] = []
        for line, is_json in zip(lines, kinds, strict=True):
            if is_json:
                if plain:
                    made.append(self._flat("\n".join(plain)))
                    plain = []
                made.append(self._document(line, depth))
            else:
                plain.append(line)
        if plain:
            made.append(self._flat("\n".join(plain)))
        return self._matched("\n".join(made))

    def _flat(self, text: str) -> str:
        if len(text) <= STRETCH:
            return self._redacted(text)
        made = []
        position = 0
        while position < len(text):
            self._pause()
            # Whole lines, where there are lines.
            end = text.find("\n", position + STRETCH) + 1 or len(text)
            begin = text.rfind("-----BEGIN ", position, end)
            if begin >= 0 and text.find("-----END ", begin, end) < 0:
                end = text.find("-----END ", begin)
                end = text.find("\n", end) + 1 or len(text) if end >= 0 else len(text)
            made.append(self._redacted(text[position:end]))
            position = end
        return "".join(made)

    def _redacted(self, text: str) -> str:
        return self._replaced(text, self._found(text))

    def _found(self, text: str) -> list[Span]:
        """Where secrets stand in a text, also in what it says once its escapes are read."""
        spans = list(well_known(text))
        if self._may_have_names(text):
            spans += beside_names(text, self._is_secret)
        if "\\" in text:
            # An escape may spell another one's backslash.
            read = Unescaped(text)
            for span in (*self._found(read.text), *self._matches(read.text)):
                start, end = read.span(*span)
                # Where a quoted value ends is told by the backslashes before its quote.
                spans.append((start, max(end, end_of_quoted(text, start))))
        return spans

    def _matched(self, text: str) -> str:
        """What the user's own patterns find is redacted."""
        return self._replaced(text, list(self._matches(text))) if self._regexes else text

    def _matches(self, text: str) -> Iterator[Span]:
        if not self._regexes:
            return
        position = 0
        for line in text.split("\n"):
            for regex in self._regexes:
                if regex.found_in(line):
                    yield from ((position + start, position + end) for start, end in regex.spans_in(line))
            position += len(line) + 1
            self._pause()

    def _replaced(self, text: str, spans: Sequence[Span]) -> str:
        if not spans:
            return text
        edits: list[list[int]] = []
        for start, end in sorted(spans):
            if start == end:
                continue
            if edits and start < edits[-1][1]:
                edits[-1][1] = max(edits[-1][1], end)
            else:
                edits.append([start, end])
        return _edited(text, {(start, end): self._stand_in(text[start:end]) for start, end in edits})

    # ---- names and stand-ins -----------------------------------------------------------------------------

    def _is_secret(self, name: str) -> bool:
        known = self._known.get(name)
        if known is None:
            plain = _plain(name)
            known = any(matches(glob, plain) for glob in self._globs)
            if len(self._known) < 10_000:
                self._known[name] = known
        return known

    def _may_have_names(self, text: str) -> bool:
        low = _plain(text)
        return any(all(piece in low for piece in pieces) for pieces in self._pieces)

    def _stand_in(self, value: str) -> str:
        return f"[redacted:{self._digest(value).hex()[:12]}]" if value else value

    def _number(self, spelt: str) -> str:
        """Another number with as many digits: a number stays one."""
        at_exponent = min((at for at in map(spelt.find, "eE") if at >= 0), default=len(spelt))
        stream = "".join(str(byte % 10) for byte in self._digest(f"number {spelt}"))
        made, at = [], 0
        for character in spelt[:at_exponent]:
            if character.isdigit():
                digit = stream[at % len(stream)]
                # A number of several digits does not begin with 0.
                made.append(digit if at else str(int(digit) % 9 + 1))
                at += 1
            else:
                made.append(character)
        return "".join(made) + spelt[at_exponent:]

    def _digest(self, value: str) -> bytes:
        return hmac.digest(self._key, value.encode("utf-8", "surrogatepass"), hashlib.sha256)


def _edited(text: str, edits: dict[Span, str]) -> str:
    if not edits:
        return text
    made: list[str] = []
    position = 0
    for span in sorted(edits):
        made += (text[position : span[0]], edits[span])
        position = span[1]
    made.append(text[position:])
    return "".join(made)


def _is_json(text: str) -> bool:
    try:
        _loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _read(sign: str) -> str:
    if "\\" not in sign:
        return sign[1:-1]
    value = json.loads(sign, strict=False)
    assert isinstance(value, str), "INVARIANT: between quotes is a string"
    return value


_BASE64 = re.compile(r'"[A-Za-z0-9+/\\_-]*={0,2}"')


def _is_blob(text: str, span: Span) -> bool:
    return span[1] - span[0] > 256 and _BASE64.fullmatch(text, *span) is not None
