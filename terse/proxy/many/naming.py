"""What a client calls the tools and prompts of several servers: the server's name stands before theirs."""

from __future__ import annotations

import re
from collections.abc import Sequence

SEPARATOR = "__"
"""Between the name of a server and that of its tool or prompt."""
MAX_NAME = 64
"""Characters of a whole name: interfaces of models take so many, some twice that."""
MAX_PREFIX = 32
"""Characters of it that the server's name may take."""
MAX_CUT = 65536
"""Names that were cut and are remembered."""

_OTHERS = re.compile(r"[^A-Za-z0-9-]+")


class SameName(ValueError):  # noqa: N818 — says what is wrong with the document
    """Two servers would have one name. The message is one line that says what to change."""


class Names:
    """The names of one document's servers.

    INVARIANT: a shown name means one server: no server's shown name has the separator in it, or ends in a
    part of it. It depends on the server's own name alone, so that it stays when other servers are added.

    Args:
        servers: their names in the document.

    Raises:
        SameName: two of them would be shown as one.
    """

    def __init__(self, servers: Sequence[str]) -> None:
        self._prefixes: dict[str, str] = {}
        self._servers: dict[str, str] = {}
        self._cut: dict[str, str] = {}
        for server in servers:
            prefix = prefix_of(server)
            if prefix in self._servers:
                raise SameName(
                    f"the servers {self._servers[prefix]} and {server} would both be shown to the client as "
                    f"{prefix}: give one of them another name"
                )
            self._prefixes[server] = prefix
            self._servers[prefix] = server

    def prefix(self, server: str) -> str:
        """The server's name as it is shown."""
        return self._prefixes[server]

    def beginnings(self) -> str:
        """How all shown names begin, for people and models."""
        return ", ".join(f"{prefix}{SEPARATOR}" for prefix in self._servers)

    def changed(self) -> dict[str, str]:
        """The servers that are not shown under their own name, and what they are shown as."""
        return {server: prefix for server, prefix in self._prefixes.items() if server != prefix}

    def shown(self, server: str, name: str) -> str:
        """The name of a server's tool or prompt as the client is shown it. Of one that would be too long, the
        end is replaced by digits that are made from the whole of it."""
        whole = f"{self._prefixes[server]}{SEPARATOR}{name}"
        if len(whole) <= MAX_NAME:
            return whole
        digits = _digits(name)
        short = f"{whole[: MAX_NAME - len(digits) - 1]}_{digits}"
        if short not in self._cut and len(self._cut) >= MAX_CUT:
            return whole
        self._cut[short] = name
        return short

    def owner(self, shown: str) -> tuple[str, str] | None:
        """The server, and the name there, of the tool or prompt of this shown name; None if no server is
        meant. A name that was cut is known once it was listed."""
        prefix, separator, name = shown.partition(SEPARATOR)
        server = self._servers.get(prefix) if separator else None
        return None if server is None else (server, self._cut.get(shown, name))


def prefix_of(server: str) -> str:
    """A server's name with letters, digits and `-`, and one `_` for all else: what every client and every
    interface of a model takes."""
    plain = _OTHERS.sub("_", server).strip("_") or "server"
    return plain if len(plain) <= MAX_PREFIX else f"{plain[: MAX_PREFIX - 9].rstrip('_')}_{_digits(server)}"


def _digits(text: str) -> str:
    # Seldom needed, and its import takes longer than most of what is done before the servers answer.
    from hashlib import blake2b

    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
