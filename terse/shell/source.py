"""Which server a command line means, and whether the one in the background is still that one."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from hashlib import sha256

from terse.shell import place

_VARIABLE = re.compile(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)")


class Source:
    """A server of a document, and how it is run.

    Attributes:
        name: its own in the document.
        config: the document: a path, or the JSON itself.
        rules: where the rules are; None for the default policy.
        options: those of `terse proxy` that were given, with whole paths.
        cwd: where its process starts unless its entry says so: where the document is, as clients start the
            servers of a project there; at home, if it is the user's own. Never where the caller happens to
            be: what a call does would depend on who made the first one.
        idle: seconds without a call after which it ends.

    Args:
        is_own: it is for this process alone.
    """

    def __init__(
        self,
        name: str,
        config: str,
        rules: str | None,
        options: Sequence[str],
        cwd: str,
        idle: float,
        *,
        is_own: bool = False,
    ) -> None:
        self.name = name
        self.config = config
        self.rules = rules
        self.options = list(options)
        self.cwd = cwd
        self.idle = idle
        key = _digest([name, config, rules, *options])
        shown = re.sub(r"[^A-Za-z0-9._-]", "-", name)[:40]
        own = f"-{os.getpid()}" if is_own else ""
        self._base = os.path.join(place.folder(), f"{shown}-{key[:16]}{own}")

    @property
    def state(self) -> str:
        """Where it is said how the process is reached."""
        return f"{self._base}.json"

    @property
    def alive(self) -> str:
        """What the process has locked for as long as it lives."""
        return f"{self._base}.alive"

    @property
    def lock(self) -> str:
        """What is locked by who starts, ends or renews something."""
        return f"{self._base}.lock"

    @property
    def tools(self) -> str:
        """The tools as they were last listed."""
        return f"{self._base}.tools"

    @property
    def log(self) -> str:
        """What the process, and the server, say on stderr."""
        return f"{self._base}.log"

    @property
    def told(self) -> str:
        """How much of it was told."""
        return f"{self._base}.told"

    def stamp(self) -> list[int]:
        """Something else as soon as the document may be another one. Rules are followed by the process."""
        if self.config.startswith("{"):
            return []
        try:
            about = os.stat(self.config)
        except OSError:
            return []
        return [about.st_mtime_ns, about.st_size, about.st_ino]

    def variables(self, text: str) -> dict[str, str]:
        """What the environment says of each variable that a text names, as digests."""
        return variables({*_VARIABLE.findall(text), *_VARIABLE.findall(" ".join(self.options))})


def variables(names: Sequence[str] | set[str] | Mapping[str, str]) -> dict[str, str]:
    """What the environment says of these variables, as digests: "" of one that is not there."""
    return {name: "" if (value := os.environ.get(name)) is None else _digest(value) for name in sorted(names)}


def identity(parts: object) -> str:
    """The same for the same values."""
    return _digest(parts)


def _digest(value: object) -> str:
    return sha256(json.dumps(value, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()
