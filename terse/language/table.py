"""The parser's table, made from the grammar ahead of time, so that a command starts in a fraction of it.

`python -c 'from terse.language import table; table.write()'` writes the file anew after a change of the
grammar; a test fails while it is stale. A table made from another grammar, or by another lark, is never
used: the parser is then built from the grammar itself, which takes a tenth of a second.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import lark
import msgspec
from lark import Lark, Token
from lark.exceptions import LarkError
from lark.grammar import Rule
from lark.lexer import TerminalDef

FILE = Path(__file__).with_name("parser.table")

_NO_LIMIT = 2**31

Callbacks = Mapping[str, Callable[[Token], Token]]


def build(grammar: str, builder: object, callbacks: Callbacks) -> Lark:
    """The parser, from the grammar's text."""
    return Lark(
        grammar,
        parser="lalr",
        lexer="contextual",
        maybe_placeholders=False,
        transformer=builder,
        lexer_callbacks=dict(callbacks),
    )


def load(grammar: str, builder: object, callbacks: Callbacks) -> Lark | None:
    """The parser, from the table; None when the table is not made from this grammar by this lark."""
    try:
        stored = msgspec.msgpack.decode(FILE.read_bytes(), strict=False)
        if stored["key"] != key(grammar):
            return None
        memo = {int(number): value for number, value in stored["memo"].items()}
        parser: Lark = Lark._load_from_dict(  # type: ignore[no-untyped-call]
            stored["data"], memo, transformer=builder, lexer_callbacks=dict(callbacks)
        )
        return parser
    except (OSError, msgspec.MsgspecError, LarkError, KeyError, TypeError, ValueError, AttributeError):
        return None


def key(grammar: str) -> str:
    """What a table is good for: this grammar, read by this version of lark."""
    return sha256(f"{lark.__version__}\n{grammar}".encode()).hexdigest()


def encode(grammar: str) -> bytes:
    """The table of a grammar, as the file has it."""
    data, memo = build(grammar, None, {}).memo_serialize([TerminalDef, Rule])
    return msgspec.msgpack.encode({"key": key(grammar), "data": _plain(data), "memo": _plain(memo)})


def _plain(value: Any) -> Any:
    """The value in what msgpack knows, in an order that is the same every time."""
    if isinstance(value, dict):
        return {name: _plain(member) for name, member in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    if isinstance(value, (list, tuple)):
        return [_plain(member) for member in value]
    # Python's word for "no limit" to a regex's width is larger than msgpack can carry.
    return min(value, _NO_LIMIT) if type(value) is int else value


def write() -> None:
    """Write the table of the grammar beside this file."""
    from terse.language.parse import grammar

    FILE.write_bytes(encode(grammar()))
