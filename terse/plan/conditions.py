"""Whether a `when` line holds, and, for whoever asks, why or why not."""

from __future__ import annotations

from terse.fields.find import first
from terse.fields.page import Page
from terse.fields.selector import Path, Target
from terse.fields.size import counted, size_in
from terse.memory.session import Session, canonical
from terse.payload.call import Call
from terse.payload.exact import JsonValue, Number
from terse.payload.kind import Kind
from terse.payload.payload import Payload
from terse.plan import describe
from terse.plan.glob import matches
from terse.plan.model import (
    ArgumentIs,
    ArgumentMatches,
    ArgumentPresence,
    CallRepeats,
    Comparison,
    Condition,
    FieldIs,
    FieldSize,
    PayloadHas,
    PayloadIs,
    PayloadSize,
    Quantity,
    SessionSize,
)
from terse.tokens import Vocabulary


class Facts:
    """What conditions are asked about: one call, its result, and the session before it."""

    def __init__(self, payload: Payload, call: Call, session: Session, vocabulary: Vocabulary) -> None:
        self.payload = payload
        self.call = call
        self.session = session
        self.vocabulary = vocabulary

    def holds(self, condition: Condition) -> bool:
        """Whether the condition holds.

        Raises:
            TokenizerError: it asks for tokens, and the tokenizer gave up.
        """
        match condition:
            case PayloadIs(kinds):
                return _is_one_of(self.payload.kind, kinds)
            case PayloadHas(targets):
                return all(self._finds(target) for target in targets)
            case PayloadSize(comparison, quantity):
                return self._payload_compares(comparison, quantity)
            case FieldIs(path, kinds):
                kind = self._kind_of_field(path)
                return kind is not None and _is_one_of(kind, kinds)
            case FieldSize(path, comparison, quantity):
                spot = first(self.payload.json, Path(path))
                if spot is None:
                    return False
                return _compares(self._size(spot.value, quantity), comparison, quantity.amount)
            case ArgumentIs(name, values):
                return name in self.call.arguments and _argument_text(self.call.arguments[name]) in values
            case ArgumentMatches(name, glob):
                value = self.call.arguments.get(name)
                return isinstance(value, str) and not isinstance(value, Number) and matches(glob, value)
            case ArgumentPresence(name, present):
                return (name in self.call.arguments) == present
            case CallRepeats(within):
                since = self.session.calls_since(self.call)
                return since is not None and (within is None or since <= within)
            case SessionSize(comparison, tokens):
                return _compares(self.session.tokens_sent, comparison, tokens)

    def reason(self, condition: Condition) -> str:
        """What decided, in a few words: `the payload is text`. Can cost a count of tokens."""
        match condition:
            case PayloadIs():
                return f"the payload is {self.payload.kind.value}"
            case PayloadHas(targets):
                missing = [describe.target(target) for target in targets if not self._finds(target)]
                if not missing:
                    return ""
                if self.payload.json is None:
                    return f"the payload is {self.payload.kind.value}"
                return f"no {', no '.join(missing)}"
            case PayloadSize(_, quantity):
                return counted(self._payload_size(quantity), quantity.unit)
            case FieldIs(path, _):
                if first(self.payload.json, Path(path)) is None:
                    return "there is no such field"
                kind = self._kind_of_field(path)
                return f"it is {kind.value}" if kind else "it is a number, true, false or null"
            case FieldSize(path, _, quantity):
                spot = first(self.payload.json, Path(path))
                if spot is None:
                    return "there is no such field"
                return counted(self._size(spot.value, quantity), quantity.unit)
            case ArgumentIs(name, _) | ArgumentMatches(name, _) | ArgumentPresence(name, _):
                if name not in self.call.arguments:
                    return "the call has no such argument"
                return f"it is {_shown(self.call.arguments[name])}"
            case CallRepeats():
                since = self.session.calls_since(self.call)
                return "not called before" if since is None else f"last called {counted(since, 'calls')} ago"
            case SessionSize():
                return f"{counted(self.session.tokens_sent, 'tokens')} so far"

    def _finds(self, target: Target) -> bool:
        document = self.payload.json
        if document is not None:
            return first(document, target) is not None
        return Page(self.payload.text).has(target)

    def _payload_compares(self, comparison: Comparison, quantity: Quantity) -> bool:
        if quantity.unit != "tokens":
            return _compares(self._payload_size(quantity), comparison, quantity.amount)
        # Sizes decide most token tests without a count; whole numbers: under n is not over n-1.
        if comparison == "over":
            return self.vocabulary.is_over(self.payload.text, quantity.amount)
        return not self.vocabulary.is_over(self.payload.text, quantity.amount - 1)

    def _payload_size(self, quantity: Quantity) -> int:
        match quantity.unit:
            case "bytes":
                return self.payload.size_bytes
            case "lines":
                return self.payload.lines
            case _:
                return size_in(self.payload.text, quantity.unit, self.vocabulary.count)

    def _size(self, value: JsonValue, quantity: Quantity) -> int:
        return size_in(value, quantity.unit, self.vocabulary.count)

    def _kind_of_field(self, path: tuple[str, ...]) -> Kind | None:
        spot = first(self.payload.json, Path(path))
        return None if spot is None else _kind_of(spot.value)


def cost(condition: Condition) -> int:
    """A rank: conditions are asked cheapest first, since one that fails spares the others."""
    match condition:
        case ArgumentIs() | ArgumentMatches() | ArgumentPresence() | CallRepeats() | SessionSize():
            return 0
        case PayloadSize(_, quantity):
            return 1 if quantity.unit != "tokens" else 4
        case PayloadIs():
            return 2
        case PayloadHas() | FieldIs():
            return 3
        case FieldSize(_, _, quantity):
            return 3 if quantity.unit != "tokens" else 4


def _is_one_of(kind: Kind, words: tuple[str, ...]) -> bool:
    return any(kind.is_a(Kind(word)) for word in words)


def _kind_of(value: JsonValue) -> Kind | None:
    if isinstance(value, Number):
        return None
    if isinstance(value, str):
        return Payload.of(value).kind
    if isinstance(value, dict):
        return Kind.OBJECT
    if isinstance(value, list):
        return Kind.RECORDS if value and all(type(item) is dict for item in value) else Kind.JSON
    return None


def _compares(size: int, comparison: Comparison, amount: int) -> bool:
    return size > amount if comparison == "over" else size < amount


def _argument_text(value: object) -> str:
    """An argument as `is` compares it: a string as it is, anything else by its JSON text."""
    return str(value) if isinstance(value, str) else canonical(value)


def _shown(value: object) -> str:
    text = canonical(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
