"""The syntax tree of a rule file: frozen nodes with exact spans.

One class per rule of the grammar that the parser keeps. Nothing here is checked: an unknown tier, a
percentage of 300 or a rule without `on` is a finding, not a fault of syntax.
"""

from __future__ import annotations

from msgspec import Struct

from terse.fields.selector import Target
from terse.source import Source, Span


class Node(Struct, frozen=True):
    """Something in a rule file, and where."""

    span: Span


# ---- words -------------------------------------------------------------------------------------


class Word(Node, frozen=True):
    """A name, a keyword with a meaning (`lossless`, `first`), or a text in quotes without them."""

    text: str


class Quantity(Node, frozen=True):
    """`2k tokens` as it stands: `number` is "2k", `unit` is "tokens" or None."""

    number: str
    unit: str | None


class Part(Node, frozen=True):
    """A selector and where it stands."""

    target: Target


class Pattern(Node, frozen=True):
    """`server/tool`; quotes are gone."""

    server: str
    tool: str


class Option(Node, frozen=True):
    """`min-uses 3`: an option of a step."""

    name: Word
    value: Quantity | Word


class Step(Node, frozen=True):
    """`dictionary(min-uses 3)`: a tier or a chain."""

    name: Word
    options: tuple[Option, ...]


# ---- statements that choose calls ----------------------------------------------------------------


class On(Node, frozen=True):
    patterns: tuple[Pattern, ...]


class Except(Node, frozen=True):
    patterns: tuple[Pattern, ...]


class PayloadIs(Node, frozen=True):
    kinds: tuple[Word, ...]


class PayloadHas(Node, frozen=True):
    parts: tuple[Part, ...]


class PayloadSize(Node, frozen=True):
    comparison: Word
    quantity: Quantity


class FieldIs(Node, frozen=True):
    field: Part
    kinds: tuple[Word, ...]


class FieldSize(Node, frozen=True):
    field: Part
    comparison: Word
    quantity: Quantity


class ArgumentIs(Node, frozen=True):
    name: Word
    values: tuple[Word, ...]


class ArgumentMatches(Node, frozen=True):
    name: Word
    glob: Word


class ArgumentPresence(Node, frozen=True):
    name: Word
    present: bool


class CallRepeats(Node, frozen=True):
    within: Quantity | None


class SessionSize(Node, frozen=True):
    comparison: Word
    quantity: Quantity


Condition = (
    PayloadIs
    | PayloadHas
    | PayloadSize
    | FieldIs
    | FieldSize
    | ArgumentIs
    | ArgumentMatches
    | ArgumentPresence
    | CallRepeats
    | SessionSize
)


class When(Node, frozen=True):
    condition: Condition


# ---- statements that do something ------------------------------------------------------------------


class Use(Node, frozen=True):
    steps: tuple[Step, ...]


class Apply(Node, frozen=True):
    profiles: tuple[Word, ...]


class Keep(Node, frozen=True):
    parts: tuple[Part, ...]


class Remove(Node, frozen=True):
    parts: tuple[Part, ...]
    over: Quantity | None


class SetAside(Node, frozen=True):
    parts: tuple[Part, ...]
    over: Quantity | None


class Shorten(Node, frozen=True):
    """`end` is `first`, `last` or None; `both_ends` and `remove_rest` are the words after the size."""

    parts: tuple[Part, ...]
    end: Word | None
    to: Quantity
    both_ends: Span | None
    remove_rest: Span | None


Loss = Remove | SetAside | Shorten


class Fit(Node, frozen=True):
    size: Quantity
    lines: tuple[Loss, ...]


class Lose(Node, frozen=True):
    share: Quantity


class Spend(Node, frozen=True):
    time: Quantity


class Require(Node, frozen=True):
    guarantee: Word


class NeverStore(Node, frozen=True):
    pass


class NeverUse(Node, frozen=True):
    tiers: tuple[Word, ...]


class Because(Node, frozen=True):
    reason: Word


RuleLine = On | Except | When | Use | Apply | Keep | Loss | Fit | Lose | Spend | Require | Because
GuardLine = On | Except | Keep | NeverStore | NeverUse | Require | Because
ProfileLine = Keep | Loss | Because


# ---- tools and tests ---------------------------------------------------------------------------------


class Compress(Node, frozen=True):
    level: Word
    tools: tuple[Word, ...]


class Present(Node, frozen=True):
    """`how` is `in place` or `wrapped`, with one space."""

    how: Word


class Show(Node, frozen=True):
    tools: tuple[Word, ...]


class Hide(Node, frozen=True):
    tools: tuple[Word, ...]


class Rename(Node, frozen=True):
    tool: Word
    to: Word


ToolsLine = Compress | Present | Show | Hide | Rename | Because


class ListValue(Node, frozen=True):
    items: tuple[Value, ...]
    depth: int


class ObjectValue(Node, frozen=True):
    members: tuple[Argument, ...]
    depth: int


class Bare(Word, frozen=True):
    """A value without quotes: a number, `true`, `false`, `null`, or else a text."""


Value = Word | ListValue | ObjectValue


class Argument(Node, frozen=True):
    name: Word
    value: Value


class CallLine(Node, frozen=True):
    pattern: Pattern
    arguments: tuple[Argument, ...]


class Given(Node, frozen=True):
    file: Word


class ExpectRule(Node, frozen=True):
    name: Word


class ExpectNoRule(Node, frozen=True):
    pass


class ExpectClass(Node, frozen=True):
    guarantee: Word


class ExpectSize(Node, frozen=True):
    comparison: Word
    quantity: Quantity


class ExpectSaving(Node, frozen=True):
    comparison: Word
    share: Quantity


class ExpectKeeps(Node, frozen=True):
    parts: tuple[Part, ...]


class ExpectText(Node, frozen=True):
    text: Word
    present: bool


Expectation = ExpectRule | ExpectNoRule | ExpectClass | ExpectSize | ExpectSaving | ExpectKeeps | ExpectText


class Expect(Node, frozen=True):
    expectation: Expectation


TestLine = CallLine | Given | Expect


# ---- items and files ---------------------------------------------------------------------------------


class Edition(Node, frozen=True):
    number: int


class Import(Node, frozen=True):
    path: Word


class Chain(Node, frozen=True):
    name: Word
    steps: tuple[Step, ...]


class Profile(Node, frozen=True):
    name: Word
    lines: tuple[ProfileLine, ...]


class Guard(Node, frozen=True):
    name: Word
    lines: tuple[GuardLine, ...]


class Rule(Node, frozen=True):
    """`override` is where that word stands, None without it."""

    name: Word
    lines: tuple[RuleLine, ...]
    override: Span | None


class Tools(Node, frozen=True):
    patterns: tuple[Pattern, ...]
    lines: tuple[ToolsLine, ...]


class Test(Node, frozen=True):
    title: Word
    lines: tuple[TestLine, ...]


Item = Import | Chain | Profile | Guard | Rule | Tools | Test


class File(Struct, frozen=True):
    """One rule file. `comments` are the spans of all comments, in order, from `#` to the line's end."""

    source: Source
    edition: Edition | None
    items: tuple[Item, ...]
    comments: tuple[Span, ...]
