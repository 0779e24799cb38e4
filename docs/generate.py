"""Writes the parts of the documentation that come from the program itself.

    python docs/generate.py            write them
    python docs/generate.py --check    exit 1 and name the stale ones

- In a block of kind `console` every line after `$ ` is run in docs/examples; what follows is its output.
- A block after `<!-- file: NAME -->` is the file NAME of docs/examples.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "docs" / "examples"
PAGES = (
    ROOT / "README.md",
    ROOT / "docs" / "guide.md",
    ROOT / "docs" / "commands.md",
)
"""Pages that are written by hand, with generated blocks in them."""

_CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"(<!-- file: (\S+) -->\n```[a-z]*\n).*?^```$", re.MULTILINE | re.DOTALL)


def generated() -> Iterator[tuple[Path, str]]:
    """Every page with generated parts, and what it should say."""
    for page in PAGES:
        yield page, fresh(page.read_text(encoding="utf-8"))


def fresh(text: str) -> str:
    """The page with its generated blocks made anew."""
    text = _FILE.sub(lambda block: f"{block[1]}{_file(block[2])}```", text)
    return _CONSOLE.sub(lambda block: f"```console\n{_console(block[1])}```", text)


def commands(block: str) -> list[str]:
    """The command lines of a `console` block."""
    return [line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ ")]


def _console(block: str) -> str:
    return "\n".join(f"$ {command}\n{output(command)}" for command in commands(block))


def output(command: str) -> str:
    """What a command line prints in docs/examples, on 80 columns."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=EXAMPLES,
        env={**os.environ, "PATH": path, "COLUMNS": "80", "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    text = done.stdout.decode()
    return text if not text or text.endswith("\n") else f"{text}\n"


def _file(name: str) -> str:
    return (EXAMPLES / name).read_text(encoding="utf-8")


def main(arguments: list[str]) -> int:
    stale = [
        (page, text)
        for page, text in generated()
        if not page.exists() or page.read_text(encoding="utf-8") != text
    ]
    for page, text in stale:
        print(f"{'stale' if arguments == ['--check'] else 'written'}: {page.relative_to(ROOT)}")
        if arguments != ["--check"]:
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(text, encoding="utf-8")
    if stale and arguments == ["--check"]:
        print("run `make docs` and read what it changes", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
