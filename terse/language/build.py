"""From the parser's rules and tokens to the nodes of `syntax.py`. Run by lark while it parses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, TypeVar

from lark import Token

from terse.fields.selector import CodeBlocks, Every, Everything, LinesMatching, Path, TerminalCodes
from terse.language import syntax
from terse.source import Source, Span

_ESCAPES = re.compile(r"((?:\\u[0-9a-fA-F]{4})+)|\\(.)")

Children = list[Any]
"""What stands below a rule of the grammar: tokens, and nodes that are built already. lark gives no more."""

N = TypeVar("N", bound=syntax.Node)
I = TypeVar("I", bound=syntax.Item)  # noqa: E741

V = TypeVar("V", syntax.ListValue, syntax.ObjectValue)

MAX_DEPTH = 32
"""Lists and objects in a test's call nest so deep at most."""


class Builder:
    """One method per rule of the grammar, by its name.

    `begin` is called before each file.
    """

    def __init__(self) -> None:
        self.begin(Source("", ""))

    def begin(self, source: Source) -> None:
        """Forget the last file; what is built from now on stands in `source`."""
        self.source = source
        self.edition_node: syntax.Edition | None = None
        self.items: list[syntax.Item] = []
        self.too_deep: list[Span] = []
        self.unknown_escapes: list[Span] = []

    def noted(self, item: I) -> I:
        # Items are noted here, too, so that those before a syntax error are not lost with it.
        self.items.append(item)
        return item

    # ---- spans and words

    def _span(self, children: Children) -> Span:
        return Span(self.source, _start(children[0]), _end(children[-1]))

    def _word(self, token: Token) -> syntax.Word:
        span = Span(self.source, token.start_pos or 0, token.end_pos or 0)
        return syntax.Word(span, self._text(token))

    def _text(self, token: Token) -> str:
        """A token's text; of a string, what stands between the quotes."""
        if token.type != "STRING":
            return str(token)
        if "\\" not in token:
            return str(token[1:-1])
        start = (token.start_pos or 0) + 1

        def unescaped(found: re.Match[str]) -> str:
            units, other = found.groups()
            if units is not None:
                with suppress(UnicodeDecodeError):
                    return bytes.fromhex(units.replace("\\u", "")).decode("utf-16-be")
            elif other in '"\\':
                return other
            # Half of a character beyond U+FFFF, or what another language knows: said, and never guessed.
            self.unknown_escapes.append(Span(self.source, start + found.start(), start + found.end()))
            return found[0]

        return _ESCAPES.sub(unescaped, token[1:-1])

    def _words(self, tokens: Children) -> tuple[syntax.Word, ...]:
        return tuple(map(self._word, tokens))

    def quantity(self, children: Children) -> syntax.Quantity:
        unit = str(children[1]) if len(children) > 1 else None
        return syntax.Quantity(self._span(children), str(children[0]), unit)

    # ---- items

    def start(self, children: Children) -> tuple[syntax.Node, ...]:
        return tuple(children)

    def edition(self, children: Children) -> syntax.Edition:
        # An edition of thousands of digits is unknown like any other; int() would refuse it.
        self.edition_node = syntax.Edition(self._span(children), int(str(children[1])[:9]))
        return self.edition_node

    def import_(self, children: Children) -> syntax.Import:
        return self.noted(syntax.Import(self._span(children), self._word(children[1])))

    def chain(self, children: Children) -> syntax.Chain:
        steps = children[2]
        span = Span(self.source, _start(children[0]), steps[-1].span.end)
        return self.noted(syntax.Chain(span, self._word(children[1]), steps))

    def profile(self, children: Children) -> syntax.Profile:
        return self.noted(
            syntax.Profile(self._span(children), self._word(children[1]), tuple(children[2:-1]))
        )

    def guard(self, children: Children) -> syntax.Guard:
        return self.noted(syntax.Guard(self._span(children), self._word(children[1]), tuple(children[2:-1])))

    def rule(self, children: Children) -> syntax.Rule:
        span = self._span(children)
        override = None
        if children[0].type == "OVERRIDE":
            override = self._word(children[0]).span
            children = children[1:]
        return self.noted(syntax.Rule(span, self._word(children[1]), tuple(children[2:-1]), override))

    def tools(self, children: Children) -> syntax.Tools:
        return self.noted(syntax.Tools(self._span(children), children[1], tuple(children[2:-1])))

    def test(self, children: Children) -> syntax.Test:
        return self.noted(syntax.Test(self._span(children), self._word(children[1]), tuple(children[2:-1])))

    # ---- which calls

    def patterns(self, children: Children) -> tuple[syntax.Pattern, ...]:
        return tuple(children)

    def pattern(self, children: Children) -> syntax.Pattern:
        return syntax.Pattern(self._span(children), self._text(children[0]), self._text(children[1]))

    def on(self, children: Children) -> syntax.On:
        return syntax.On(self._list_span(children), children[1])

    def except_(self, children: Children) -> syntax.Except:
        return syntax.Except(self._list_span(children), children[1])

    def _list_span(self, children: Children) -> Span:
        return Span(self.source, _start(children[0]), children[1][-1].span.end)

    # ---- conditions

    def when(self, children: Children) -> syntax.When:
        return syntax.When(self._span(children), children[1])

    def payload_is(self, children: Children) -> syntax.PayloadIs:
        return syntax.PayloadIs(self._span(children), self._words(children))

    def payload_has(self, children: Children) -> syntax.PayloadHas:
        return syntax.PayloadHas(self._span(children), tuple(children))

    def payload_size(self, children: Children) -> syntax.PayloadSize:
        return syntax.PayloadSize(self._span(children), self._word(children[0]), children[1])

    def field_is(self, children: Children) -> syntax.FieldIs:
        return syntax.FieldIs(self._span(children), children[0], self._words(children[1:]))

    def field_size(self, children: Children) -> syntax.FieldSize:
        return syntax.FieldSize(self._span(children), children[0], self._word(children[1]), children[2])

    def argument_is(self, children: Children) -> syntax.ArgumentIs:
        return syntax.ArgumentIs(self._span(children), self._word(children[0]), self._words(children[1:]))

    def argument_matches(self, children: Children) -> syntax.ArgumentMatches:
        name, glob = self._words(children)
        return syntax.ArgumentMatches(self._span(children), name, glob)

    def argument_presence(self, children: Children) -> syntax.ArgumentPresence:
        present = str(children[1]) == "exists"
        return syntax.ArgumentPresence(self._span(children), self._word(children[0]), present)

    def call_repeats(self, children: Children) -> syntax.CallRepeats:
        within = children[2] if len(children) > 2 else None
        return syntax.CallRepeats(self._span(children), within)

    def session_size(self, children: Children) -> syntax.SessionSize:
        return syntax.SessionSize(self._span(children), self._word(children[0]), children[1])

    # ---- chains

    def use(self, children: Children) -> syntax.Use:
        return syntax.Use(self._list_span(children), children[1])

    def steps(self, children: Children) -> tuple[syntax.Step, ...]:
        return tuple(children)

    def step(self, children: Children) -> syntax.Step:
        options = tuple(child for child in children if isinstance(child, syntax.Option))
        return syntax.Step(self._span(children), self._word(children[0]), options)

    def option(self, children: Children) -> syntax.Option:
        name, value = children
        if isinstance(value, Token):
            value = self._word(value)
        return syntax.Option(self._span(children), self._word(name), value)

    # ---- field lines

    def apply(self, children: Children) -> syntax.Apply:
        return syntax.Apply(self._span(children), self._words(children[1:]))

    def keep(self, children: Children) -> syntax.Keep:
        return syntax.Keep(self._span(children), tuple(children[1:]))

    def remove(self, children: Children) -> syntax.Remove:
        return self._with_over(syntax.Remove, children)

    def set_aside(self, children: Children) -> syntax.SetAside:
        return self._with_over(syntax.SetAside, children)

    def _with_over(
        self, node: Callable[[Span, tuple[syntax.Part, ...], syntax.Quantity | None], N], children: Children
    ) -> N:
        over = children[-1] if isinstance(children[-1], syntax.Quantity) else None
        parts = tuple(children[1:-1] if over is not None else children[1:])
        return node(self._span(children), parts, over)

    def over(self, children: Children) -> syntax.Quantity:
        quantity: syntax.Quantity = children[1]
        return quantity

    def shorten(self, children: Children) -> syntax.Shorten:
        parts = tuple(child for child in children if isinstance(child, syntax.Part))
        to = next(child for child in children if isinstance(child, syntax.Quantity))
        marks = {child.type: child for child in children[1:] if isinstance(child, Token)}
        which, both, rest = (marks.get(kind) for kind in ("WHICH", "BOTH_ENDS", "REMOVE_REST"))
        return syntax.Shorten(
            self._span(children),
            parts,
            self._word(which) if which is not None else None,
            to,
            self._word(both).span if both is not None else None,
            self._word(rest).span if rest is not None else None,
        )

    def fit(self, children: Children) -> syntax.Fit:
        return syntax.Fit(self._span(children), children[1], tuple(children[2:-1]))

    def lose(self, children: Children) -> syntax.Lose:
        return syntax.Lose(self._span(children), children[1])

    def spend(self, children: Children) -> syntax.Spend:
        return syntax.Spend(self._span(children), children[1])

    def require(self, children: Children) -> syntax.Require:
        return syntax.Require(self._span(children), self._word(children[1]))

    def because(self, children: Children) -> syntax.Because:
        return syntax.Because(self._span(children), self._word(children[1]))

    def never_store(self, children: Children) -> syntax.NeverStore:
        return syntax.NeverStore(self._span(children))

    def never_use(self, children: Children) -> syntax.NeverUse:
        return syntax.NeverUse(self._span(children), self._words(children[2:]))

    # ---- selectors

    def path(self, children: Children) -> syntax.Part:
        return syntax.Part(self._span(children), Path(tuple(map(self._text, children))))

    def every(self, children: Children) -> syntax.Part:
        return syntax.Part(self._span(children), Every(tuple(map(self._text, children[1:]))))

    def everything(self, children: Children) -> syntax.Part:
        return syntax.Part(self._span(children), Everything())

    def lines(self, children: Children) -> syntax.Part:
        return syntax.Part(self._span(children), LinesMatching(str(children[1])[1:-1].replace("\\/", "/")))

    def code_blocks(self, children: Children) -> syntax.Part:
        return syntax.Part(self._span(children), CodeBlocks())

    def terminal_codes(self, children: Children) -> syntax.Part:
        return syntax.Part(self._span(children), TerminalCodes())

    # ---- tools

    def names(self, children: Children) -> tuple[syntax.Word, ...]:
        return self._words(children)

    def compress(self, children: Children) -> syntax.Compress:
        tools = children[2] if len(children) > 2 else ()
        end = tools[-1].span.end if tools else _end(children[1])
        span = Span(self.source, _start(children[0]), end)
        return syntax.Compress(span, self._word(children[1]), tools)

    def present(self, children: Children) -> syntax.Present:
        how = self._word(children[1])
        return syntax.Present(self._span(children), syntax.Word(how.span, " ".join(how.text.split())))

    def show(self, children: Children) -> syntax.Show:
        return syntax.Show(self._list_span(children), children[1])

    def hide(self, children: Children) -> syntax.Hide:
        return syntax.Hide(self._list_span(children), children[1])

    def rename(self, children: Children) -> syntax.Rename:
        _, tool, to = children
        return syntax.Rename(self._span(children), self._word(tool), self._word(to))

    # ---- tests

    def call(self, children: Children) -> syntax.CallLine:
        arguments = tuple(child for child in children if isinstance(child, syntax.Argument))
        return syntax.CallLine(self._span(children), children[1], arguments)

    def argument(self, children: Children) -> syntax.Argument:
        return syntax.Argument(self._span(children), self._word(children[0]), self.valued(children[1]))

    def list(self, children: Children) -> syntax.ListValue:
        items = tuple(map(self.valued, children[1:-1]))
        return self._nested(syntax.ListValue(self._span(children), items, _depth(items)))

    def object(self, children: Children) -> syntax.ObjectValue:
        members = tuple(children[1:-1])
        depth = _depth(member.value for member in members)
        return self._nested(syntax.ObjectValue(self._span(children), members, depth))

    def _nested(self, value: V) -> V:
        if value.depth == MAX_DEPTH:
            self.too_deep.append(value.span)
        return value

    def valued(self, child: Token | syntax.ListValue | syntax.ObjectValue) -> syntax.Value:
        if not isinstance(child, Token):
            return child
        word = self._word(child)
        return syntax.Bare(word.span, word.text) if child.type == "WORD" else word

    def given(self, children: Children) -> syntax.Given:
        return syntax.Given(self._span(children), self._word(children[1]))

    def expect(self, children: Children) -> syntax.Expect:
        return syntax.Expect(self._span(children), children[1])

    def expect_rule(self, children: Children) -> syntax.ExpectRule:
        return syntax.ExpectRule(self._span(children), self._word(children[1]))

    def expect_no_rule(self, children: Children) -> syntax.ExpectNoRule:
        return syntax.ExpectNoRule(self._span(children))

    def expect_class(self, children: Children) -> syntax.ExpectClass:
        return syntax.ExpectClass(self._span(children), self._word(children[0]))

    def expect_size(self, children: Children) -> syntax.ExpectSize:
        return syntax.ExpectSize(self._span(children), self._word(children[0]), children[1])

    def expect_saving(self, children: Children) -> syntax.ExpectSaving:
        return syntax.ExpectSaving(self._span(children), self._word(children[0]), children[1])

    def expect_keeps(self, children: Children) -> syntax.ExpectKeeps:
        return syntax.ExpectKeeps(self._span(children), tuple(children))

    def expect_text(self, children: Children) -> syntax.ExpectText:
        return syntax.ExpectText(self._span(children), self._word(children[0]), True)

    def expect_no_text(self, children: Children) -> syntax.ExpectText:
        return syntax.ExpectText(self._span(children), self._word(children[1]), False)


def _start(child: Any) -> int:
    # A token that the lexer made has its positions; only one made by hand has none.
    return (child.start_pos or 0) if isinstance(child, Token) else int(child.span.start)


def _end(child: Any) -> int:
    return (child.end_pos or 0) if isinstance(child, Token) else int(child.span.end)


def _depth(values: Iterable[syntax.Value]) -> int:
    """How deep a list or object of these values nests."""
    return 1 + max((0 if isinstance(value, syntax.Word) else value.depth for value in values), default=0)
