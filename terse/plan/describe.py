"""A plan's statements in the words of the rule language, as traces and reports show them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from terse.fields.selector import CodeBlocks, Every, Everything, LinesMatching, Path, Target, TerminalCodes
from terse.hidden import quoted
from terse.plan.model import (
    ArgumentIs,
    ArgumentMatches,
    ArgumentPresence,
    CallRepeats,
    Condition,
    FieldIs,
    FieldLine,
    FieldSize,
    FitIn,
    Guard,
    Keep,
    Pattern,
    PayloadHas,
    PayloadIs,
    PayloadSize,
    Quantity,
    Remove,
    SessionSize,
    SetAside,
    Shorten,
    Step,
    ToolsBlock,
)
from terse.tiers.spec import Option

_BARE_KEY = re.compile(r"[A-Za-z0-9_$@*-]+")
_BARE_TOOL = re.compile(r"[A-Za-z0-9_.*-]+")
_BARE_WORD = re.compile(r"[A-Za-z0-9_.+-]+")


def pattern(of: Pattern) -> str:
    """`server/tool`."""
    return "/".join(half if _BARE_TOOL.fullmatch(half) else quoted(half) for half in (of.server, of.tool))


def patterns(of: Iterable[Pattern]) -> str:
    """`github/*, ci/*`."""
    return ", ".join(map(pattern, of))


def quantity(of: Quantity) -> str:
    """`2k tokens`, `64 kB`, `25%`, `15 ms`, `1 line`."""
    amount, unit = of.amount, of.unit
    match unit:
        case "percent":
            return f"{amount}%"
        case "ms":
            return f"{amount} ms"
        case "bytes":
            for size, name in ((1_000_000, "MB"), (1000, "kB")):
                if amount and amount % size == 0:
                    return f"{amount // size} {name}"
    return f"{_number(amount)} {unit.removesuffix('s') if amount == 1 else unit}"


def target(of: Target) -> str:
    """`issues.labels.name`, `every id`, `lines matching /re/`."""
    match of:
        case Path(keys):
            return path(keys)
        case Every(keys):
            return f"every {path(keys)}"
        case Everything():
            return "everything"
        case LinesMatching(regex):
            return f"lines matching /{_slashed(regex)}/"
        case CodeBlocks():
            return "code blocks"
        case TerminalCodes():
            return "terminal codes"


def targets(of: Iterable[Target]) -> str:
    return ", ".join(map(target, of))


def path(keys: Iterable[str]) -> str:
    """`issues."odd key".id`."""
    return ".".join(key if _BARE_KEY.fullmatch(key) else quoted(key) for key in keys)


def condition(of: Condition) -> str:
    """The whole line: `when payload over 2k tokens`."""
    match of:
        case PayloadIs(kinds):
            said = f"payload is {' or '.join(kinds)}"
        case PayloadHas(selectors):
            said = f"payload has {targets(selectors)}"
        case PayloadSize(comparison, size):
            said = f"payload {comparison} {quantity(size)}"
        case FieldIs(keys, kinds):
            said = f"field {path(keys)} is {' or '.join(kinds)}"
        case FieldSize(keys, comparison, size):
            said = f"field {path(keys)} {comparison} {quantity(size)}"
        case ArgumentIs(name, values):
            said = f"argument {_word(name)} is {', '.join(map(quoted, values))}"
        case ArgumentMatches(name, glob):
            said = f"argument {_word(name)} matches {quoted(glob)}"
        case ArgumentPresence(name, present):
            said = f"argument {_word(name)} {'exists' if present else 'is missing'}"
        case CallRepeats(None):
            said = "call repeats"
        case CallRepeats(within):
            said = f"call repeats within {within} call{'' if within == 1 else 's'}"
        case SessionSize(comparison, tokens):
            said = f"session {comparison} {quantity(Quantity(tokens, 'tokens'))}"
    return f"when {said}"


def field_line(of: FieldLine) -> str:
    """The line; of `fit in` its first line."""
    match of:
        case Keep(selectors):
            return f"keep {targets(selectors)}"
        case Remove(selectors, over):
            return f"remove {targets(selectors)}{_over(over)}"
        case SetAside(selectors, over):
            return f"set aside {targets(selectors)}{_over(over)}"
        case Shorten(selectors, to, end, remove_rest):
            which = "last " if end == "last" else ""
            both = " from both ends" if end == "both" else ""
            rest = " and remove the rest" if remove_rest else ""
            return f"shorten {targets(selectors)} to {which}{quantity(to)}{both}{rest}"
        case FitIn(tokens):
            return f"fit in {quantity(Quantity(tokens, 'tokens'))}"


def step(of: Step, options: Iterable[Option] = ()) -> str:
    """`dedup(window 20 calls)`; options that have their default are not named.

    Args:
        options: the options of the step's tier.
    """
    declared = {option.name: option for option in options}
    named = []
    for name, value in of.options.items():
        option = declared.get(name)
        if option is not None and option.default == value:
            continue
        unit = f" {option.unit}" if option is not None and option.unit else ""
        named.append(f"{name} {value if isinstance(value, int) else quoted(value)}{unit}")
    return f"{of.tier}({', '.join(named)})" if named else of.tier


def guard(of: Guard) -> str:
    """What a guard restricts, in a phrase: `requires recoverable; keeps every id`."""
    said = []
    if of.require:
        said.append(f"requires {of.require}")
    if of.keep:
        said.append(f"keeps {', '.join(targets(line.targets) for line in of.keep)}")
    if of.never_store:
        said.append("never stores")
    if of.never_use:
        said.append(f"never uses {', '.join(of.never_use)}")
    return "; ".join(said) or "restricts nothing"


def tools_lines(of: ToolsBlock) -> list[str]:
    """The lines of a `tools` block: `compress low for get_*`, `hide delete_*`."""
    said = [
        f"compress {line.level}" + (f" for {_tools(line.on)}" if line.on != of.on else "")
        for line in of.compress
    ]
    said += [f"present {line.how}" for line in of.present]
    said += [f"show {_tools(line.tools)}" for line in of.show]
    said += [f"hide {_tools(line.on)}" for line in of.hide]
    said += [f"rename {_tools(line.on)} to {_tool(line.to)}" for line in of.rename]
    return said


def _tools(of: Iterable[Pattern]) -> str:
    return ", ".join(dict.fromkeys(_tool(each.tool) for each in of))


def _tool(name: str) -> str:
    return name if _BARE_TOOL.fullmatch(name) else quoted(name)


def _over(of: Quantity | None) -> str:
    return f" over {quantity(of)}" if of else ""


def _number(amount: int) -> str:
    return f"{amount // 1000}k" if amount and amount % 1000 == 0 else str(amount)


def _word(name: str) -> str:
    return name if _BARE_WORD.fullmatch(name) else quoted(name)


def _slashed(regex: str) -> str:
    # An escape is two characters and stays; a bare slash would end the regex.
    return re.sub(r"(\\.)|/", lambda found: found.group(1) or r"\/", regex)
