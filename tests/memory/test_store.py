"""The store of what was set aside."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from terse.memory.store import Store, handle_of


def test_what_was_taken_in_is_given_back() -> None:
    """A handle resolves for as long as the store lives; an unknown one does not."""
    store = Store()

    assert store.keep({"h000000001": "first"})
    assert store.get("h000000001") == "first"
    assert store.get("h000000002") is None


def test_a_full_store_refuses_and_drops_nothing() -> None:
    """All of the texts are taken in, or none; what is there stays there."""
    store = Store(max_bytes=10)
    assert store.keep({"h000000001": "12345"})

    assert not store.keep({"h000000002": "1234", "h000000003": "12"})
    assert store.get("h000000001") == "12345"
    assert store.get("h000000002") is None
    assert store.free_bytes == 5


def test_the_same_text_counts_once() -> None:
    """Setting the same value aside again takes no more room."""
    store = Store(max_bytes=10)

    assert store.keep({"h000000001": "1234567890"})
    assert store.keep({"h000000001": "1234567890"})
    assert store.free_bytes == 0


def test_a_handle_never_changes_its_meaning() -> None:
    """Where two texts share a handle, the second is refused."""
    store = Store()

    assert store.keep({"h000000001": "one"})
    assert not store.keep({"h000000001": "two"})
    assert store.get("h000000001") == "one"


@given(text=st.text())
def test_a_handle_is_short_and_follows_from_the_text(text: str) -> None:
    """`h` and nine digits, the same every time."""
    handle = handle_of(text)

    assert handle == handle_of(text)
    assert handle[0] == "h"
    assert len(handle) == 10
    assert handle[1:].isdigit()


def test_lone_surrogates_have_handles() -> None:
    """Text that is no valid Unicode can be set aside too."""
    store = Store()
    text = "a\ud800b"

    assert store.keep({handle_of(text): text})
    assert store.get(handle_of(text)) == text
