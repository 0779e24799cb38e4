"""Values that were set aside where no session says when it is over."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from terse.memory.expiring_store import ExpiringStore
from terse.memory.store import handle_of, size_of


class Clock:
    """Seconds that pass when they are told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_text_is_kept_for_a_while() -> None:
    """Until its time is over, it is given back unchanged; then it is gone, and its room is free."""
    clock = Clock()
    store = ExpiringStore(100, seconds=10, clock=clock)
    assert store.keep({"h1": "käse"})
    clock.now = 9.9
    assert store.get("h1") == "käse"
    clock.now = 9.9 + 10.1

    assert store.get("h1") is None
    assert store.free_bytes == 100


def test_fetching_and_setting_aside_anew_count() -> None:
    """Who still uses a value keeps it."""
    clock = Clock()
    store = ExpiringStore(seconds=10, clock=clock)
    store.keep({"h1": "a", "h2": "b", "h3": "c"})
    clock.now = 8
    store.get("h1")
    store.keep({"h2": "b"})
    clock.now = 15

    assert [store.get(handle) for handle in ("h1", "h2", "h3")] == ["a", "b", None]


def test_a_full_store_refuses_until_something_expires() -> None:
    """It never drops what it promised."""
    clock = Clock()
    store = ExpiringStore(10, seconds=10, clock=clock)
    assert store.keep({"h1": "x" * 8})
    assert not store.keep({"h2": "x" * 3})
    assert store.get("h1") == "x" * 8
    clock.now = 11

    assert store.keep({"h2": "x" * 3})


def test_a_handle_that_stands_for_another_text() -> None:
    """It is refused while the first is kept."""
    store = ExpiringStore()
    store.keep({"h1": "a"})

    assert not store.keep({"h1": "b"})
    assert store.get("h1") == "a"


@given(
    st.lists(
        st.tuples(st.sampled_from(["keep", "get", "wait"]), st.text(max_size=6), st.floats(0, 6)),
        max_size=40,
    )
)
def test_whatever_is_done_nothing_is_given_wrongly(steps: list[tuple[str, str, float]]) -> None:
    """What is given is what was kept under that handle, no more is held than may be, and the sum is right."""
    clock = Clock()
    store = ExpiringStore(20, seconds=5, clock=clock)
    for what, text, seconds in steps:
        if what == "wait":
            clock.now += seconds
        elif what == "keep":
            store.keep({handle_of(text): text})
        else:
            assert store.get(handle_of(text)) in (None, text)
        assert 0 <= store.free_bytes <= 20
        assert store.free_bytes == 20 - sum(map(size_of, store._texts.values()))
