"""A tool result's text: its kind, its exact JSON if it is JSON, and a few words on its shape."""

from __future__ import annotations

from functools import cached_property

from terse.payload.exact import JsonValue, NotExact, compacted, dump, parse
from terse.payload.kind import Kind
from terse.payload.sniff import sniff


class Payload:
    """One text of a tool result. Everything beside the text is found out when first asked for.

    Attributes:
        text: the text as received.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @classmethod
    def of(cls, text: str) -> Payload:
        return cls(text)

    @cached_property
    def json(self) -> JsonValue | None:
        """The JSON document, or `None` where the text is none that can be carried exactly."""
        if not self._starts_like_json:
            return None
        try:
            return parse(self.text)
        except NotExact:
            return None

    @cached_property
    def canonical(self) -> str:
        """The JSON document as `dump` writes it. To be asked for where there is one."""
        return compacted(self.text) or dump(self.json)

    def let_go(self) -> None:
        """Forget the document, which takes far more memory than its text. It is parsed anew on demand."""
        self.__dict__.pop("json", None)
        self.__dict__.pop("canonical", None)

    @property
    def _starts_like_json(self) -> bool:
        # A document starts with a bracket: anything else is not worth a parser's start.
        return self.text.lstrip(" \t\r\n").startswith(("{", "["))

    @cached_property
    def kind(self) -> Kind:
        """The narrowest kind that fits."""
        value = self.json
        if isinstance(value, dict):
            return Kind.OBJECT
        if isinstance(value, list):
            if value and all(type(item) is dict for item in value):
                return Kind.RECORDS
            return Kind.JSON
        return sniff(self.text)

    @cached_property
    def size_bytes(self) -> int:
        """Its length in UTF-8; a lone surrogate counts three bytes."""
        return len(self.text) if self.text.isascii() else len(self.text.encode("utf-8", "surrogatepass"))

    @cached_property
    def lines(self) -> int:
        """How many lines it has; a last one without a line end counts."""
        ends = self.text.count("\n")
        return ends if self.text.endswith("\n") or not self.text else ends + 1

    @cached_property
    def summary(self) -> str:
        """A few words: `object, 30 issues`, `30 records`, `log, 412 lines`."""
        value = self.json
        if isinstance(value, list):
            noun = "record" if self.kind is Kind.RECORDS else "value"
            return f"list of {_counted(len(value), noun)}"
        if isinstance(value, dict):
            return f"object, {_shape(value)}"
        return f"{self.kind.value}, {_counted(self.lines, 'line')}"


def _shape(value: dict[str, JsonValue]) -> str:
    name, length = "", 0
    for key, item in value.items():
        if isinstance(item, list) and len(item) > length:
            name, length = key, len(item)
    if length == 0:
        return _counted(len(value), "key")
    # The list's own name is the best noun there is, whatever its number: `30 issues`, `1 issues`.
    return f"{length} {name}" if name.isidentifier() else f"list of {length}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
