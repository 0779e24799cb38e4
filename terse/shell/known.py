"""The user's own servers: a document like those of MCP clients, below $XDG_CONFIG_HOME/terse."""

from __future__ import annotations

import json
import os

from terse.shell.unusable import Unusable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SECTIONS = ("mcpServers", "servers")
MAX_BYTES = 8_000_000


def path() -> str:
    """Where the document is, whether or not there is one."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(base):
        base = os.path.expanduser("~/.config")
    return os.path.join(base, "terse", "servers.json")


def entries(document: str) -> dict[str, Any]:
    """The entries of a document by name, as far as it can be read as JSON: for a look at the names.

    Args:
        document: a path, or the JSON itself.
    """
    try:
        if document.startswith("{"):
            found = json.loads(document)
        else:
            with open(document, "rb") as file:
                found = json.loads(file.read(MAX_BYTES).decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return {}
    section = (
        next((found[each] for each in SECTIONS if each in found), None) if isinstance(found, dict) else {}
    )
    return section if isinstance(section, dict) else {}


def keep(name: str, entry: dict[str, Any]) -> bool:
    """Put a server into the user's document; False: it is there already, and the same.

    Raises:
        Unusable: there is another one of that name, or the document cannot be written.
    """
    document = _document()
    servers = _section(document)
    if name in servers:
        if servers[name] == entry:
            return False
        raise Unusable(
            f"there is another server {name} in {path()}: take another name, or forget that one: "
            f"terse cli {name} --forget"
        )
    servers[name] = entry
    _write(document)
    return True


def forget(name: str) -> bool:
    """Take a server out of the user's document; whether it was there.

    Raises:
        Unusable: it cannot be written.
    """
    document = _document()
    if _section(document).pop(name, None) is None:
        return False
    _write(document)
    return True


def _document() -> dict[str, Any]:
    try:
        with open(path(), "rb") as file:
            found = json.loads(file.read(MAX_BYTES + 1).decode("utf-8-sig"))
    except FileNotFoundError:
        return {"mcpServers": {}}
    except OSError as error:
        raise Unusable(f"cannot read {path()}: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise Unusable(f"{path()} is not JSON: put it right, or write the server into it by hand") from None
    if not isinstance(found, dict) or not isinstance(_section(found), dict):
        raise Unusable(f'{path()} has no servers by name: write {{"mcpServers": {{}}}}')
    return found


def _section(document: dict[str, Any]) -> dict[str, Any]:
    name = next((each for each in SECTIONS if each in document), SECTIONS[0])
    section: dict[str, Any] = document.setdefault(name, {})
    return section


def _write(document: dict[str, Any]) -> None:
    target = os.path.realpath(path())
    new = f"{target}.{os.getpid()}.new"
    try:
        os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
        # For the user alone: entries have tokens in them.
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "w", encoding="utf-8") as file:
            json.dump(document, file, indent=2, ensure_ascii=False)
            file.write("\n")
        os.replace(new, target)
    except OSError as error:
        raise Unusable(f"cannot write {path()}: {error.strerror}") from None
