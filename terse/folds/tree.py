"""The branches of `tree` as indentation: one space for each level.

    .
     docs
      guide.md
     setup.py

stands for `.`, `├── docs`, `│   └── guide.md`, `└── setup.py`. Indented lines one below the other are one
tree. A line outside it that starts with a space or `…` has `…` before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from terse.folds.frame import VERBATIM, Form, NotFolded, Room


@dataclass(frozen=True, slots=True)
class Style:
    """The signs of a kind of tree: below a branch that goes on, below one that ended, a branch, the last.

    Attributes:
        fork, last_fork: signs of their own for branches that have branches, as npm draws them.
    """

    bar: str
    blank: str
    branch: str
    last: str
    phrase: str
    fork: str = ""
    last_fork: str = ""

    @property
    def line(self) -> re.Pattern[str]:
        """A branch line: what stands before its branch, in whole steps, the branch, the name."""
        step = f"{re.escape(self.bar)}|{re.escape(self.blank)}"
        ends = "|".join(re.escape(end) for end in (self.branch, self.last, self.fork, self.last_fork) if end)
        return re.compile(f"((?:{step}){{0,200}})(?:{ends})([^ ].*)", re.DOTALL)


STYLES = (
    Style(
        "│\u00a0\u00a0 ",
        "    ",
        "├── ",
        "└── ",
        "indentation stands for the branches of a tree (│\u00a0\u00a0 ├──)",
    ),
    Style("│   ", "    ", "├── ", "└── ", "indentation stands for the branches of a tree (│ ├──)"),
    Style("|   ", "    ", "|-- ", "`-- ", "indentation stands for the branches of a tree (| |--)"),
    Style("│  ", "   ", "├─ ", "└─ ", "indentation stands for the branches of a tree (│ ├─)"),
    Style(
        "│ ",
        "  ",
        "├── ",
        "└── ",
        "indentation stands for the branches of a tree (│ ├─┬)",
        fork="├─┬ ",
        last_fork="└─┬ ",
    ),
    Style("│ ", "  ", "├── ", "└── ", "indentation stands for the branches of a tree (│├──)"),
    Style("| ", "  ", "+-- ", "`-- ", "indentation stands for the branches of a tree (| +--)"),
)


def fold(lines: Sequence[str]) -> tuple[Form, list[str]] | None:
    """The form and the indented lines, or `None` when half of the lines are no tree of one style."""
    sample = lines[:60]
    for style, form in zip(STYLES, FORMS, strict=True):
        branch = style.line
        if sum(1 for line in sample if branch.fullmatch(line)) * 2 < len(sample):
            continue
        written: list[str] = []
        step = len(style.bar)
        for line in lines:
            found = branch.fullmatch(line)
            if found:
                written.append(" " * (len(found[1]) // step + 1) + found[2])
            else:
                written.append(VERBATIM + line if line.startswith((" ", VERBATIM)) else line)
        if _reads_back(written, style, lines):
            return form, written
    return None


def _reads_back(written: Sequence[str], style: Style, lines: Sequence[str]) -> bool:
    try:
        return _unfold(written, style) == list(lines)
    except NotFolded:
        return False


def _unfold(lines: Sequence[str], style: Style) -> list[str]:
    read: list[str] = []
    at = 0
    while at < len(lines):
        if not lines[at].startswith(" "):
            line = lines[at]
            read.append(line[1:] if line.startswith(VERBATIM) else line)
            at += 1
            continue
        end = at
        while end < len(lines) and lines[end].startswith(" "):
            end += 1
        read.extend(_branches(lines[at:end], style))
        at = end
    return read


def _branches(lines: Sequence[str], style: Style) -> list[str]:
    names = [line.lstrip(" ") for line in lines]
    depths = [len(line) - len(name) for line, name in zip(lines, names, strict=True)]
    if depths[0] != 1 or max(depths) > 200 or any(b > a + 1 for a, b in pairwise(depths)):
        raise NotFolded("a branch without a stem")
    # From below: whether a branch of each depth is still to come under the same stem.
    more = [False] * (max(depths) + 2)
    read: list[str] = []
    below = 0
    for depth, name in zip(reversed(depths), reversed(names), strict=True):
        stems = "".join(style.bar if more[level] else style.blank for level in range(1, depth))
        branch, last = (
            (style.fork, style.last_fork) if style.fork and below > depth else (style.branch, style.last)
        )
        below = depth
        read.append(stems + (branch if more[depth] else last) + name)
        more[depth] = True
        for deeper in range(depth + 1, len(more)):
            if not more[deeper]:
                break
            more[deeper] = False
    read.reverse()
    return read


def _form(style: Style) -> Form:
    def unfold(lines: Sequence[str], room: Room) -> list[str]:
        return _unfold(lines, style)

    return Form(name="tree", phrase=style.phrase, unfold=unfold)


FORMS = tuple(_form(style) for style in STYLES)
