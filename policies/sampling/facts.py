"""What the samples speak of: this repository at one commit, read with git."""

from __future__ import annotations

import ast
import hashlib
import json
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
COMMIT = "30456c21f757e897fc81b4fe1802ebe2bb3396b2"
"""All facts are read from here, so that every run says the same."""

PEOPLE = ("ada", "grace", "edsger", "barbara")

Sample = tuple[str, str]
"""A path below policies/samples, and its text."""


class NoHistory(Exception):  # noqa: N818 — says what is missing
    """The commit is not in this clone."""


@dataclass(frozen=True)
class Part:
    """A function or class of a module."""

    name: str
    kind: str
    line: int
    end: int
    sentence: str


@dataclass(frozen=True)
class Module:
    """A Python file of the package."""

    path: str
    sentence: str
    lines: int
    size: int
    parts: tuple[Part, ...]

    @property
    def room(self) -> str:
        return self.path.split("/")[1].removesuffix(".py")


@dataclass(frozen=True)
class Commit:
    sha: str
    when: str
    subject: str
    files: tuple[tuple[int, int, str], ...]
    """Lines added, lines gone, path."""


class Facts:
    """What the commit says, read with git."""

    def git(self, *arguments: str) -> str:
        """
        Raises:
            NoHistory: git or the commit is not there.
        """
        try:
            done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise NoHistory(f"git {' '.join(arguments[:2])}") from error
        return done.stdout.decode()

    @cached_property
    def files(self) -> tuple[tuple[str, str, int], ...]:
        """Path, blob and size of every file but the vocabularies."""
        lines = self.git("ls-tree", "-r", "-l", COMMIT).splitlines()
        fields = [(line.split("\t")[1], *line.split("\t")[0].split()[2:]) for line in lines]
        return tuple((path, blob, int(size)) for path, blob, size in fields if not path.endswith(".pack"))

    def text(self, path: str) -> str:
        return self.git("show", f"{COMMIT}:{path}")

    @cached_property
    def modules(self) -> tuple[Module, ...]:
        return tuple(self._module(path, size) for path, _, size in self.files if _is_module(path))

    def _module(self, path: str, size: int) -> Module:
        text = self.text(path)
        tree = ast.parse(text)
        parts = [
            Part(
                node.name,
                "class" if isinstance(node, ast.ClassDef) else "function",
                node.lineno,
                node.end_lineno or node.lineno,
                first_sentence(ast.get_docstring(node)),
            )
            for node in tree.body
            if isinstance(node, (ast.ClassDef, ast.FunctionDef))
        ]
        return Module(path, first_sentence(ast.get_docstring(tree)), text.count("\n"), size, tuple(parts))

    @cached_property
    def commits(self) -> tuple[Commit, ...]:
        text = self.git(
            "log", "--date=format:%Y-%m-%dT%H:%M:%SZ", "--format=%x00%H%n%ad%n%s", "--numstat", COMMIT
        )
        return tuple(map(_commit, text.split("\0")[1:]))


def _is_module(path: str) -> bool:
    return path.startswith("terse/") and path.endswith(".py") and not path.endswith("__init__.py")


def first_sentence(docstring: str | None) -> str:
    return " ".join((docstring or "").split("\n\n")[0].split())


def _commit(block: str) -> Commit:
    sha, when, subject, *rest = block.strip().split("\n")
    numbers = [line.split("\t") for line in rest if line]
    files = ((int(a), int(b), path) for a, b, path in numbers if a != "-" and " => " not in path)
    return Commit(sha, when, subject, tuple(files))


def number_of(text: str, digits: int = 9) -> int:
    """A number that is always the same for a text, as servers give ids."""
    low = 10 ** (digits - 1)
    return low + int(hashlib.sha256(text.encode()).hexdigest(), 16) % (9 * low)


def sha_of(text: str) -> str:
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


def pick(text: str, options: tuple[str, ...]) -> str:
    return options[number_of(text) % len(options)]


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def pretty(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
