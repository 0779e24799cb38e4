"""What may follow on a command line of `terse cli`, for the scripts that `terse --install-completion` writes.

Nothing is started for it: the tools are those that were listed when the server last ran.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence

from terse.shell import known, line, place
from terse.shell.arguments import OWN, WHOLE
from terse.shell.flags import Flag, Flags, kebab
from terse.shell.tools import Tool, named, read
from terse.shell.unusable import Unusable

Item = tuple[str, str]
"""What may stand there, and what it is."""

SHELLS = ("bash", "zsh", "fish")
_OF_WORDS = frozenset("-_.,:/@%+=")
_OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
_HARMLESS = _OF_WORDS | {" "}


def answer(instruction: str, helps: Mapping[str, Callable[[], str]]) -> int | None:
    """Answer a shell that asks what may follow, and return the exit code; None where typer knows the answer.

    Args:
        instruction: `complete_bash`, and so on: the protocol of typer.
        helps: of each other command that reads its arguments itself, its help: it names the options.
    """
    shell = instruction.removeprefix("complete_")
    if shell not in SHELLS or instruction == shell:
        return None
    words, begun = _asked(shell)
    if words[:1] == ["cli"]:
        try:
            items = items_for(words[1:], begun)
        except Unusable:
            items = []
    elif words and words[0] in helps and begun.startswith("-") and "--" not in words:
        options = sorted(set(_OPTION.findall(helps[words[0]]())))
        items = [(option, "") for option in options if option.startswith(begun)]
    else:
        return None
    if shell == "fish" and os.environ.get("_TYPER_COMPLETE_FISH_ACTION") == "is-args":
        return 0 if items else 1
    sys.stdout.write(_written(shell, items))
    sys.stdout.flush()
    return 0


def items_for(words: Sequence[str], begun: str) -> list[Item]:
    """What may follow these words, and begins so.

    Args:
        words: those after `terse cli`, but the last one;
        begun: the last one, as far as it is written.
    """
    if "--" in words:
        return []
    found = _following(list(words), begun)
    # INVARIANT: what a server offers stands on the command line as it is, and no shell reads more into it.
    return [
        (value, said)
        for value, said in found
        if value.startswith(begun) and all(sign.isalnum() or sign in _OF_WORDS for sign in value)
    ]


def _following(words: list[str], begun: str) -> list[Item]:
    if words and words[-1] in line.WITH_VALUE and _tool_at(words) is None:
        return []
    asked = line.read(words)
    if asked.name is None:
        names = [(name, "") for name in known.entries(asked.values.get("--config", known.path()))]
        return [(option, "") for option in line.BEFORE_A_TOOL] if begun.startswith("-") else names
    tools = _listed(asked)
    if asked.tool is None:
        if begun.startswith("-"):
            return [(option, "") for option in line.BEFORE_A_TOOL]
        return [(_shown(tool, begun), _sentence(tool)) for tool in tools]
    flags = Flags(named(asked.tool, tools, asked.name).schema)
    given = asked.words
    flag, rest = _waiting(given, begun, flags)
    if flag is not None:
        values = flag.choices or (["true", "false"] if flag.kinds == ("boolean",) else [])
        return [(f"{rest}{value}", "") for value in values]
    return _flags(flags, given, begun) if begun.startswith("-") or not begun else []


def _flags(flags: Flags, given: Sequence[str], begun: str) -> list[Item]:
    taken = {flag for word in given if word.startswith("--") and (flag := flags.named(word[2:])) is not None}
    made: list[Item] = []
    for flag in flags.all:
        if flag in taken and flag.kinds != ("array",):
            continue
        if len(flag.path) > 1 and not begun.startswith(f"{flag.name.rpartition('.')[0]}."):
            # Members come when their object is written.
            continue
        said = flag.schema.get("description")
        made.append((flag.name, said if isinstance(said, str) else ""))
        if flag.is_switch:
            made.append((f"--no-{flag.name[2:]}", ""))
    own = [(name, "") for name in (*OWN, WHOLE) if name.startswith("--")]
    return made + ([item for item in own if flags.named(item[0][2:]) is None] if begun else [])


def _waiting(given: Sequence[str], begun: str, flags: Flags) -> tuple[Flag | None, str]:
    """The flag whose value is to be written, and what stands before it in the same word."""
    name, equals, _ = begun.partition("=")
    if equals and name.startswith("--"):
        return flags.named(name[2:]), f"{name}="
    last = given[-1] if given else ""
    if last == "=" and len(given) > 1:
        # bash parts words at a `=`.
        return flags.named(given[-2].lstrip("-")), ""
    flag = flags.named(last[2:]) if last.startswith("--") else None
    return (None, "") if flag is None or flag.is_switch else (flag, "")


def _tool_at(words: Sequence[str]) -> str | None:
    try:
        return line.read(words).tool
    except Unusable:
        return None


def _listed(asked: line.Line) -> list[Tool]:
    listed = place.read(asked.source().tools)
    return [] if listed is None else read(listed)


def _shown(tool: Tool, begun: str) -> str:
    """As it is written so far: with dashes, unless the user writes the tool's own name."""
    return tool.name if not kebab(tool.name).startswith(begun) else kebab(tool.name)


def _sentence(tool: Tool) -> str:
    from terse.listing.sentence import first_sentence

    return first_sentence(tool.description)


def _asked(shell: str) -> tuple[list[str], str]:
    """The words before the one that is being written, and that one; without `terse`."""
    if shell == "bash":
        words = _split(os.environ.get("COMP_WORDS", ""))
        at = os.environ.get("COMP_CWORD", "")
        number = int(at) if at.isdigit() else len(words)
        begun = words[number] if number < len(words) else ""
        return words[1:number], "" if begun == "=" else begun
    text = os.environ.get("_TYPER_COMPLETE_ARGS", "")
    words = _split(text)[1:]
    if words and not text.endswith(" "):
        return words[:-1], words[-1]
    return words, ""


def _split(text: str) -> list[str]:
    lexer = shlex.shlex(text, posix=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    words: list[str] = []
    try:
        words.extend(lexer)
    except ValueError:
        # A quote that is still open.
        words.append(lexer.token)
    return words


def _written(shell: str, items: list[Item]) -> str:
    if shell == "bash":
        return "\n".join(value for value, _ in items)
    if shell == "fish":
        return "\n".join(f"{value}\t{_one_line(said)}" if said else value for value, said in items)
    if not items:
        return "_files"
    rows = (
        f'"{_zsh(value)}":"{_zsh(_one_line(said))}"' if said else f'"{_zsh(value)}"' for value, said in items
    )
    return "_arguments '*: :((" + "\n".join(rows) + "))'"


def _one_line(said: str) -> str:
    # INVARIANT: nothing that a server says can be a command: zsh evaluates what it is given, twice.
    words = " ".join("".join(sign if sign.isalnum() or sign in _HARMLESS else " " for sign in said).split())
    return words if len(words) <= 100 else f"{words[:100]}…"


def _zsh(text: str) -> str:
    return text.replace(":", r"\\:")
