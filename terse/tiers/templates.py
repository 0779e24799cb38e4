"""`templates`: string columns that follow from other columns leave the rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from operator import eq

from msgspec.structs import replace

from terse.layout.cost import Cost
from terse.layout.document import (
    USUAL,
    Cell,
    Cells,
    Column,
    Group,
    Rows,
    Slot,
    Table,
    Template,
)
from terse.layout.follow import Follower
from terse.layout.presence import group_is_shown, rows_beside, rows_of, table_is_shown
from terse.layout.rewrite import each_table, separated, with_columns
from terse.layout.sample import spread
from terse.layout.template import KEY_NAME, is_slot, write_template
from terse.payload.exact import Number
from terse.tiers.spec import PLAIN_GAIN, Applied, Context, Draft, Example, Skip, State, Tier

SAMPLE_ROWS = 8
"""Rows on which a template is looked for, before it is tried on all."""
MAX_SLOTS = 3
MAX_TRIES = 6
"""Columns tried for one slot, the one with the longest text first."""
MAX_COLUMNS = 160
"""Wider tables are searched in their first columns only: the search is quadratic in them."""
USUAL_SHARE = 0.6
"""A template that holds in this part of the rows is written as the usual value of its column."""
MIN_GAIN = 3
MIN_USUAL_GAIN = 8
"""Tokens that a template has to save."""

Path = tuple[str, ...]


def _run(draft: Draft, options: Mapping[str, int | str], context: Context) -> Applied | Skip:
    document = draft.document
    if document is None:
        return Skip("no layout")
    cost = context.cost
    document = separated(document, cost.likely_separated)
    found, gain = 0, 0.0

    def change(table: Table) -> Table:
        nonlocal found, gain
        search = _Search(table, cost, context)
        made = search.run()
        found += len(search.templates)
        gain += search.gain
        return made

    changed = each_table(document, change)
    follower = Follower(context.count)
    changed = follower.document(changed)
    if not found and not follower.found:
        return Skip("no column, and no string of an object, follows from others")
    note = f"{found} columns" if found else ""
    if follower.found:
        note += f"{', ' if note else ''}{follower.found} strings of objects"
    gain += follower.gain
    return Applied(Draft(State.LAYOUT, None, changed, context.cost), note, gain)


@dataclass(slots=True)
class _Leaf:
    """A column that a template may stand for, or point at.

    Attributes:
        rows: the rows in which the object it belongs to stands.
    """

    path: Path
    column: Cells
    rows: Sequence[int]


class _Search:
    def __init__(self, table: Table, cost: Cost, context: Context) -> None:
        self.table = table
        self.cost = cost
        self.context = context
        present = rows_beside(table.count, table.whole)
        self.leaves = list(_leaves(table.columns, (), present))[:MAX_COLUMNS]
        # In a slot `#key` is the key of a row, never a record's value of that name.
        keys = table.columns[0] if table.rows is Rows.KEYED else None
        self.sources = [
            leaf
            for leaf in self.leaves
            if is_slot(leaf.path) and (leaf.path != (KEY_NAME,) or leaf.column is keys)
        ]
        self.templates: dict[Path, Cells | Template] = {}
        self.gain = 0.0
        self.samples: dict[tuple[int, ...], dict[Path, list[str]]] = {}

    def run(self) -> Table:
        if self.table.count < 2:
            return self.table
        targets = [leaf for leaf in self.leaves if leaf.path != (KEY_NAME,)]
        # Long texts follow from short ones: so the chain ends at names and numbers.
        for leaf in sorted(targets, key=_weight, reverse=True):
            if self.context.expired():
                break
            made = self.follow(leaf)
            if made is not None:
                self.templates[leaf.path] = made
        if not self.templates:
            return self.table
        return self.rebuilt()

    def leads_to(self, path: Path, target: Path) -> bool:
        """Whether a column follows, in however many steps, from the target."""
        made = self.templates.get(path)
        template = made.usual if isinstance(made, Cells) else made
        if not isinstance(template, Template):
            return False
        slots = [part.path for part in template.parts if isinstance(part, Slot)]
        return target in slots or any(self.leads_to(slot, target) for slot in slots)

    def follow(self, leaf: _Leaf) -> Cells | Template | None:
        """The template of a column, or the column with a template as its usual value."""
        column = leaf.column
        if column.usual is not None or column.prefix or column.suffix or len(leaf.rows) < 2:
            return None
        shown: Sequence[int] = leaf.rows
        if not set(map(type, column.values)) <= {str, Number}:
            shown = [row for row in leaf.rows if isinstance(column.values[row], str)]
        if len(shown) < max(2, USUAL_SHARE * len(leaf.rows)):
            return None
        sources = [
            source
            for source in self.sources
            if source.path != leaf.path and not self.leads_to(source.path, leaf.path)
        ]
        rows = [shown[at] for at in spread(len(shown), SAMPLE_ROWS)]
        parts = self.solve_rows(column, rows, sources)
        if parts is None and len(rows) > 3:
            parts = self.solve_rows(column, rows[:3], sources)
        if parts is None:
            return None
        return self.tried(leaf, parts, sources)

    def solve_rows(
        self, column: Cells, rows: Sequence[int], sources: Sequence[_Leaf]
    ) -> tuple[str | Slot, ...] | None:
        targets = [str(column.values[row]) for row in rows]
        if len(set(targets)) < 2:
            return None
        known = self.sampled(rows)
        samples: list[tuple[Path, list[str]]] = []
        for source in sources:
            texts = known.get(source.path)
            if (
                texts is not None
                and texts[0] in targets[0]
                and all(text in target for text, target in zip(texts, targets, strict=True))
            ):
                samples.append((source.path, texts))
        # Few rows agree by chance, and a short text is in any other.
        shortest = 3 if len(rows) < 4 else 1
        samples = [(path, texts) for path, texts in samples if min(map(len, texts)) >= shortest]
        samples.sort(key=lambda each: (-min(map(len, each[1])), each[0]))
        parts = _solve(targets, samples, MAX_SLOTS)
        if parts is None:
            return None
        return tuple(part for part in parts if part != "")

    def sampled(self, rows: Sequence[int]) -> dict[Path, list[str]]:
        """What the columns that a slot may name hold in some rows, where all of that is text."""
        key = tuple(rows)
        known = self.samples.get(key)
        if known is None:
            known = self.samples[key] = {}
            for source in self.sources:
                texts = [source.column.values[row] for row in rows]
                if all(texts) and set(map(type, texts)) <= {str, Number}:
                    known[source.path] = texts  # type: ignore[assignment]
        return known

    def tried(
        self, leaf: _Leaf, parts: tuple[str | Slot, ...], sources: Sequence[_Leaf]
    ) -> Cells | Template | None:
        """The parts as a template if they hold in all rows, as a usual value if they hold in most."""
        by_path = {source.path: source.column.values for source in sources}
        pieces = [by_path[part.path] if isinstance(part, Slot) else part for part in parts]
        values = leaf.column.values
        holds: Sequence[int]
        if len(parts) == 1 and isinstance(parts[0], Slot):
            (texts,) = pieces
            holds = [row for row in leaf.rows if _same(texts[row], values[row])]
        else:
            holds = _holds(pieces, values, leaf.rows)
        name = leaf.path[-1]
        template = Template(name, parts)
        if len(holds) == len(leaf.rows):
            after = self.context.count(f"{name}={write_template(parts)},")
            # No cell has less than a token: of a long table that is enough to know.
            before: float = self.table.count
            if after > before - PLAIN_GAIN:
                before = self.cost.column(leaf.column, self.table.count, self.table.separator)
            if after > before - MIN_GAIN:
                return None
            self.gain += before - after
            return template
        if len(holds) < USUAL_SHARE * len(leaf.rows):
            return None
        before = self.cost.column(leaf.column, self.table.count, self.table.separator)
        marked = list(values)
        for row in holds:
            marked[row] = USUAL
        usual = replace(leaf.column, values=marked, usual=template)
        after_usual = self.cost.column(usual, self.table.count, self.table.separator)
        if after_usual > before - MIN_USUAL_GAIN:
            return None
        self.gain += before - after_usual
        return usual

    def rebuilt(self) -> Table:
        present = rows_beside(self.table.count, self.table.whole)
        columns = self.columns(self.table.columns, (), present)
        at = 0
        while not table_is_shown(self.table, columns):
            columns[at] = self.table.columns[at]
            at += 1
        return with_columns(self.table, columns)

    def columns(self, columns: Sequence[Column], path: Path, around: Sequence[int]) -> list[Column]:
        made: list[Column] = []
        for column in columns:
            inner = (*path, column.name)
            if isinstance(column, Group):
                made.append(self.group(column, inner, around))
            elif inner in self.templates and isinstance(column, Cells):
                made.append(self.templates[inner])
            else:
                made.append(column)
        return made

    def group(self, group: Group, path: Path, around: Sequence[int]) -> Group:
        columns = self.columns(group.columns, path, rows_of(group))
        at = 0
        while not group_is_shown(group, columns, around):
            columns[at] = group.columns[at]
            at += 1
        return with_columns(group, columns)


def _leaves(columns: Sequence[Column], path: Path, rows: Sequence[int]) -> Iterator[_Leaf]:
    for column in columns:
        if isinstance(column, Cells):
            yield _Leaf((*path, column.name), column, rows)
        elif isinstance(column, Group):
            yield from _leaves(column.columns, (*path, column.name), rows_of(column))


def _weight(leaf: _Leaf) -> int:
    rows = spread(len(leaf.column.values), SAMPLE_ROWS)
    return sum(len(value) for row in rows if isinstance(value := leaf.column.values[row], str))


def _same(one: Cell, other: Cell) -> bool:
    # Strings, numbers, booleans and null: an object equals another whose keys are in another order.
    return type(one) is type(other) and (one is None or isinstance(one, (str, bool))) and one == other


def _holds(
    pieces: Sequence[str | Sequence[Cell]], values: Sequence[Cell], rows: Sequence[int]
) -> Sequence[int]:
    """The rows in which the pieces make the value."""
    if len(rows) == len(values) and set(map(type, values)) == {str}:
        # Mostly they make all of them or hardly one, which the first rows show.
        made = (repeat(piece) if isinstance(piece, str) else piece for piece in pieces)
        try:
            if all(map(eq, values, map("".join, zip(*made, strict=False)))):
                return rows
        except TypeError:
            pass
    return [row for row in rows if type(values[row]) is str and _filled(pieces, row) == values[row]]


def _filled(pieces: Sequence[str | Sequence[Cell]], row: int) -> str | None:
    out: list[str] = []
    for piece in pieces:
        value = piece if isinstance(piece, str) else piece[row]
        if not isinstance(value, str):
            return None
        out.append(value)
    return "".join(out)


def _solve(
    targets: Sequence[str], samples: Sequence[tuple[Path, Sequence[str]]], slots: int
) -> list[str | Slot] | None:
    """Parts that give every target from the samples of its row; `None` if none were found."""
    if len(set(targets)) == 1:
        return [targets[0]]
    if slots == 0:
        return None
    tries = 0
    for path, texts in samples:
        if not all(text in target for text, target in zip(texts, targets, strict=True)):
            continue
        tries += 1
        if tries > MAX_TRIES:
            return None
        for find in (str.find, str.rfind):
            cuts = [find(target, text) for target, text in zip(targets, texts, strict=True)]
            left = _solve(
                [target[:cut] for target, cut in zip(targets, cuts, strict=True)], samples, slots - 1
            )
            if left is None:
                continue
            used = sum(isinstance(part, Slot) for part in left)
            right = _solve(
                [target[cut + len(text) :] for target, cut, text in zip(targets, cuts, texts, strict=True)],
                samples,
                slots - 1 - used,
            )
            if right is not None:
                return [*left, Slot(path), *right]
    return None


TIER = Tier(
    name="templates",
    sentence="Writes strings that follow from others as templates: columns of a table once, in its header.",
    reads="`forks_url={url}/forks` in a header: the column is that text with the row's `url` in it. "
    '`merged_at?={closed_at}`: so where the cell is empty (or `.`). `forks=f"{url}/forks"`: so in an object.',
    takes=frozenset({State.LAYOUT}),
    leaves=None,
    run=_run,
    examples=(
        Example(
            '[{"name":"lark","url":"https://api.example/lark","forks":"https://api.example/lark/forks"},'
            '{"name":"httpx","url":"https://api.example/httpx","forks":"https://api.example/httpx/forks"},'
            '{"name":"rich","url":"https://api.example/rich","forks":"https://api.example/rich/forks"},'
            '{"name":"attrs","url":"https://api.example/attrs","forks":"https://api.example/attrs/forks"}]',
            "JSON outline: 4 rows of name url=https://api.example/{name} forks={url}/forks\n"
            "lark\nhttpx\nrich\nattrs",
            following=("tabularize",),
        ),
        Example(
            '{"name":"lark","url":"https://api.github.example/repos/lark-parser/lark",'
            '"forks":"https://api.github.example/repos/lark-parser/lark/forks","stars":4811}',
            "JSON outline:\nname=lark url=https://api.github.example/repos/lark-parser/lark "
            'forks=f"{url}/forks" stars=4811',
            following=("outline",),
        ),
    ),
)
