"""What secrets look like in a text: keys of well-known forms, logins in URLs, and values beside a name.

INVARIANT: every search here is linear in the text: payloads choose it. Where a run of characters is read
from its first one on, a look behind keeps the others from being first ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

Span = tuple[int, int]

LABELS = ("name", "key", "header", "field", "variable", "env", "option")
VALUES = ("value", "values", "val", "content", "default")
"""Names of members of which one says what the other one is."""
_NEAR = 200
"""Characters between the two in a text."""

# Each form with a piece that it cannot be without: most texts have none of them, and finding that out is
# a hundred times quicker than the regex.
_FORMS = tuple(
    (pieces, re.compile(form))
    for pieces, form in (
        (("gh",), r"(?<![A-Za-z0-9])gh[opusr]_[A-Za-z0-9]{16,}"),
        (("github_pat_",), r"github_pat_\w{16,}"),
        (("glpat-", "gldt-", "glrt-"), r"gl(?:pat|dt|rt)-[\w-]{16,}"),
        (("sk-",), r"(?<![A-Za-z0-9])sk-[\w-]{16,}"),
        (("k_live_", "k_test_"), r"(?<![A-Za-z0-9])[sr]k_(?:live|test)_\w{10,}"),
        (("xox", "xapp-"), r"(?<![A-Za-z0-9])(?:xox[a-z]|xapp)-[A-Za-z0-9-]{8,}"),
        (("AKIA", "ASIA"), r"(?<![A-Za-z0-9])A[KS]IA[A-Z0-9]{12,}"),
        (("AIza",), r"(?<![A-Za-z0-9])AIza[\w-]{30,}"),
        (("ya29.",), r"(?<![A-Za-z0-9])ya29\.[\w-]{16,}"),
        (("npm_",), r"(?<![A-Za-z0-9])npm_[A-Za-z0-9]{30,}"),
        (("pypi-",), r"(?<![A-Za-z0-9])pypi-[\w-]{30,}"),
        (("hf_",), r"(?<![A-Za-z0-9])hf_[A-Za-z0-9]{20,}"),
        (("SG.",), r"(?<![A-Za-z0-9])SG\.[\w-]{16,}\.[\w-]{16,}"),
        (("earer ", "asic "), r"(?i:(?<![a-z])(?:bearer|basic) +)(?P<secret>[\w.~+/=-]{8,})"),
        # Of `scheme://user:password@host` what stands before the host.
        (("://",), r"://(?P<secret>[^\s/:@\"'<>\\]*:[^\s/\"'<>\\]*)@"),
    )
)

_JWT = re.compile(r"eyJ[\w.-]+")
_KEY_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----")
_KEY_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----")

# A name, the quote that ends it (with the backslashes before it), and what stands between it and its value.
_PAIR = re.compile(
    r"(?<![\w.-])(?P<dashes>--?)?(?P<name>(?=[\w.])[\w.-]++)(?:\\*+[\"'])?"
    r"(?:[ \t]*+(?P<sign>=>|:=|[:=>])\s*+|(?P<space> ++))"
)
_LABEL = re.compile(r"(?:\\*+[\"'])?(?P<said>[\w.-]{1,80})")
_OPENING = re.compile(r"\\*+[\"'`]")
_QUOTE_BEFORE = re.compile(r"\\*+[\"'`]\Z")
_SCHEME = re.compile(r"(?i)(?:bearer|basic|token|digest|negotiate|apikey)[ \t]++")
_RUN = re.compile(r"[^\s&\"'<>`]++")
_LINE = re.compile(r"[^\n]*+")
_BRACKET = re.compile(r"[\[\]{}]")
_START_OF_LINE = re.compile(r"[ \t>*-]*\Z")


def well_known(text: str) -> Iterator[Span]:
    """Where keys of well-known forms stand."""
    for pieces, form in _FORMS:
        if any(piece in text for piece in pieces):
            for found in form.finditer(text):
                yield found.span("secret") if "secret" in form.groupindex else found.span()
    if "eyJ" in text:
        for found in _JWT.finditer(text):
            if found[0].count(".") >= 2:
                yield found.span()
    if "PRIVATE KEY" in text:
        yield from _private_keys(text)


def _private_keys(text: str) -> Iterator[Span]:
    position = 0
    while begin := _KEY_BEGIN.search(text, position):
        # One that was cut off has no end.
        end = _KEY_END.search(text, begin.end())
        position = len(text) if end is None else end.end()
        yield begin.start(), position


def beside_names(text: str, is_secret: Callable[[str], bool]) -> Iterator[Span]:
    """Where the value of a secret's name stands: `password=…`, `"token": "…"`, `<secret>…<`, `--token …`,
    `"name": "TOKEN", "value": "…"`.

    Args:
        is_secret: whether a name is that of a secret.
    """
    position, labelled = 0, -_NEAR
    while pair := _PAIR.search(text, position):
        position = pair.end()
        if pair["space"] is not None and not pair["dashes"]:
            continue
        name = pair["name"].casefold()
        if name in LABELS:
            said = _LABEL.match(text, pair.end())
            if said is not None and is_secret(said["said"]):
                labelled = pair.end()
        is_labelled = name in VALUES and pair.start() - labelled < _NEAR
        if not is_labelled and not is_secret(pair["name"]):
            # `a=password=x`: what ended this pair may be where the next name begins.
            position = pair.end("name")
            continue
        start, end = _value(text, pair)
        if end > start:
            yield start, end
        position = max(position, end)


def end_of_quoted(text: str, start: int) -> int:
    """Where the value ends that begins at `start`, behind its quote; `start` where there is none."""
    opening = _QUOTE_BEFORE.search(text, max(0, start - 64), start)
    return start if opening is None else _closing(text, opening)


def _value(text: str, pair: re.Match[str]) -> Span:
    opening = _OPENING.match(text, pair.end())
    if opening is not None:
        return opening.end(), _closing(text, opening)
    return pair.end(), _end_of_bare(text, pair)


def _end_of_bare(text: str, pair: re.Match[str]) -> int:
    start = pair.end()
    if text[start : start + 1] in ("[", "{"):
        return _bracket_end(text, start)
    if pair["sign"] == ">":
        end = text.find("<", start)
        return _line_end(text, start) if end < 0 else end
    if text.startswith("|", start) or text.startswith(">", start):
        return _block_end(text, start)
    line_start = text.rfind("\n", 0, pair.start()) + 1
    if pair["sign"] == ":" and pair.start() - line_start < 200:
        before = text[line_start : pair.start()]
        # A header, or YAML: the value is the rest of the line.
        if _START_OF_LINE.match(before):
            return _line_end(text, start)
    if scheme := _SCHEME.match(text, start):
        start = scheme.end()
    run = _RUN.match(text, start)
    return start if run is None else run.end()


def _closing(text: str, opening: re.Match[str]) -> int:
    """Where a quoted value ends: before the quote with as many backslashes. A quote within it has more."""
    quote, position = opening[0], opening.end()
    while (found := text.find(quote, position)) >= 0:
        if text[found - 1] != "\\" or found == opening.end():
            return found
        position = found + 1
    # It was cut off.
    return _line_end(text, opening.end())


def _bracket_end(text: str, start: int) -> int:
    """Where what is in brackets ends; the end of the text where it was cut off."""
    depth = 0
    for bracket in _BRACKET.finditer(text, start):
        depth += 1 if bracket[0] in "[{" else -1
        if depth == 0:
            return bracket.end()
    return len(text)


def _line_end(text: str, start: int) -> int:
    found = _LINE.match(text, start)
    assert found is not None, "INVARIANT: matches the empty text"
    return found.end()


def _block_end(text: str, start: int) -> int:
    """Where a YAML block ends: before the first line that is not indented."""
    position = _line_end(text, start)
    while position < len(text) and text[position + 1 : position + 2] in (" ", "\t", "\n"):
        position = _line_end(text, position + 1)
    return position
