"""Writes the parts of the documentation that come from the program itself.

    python docs/generate.py            write them
    python docs/generate.py --check    exit 1 and name the stale ones

- In a block of kind `console` every line after `$ ` is run in docs/examples; what follows is its output.
- A block after `<!-- file: NAME -->` is the file NAME of docs/examples.
- What stands between `<!-- tiers -->` and `<!-- end -->` is written from the tiers.
- What stands between `<!-- metrics -->` or `<!-- attributes -->` and `<!-- end -->` is written from the names
  of telemetry.
- terse/language/tiers.json, what the language knows of the tiers, is written from the tiers.
- docs/commands.md and docs/terse.1 are written from the commands themselves, docs/codes/ from the table of
  codes, docs/words.md from the words of the language.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any

from typer.main import get_command

from terse.cli.command import Command
from terse.cli.main import COMMANDS, application
from terse.language import tiers, words
from terse.language.codes import CODES
from terse.report.page import index, markdown
from terse.telemetry import names
from terse.tiers import TIERS

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "docs" / "examples"
CODES_FOLDER = ROOT / "docs" / "codes"
PAGES = (
    ROOT / "README.md",
    ROOT / "docs" / "index.md",
    ROOT / "docs" / "guide.md",
    ROOT / "docs" / "benchmarks.md",
    ROOT / "docs" / "telemetry.md",
    ROOT / "docs" / "tune.md",
)
"""Pages that are written by hand, with generated blocks in them."""

COMMANDS_PAGE = """# Commands

Written from the commands themselves; `terse --help` and `terse COMMAND --help` say the same.

Exit codes: 0 done; 1 done, and there are findings; 2 not done (a wrong argument, a file that cannot be read).
Ctrl-C ends with 130, a closed pipe (`terse … | head`) with 141, both silently. A fault of terse itself is one
line and exit code 2; with `TERSE_TRACEBACK=1` in the environment it is the whole traceback.
"""

_CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"(<!-- file: (\S+) -->\n```[a-z]*\n).*?^```$", re.MULTILINE | re.DOTALL)

_TELEMETRY = re.compile(r"(<!-- (metrics|attributes) -->\n).*?(<!-- end -->)", re.DOTALL)
_TIERS = re.compile(r"(<!-- tiers -->\n).*?(<!-- end -->)", re.DOTALL)


def fresh(text: str) -> str:
    """The page with its generated blocks made anew."""
    text = _TIERS.sub(lambda block: f"{block[1]}\n{_tiers()}\n{block[2]}", text)
    text = _TELEMETRY.sub(lambda block: f"{block[1]}\n{_TABLES[block[2]]()}\n{block[3]}", text)
    text = _FILE.sub(lambda block: f"{block[1]}{_file(block[2])}```", text)
    return _CONSOLE.sub(lambda block: f"```console\n{_console(block[1])}```", text)


def _metrics() -> str:
    rows = [
        f"| `{each.name}` | {each.kind}, `{each.unit}` | {each.about} | "
        + ", ".join(f"`{name}`" for name in each.attributes)
        + " |"
        for each in names.METRICS
    ]
    return "\n".join(("| metric | kind, unit | what | split by |", "|---|---|---|---|", *rows, ""))


def _attributes() -> str:
    rows = [f"| `{each.name}` | {each.about} |" for each in names.ATTRIBUTES]
    return "\n".join(("| attribute | what |", "|---|---|", *rows, ""))


_TABLES = {"metrics": _metrics, "attributes": _attributes}


def _page(page: Path) -> str:
    return fresh(page.read_text(encoding="utf-8"))


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
        env={
            **os.environ,
            "PATH": path,
            "COLUMNS": "80",
            "LC_ALL": "C.UTF-8",
            "PYTHONUTF8": "1",
            "TERSE_LEDGER": "off",
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    text = done.stdout.decode()
    return text if not text or text.endswith("\n") else f"{text}\n"


def _tiers() -> str:
    """The table of all steps, in the order of the registry."""
    rows = []
    for tier in TIERS:
        options = " ".join(f"`{option.name}`: {option.sentence}" for option in tier.options)
        rows.append(f"| `{tier.name}` | {' '.join((tier.sentence, options)).strip()} |")
    return "\n".join(["| step | |", "|---|---|", *rows, ""])


def _file(name: str) -> str:
    return (EXAMPLES / name).read_text(encoding="utf-8")


def _commands() -> str:
    return "\n".join((COMMANDS_PAGE, *map(_command, COMMANDS)))


def _command(command: Command) -> str:
    """The section of docs/commands.md on one command."""
    lines = [f"## terse {command.name}", ""]
    if command.passes_arguments:
        lines += ["```text", output(f"terse {command.name} --help").rstrip(), "```", ""]
        return "\n".join(lines)
    lines += [command.sentence, "", "```text", command.example, "```", ""]
    for note in command.notes:
        lines += [note, ""]
    rows = [
        f"| {_words(parameter)} | {' '.join((parameter.help or '').split())} |"
        for parameter in get_command(application()).commands[command.name].params
    ]
    return "\n".join([*lines, *(("| | |", "|---|---|", *rows, "") if rows else ())])


def _manual() -> str:
    """The page for `man terse`."""
    if str(ROOT / "docs") not in sys.path:
        sys.path.append(str(ROOT / "docs"))
    from manual import page

    def options(command: Command) -> list[tuple[str, str]]:
        parameters = get_command(application()).commands[command.name].params
        return [
            (_words(parameter).replace("`", "").replace("\\|", "|"), " ".join((parameter.help or "").split()))
            for parameter in parameters
        ]

    return page(COMMANDS, options, lambda command: output(f"terse {command.name} --help"))


def _words_of_the_language() -> str:
    """Every word of the rule language, by where it stands."""
    sections = (
        ("Items", "What a file is made of.", words.ITEMS),
        ("Lines", "What blocks are made of.", words.LINES),
        ("Inside a line", "", words.INSIDE),
        ("Classes", "What a reader of a result can rely on, the strongest first.", words.CLASSES),
        ("Kinds", "What `payload is` and `field … is` ask for.", words.KINDS),
        ("Levels", "Of `compress`.", words.LEVELS),
        ("Units", "`2k` is 2,000; `1_500` is 1,500.", _UNITS),
    )
    parts = ["# The words of the language\n"]
    parts.append("Editors show the same sentences; the [guide](guide.md) says how they work together.\n")
    for title, sentence, listed in sections:
        parts += [f"## {title}\n", *([f"{sentence}\n"] if sentence else []), "| word | |", "|---|---|"]
        parts += [f"| `{word}` | {meaning.replace('|', chr(92) + '|')} |" for word, meaning in listed.items()]
        parts.append("")
    return "\n".join(parts)


_UNITS = {
    "tokens": "of the vocabulary that the proxy counts in.",
    "characters": "of the text.",
    "lines": "of the text.",
    "rows": "items of a list.",
    "bytes": "of the text in UTF-8; `kB` is 1,000 of them, `MB` 1,000,000.",
    "calls": "of the session, this one not counted.",
    "ms": "milliseconds; a `second` is 1,000 of them, a `minute` 60,000.",
    "%": "of the tokens of the result as it came.",
}


def _words(parameter: Any) -> str:
    """`--call CALL`, or `PAYLOAD` for an argument."""
    options = [option for option in parameter.opts if option.startswith("-")]
    # In a table a bar would end the cell.
    values = "\\|".join(type(parameter.default)) if isinstance(parameter.default, Enum) else ""
    word = values or (parameter.metavar or parameter.name.upper()).replace("|", "\\|")
    if not options:
        return f"`{word}`"
    value = "" if parameter.is_flag else f" {word}"
    return ", ".join(f"`{option}{value}`" for option in options)


GENERATED: dict[Path, Callable[[], str]] = {
    **{page: partial(_page, page) for page in PAGES},
    ROOT / "docs" / "commands.md": _commands,
    ROOT / "docs" / "terse.1": _manual,
    ROOT / "docs" / "words.md": _words_of_the_language,
    tiers.FILE: tiers.text,
    CODES_FOLDER / "README.md": partial(index, CODES),
    **{CODES_FOLDER / f"{code.code}.md": partial(markdown, code) for code in CODES},
}
"""Every page with generated parts, and what makes its text."""


def main(arguments: list[str]) -> int:
    check = arguments == ["--check"]
    stale = 0
    for page, make in GENERATED.items():
        text = make()
        if page.exists() and page.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        print(f"{'stale' if check else 'written'}: {page.relative_to(ROOT)}")
        if not check:
            page.parent.mkdir(exist_ok=True)
            page.write_text(text, encoding="utf-8")
    if stale and check:
        print("run `make docs` and read what it changes", file=sys.stderr)
    return 1 if stale and check else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
