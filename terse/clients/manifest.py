"""What was put into which file: by it, `uninstall` gives back the bytes that were there before."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path

from terse.clients.file import Refused, write_private

VERSION = 1


@dataclass(slots=True)
class Wrapping:
    """One server: its entry before and after, as they are written."""

    before: str
    after: str
    adds_args: bool


@dataclass(slots=True)
class Record:
    """One file.

    Attributes:
        backup: the file as it was before anything was put in.
        before: the hash of that; empty where there was terse in it already.
        after: the hash of the file as terse last wrote it; nobody else did while it holds.
        older: backups of before other programs wrote.
        servers: by the keys that lead to them, in JSON.
    """

    backup: str
    before: str
    after: str
    older: list[str] = field(default_factory=list)
    servers: dict[str, Wrapping] = field(default_factory=dict)


def digest(data: bytes) -> str:
    """The hash that the manifest has of a file."""
    return sha256(data).hexdigest()


class Manifest:
    """The records of all files, by path.

    Raises:
        Refused: the file is there and cannot be understood.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.records: dict[str, Record] = {}
        try:
            stored = json.loads(path.read_bytes())
            if stored["version"] != VERSION:
                raise Refused(f"{path} is of another version of terse")
            for name, each in stored["files"].items():
                servers = {key: Wrapping(**wrapping) for key, wrapping in each.pop("servers").items()}
                self.records[name] = Record(**each, servers=servers)
        except FileNotFoundError:
            return
        except OSError as error:
            raise Refused(f"cannot read {path}: {error.strerror}") from None
        except (ValueError, KeyError, TypeError, AttributeError):
            raise Refused(f"{path} is damaged: move it away; backups stand beside the files") from None

    def save(self) -> None:
        """Write it at once.

        Raises:
            Refused: it cannot be written.
        """
        files = {name: asdict(record) for name, record in self.records.items()}
        new = self._path.with_suffix(f".{os.getpid()}.new")
        try:
            write_private(new, json.dumps({"version": VERSION, "files": files}, indent=1).encode())
            os.replace(new, self._path)
        except OSError as error:
            new.unlink(missing_ok=True)
            raise Refused(f"cannot write {self._path}: {error.strerror}") from None


def place(home: Path, environment: Mapping[str, str]) -> Path:
    """Where the manifest is: below the user's state folder (XDG)."""
    named = environment.get("XDG_STATE_HOME", "")
    state = Path(named) if named.startswith("/") else home / ".local" / "state"
    return state / "terse" / "installed.json"


@contextmanager
def held(path: Path) -> Iterator[Manifest]:
    """The manifest, with no other terse at it meanwhile.

    Raises:
        Refused: it cannot be read or written.
    """
    import fcntl

    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise Refused(f"cannot write {path}: {error.strerror}") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield Manifest(path)
    finally:
        os.close(descriptor)
