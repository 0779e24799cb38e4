"""Metrics in the Prometheus text format: help, type and name said once.

    # http_requests_total counter: Requests served.
    {code="200"} 1027
    {code="500"} 3

stands for `# HELP …`, `# TYPE …` and two samples that start with the name. A sample line starts with what
followed the name: `{`, `_` or a space. A line of neither kind that starts so, or with `# ` or `…`, has `…`
before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from terse.folds.frame import VERBATIM, Form, NotFolded, Room

_HELP = re.compile(r"# HELP ([A-Za-z_:][A-Za-z0-9_:]*) (.*)", re.DOTALL)
_TYPE = re.compile(
    r"# TYPE ([A-Za-z_:][A-Za-z0-9_:]*) (counter|gauge|histogram|summary|untyped|unknown|info|stateset)"
)
_HEADING = re.compile(r"# ([A-Za-z_:][A-Za-z0-9_:]*) ([a-z]+): (.*)", re.DOTALL)
_AFTER_NAME = ("{", "_", " ")


def fold(lines: Sequence[str]) -> list[str] | None:
    """The samples under their headings, or `None` when there is no help with a type after it."""
    written: list[str] = []
    name = None
    headings = 0
    at = 0
    while at < len(lines):
        line = lines[at]
        text = _HELP.fullmatch(line) if line.startswith("# HELP ") else None
        kind = _TYPE.fullmatch(lines[at + 1]) if text and at + 1 < len(lines) else None
        if text and kind and text[1] == kind[1]:
            name = text[1]
            headings += 1
            written.append(f"# {name} {kind[2]}: {text[2]}")
            at += 2
            continue
        rest = line[len(name) :] if name and line.startswith(name) else ""
        if rest.startswith(_AFTER_NAME):
            written.append(rest)
        else:
            written.append(VERBATIM + line if line.startswith((*_AFTER_NAME, "# ", VERBATIM)) else line)
        at += 1
    return written if headings else None


def unfold(lines: Sequence[str], room: Room) -> list[str]:
    """The lines of the exposition.

    Raises:
        NotFolded: a sample before any heading, or a `# ` line that is no heading.
    """
    read: list[str] = []
    name = None
    for line in lines:
        if line.startswith(VERBATIM):
            read.append(line[1:])
        elif line.startswith("# "):
            heading = _HEADING.fullmatch(line)
            if not heading:
                raise NotFolded("no heading")
            name = heading[1]
            read.append(f"# HELP {name} {heading[3]}")
            read.append(f"# TYPE {name} {heading[2]}")
        elif line.startswith(_AFTER_NAME):
            if name is None:
                raise NotFolded("a sample of nothing")
            room.take(len(name) + len(line))
            read.append(name + line)
        else:
            read.append(line)
    return read


FORM = Form(
    name="samples",
    phrase="# name type: help, then samples without the name",
    unfold=unfold,
)
