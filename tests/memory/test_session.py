"""What a session remembers of its calls."""

from __future__ import annotations

import pytest

from terse.memory.session import Session
from terse.payload.call import Call
from terse.payload.exact import Number


def test_calls_are_counted_back_from_the_next() -> None:
    """The last call is one call ago; one never made is none."""
    session = Session()
    session.record(Call("a", "b", {"q": "x"}), 10)
    session.record(Call("a", "c"), 5)

    assert session.calls_since(Call("a", "c")) == 1
    assert session.calls_since(Call("a", "b", {"q": "x"})) == 2
    assert session.calls_since(Call("a", "b", {"q": "y"})) is None
    assert session.tokens_sent == 15


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"a": "x", "b": [1, {"c": None}]}, {"b": [1, {"c": None}], "a": "x"}, True),
        ({"a": Number("1")}, {"a": "1"}, False),
        ({"a": Number("1")}, {"a": 1}, True),
        ({"a": [Number("1.0")]}, {"a": [Number("1")]}, False),
        ({"a": None}, {}, False),
        ({"a": True}, {"a": "true"}, False),
        ({"a": "x\ud800"}, {"a": "x\ud800"}, True),
    ],
)
def test_the_same_call_is_the_same_arguments(
    one: dict[str, object], other: dict[str, object], same: bool
) -> None:
    """Key order does not matter; types and number text do."""
    session = Session()
    session.record(Call("a", "b", one), 0)

    assert (session.calls_since(Call("a", "b", other)) == 1) is same


def test_the_oldest_call_is_forgotten_first() -> None:
    """Memory is bounded: a call forgotten counts as never made."""
    session = Session(max_calls=2)
    for tool in ("one", "two", "three"):
        session.record(Call("a", tool), 0)

    assert session.calls_since(Call("a", "one")) is None
    assert session.calls_since(Call("a", "two")) == 2


def test_sessions_share_nothing() -> None:
    """INVARIANT: nothing of one session is visible in another."""
    one, other = Session(), Session()
    one.record(Call("a", "b"), 7)
    assert one.store.keep({"h000000001": "text"})

    assert other.calls_since(Call("a", "b")) is None
    assert other.tokens_sent == 0
    assert other.store.get("h000000001") is None
