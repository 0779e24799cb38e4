"""The house has one direction of imports. This is the table of `docs/design.md`, proved."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "terse"

# A room may import the rooms of the layers below its own, and itself. Top to bottom.
LAYERS = (
    ("cli", "integrations"),
    ("tuning",),
    ("api", "review", "verification", "fluency", "serve", "shell"),
    ("editors", "rules"),
    ("capture", "clients", "report", "ledger", "telemetry", "proxy", "language"),
    ("listing", "workers"),
    ("plan",),
    ("tiers", "fields"),
    ("memory",),
    ("layout", "folds"),
    ("tokens", "payload"),
    ("diagnostic", "record"),
    ("guarantee", "hidden", "source"),
)
DEPTH = {room: depth for depth, rooms in enumerate(LAYERS) for room in rooms}

ONLY_ROOMS_THAT_IMPORT = {
    "cpex": {"integrations"},
    "fastmcp": {"integrations"},
    "litellm": {"integrations"},
    "lark": {"language"},
    "typer": {"cli"},
    "pygls": {"editors"},
    "lsprotocol": {"editors"},
    "httpx2": {"fluency", "proxy", "serve"},
    "jsonschema": {"shell"},
    "jwt": {"serve"},
    "prometheus_client": {"serve"},
    "redis": {"memory"},
    "starlette": {"serve"},
    "uvicorn": {"serve"},
    "opentelemetry": {"telemetry"},
}


def _room(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def _imported_modules(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: relative import; rooms are named in full"
            names.add(node.module)
            if node.module == "terse":
                names.update(f"terse.{alias.name}" for alias in node.names)
    return names


FILES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_room_imports_only_rooms_below_it(path: Path) -> None:
    """No file imports from a room of its own layer (but its own room) or of one above."""
    room = _room(path)
    if room in ("__init__", "__main__"):
        return

    assert room in DEPTH, f"{room} is no room of the house: name it in LAYERS"
    for module in _imported_modules(path):
        parts = module.split(".")
        if parts[0] != "terse" or len(parts) == 1 or parts[1] in (room, "__version__"):
            continue
        assert DEPTH[room] < DEPTH[parts[1]], f"{room} must not import {module}"


@pytest.mark.parametrize(("library", "rooms"), ONLY_ROOMS_THAT_IMPORT.items())
def test_a_library_has_its_rooms(library: str, rooms: set[str]) -> None:
    """lark stays in the language, typer in the cli: nothing else depends on their shapes."""
    importers = {
        _room(path)
        for path in FILES
        if any(module.split(".")[0] == library for module in _imported_modules(path))
    }

    assert importers <= rooms


def _private_names_of_others(path: Path) -> set[str]:
    """What begins with one underscore and is taken from another file of ours."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: set[str] = set()
    modules: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "terse":
            found.update(f"{node.module}.{each.name}" for each in node.names if _is_private(each.name))
            folder = PACKAGE.parent / (node.module or "").replace(".", "/")
            modules.update(
                each.asname or each.name
                for each in node.names
                if (folder / f"{each.name}.py").exists() or (folder / each.name).is_dir()
            )
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)):
            continue
        if node.value.id in modules and _is_private(node.attr):
            found.add(f"{node.value.id}.{node.attr}")
    return found


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_private_name_is_its_files_own(path: Path) -> None:
    """What begins with an underscore may be changed by whoever reads its file alone."""
    assert _private_names_of_others(path) == set()
