"""The kind of a text that is not JSON, found from a bounded piece of its beginning.

Each detector counts lines that only its kind has, and claims the text when enough of them do. The order
matters where two could claim: a diff holds code, markdown holds code blocks, a log can hold anything.
A text that no detector claims is plain text, which is never wrong.
"""

from __future__ import annotations

import re
from functools import lru_cache

from terse.payload.kind import Kind

MAX_CHARACTERS = 16_384
MAX_LINES = 200
"""How much of a text is looked at."""


def sniff(text: str) -> Kind:
    """The kind of a text, `Kind.TEXT` when in doubt. Looks at its first `MAX_LINES` lines only."""
    return _kind(text[:MAX_CHARACTERS], len(text) > MAX_CHARACTERS)


@lru_cache(maxsize=4)
def _kind(head: str, is_cut: bool) -> Kind:
    # The conditions of a rule and every fold of a chain ask for the same text again and again.
    if _is_binary(head):
        return Kind.BINARY
    lines = head.splitlines()
    if is_cut and len(lines) > 1:
        lines.pop()  # it may be cut
    lines = [line for line in lines[:MAX_LINES] if line.strip()]
    if not lines:
        return Kind.TEXT
    for kind, claims in _DETECTORS:
        if claims(lines):
            return kind
    return Kind.TEXT


def _count(pattern: re.Pattern[str], lines: list[str]) -> int:
    """The lines that begin so."""
    return len(list(filter(None, map(pattern.match, lines))))


def _is_binary(head: str) -> bool:
    # ESC is no sign of it: terminal output is text. Replacement characters are what a binary
    # file becomes when a server decodes it leniently.
    if "\0" in head:
        return True
    content = head.encode("utf-8", "surrogatepass")
    odd = len(content) - len(content.translate(None, _BINARY_SIGNS)) + head.count("\ufffd")
    return odd > max(4, len(head) // 20)


_BINARY_SIGNS = bytes(code for code in range(1, 32) if chr(code) not in "\a\b\t\n\v\f\r\x1b")

_HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@|^@@@ ")
_DIFF_FILE = re.compile(r"^(?:diff --git |--- \S|\+\+\+ \S|Index: )")


def _is_diff(lines: list[str]) -> bool:
    if lines[0].startswith("diff --git "):
        return True
    return any(line[0] == "@" and _HUNK.match(line) for line in lines) and _count(_DIFF_FILE, lines) >= 2


_HTML_START = re.compile(r"^\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_TAG = re.compile(
    r"</?(?:a|b|body|br|button|code|div|em|form|h[1-6]|head|hr|html|i|img|input|li|link|meta|nav|ol|option|p|pre|"
    r"script|section|select|span|strong|style|svg|table|tbody|td|th|thead|title|tr|ul)\b[^<>]*>",
    re.IGNORECASE,
)


def _is_html(lines: list[str]) -> bool:
    if not lines[0].lstrip().startswith("<"):
        return False
    return bool(_HTML_START.match(lines[0])) or (
        sum(1 for line in lines if _TAG.search(line)) / len(lines) >= 0.6
    )


_TIME = r"\d{1,2}:\d{2}:\d{2}"
_LOG_LINE = re.compile(
    r"[^(]{0,40}?(?:"  # a date in parentheses is git blame's
    rf"\d{{4}}[-/.]\d{{2}}[-/.]\d{{2}}[T ]{_TIME}"  # 2026-03-01T12:00:00
    rf"|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\s+\d{{1,2}} {_TIME}"  # syslog
    rf"|\d{{1,2}}/(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)/\d{{4}}:{_TIME}"  # access log
    rf"|\[{_TIME}(?:[.,]\d+)?\]"
    r"|\blevel=\w+ "
    r")"
)
_LOG_START = re.compile(
    r"[IWEF]\d{4} \d{2}:\d{2}:\d{2}"  # glog
    r"|\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|SEVERE)\]?[ :]"
)


_LOG_STARTS = frozenset("[TDINWEFCS")
_LOG_TIME_WITHIN = 70


def _is_log(lines: list[str]) -> bool:
    if len(lines) < 2:
        return False
    others = len(lines) // 2  # so many lines may be none of a log
    for line in lines:
        if not _is_logged(line):
            others -= 1
            if others < 0:
                return False
    return True


def _is_logged(line: str) -> bool:
    if line[0] in _LOG_STARTS and _LOG_START.match(line):
        return True
    # A time has two colons, not far from the beginning: other lines need not be searched.
    head = line[:_LOG_TIME_WITHIN]
    return (head.count(":") >= 2 or "level=" in head) and _LOG_LINE.match(line) is not None


_CODE_LINE = re.compile(
    r"^\s*(?:"
    r"(?:async )?def \w+\(.*|class \w+.*[:{]\s*$|from \S+ import |import [\w.{*\"']"
    r"|(?:pub(?:\([a-z]+\))? )?(?:fn|struct|enum|impl|trait|mod|use) \S+.*[{;(,]\s*$"
    r"|func [\w(].*\{\s*$|package \w+\s*$|type \w+ (?:struct|interface)\b"
    r"|(?:export |default |async |public |private |protected |static |final |abstract )+\S+.*[{;(]\s*$"
    r"|(?:const|let|var) [\w{\[].*=|function\*? ?\w*\(.*"
    r"|#include\s*[<\"]|#(?:define|ifdef|ifndef|endif)\b|using (?:namespace )?[\w.:]+;"
    r"|(?:if|for|while|switch|catch) ?\(.*\) ?\{?\s*$|(?:if|for|while|elif|with|try|else|except)\b.*:\s*$"
    r"|return\b.*;?\s*$|[\w.\[\]\"']+(?:\(.*\)|\s[-+*/]?=\s?.+);\s*$"
    r"|\}?\s*else(?: if.*)? \{\s*$|[})\]]+[;,]?\s*$"
    r"|@\w[\w.]*(?:\(.*\))?\s*$|#!/|//[ /!]|/\*\*?|\s\*/|raise \w|self\.\w+ ="
    r")"
)
_CODE_SIGN = re.compile(
    r"^\s*(?:(?:async )?def \w+\(|class \w+|import \S|from \S+ import|(?:pub )?fn \w|func [\w(]"
    r"|package \w+\s*$|#include|(?:export |const |let |var )|function\b|using [\w.]+;|public |#!/"
    r"|use \w+::|(?:pub )?(?:struct|enum|mod) \w)"
)


def _is_code(lines: list[str]) -> bool:
    # Signs alone stand in prose about code, lines alone in any text with brackets: both are asked for.
    # Documented code is mostly prose, though: there the signs must be many.
    enough = max(4, len(lines) * 0.04)
    signs = 0
    for line in lines:
        if _CODE_SIGN.match(line):
            signs += 1
            if signs >= enough:
                return True
    return signs >= 2 and _count(_CODE_LINE, lines) / len(lines) >= 0.3


_MARKDOWN = re.compile(
    r"(?:#{1,6} \S|\s{0,3}[-*+] \[[ xX]\] |```|~~~|\|.*\|\s*$|> \S|\s*[-*] \*\*|={3,}\s*$|!\[[^\]]*\]\()"
)
_MARKDOWN_SIGNS = frozenset("#-*+`~|>=!")
_INLINE_MARKDOWN = re.compile(r"\[[^\]\n]+\]\([^)\s]+\)|\*\*[^*\n]+\*\*")
_RULE = re.compile(r"\|[\s:|-]+\|\s*$")
_HEADING = re.compile(r"^#{1,6} \S")
_ITEM_SIGNS = frozenset("-*+0123456789")
_LIST_ITEM = re.compile(r"^\s{0,8}(?:[-*+]|\d+\.) \S")


def _is_markdown(lines: list[str]) -> bool:
    fences = sum([line.startswith("```") for line in lines])
    if fences >= 2:
        return True
    marked = list(filter(_is_marked, lines))
    marks = len(marked)
    if marks < 2:
        return False
    # Rules of tables and headings are marks themselves.
    if _count(_RULE, marked):
        return True
    headings = _count(_HEADING, marked)
    items = sum(1 for line in lines if line.lstrip()[:1] in _ITEM_SIGNS and _LIST_ITEM.match(line))
    # `# …` alone is a comment in a dozen notations.
    structured = items + marks - headings >= 1 or any(line.startswith("## ") for line in lines)
    return headings >= 1 and structured and not _is_commented(lines) and (marks + items) / len(lines) >= 0.15


def _is_marked(line: str) -> bool:
    if line.lstrip()[:1] in _MARKDOWN_SIGNS and _MARKDOWN.match(line):
        return True
    # Links and bold words are looked for only where their signs stand: that is far cheaper.
    return ("](" in line or "**" in line) and _INLINE_MARKDOWN.search(line) is not None


def _is_commented(lines: list[str]) -> bool:
    return any(line.startswith(("# HELP ", "# TYPE ", "#!")) for line in lines)


def _is_csv(lines: list[str]) -> bool:
    if len(lines) < 3:
        return False
    for delimiter in (",", "\t", ";"):
        count = _separators(lines[0], delimiter)
        # A single comma a line is prose; two columns are claimed only when a header says so.
        is_told = count >= 2 or (count == 1 and all(" " not in line for line in lines))
        if is_told and all(_separators(line, delimiter) == count for line in lines):
            return True
    return False


def _separators(line: str, delimiter: str) -> int:
    if '"' not in line:
        return line.count(delimiter)
    outside = line.split('"')[::2]
    return sum(part.count(delimiter) for part in outside)


_DETECTORS = (
    (Kind.DIFF, _is_diff),
    (Kind.HTML, _is_html),
    (Kind.CSV, _is_csv),
    (Kind.LOG, _is_log),
    (Kind.MARKDOWN, _is_markdown),
    (Kind.CODE, _is_code),
)
