"""The Plan: what rule files compile to. Frozen data with a documented JSON form.

A plan is all that the proxy needs: neither the grammar nor the rule files. `at` is always
`path:line` of the statement in the rule file. Struct fields keep their order: it is the JSON's order.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from terse.fields.selector import Target

Unit = Literal["tokens", "characters", "lines", "rows", "calls", "bytes", "ms", "percent"]
Comparison = Literal["over", "under"]
OptionValue = int | str
ClassWord = Literal["exact", "lossless", "recoverable", "lossy"]
Level = Literal["low", "medium", "high", "max"]
Presentation = Literal["in place", "wrapped"]


class Quantity(Struct, frozen=True):
    """An amount in its base unit: `2k tokens` is 2000 tokens, `64 kB` 64000 bytes, `2 s` 2000 ms."""

    amount: int
    unit: Unit


# ---- which calls -----------------------------------------------------------------------------


class Pattern(Struct, frozen=True):
    """`server/tool`, each half a name in which `*` stands for any run of characters."""

    server: str
    tool: str


# ---- conditions: every one must hold -----------------------------------------------------------


class PayloadIs(Struct, frozen=True, tag="payload_is", tag_field="when"):
    """The payload is of one of these kinds (words of `terse.payload.kind.Kind`)."""

    kinds: tuple[str, ...]
    at: str = ""


class PayloadHas(Struct, frozen=True, tag="payload_has", tag_field="when"):
    """Each selector finds something."""

    targets: tuple[Target, ...]
    at: str = ""


class PayloadSize(Struct, frozen=True, tag="payload_size", tag_field="when"):
    """The result as received is over (>) or under (<) this many tokens, bytes, characters or lines."""

    comparison: Comparison
    quantity: Quantity
    at: str = ""


class FieldIs(Struct, frozen=True, tag="field_is", tag_field="when"):
    """The first value that the path finds is of one of these kinds; a string is sniffed like a payload."""

    path: tuple[str, ...]
    kinds: tuple[str, ...]
    at: str = ""


class FieldSize(Struct, frozen=True, tag="field_size", tag_field="when"):
    """The first value that the path finds is over or under this size."""

    path: tuple[str, ...]
    comparison: Comparison
    quantity: Quantity
    at: str = ""


class ArgumentIs(Struct, frozen=True, tag="argument_is", tag_field="when"):
    """The call's argument is one of these values; a number or boolean compares by its JSON text."""

    name: str
    values: tuple[str, ...]
    at: str = ""


class ArgumentMatches(Struct, frozen=True, tag="argument_matches", tag_field="when"):
    """The call's argument is a string that the glob (`*` only) matches whole."""

    name: str
    glob: str
    at: str = ""


class ArgumentPresence(Struct, frozen=True, tag="argument_presence", tag_field="when"):
    """The call has the argument, or has it not. An argument that is null is present."""

    name: str
    present: bool
    at: str = ""


class CallRepeats(Struct, frozen=True, tag="call_repeats", tag_field="when"):
    """Same server, tool and arguments seen in this session, within so many calls if given."""

    within: int | None = None
    at: str = ""


class SessionSize(Struct, frozen=True, tag="session_size", tag_field="when"):
    """Tokens sent to this client so far are over or under this many."""

    comparison: Comparison
    tokens: int
    at: str = ""


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


# ---- field lines -------------------------------------------------------------------------------


class Keep(Struct, frozen=True, tag="keep", tag_field="do"):
    """The values found come out unchanged, whatever else the rule does."""

    targets: tuple[Target, ...]
    at: str = ""


class Remove(Struct, frozen=True, tag="remove", tag_field="do"):
    """The values found (those over a size, if given) are gone: lossy."""

    targets: tuple[Target, ...]
    over: Quantity | None = None
    at: str = ""


class SetAside(Struct, frozen=True, tag="set-aside", tag_field="do"):
    """The values found (those over a size, if given) are replaced by a handle: recoverable."""

    targets: tuple[Target, ...]
    over: Quantity | None = None
    at: str = ""


class Shorten(Struct, frozen=True, tag="shorten", tag_field="do"):
    """The values found are cut to a size; the rest is set aside, or gone when `remove_rest`."""

    targets: tuple[Target, ...]
    to: Quantity
    end: Literal["first", "last", "both"] = "first"
    remove_rest: bool = False
    at: str = ""


class FitIn(Struct, frozen=True, tag="fit", tag_field="do"):
    """Field lines tried one after another until the result fits in so many tokens."""

    tokens: int
    lines: tuple[Remove | SetAside | Shorten, ...]
    at: str = ""


FieldLine = Keep | Remove | SetAside | Shorten | FitIn


# ---- the plan ----------------------------------------------------------------------------------


class Step(Struct, frozen=True):
    """One tier of a chain, with every option spelt out (defaults filled in)."""

    tier: str
    options: dict[str, OptionValue] = {}
    at: str = ""


class Rule(Struct, frozen=True):
    """A rule, ready to run. `guarantee` is its static class: the lowest of all steps that could run."""

    name: str
    at: str
    on: tuple[Pattern, ...]
    except_: tuple[Pattern, ...] = ()
    when: tuple[Condition, ...] = ()
    fields: tuple[FieldLine, ...] = ()
    chain: tuple[Step, ...] = ()
    require: ClassWord | None = None
    lose_percent: float | None = None
    spend_ms: int | None = None
    because: tuple[str, ...] = ()
    guarantee: ClassWord = "exact"


class Guard(Struct, frozen=True):
    """A guard. Every guard that matches a call applies, and nothing undoes one."""

    name: str
    at: str
    on: tuple[Pattern, ...]
    except_: tuple[Pattern, ...] = ()
    require: ClassWord | None = None
    keep: tuple[Keep, ...] = ()
    never_store: bool = False
    never_use: tuple[str, ...] = ()
    because: tuple[str, ...] = ()


# ---- what the agent is shown of the tools --------------------------------------------------------


class Compress(Struct, frozen=True):
    """How much of the tools' definitions is shown: the level of the narrowest pattern holds."""

    on: tuple[Pattern, ...]
    level: Level
    at: str = ""


class Present(Struct, frozen=True):
    """How the tools are reached: the presentation of the narrowest pattern holds."""

    on: tuple[Pattern, ...]
    how: Presentation
    at: str = ""


class Show(Struct, frozen=True):
    """Of the tools that `on` matches only those of `tools` are shown; the narrowest `on` holds."""

    on: tuple[Pattern, ...]
    tools: tuple[Pattern, ...]
    at: str = ""


class Hide(Struct, frozen=True):
    """These tools are never shown, and cannot be called, whatever other lines say."""

    on: tuple[Pattern, ...]
    at: str = ""


class Rename(Struct, frozen=True):
    """The tool that the patterns match, each a whole name, is shown as `to`."""

    on: tuple[Pattern, ...]
    to: str
    at: str = ""


class ToolsBlock(Struct, frozen=True):
    """A `tools` block. The lines of all blocks hold together; what they say of one tool does not tie.

    Attributes:
        on: the tools it speaks of; each line has the patterns that it is about itself.
    """

    on: tuple[Pattern, ...]
    at: str
    compress: tuple[Compress, ...] = ()
    present: tuple[Present, ...] = ()
    show: tuple[Show, ...] = ()
    hide: tuple[Hide, ...] = ()
    rename: tuple[Rename, ...] = ()
    because: tuple[str, ...] = ()


class Entry(Struct, frozen=True):
    """One pattern of one rule (indexes into `Plan.rules` and its `on`)."""

    rule: int
    pattern: int


class Plan(Struct, frozen=True):
    """Rules, guards and `tools` blocks of one policy.

    Attributes:
        edition: the language edition of the rule files.
        rules: every rule that is in force (an overridden rule is not).
        guards: every guard.
        order: the patterns of all rules, narrower before broader. The rule that applies to a call is
            the one of the first entry whose pattern, exceptions and conditions hold: the compiler has
            proved that no other entry is as narrow.
        tools: every `tools` block.
        hash: sha256 (hex) of the plan's JSON without this field: equal policies have equal hashes.
    """

    edition: int
    rules: tuple[Rule, ...] = ()
    guards: tuple[Guard, ...] = ()
    order: tuple[Entry, ...] = ()
    tools: tuple[ToolsBlock, ...] = ()
    hash: str = ""
