"""What a client is: where its files are, where servers stand in them, and how an entry is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from terse.clients.document import Document
from terse.clients.entry import Shape


@dataclass(frozen=True, slots=True)
class Machine:
    """What paths depend on.

    Attributes:
        platform: as `sys.platform` says.
        folder: the project that is worked in.
    """

    home: Path
    folder: Path
    environment: Mapping[str, str]
    platform: str

    def settings(self) -> Path:
        """Where programs of this platform keep their settings."""
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        if self.platform == "win32":
            return Path(self.environment.get("APPDATA") or self.home / "AppData" / "Roaming")
        return self.xdg()

    def xdg(self) -> Path:
        """`$XDG_CONFIG_HOME`, or `~/.config`."""
        named = self.environment.get("XDG_CONFIG_HOME", "")
        return Path(named) if named.startswith("/") else self.home / ".config"


@dataclass(frozen=True, slots=True)
class Section:
    """Where servers stand in a file: the keys that lead there.

    Attributes:
        project: the folder that they are for; None for the file's own.
    """

    scope: str
    keys: tuple[str, ...]
    project: str | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """A file that a client reads.

    Attributes:
        sections: finds where servers stand, from the file's plain data.
        is_shared: the file goes into a repository, and others read it.
    """

    path: Path
    sections: Callable[[Any], Iterator[Section]]
    is_shared: bool = False


@dataclass(frozen=True, slots=True)
class Client:
    """A client whose configuration can be edited.

    Attributes:
        name: what `--client` calls it.
        title: what people call it.
        parse: its format.
        notes: what else to know once its file was changed; how the client takes the change up.
        takes_comments: the client reads its file with comments and trailing commas in it.
    """

    name: str
    title: str
    parse: Callable[[str], Document]
    places: Callable[[Machine], tuple[Place, ...]]
    notes: str
    shape: Shape = field(default_factory=Shape)
    takes_comments: bool = True


def under(scope: str, *keys: str) -> Callable[[Any], Iterator[Section]]:
    """Servers at one place of a file."""

    def sections(value: Any) -> Iterator[Section]:
        if isinstance(_at(value, keys), dict):
            yield Section(scope, keys)

    return sections


def _at(value: Any, keys: tuple[str, ...]) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value
