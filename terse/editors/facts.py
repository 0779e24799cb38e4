"""What is known of the servers of a policy, from tools.lock and samples: tools, arguments, fields."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from terse.capture import lock
from terse.editors.project import Project
from terse.payload.exact import JsonValue
from terse.payload.payload import Payload
from terse.payload.sample import Sample, place_in_samples
from terse.plan.glob import matches

LARGEST_SAMPLE = 2_000_000
MOST_FIELDS = 3_000
"""Fields of one sample that are looked at: a keyed map can have any number."""
DEEPEST = 12


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a tool; `values` are those its schema allows, if it lists them."""

    name: str
    description: str = ""
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tool:
    server: str
    name: str
    description: str = ""
    arguments: tuple[Argument, ...] = ()


@dataclass(slots=True)
class Facts:
    """All that is known: tools by server and name, samples by server and tool."""

    tools: dict[tuple[str, str], Tool] = field(default_factory=dict)
    samples: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """Paths of the samples of a tool."""
    root: str = "."

    @property
    def servers(self) -> tuple[str, ...]:
        return tuple(sorted({server for server, _ in (*self.tools, *self.samples)}))

    def tools_of(self, server_glob: str) -> tuple[Tool, ...]:
        """The tools of the servers that a glob matches, by name."""
        known = {**{key: Tool(*key) for key in self.samples}, **self.tools}
        return tuple(known[key] for key in sorted(known) if matches(server_glob, key[0]))

    def matching(self, patterns: Iterable[tuple[str, str]]) -> tuple[Tool, ...]:
        """The tools that some of the patterns match; all tools where there is no pattern."""
        globs = list(patterns)
        return tuple(
            tool
            for tool in self.tools_of("*")
            if not globs or any(matches(s, tool.server) and matches(t, tool.name) for s, t in globs)
        )


def facts(project: Project, path: str) -> Facts:
    """What is known for a rule file. What cannot be read is not known; never an error."""
    root = project.root_of(path)
    known = Facts(root=root)
    for tool in _locked(project, posixpath.join(root, lock.NAME)):
        known.tools[tool.server, tool.name] = tool
    folder = posixpath.join(root, "samples")
    try:
        files = project.buffers.files(folder) if project.buffers.is_folder(folder) else ()
    except OSError:
        files = ()
    for file in files:
        place = place_in_samples(file.split("/"))
        if place is not None:
            known.samples.setdefault(place, []).append(file)
    return known


def _locked(project: Project, path: str) -> Iterator[Tool]:
    try:
        servers = lock.read(project.buffers.read(path).decode("utf-8", "replace"))
    except (OSError, lock.NotALock):
        return
    for server, tools in servers.items():
        for tool in tools:
            yield Tool(server, tool["name"], str(tool.get("description", "")), tuple(_arguments(tool)))


def _arguments(tool: Mapping[str, object]) -> Iterator[Argument]:
    properties = _members(_members(tool.get("inputSchema")).get("properties"))
    for name, schema in properties.items():
        about = _members(schema)
        values = about.get("enum")
        texts = [value for value in values if isinstance(value, str)] if isinstance(values, list) else []
        yield Argument(name, str(about.get("description", "")), tuple(texts))


def _members(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def texts(project: Project, file: str) -> tuple[str, ...]:
    """The texts of a sample; none where it cannot be read or is too large to look at while someone types."""
    try:
        data = project.buffers.read(file)
    except OSError:
        return ()
    if len(data) > LARGEST_SAMPLE:
        return ()
    try:
        return Sample.saved(data.decode("utf-8-sig", "replace"), file).texts
    except ValueError:
        return ()


def fields(project: Project, files: Iterable[str]) -> frozenset[tuple[str, ...]]:
    """The paths of all fields in samples; lists are seen through."""
    found: set[tuple[str, ...]] = set()
    for file in files:
        for text in texts(project, file):
            value = Payload.of(text).json
            if value is not None:
                _walk(value, (), found)
    return frozenset(found)


def _walk(value: JsonValue, path: tuple[str, ...], found: set[tuple[str, ...]]) -> None:
    if len(path) > DEEPEST or len(found) > MOST_FIELDS:
        return
    if isinstance(value, dict):
        for key, member in value.items():
            # Of a key that stands twice, a path means both.
            here = (*path, str(key))
            found.add(here)
            _walk(member, here, found)
    elif isinstance(value, list):
        for member in value[:50]:
            _walk(member, path, found)
