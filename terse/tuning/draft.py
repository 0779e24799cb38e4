"""Rule files as they would be: texts that are not on disk yet, what they compile to, and their tests."""

from __future__ import annotations

import os
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from terse.diagnostic import Severity
from terse.language import Checked, Unreadable, check, syntax
from terse.language.disk import Disk
from terse.language.format import formatted
from terse.language.load import entries, is_below, normal
from terse.language.overlay import Overlay
from terse.language.parse import parse
from terse.plan.model import Plan
from terse.review.run_tests import Read, Tester
from terse.review.starter import rule_name
from terse.tokens import Vocabulary

_RULES = ".terse"


class NoRules(Exception):  # noqa: N818 — says what is wrong with the rules
    """There are rules, and they cannot be worked on. The message says why, in one line."""


@dataclass(frozen=True)
class Draft:
    """Rules, some of whose files are not what is on disk.

    Attributes:
        path: the rules as they were named: a file or a folder.
        original: the text of each file on disk, by path.
        texts: the files that differ, by path; new ones, too.
        checked: the policy that all of it makes.
        foreign: files that no patch is made for: with line ends of Windows, or a byte order mark.
    """

    path: str
    original: Mapping[str, str]
    texts: Mapping[str, str]
    checked: Checked
    foreign: frozenset[str] = frozenset()

    @classmethod
    def of(cls, path: str) -> Draft:
        """The rules as they are on disk; none where there is no such file or folder, or no rule in it.

        Raises:
            NoRules: they cannot be read, or do not compile.
        """
        disk = Disk()
        try:
            named = normal(path.replace(os.sep, "/"))
            is_there = disk.exists(named)
            if is_there and disk.is_folder(named):
                is_there = any(file.endswith(_RULES) for file in disk.files(named))
            if not is_there:
                if disk.exists(named) and not disk.is_folder(named):
                    raise NoRules(f"{path}: not a regular file")
                return cls(named, {}, {}, Checked(Plan(edition=1), (), (), _folder_of(named)))
            # The whole policy has to be there before anything is said of it.
            list(entries([named], disk))
            checked = check([named])
        except Unreadable as error:
            raise NoRules(f"{error.path}: {error.reason}") from None
        except OSError as error:
            raise NoRules(f"{path}: {error.strerror or error}") from None
        if checked.plan is None:
            first = next(found for found in checked.diagnostics if found.severity is Severity.ERROR)
            raise NoRules(f"{first.primary.span.place}: {first.message}: run `terse check` first")
        original = {file.source.path: file.source.text for file in checked.files}
        foreign = frozenset(
            path for path, text in original.items() if "\r" in text or _bytes(disk, path) != text.encode()
        )
        return cls(named, original, {}, checked, foreign)

    @property
    def plan(self) -> Plan:
        assert self.checked.plan is not None, "INVARIANT: a draft compiles"
        return self.checked.plan

    @property
    def is_file(self) -> bool:
        """Whether the rules are one file, and no folder."""
        return self.path.endswith(_RULES) and not Disk().is_folder(self.path)

    def is_editable(self, path: str) -> bool:
        """Whether a patch can be made for the file."""
        return path not in self.foreign

    def text(self, path: str) -> str:
        """A file's text; empty of one that is not there."""
        return self.texts.get(path, self.original.get(path, ""))

    @property
    def own(self) -> tuple[syntax.File, ...]:
        """The files that the rules are made of, but for those that are only imported from elsewhere."""
        return tuple(file for file in self.checked.files if self._is_own(file.source.path))

    def _is_own(self, path: str) -> bool:
        return path == self.path or (not self.is_file and is_below(path, self.path))

    def rule(self, name: str) -> syntax.Rule | None:
        """The rule of this name that is in force, if one of our own files has it."""
        found = [
            item
            for file in self.own
            for item in file.items
            if isinstance(item, syntax.Rule) and item.name.text == name
        ]
        return next((rule for rule in found if rule.override is not None), found[0] if found else None)

    def free_name(self, wanted: str) -> str:
        """A name that no rule has: the wanted one, or with a number behind it."""
        taken = {
            item.name.text
            for file in self.checked.files
            for item in file.items
            if isinstance(item, syntax.Rule)
        }
        name, number = rule_name(wanted), 1
        while name in taken:
            number += 1
            name = f"{rule_name(wanted)}-{number}"
        return name

    def file_for(self, server: str) -> str:
        """The file that rules for a server belong in: the one that has most of them, or a new one."""
        if self.is_file:
            return self.path
        found = Counter(
            file.source.path
            for file in self.own
            for item in file.items
            for pattern in _patterns(item)
            if pattern.server == server
        )
        if found:
            return min(found, key=lambda path: (-found[path], path))
        stem, number = rule_name(server), 1
        path = normal(posixpath.join(self.path, f"{stem}{_RULES}"))
        disk = Disk()
        while path not in self.texts and (os.path.lexists(path) or disk.exists(path)):
            number += 1
            path = normal(posixpath.join(self.path, f"{stem}-{number}{_RULES}"))
        return path

    def last(self, path: str) -> syntax.Node | None:
        """The last item of a file that is no test: a new block stands behind it."""
        file = next((file for file in self.checked.files if file.source.path == path), None)
        items = [item for item in file.items if not isinstance(item, syntax.Test)] if file is not None else []
        return items[-1] if items else None

    def changed(self, texts: Mapping[str, str]) -> Draft | None:
        """The draft with other texts for some files; None where that does not parse, compile or check as
        well as this draft does.
        """
        made = dict(self.texts)
        for path, text in texts.items():
            parsed = parse(path, text.encode("utf-8", "surrogatepass"))
            if parsed.diagnostics:
                return None
            # A file that was not formatted before keeps its style: the patch is about what it proposes.
            made[path] = formatted(parsed.file) if self._is_formatted(path) else text
        folder = None if self.is_file else self.path
        try:
            checked = check([self.path], self.checked.root, Overlay(made, folder))
        except (Unreadable, OSError):
            return None
        if checked.plan is None or not _worth(checked) <= _worth(self.checked):
            return None
        return replace(self, texts=made, checked=checked)

    def _is_formatted(self, path: str) -> bool:
        before = self.original.get(path)
        if before is None:
            return True
        parsed = parse(path, before.encode())
        return not parsed.diagnostics and formatted(parsed.file) == before

    def failing(self, read: Read, vocabulary: Vocabulary) -> frozenset[str]:
        """The tests of the rules that fail, by place in words that no change of lines moves."""
        tester = Tester(self.plan, read, vocabulary)
        return frozenset(
            f"{file.source.path}: {item.title.text}"
            for file in self.own
            for item in file.items
            if isinstance(item, syntax.Test) and tester.run(item).failures
        )

    @property
    def differs(self) -> dict[str, tuple[str | None, str]]:
        """The files that are other than on disk, by path: the text there (None: no file), and the new one."""
        return {
            path: (self.original.get(path), text)
            for path, text in sorted(self.texts.items())
            if self.original.get(path) != text
        }


def _bytes(disk: Disk, path: str) -> bytes:
    try:
        return disk.read(path)
    except OSError:
        return b""


def _worth(checked: Checked) -> Counter[tuple[str, str]]:
    """The findings that make `terse check` fail, without their places."""
    return Counter(
        (found.code.name, found.message)
        for found in checked.diagnostics
        if found.severity >= Severity.WARNING
    )


def _folder_of(path: str) -> str:
    return (posixpath.dirname(path) or ".") if path.endswith(_RULES) else path


def _patterns(item: syntax.Item) -> Iterable[syntax.Pattern]:
    if isinstance(item, syntax.Tools):
        return item.patterns
    if isinstance(item, syntax.Rule):
        return [pattern for line in item.lines if isinstance(line, syntax.On) for pattern in line.patterns]
    return ()


# ---- edits -------------------------------------------------------------------------------------------------

_COMMENT_BEHIND = re.compile(r"[ \t]*(#[^\n]*)?\n?")


def with_line_after(text: str, node: syntax.Node, line: str) -> str:
    """The file's text with one more statement below another one of the same block."""
    at = _end_of_line(text, node.span.end)
    indent = _indent(text, node.span.start)
    return f"{text[:at]}{indent}{line}\n{text[at:]}"


def with_line_instead(text: str, node: syntax.Node, line: str) -> str:
    """The file's text with another statement in place of one; a comment behind it stays."""
    return text[: node.span.start] + line + text[node.span.end :]


def without_line(text: str, node: syntax.Node) -> str:
    """The file's text without a statement; a comment behind it stays, on a line of its own."""
    behind = _COMMENT_BEHIND.match(text, node.span.end)
    if behind is not None and behind[1]:
        return text[: node.span.start] + text[behind.start(1) :]
    start = text.rfind("\n", 0, node.span.start) + 1
    return text[:start] + text[_end_of_line(text, node.span.end) :]


def with_block(text: str, block: str, after: syntax.Node | None = None) -> str:
    """The file's text with one more block: behind another one, or before the tests, or at the end."""
    if not text:
        return f"terse 1\n\n{block}"
    if after is not None:
        at = _end_of_line(text, after.span.end)
        return f"{text[:at]}\n{block}{text[at:]}"
    return f"{text if text.endswith(chr(10)) else text + chr(10)}\n{block}"


def _end_of_line(text: str, offset: int) -> int:
    found = text.find("\n", offset)
    return len(text) if found == -1 else found + 1


def _indent(text: str, offset: int) -> str:
    start = text.rfind("\n", 0, offset) + 1
    before = text[start:offset]
    return before if not before.strip() else "  "
