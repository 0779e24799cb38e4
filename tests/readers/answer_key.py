"""Answer keys: what rule files do, in sentences that a reader would say, and a program can hold them to.

    When github/list_issues(state: OPEN) answers with issues.json:
      the rule issue-lists applies, because "triage reads titles".
      issues.html_url is removed.
      issues.body is set aside, 2 times.
      everything else comes as it was.
      the result is lossy.

A case is one session. `Then …` goes on in the session of the case before it. A line that begins with `#` is a
comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

_CASE = re.compile(r"(When|Then) (.+) answers with (an error, )?(\S+):")
_PATH = r"(?P<path>\S+)"
_TEXT = r'"(?P<text>[^"]*)"'
_SENTENCES = {
    "rule": rf"the rule (?P<name>\S+) applies(?:, because {_TEXT})?\.",
    "no rule": r"no rule applies\.",
    "guard": r"the guard (?P<name>\S+) applies\.",
    "no guard": r"the guard (?P<name>\S+) does not apply\.",
    "removed": rf"{_PATH} is removed\.",
    "set aside": rf"{_PATH} is set aside(?:, (?P<times>\d+) times)?\.",
    "shortened": rf"{_PATH} is shortened(?:, (?P<times>\d+) times)?\.",
    "rows": rf"{_PATH} comes with (?P<rows>\d+) of its (?P<all>\d+) rows\.",
    "rows lost": rf"{_PATH} loses (?P<rows>\d+) of its (?P<all>\d+) rows\.",
    "lines removed": r"(?P<times>\d+) lines? (?:is|are) removed\.",
    "lines set aside": r"(?P<times>\d+) lines? (?:is|are) set aside\.",
    "kept": rf"{_PATH} is kept\.",
    "rest": r"everything else comes as it was\.",
    "unchanged": r"nothing is changed\.",
    "class": r"the result is (?P<name>exact|lossless|recoverable|lossy)\.",
    "reads": rf"the agent reads {_TEXT}\.",
    "does not read": rf"the agent does not read {_TEXT}\.",
}


@dataclass(frozen=True, slots=True)
class Sentence:
    """One thing that is said of a call. `says` is its kind: `removed`, `class`, …; absent parts are empty."""

    says: str
    line: int
    text: str
    name: str = ""
    path: str = ""
    quoted: str = ""
    times: int = 1
    rows: tuple[int, int] = (0, 0)


@dataclass(slots=True)
class Case:
    """A call, the file that answers it, and what is said of it."""

    call: str
    file: str
    is_error: bool
    goes_on: bool
    line: int
    sentences: list[Sentence] = field(default_factory=list)

    def said(self, *kinds: str) -> list[Sentence]:
        return [sentence for sentence in self.sentences if sentence.says in kinds]


def read(path: Path) -> list[Case]:
    """
    Raises:
        ValueError: a line is no sentence that can be held against the engine.
    """
    cases: list[Case] = []
    for number, line in _lines(path):
        begins = _CASE.fullmatch(line)
        if begins:
            word, call, error, file = begins.groups()
            cases.append(Case(call, file, bool(error), word == "Then", number))
            continue
        if not cases:
            raise ValueError(f"{path.name}:{number}: a key begins with `When …`")
        cases[-1].sentences.append(_sentence(line, number))
    return cases


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, line.strip()


def _sentence(line: str, number: int) -> Sentence:
    for says, pattern in _SENTENCES.items():
        found = re.fullmatch(pattern, line)
        if found is not None:
            parts = found.groupdict()
            return Sentence(
                says,
                number,
                line,
                parts.get("name") or "",
                parts.get("path") or "",
                parts.get("text") or "",
                int(parts.get("times") or 1),
                (int(parts.get("rows") or 0), int(parts.get("all") or 0)),
            )
    raise ValueError(f"line {number}: no sentence of an answer key: {line}")
