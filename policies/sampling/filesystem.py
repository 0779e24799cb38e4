"""server-filesystem: listings, trees, and files of this repository."""

from __future__ import annotations

from collections.abc import Iterator

from sampling.facts import Facts, Sample, pretty, sha_of

ROOT = "/home/dev/terse"


def samples(facts: Facts) -> Iterator[Sample]:
    paths = [path for path, _, _ in facts.files]
    sizes = {path: size for path, _, size in facts.files}
    yield "filesystem/list_directory/root.txt", "\n".join(_listing(paths, "")) + "\n"
    yield "filesystem/list_directory_with_sizes/fields.txt", _with_sizes(sizes, "terse/fields")
    yield "filesystem/directory_tree/all.json", pretty(_tree(paths, ""))
    python = [f"{ROOT}/{path}" for path in paths if path.endswith(".py")]
    yield "filesystem/search_files/python.txt", "\n".join(python) + "\n"
    yield "filesystem/read_text_file/source.txt", facts.text("terse/source.py")
    yield "filesystem/read_text_file/lock.txt", _lock_file(facts)
    yield "filesystem/read_text_file/guide.txt", facts.text("docs/design.md")
    read = ("terse/guarantee.py", "terse/diagnostic.py", "terse/payload/kind.py")
    yield (
        "filesystem/read_multiple_files/three.txt",
        "\n---\n".join(f"{ROOT}/{path}:\n{facts.text(path)}" for path in read),
    )


def _children(paths: list[str], folder: str) -> list[tuple[str, bool]]:
    """Names directly below a folder (`` is the root), and whether each is a folder."""
    inside = [path[len(folder) :] for path in paths if path.startswith(folder)]
    return sorted({(path.split("/")[0], "/" in path) for path in inside})


def _listing(paths: list[str], folder: str) -> Iterator[str]:
    for name, is_folder in _children(paths, folder):
        yield f"[{'DIR' if is_folder else 'FILE'}] {name}"


def _with_sizes(sizes: dict[str, int], folder: str) -> str:
    files = {path.rsplit("/", 1)[1]: size for path, size in sizes.items() if path.startswith(f"{folder}/")}
    lines = [f"[FILE] {name:30} {f'{size / 1024:.2f} KB':>10}" for name, size in sorted(files.items())]
    total = f"Total: {len(files)} files, 0 directories\nCombined size: {sum(files.values()) / 1024:.2f} KB"
    return "\n".join(lines) + f"\n\n{total}\n"


def _tree(paths: list[str], folder: str) -> list[dict[str, object]]:
    tree: list[dict[str, object]] = []
    for name, is_folder in _children(paths, folder):
        if is_folder:
            tree.append({"name": name, "type": "directory", "children": _tree(paths, f"{folder}{name}/")})
        else:
            tree.append({"name": name, "type": "file"})
    return tree


def _lock_file(facts: Facts) -> str:
    """A lock file in uv's shape: one package a module, depending on the others of its room."""
    lines = ["version = 1", 'requires-python = ">=3.11"', ""]
    for module in facts.modules:
        name = module.path.removesuffix(".py").replace("/", "-").replace("_", "-")
        others = [other for other in facts.modules if other.room == module.room and other is not module]
        lines += ["[[package]]", f'name = "{name}"', 'version = "0.1.0"']
        lines += ['source = { registry = "https://pypi.org/simple" }', "dependencies = ["]
        lines += [
            f'    {{ name = "{other.path.removesuffix(".py").replace("/", "-")}" }},' for other in others[:3]
        ]
        url = f"https://files.pythonhosted.org/packages/{sha_of(name)[:8]}/{name}-0.1.0.tar.gz"
        lines += [
            "]",
            f'sdist = {{ url = "{url}", hash = "sha1:{sha_of(module.path)}", size = {module.size} }}',
            "",
        ]
    return "\n".join(lines)
