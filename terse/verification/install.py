"""What is installed here, and whether its files are those of the installation's own list."""

from __future__ import annotations

import base64
import platform
import sys
from hashlib import sha256
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import terse
from terse.report.verified import Check, Installed

PACKAGES = ("jsonschema", "lark", "mcp", "msgspec", "pyyaml", "tiktoken", "tomlkit", "typer")
MOST_FINDINGS = 20
_NOT_SOURCES = ("__pycache__",)


def installed() -> tuple[Installed, Check]:
    """The versions, and whether each file of the package has the hash that the wheel's RECORD says."""
    folder = Path(terse.__file__).parent
    found = _own(folder)
    lines, wrong = ([], []) if found is None else _compared(found, folder)
    listed = len(lines)
    facts = Installed(
        version=terse.__version__,
        python=f"{platform.python_implementation()} {platform.python_version()}",
        platform=f"{platform.system()} {platform.machine()}",
        packages={name: version for name in PACKAGES if (version := _version(name)) is not None},
        folder=str(folder),
        files=listed,
        record=sha256("".join(sorted(lines)).encode()).hexdigest() if lines else "",
    )
    if not listed:
        said = f"it runs from {folder}, which is no unpacked wheel: there is no list to compare with"
        return facts, Check("install", None, said)
    # What stands in caches of compiled code is on no list.
    ran = "; what ran was compiled from them" if sys.pycache_prefix is not None else ""
    said = f"{listed} files have the hashes of the wheel's RECORD, and no others are there{ran}"
    if wrong:
        said = f"{len(wrong)} of {listed} files are not those of the wheel"
    return facts, Check("install", not wrong, said, tuple(wrong[:MOST_FINDINGS]))


def _own(folder: Path) -> Distribution | None:
    """The installation that this very package is of; None for a folder that is merely on the path."""
    try:
        found = distribution("terse")
    except PackageNotFoundError:
        return None
    listed = Path(str(found.locate_file("terse/__init__.py")))
    return found if listed.exists() and listed.resolve() == (folder / "__init__.py").resolve() else None


def _compared(found: Distribution, folder: Path) -> tuple[list[str], list[str]]:
    """A line for each file of the list, with its hash, and what is wrong with the files."""
    lines: list[str] = []
    wrong: list[str] = []
    listed: set[Path] = set()
    for path in found.files or ():
        if path.parts[:1] != ("terse",) or path.hash is None:
            continue
        lines.append(f"{path},{path.hash.mode}={path.hash.value}\n")
        file = Path(str(found.locate_file(path)))
        listed.add(file.resolve())
        try:
            data = file.read_bytes()
        except OSError as error:
            wrong.append(f"{path}: {error.strerror}")
            continue
        digest = base64.urlsafe_b64encode(sha256(data).digest()).rstrip(b"=").decode()
        if path.hash.mode != "sha256" or digest != path.hash.value:
            wrong.append(f"{path}: it is not the file of the wheel")
    if listed:
        wrong += [
            f"{file.relative_to(folder.parent)}: it is not in the wheel"
            for file in sorted(folder.rglob("*"))
            if file.is_file() and file.resolve() not in listed and not set(_NOT_SOURCES) & set(file.parts)
        ]
    return lines, wrong


def _version(name: str) -> str | None:
    try:
        return distribution(name).version
    except PackageNotFoundError:
        return None
