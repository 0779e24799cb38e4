"""Results count once the client has them: what is on its way is no base."""

from __future__ import annotations

from terse.memory.history import Base
from terse.memory.received_session import MAX_ASKED, Receipts, ReceivedSession
from terse.memory.session import request_key
from terse.payload.call import Call

CALL = Call("server", "tool", {"n": 1})


def record(session: ReceivedSession, request: str | bytes, number: int, call: Call = CALL) -> None:
    base = Base(f"text {number}", is_json=False, whole=True)
    session.record(call, 10, [base], number, request_key(request))


def numbers(session: ReceivedSession) -> list[int]:
    """Calls that the next result may speak of, newest first."""
    return [each.number for each in session.earlier(CALL, number=100)]


def test_what_arrived_counts() -> None:
    """As base, as call, and in tokens; not before, and once."""
    receipts = Receipts()
    session = ReceivedSession(receipts)
    receipts.asked("a")
    record(session, "a", 1)

    assert receipts.awaits("a")
    assert (numbers(session), session.calls_since(CALL), session.tokens_sent) == ([], None, 0)
    for _ in range(2):
        receipts.delivered("a")
        assert (numbers(session), session.calls_since(CALL), session.tokens_sent) == ([1], 1, 10)
    assert not receipts.awaits("a")


def test_ids_are_told_apart() -> None:
    """`1` and `"1"` are two requests."""
    receipts = Receipts()
    session = ReceivedSession(receipts)
    receipts.asked("1")
    receipts.asked(b"1")
    record(session, "1", 1)
    record(session, b"1", 2)
    receipts.delivered(b"1")

    assert numbers(session) == [2]


def test_what_was_given_up_never_counts() -> None:
    """Whether its result came before that or after, and whatever arrives under its id."""
    receipts = Receipts()
    session = ReceivedSession(receipts)
    receipts.asked("a")
    record(session, "a", 1)
    receipts.given_up("a")
    receipts.asked("b")
    receipts.given_up("b")
    record(session, "b", 2)
    receipts.delivered("a")
    receipts.delivered("b")

    assert numbers(session) == []


def test_an_id_that_is_used_again_is_another_request() -> None:
    """What was on its way under that id does not arrive with the answer to the new one."""
    receipts = Receipts()
    session = ReceivedSession(receipts)
    receipts.asked("a")
    record(session, "a", 1)
    receipts.asked("a")
    receipts.delivered("a")

    assert numbers(session) == []


def test_a_call_that_is_forgotten() -> None:
    """What arrived of it is no base any more, nor is what was on its way; other calls stay as they are."""
    receipts = Receipts()
    session = ReceivedSession(receipts)
    other = Call("server", "tool", {"n": 2})
    for request, number, call in (("a", 1, CALL), ("b", 2, CALL), ("c", 3, other)):
        receipts.asked(request)
        record(session, request, number, call)
    receipts.delivered("a")
    session.forget(CALL)
    receipts.delivered("b")
    receipts.delivered("c")

    assert numbers(session) == []
    assert [each.number for each in session.earlier(other, number=100)] == [3]


def test_what_nobody_can_be_told_of_never_counts() -> None:
    """A result of no known request, or of a call that was not counted."""
    receipts = Receipts()
    session = ReceivedSession(receipts)
    receipts.asked("a")
    session.record(CALL, 10, [Base("text", is_json=False, whole=True)], 1)
    session.record(CALL, 10, [Base("text", is_json=False, whole=True)], None, request_key("a"))
    receipts.delivered("a")

    assert numbers(session) == []


def test_what_is_on_its_way_is_bounded() -> None:
    """In bytes and in number; what has no room never counts."""
    receipts = Receipts(max_bytes=1000)
    session = ReceivedSession(receipts)
    base = Base("x" * 700, is_json=False, whole=True)
    for number in (1, 2):
        receipts.asked(f"{number}")
        session.record(CALL, 10, [base], number, request_key(f"{number}"))
    receipts.delivered("1")
    receipts.delivered("2")
    assert numbers(session) == [1]

    receipts.asked("first")
    record(session, "first", 3)
    for number in range(MAX_ASKED):
        receipts.asked(f"later {number}")
    receipts.delivered("first")
    assert numbers(session) == [1]


def test_a_client_that_begins_anew() -> None:
    """What was on its way before is no base of what comes after."""
    receipts = Receipts()
    before, after = ReceivedSession(receipts), ReceivedSession(receipts)
    receipts.asked("a")
    record(before, "a", 1)
    receipts.delivered("a")

    assert numbers(after) == []
