"""What is known of the real servers: saved results by place, and the tool lists of `tools.lock`.

Both lie in the policy's folder. `samples/SERVER/TOOL/x.json` is a saved result of that tool: found by
its place. `tools.lock` is what the servers answered to `tools/list`:
`{"version": 1, "servers": {"SERVER": {"tools": [{"name": …, "inputSchema": …}, …]}}}`. Neither has to
be there; without them the checks that need them are silent.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from terse.language.globs import Names, matches
from terse.language.load import Reader
from terse.language.parse import MAX_BYTES
from terse.payload.exact import JsonValue, NotExact, parse
from terse.payload.sample import SAMPLES_FOLDER, Sample

LOCK = "tools.lock"
VERSION = 1

MAX_SAMPLES_PER_TOOL = 50
"""Samples of one tool that are looked at, by name; more tell nothing new and take time."""


@dataclass(frozen=True, slots=True)
class SavedText:
    """One text of a saved result. `value` is None where it is no JSON that is carried exactly."""

    path: str
    text: str
    value: JsonValue | None


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """A tool of a server: its arguments by name, with the values that an enum allows (None: any).

    `open` is True where the schema does not list the arguments.
    """

    arguments: Mapping[str, tuple[str, ...] | None]
    open: bool


@dataclass
class Workspace:
    """The folder of a policy, read when first asked. `problem` tells why a `tools.lock` cannot be used."""

    root: str
    reader: Reader
    _texts: dict[Names, tuple[SavedText, ...]] = field(default_factory=dict)

    # ---- samples

    @cached_property
    def _sample_files(self) -> dict[Names, list[str]]:
        folder = posixpath.join(self.root, SAMPLES_FOLDER) if self.root != "." else SAMPLES_FOLDER
        found: dict[Names, list[str]] = {}
        try:
            files = self.reader.files(folder) if self.reader.is_folder(folder) else ()
        except OSError:
            return found
        for path in files:
            parts = path.removeprefix(folder + "/").split("/")
            if len(parts) == 3:
                found.setdefault(Names(parts[0], parts[1]), []).append(path)
        return found

    @property
    def sampled_tools(self) -> Sequence[Names]:
        """The tools that have samples, in order."""
        return sorted(self._sample_files)

    def texts(self, tool: Names) -> tuple[SavedText, ...]:
        """The texts of the tool's samples; of a file that cannot be read, none."""
        if tool not in self._texts:
            files = self._sample_files.get(tool, [])[:MAX_SAMPLES_PER_TOOL]
            self._texts[tool] = tuple(text for path in files for text in self._read(path))
        return self._texts[tool]

    def _read(self, path: str) -> Iterator[SavedText]:
        try:
            sample = Sample.saved(self.reader.read(path).decode("utf-8-sig"), path)
        except (OSError, ValueError):
            return
        for one in sample.texts:
            try:
                value = parse(one) if len(one) <= MAX_BYTES else None
            except NotExact:
                value = None
            yield SavedText(path, one, value)

    # ---- tools.lock

    @property
    def tools(self) -> Mapping[str, Mapping[str, ToolSchema]]:
        """The tools of each server by name; empty without a lock."""
        return self._lock[0]

    @property
    def problem(self) -> str | None:
        """Why the lock cannot be used, in a few words; None where it can, or where there is none."""
        return self._lock[1]

    @property
    def lock_path(self) -> str:
        return LOCK if self.root == "." else posixpath.join(self.root, LOCK)

    @cached_property
    def _lock(self) -> tuple[dict[str, dict[str, ToolSchema]], str | None]:
        path = self.lock_path
        if not self.reader.exists(path):
            return {}, None
        try:
            data = self.reader.read(path)
            if len(data) > MAX_BYTES:
                return {}, f"it has more than {MAX_BYTES:,} bytes"
            lock = json.loads(data)
            if lock["version"] != VERSION:
                return {}, f"this terse reads version {VERSION} of it"
            return {server: _tools(listed) for server, listed in lock["servers"].items()}, None
        except OSError as error:
            return {}, error.strerror or "it cannot be read"
        except (ValueError, RecursionError):
            return {}, "it is no JSON"
        except (AttributeError, KeyError, TypeError):
            return {}, "it is not what `terse snapshot` writes"

    def known(self, names: Names) -> Iterator[tuple[Names, ToolSchema]]:
        """The tools of the lock that the pattern matches."""
        for server, tools in self.tools.items():
            if matches(names.server, server):
                for tool, schema in tools.items():
                    if matches(names.tool, tool):
                        yield Names(server, tool), schema


def _tools(listed: Mapping[str, Any]) -> dict[str, ToolSchema]:
    return {str(tool["name"]): _schema(tool.get("inputSchema")) for tool in listed["tools"]}


def _schema(schema: Any) -> ToolSchema:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return ToolSchema({}, True)
    # Schemas put together from others may name more arguments than these.
    joined = any(word in schema for word in ("allOf", "anyOf", "oneOf", "$ref", "patternProperties"))
    return ToolSchema({name: _enum(value) for name, value in properties.items()}, joined)


def _enum(schema: Any) -> tuple[str, ...] | None:
    allowed = schema.get("enum") if isinstance(schema, dict) else None
    if not isinstance(allowed, list):
        return None
    return tuple(value if isinstance(value, str) else json.dumps(value) for value in allowed)
