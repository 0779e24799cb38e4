"""A reader of folded text, written from docs/format-text.md and nothing else.

INVARIANT: nothing of `terse` is imported here. It reads, it does not check.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date

MARK = re.compile(r"\[terse: (\d+) (CRLF )?lines?((?:; .*)?)\]")
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
NAME = re.compile(r"([A-Z]+): (.*)")
TREES = {
    "(│\xa0\xa0 ├──)": ("│\xa0\xa0 ", "    ", ("├── ",), ("└── ",)),
    "(│ ├──)": ("│   ", "    ", ("├── ",), ("└── ",)),
    "(| |--)": ("|   ", "    ", ("|-- ",), ("`-- ",)),
    "(│ ├─)": ("│  ", "   ", ("├─ ",), ("└─ ",)),
    "(│ ├─┬)": ("│ ", "  ", ("├── ", "├─┬ "), ("└── ", "└─┬ ")),
    "(│├──)": ("│ ", "  ", ("├── ",), ("└── ",)),
    "(| +--)": ("| ", "  ", ("+-- ",), ("`-- ",)),
}

Lines = list[str]


def read(text: str) -> str:
    """The text that a folded text stands for; any other text as it is."""
    mark, _, body = text.partition("\n")
    found = MARK.fullmatch(mark)
    if not found:
        return text
    lines = body.split("\n")
    ended = lines[-1] == ""
    if ended:
        lines.pop()
    for phrase in reversed(phrases(found[3])):
        lines = unfold(phrase, lines)
    end = "\r\n" if found[2] else "\n"
    return end.join(lines) + (end if ended else "")


def declared(text: str) -> int:
    """How many lines the original has: what the mark line says."""
    return int(MARK.match(text)[1])


def phrases(text: str) -> list[str]:
    # Phrases hold no "; ", so that they can be told apart.
    return text.removeprefix("; ").split("; ")


def unfold(phrase: str, lines: Lines) -> Lines:
    for begins, form in FORMS:
        if phrase.startswith(begins):
            return form(phrase, lines)
    raise ValueError(f"no form for {phrase!r}")


def escaped(line: str) -> str | None:
    """The line that stands behind `…`, or None where it is no escaped line."""
    return line[1:] if line.startswith("…") else None


def legend(lines: Lines) -> tuple[dict[str, str], Lines]:
    """The entries up to the empty line, and what follows it."""
    end = lines.index("")
    return dict(NAME.fullmatch(line).groups() for line in lines[:end]), lines[end + 1 :]


def counts(_: str, lines: Lines) -> Lines:
    made: Lines = []
    for line in lines:
        if single := re.fullmatch(r"\[×(\d+)\]", line):
            made += made[-1:] * (int(single[1]) - 1)
        elif several := re.fullmatch(r"\[last (\d+) lines ×(\d+)\]", line):
            made += made[-int(several[1]) :] * (int(several[2]) - 1)
        else:
            plain = escaped(line)
            made.append(line if plain is None else plain)
    return made


def tree(phrase: str, lines: Lines) -> Lines:
    goes_on, ends, branch, last = TREES[phrase[phrase.index("(") :]]
    depths = [0 if escaped(line) is not None else len(line) - len(line.lstrip(" ")) for line in lines]

    def more(at: int, depth: int) -> bool:
        """Whether another branch of that depth follows before a shallower one."""
        for below in depths[at + 1 :]:
            if below < depth:
                return False
            if below == depth:
                return True
        return False

    made: Lines = []
    open_: list[bool] = []
    for at, (line, depth) in enumerate(zip(lines, depths, strict=True)):
        if not depth:
            plain = escaped(line)
            made.append(line if plain is None else plain)
            continue
        goes = more(at, depth)
        has_branches = at + 1 < len(lines) and depths[at + 1] > depth
        open_ = [*open_[: depth - 1], goes]
        signs = branch if goes else last
        sign = signs[-1] if has_branches else signs[0]
        made.append("".join(goes_on if on else ends for on in open_[:-1]) + sign + line[depth:])
    return made


def blame(_: str, lines: Lines) -> Lines:
    names, lines = legend(lines)
    rows = []
    current = ""
    for line in lines:
        plain = escaped(line)
        found = None if plain is not None else re.match(r"(?:([A-Z]+) )?(\d+)(\).*)", line, re.S)
        if found:
            current = found[1] or current
            rows.append((current, found[2], found[3]))
        else:
            rows.append(("", "", plain))
    width = max(len(number) for _, number, _ in rows)
    return [f"{names[name]} {number.rjust(width)}{rest}" if name else rest for name, number, rest in rows]


def history(_: str, lines: Lines) -> Lines:
    names, lines = legend(lines)
    made: Lines = []
    above = ""
    for line in lines:
        head = re.fullmatch(r"commit (\S+)(?: merges (.*?))? by ([A-Z]+), ((\w+) (\d+) \S+)( .*)?", line)
        if head:
            above = head[7] or above
            day = date(int(above.split()[0]), MONTHS.index(head[5]) + 1, int(head[6]))
            made.append(f"commit {head[1]}")
            made += [f"Merge: {head[2]}"] if head[2] else []
            made += [f"Author: {names[head[3]]}", f"Date:   {DAYS[day.weekday()]} {head[4]}{above}", ""]
        elif line == "[sum]":
            made.append(summed(made))
        else:
            plain = escaped(line)
            made.append(line if plain is None else plain)
    return made


def summed(lines: Lines) -> str:
    files = added = taken = 0
    for line in reversed(lines):
        found = re.fullmatch(r" .* \|\s+\d+ ?(\+*)(-*)", line)
        if not found:
            break
        files, added, taken = files + 1, added + len(found[1]), taken + len(found[2])
    parts = [f" {files} file{'s' * (files != 1)} changed"]
    if added or not taken:
        parts.append(f" {added} insertion{'s' * (added != 1)}(+)")
    if taken or not added:
        parts.append(f" {taken} deletion{'s' * (taken != 1)}(-)")
    return ",".join(parts)


def samples(_: str, lines: Lines) -> Lines:
    made: Lines = []
    metric = ""
    for line in lines:
        plain = escaped(line)
        if plain is not None:
            made.append(plain)
        elif heading := re.fullmatch(r"# (\S+) (\S+): (.*)", line):
            metric = heading[1]
            made += [f"# HELP {metric} {heading[3]}", f"# TYPE {metric} {heading[2]}"]
        else:
            made.append(metric + line if line.startswith(("{", "_", " ")) else line)
    return made


def references(_: str, lines: Lines) -> Lines:
    end = lines.index("")
    entries = [line.split(" = ", 1) for line in lines[:end]]
    lines = lines[end + 1 :]
    for sign, words in reversed(entries):
        if sign.endswith("/"):
            lines = [line.replace(sign, words) for line in lines]
    for sign, words in entries:
        if sign.endswith("N"):
            before = re.split(r"(?<![A-Z0-9])N(?![A-Za-z0-9])", words)
            lines = [
                re.sub(re.escape(sign[0]) + r"(\d{1,7})", lambda found: found[1].join(before), line)  # noqa: B023 — used at once
                for line in lines
            ]
    return lines


def headings(_: str, lines: Lines) -> Lines:
    made: Lines = []
    heading = ""
    for line in lines:
        plain = escaped(line)
        if line == "…":
            heading = ""
        elif plain is not None:
            made.append(plain)
        elif line.endswith("…"):
            heading = line[:-1]
        else:
            made.append(line if line in ("", "--") else heading + line)
    return made


def lists(_: str, lines: Lines) -> Lines:
    made: Lines = []
    for line in lines:
        plain = escaped(line)
        if plain is not None:
            made.append(plain)
        elif line.startswith(", "):
            made[-1] += line
        else:
            made.append(line)
    return made


def edges(_: str, lines: Lines) -> Lines:
    edge = int(lines[0].removeprefix("right edge at "))
    made: Lines = []
    for line in lines[2:]:
        plain = escaped(line)
        found = None if plain is not None else re.fullmatch(r"(.*) \[(\d+)%\]", line, re.S)
        if found:
            percent = f"[{found[2].rjust(3)}%]"
            line = found[1] + (" " * max(1, edge - len(found[1]) - len(percent))) + percent
        made.append(line if plain is None else plain)
    return made


def patterns(phrase: str, lines: Lines) -> Lines:
    names, lines = legend(lines)
    main = "without letter" in phrase
    made: Lines = []
    above: Lines = []
    for line in lines:
        plain = escaped(line)
        if plain is not None or line == "":
            made.append(plain or "")
            continue
        first, _, rest = line.partition(" ")
        if first in names:
            pattern, values = names[first], rest
        elif main:
            pattern, values = names["A"], line
        else:
            made.append(line)
            continue
        pieces = re.split(r"\{(?:([<>])(\d+))?\}", pattern)
        slots = len(pieces) // 3
        row = values.split(" ", slots - 1) if slots else []
        above = row = [above[at] if value == '"' else value for at, value in enumerate(row)]
        out = pieces[0]
        for at, value in enumerate(row):
            side, width = pieces[3 * at + 1], int(pieces[3 * at + 2] or 0)
            out += (value.rjust(width) if side == ">" else value.ljust(width)) + pieces[3 * at + 3]
        made.append(out)
    return made


def rows(phrase: str, lines: Lines) -> Lines:
    layouts = [layout.split(" = ", 1) for layout in split_layouts(lines[0])]
    lines = lines[1:]
    names: dict[str, str] = {}
    if "a letter stands" in phrase:
        names, lines = legend(lines)
    by_count: dict[int, tuple[list[tuple[str, bool]], str, str]] = {}
    for left, right in layouts:
        columns = [(name, bool(long)) for name, long in re.findall(r"\{([^{}…]+)(…?)\}", left)]
        between = re.split(r"\{[^{}]+\}", left)[1:-1]
        by_count[len(columns)] = (columns, between[0] if len(set(between)) == 1 else "", right)
    made: Lines = []
    for line in lines:
        plain = escaped(line)
        made.append(row_line(line, list(by_count.values()), names) if plain is None else plain)
    return made


def row_line(line: str, layouts: list[tuple[list[tuple[str, bool]], str, str]], names: dict[str, str]) -> str:
    for columns, separator, right in layouts:
        values = cut(line, columns, separator)
        if len(values) == len(columns):
            pairs = zip(columns, values, strict=True)
            known = {name: names.get(value, value) for (name, _), value in pairs}
            return re.sub(r"\{([^{}…]+)…?\}", lambda found: known[found[1]], right)  # noqa: B023 — used at once
    raise ValueError(f"a row of no layout: {line!r}")


def split_layouts(line: str) -> list[str]:
    return re.split(r" or (?=\{[^{}]+\})", line)


def cut(line: str, columns: list[tuple[str, bool]], separator: str) -> Lines:
    long = [at for at, (_, is_long) in enumerate(columns) if is_long]
    if not long:
        return line.split(separator) if separator else [line]
    before, after = long[0], len(columns) - 1 - long[-1]
    start = line.split(" ", before)
    end = start[-1].rsplit(" ", after)
    # One column between holds whatever stands there.
    middle = end[0].split(", ") if long[-1] > long[0] else end[:1]
    return [*start[:-1], *middle, *end[1:]]


def columns(_: str, lines: Lines) -> Lines:
    shape, lines = lines[0], lines[2:]
    slots = re.findall(r"\{(\d*)([<>]?)(\d*)\}", shape)
    literals = re.split(r"\{\d*[<>]?\d*\}", shape)
    parsed: list[Lines | str] = []
    above: Lines = []
    for line in lines:
        plain = escaped(line)
        if plain is not None or line == "":
            parsed.append(plain or "")
            continue
        values = list(row_values(line, len(slots)))
        above = values = [above[at] if value == '"' else value for at, value in enumerate(values)]
        parsed.append(values)
    made: Lines = []
    for block in blocks_of(parsed, lines):
        shown = [row for row in block if isinstance(row, list)]
        for row in block:
            if isinstance(row, str):
                made.append(row)
                continue
            order = [int(number) - 1 if number else at for at, (number, _, _) in enumerate(slots)]
            out = literals[0]
            for at, (_, side, width) in enumerate(slots):
                wide = int(width) if width else max(len(other[order[at]]) for other in shown) if side else 0
                value = row[order[at]]
                out += (value.rjust(wide) if side == ">" else value.ljust(wide)) + literals[at + 1]
            made.append(out)
    return made


def row_values(line: str, count: int) -> Iterator[str]:
    """Values between single spaces, those in `'` with spaces; the last takes the rest of the line."""
    for _ in range(count - 1):
        if line.startswith("'"):
            end = line.index("' ", 1)
            yield line[1:end]
            line = line[end + 2 :]
        else:
            value, _, line = line.partition(" ")
            yield value
    yield line


def blocks_of(parsed: list[Lines | str], lines: Lines) -> Iterator[list[Lines | str]]:
    """The rows between empty lines: those that are as wide as each other."""
    block: list[Lines | str] = []
    for row, line in zip(parsed, lines, strict=True):
        if line == "":
            yield block
            yield [""]
            block = []
        else:
            block.append(row)
    yield block


def padding(_: str, lines: Lines) -> Lines:
    rule = re.compile(r":?-{2,3}:?(?: \| :?-{2,3}:?)+")
    made: Lines = []
    at = 0
    while at < len(lines):
        plain = escaped(lines[at])
        if plain is None and at + 1 < len(lines) and rule.fullmatch(lines[at + 1]):
            width = len(lines[at].split(" | "))
            end = at + 2
            while end < len(lines) and escaped(lines[end]) is None and len(lines[end].split(" | ")) == width:
                end += 1
            made += table([line.split(" | ") for line in lines[at:end]])
            at = end
            continue
        made.append(lines[at] if plain is None else plain)
        at += 1
    return made


def table(rows: list[Lines]) -> Lines:
    cells = [row for at, row in enumerate(rows) if at != 1]
    widths = [max(3, *map(len, column)) for column in zip(*cells, strict=True)]
    rows[1] = [
        (dash.startswith(":") * ":").ljust(width - dash.endswith(":"), "-") + dash.endswith(":") * ":"
        for dash, width in zip(rows[1], widths, strict=True)
    ]
    return [f"| {' | '.join(map(str.ljust, row, widths))} |" for row in rows]


def blocks(_: str, lines: Lines) -> Lines:
    known: dict[str, Lines] = {}
    at = 0

    def taken(count: int) -> Lines:
        """So many of the lines as they stand here, unfolded."""
        nonlocal at
        made: Lines = []
        until = at + count
        while at < until:
            line = lines[at]
            at += 1
            if begin := re.fullmatch(r"<(\d+): (\d+) lines>", line):
                known[begin[1]] = taken(int(begin[2]))
                made += known[begin[1]]
            elif again := re.fullmatch(r"<(\d+)>", line):
                made += known[again[1]]
            else:
                plain = escaped(line)
                made.append(line if plain is None else plain)
        return made

    return taken(len(lines))


def next_numbers(_: str, lines: Lines) -> Lines:
    made: Lines = []
    last: tuple[str, int] | None = None
    for line in lines:
        plain = escaped(line)
        if plain is None and last and re.match(' *"', line):
            last = last[0], last[1] + 1
            text = line.lstrip(" ")
            line = " " * (len(line) - len(text)) + f"{last[0]}{last[1]} {text}"
        elif plain is None and (found := re.fullmatch(r" *([@#~^&$])(0|[1-9]\d{0,6}) .+", line, re.DOTALL)):
            last = found[1], int(found[2])
        made.append(line if plain is None else plain)
    return made


FORMS: tuple[tuple[str, Callable[[str, Lines], Lines]], ...] = (
    ("[×6] says", counts),
    ("indentation stands", tree),
    ("lines of a blame", blame),
    ("commits with their author", history),
    ("# name type: help", samples),
    ("signs stand for", references),
    ('a line that starts with " has', next_numbers),
    ("a line ending in …", headings),
    ('a line that starts with ", "', lists),
    ("[5%] stood", edges),
    ('a line "A x y"', patterns),
    ('a line "B x y"', patterns),
    ("rows written as", rows),
    ("columns as in", columns),
    ("tables without", padding),
    ("<1> stands", blocks),
)
