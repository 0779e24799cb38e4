"""The queue beside the relay: every answer is sent once, whatever becomes of its rewriting."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event

from terse.proxy.answer import Answer
from terse.proxy.rewriting import MAX_WAITING, MAX_WAITING_BYTES, Rewriter, Rewriting
from terse.proxy.spans import Span
from tests.proxy.passive import Passive

PATIENCE = 20.0


def answer(number: int, tool: str = "tool", size: int = 0) -> Answer:
    message = b"%d%s\n" % (number, b" " * size)
    return Answer(message, message, Span(0, 1), tool, b"{}")


class Playbook(Passive):
    """A rewriter whose every step the test decides, and the list of what was sent."""

    def __init__(self, time_limit: float = PATIENCE) -> None:
        self.sent: list[bytes] = []
        self.late: list[bytes] = []
        self.go_on = Event()
        self.working = Event()
        self.warmed = Event()
        self.some_sent = Event()
        self.settled: list[bool] = []
        self.told: list[str] = []
        self.rewriting = Rewriting(
            self._load, self._send, lambda late: self.late.append(late.message), lambda: True, time_limit
        )

    def _load(self) -> Rewriter | None:
        return self

    def _send(self, message: bytes) -> None:
        self.sent.append(message)
        self.some_sent.set()

    def rewrite(self, answer: Answer) -> bytes:
        if answer.tool == "slow":
            self.working.set()
            assert self.go_on.wait(PATIENCE)
        return b"re" + answer.message

    def settle(self, *, rewritten: bool) -> None:
        self.settled.append(rewritten)

    def forget(self, tool: str, arguments: bytes) -> None:
        self.told.append(tool)

    def begin(self) -> None:
        self.told.append("begin")

    def warm(self) -> None:
        self.warmed.set()


def test_answers_are_sent_rewritten_and_in_order() -> None:
    """What was taken first goes out first."""
    book = Playbook()
    book.rewriting.start()
    assert all(book.rewriting.take(answer(number)) for number in range(20))
    book.rewriting.wait_until_sent()

    assert book.sent == [b"re%d\n" % number for number in range(20)]


def test_a_tool_that_no_rule_touches_is_not_taken() -> None:
    """Its results never wait for anything."""
    book = Playbook()
    book.rewriting.start()
    book.rewriting.wait_until_loaded(PATIENCE)

    assert not book.rewriting.take(answer(1, "untouched"))


def test_the_rewriter_is_warmed_up_in_a_quiet_moment() -> None:
    """The tokenizer is there before the first result, if the client leaves the time."""
    book = Playbook()
    book.rewriting.start()

    assert book.warmed.wait(PATIENCE)


def test_when_time_is_up_originals_are_sent_once() -> None:
    """The slow result and those behind it go out as they came; what the slow work gives is dropped."""
    book = Playbook(time_limit=0.05)
    book.rewriting.start()
    assert book.rewriting.take(answer(1, "slow"))
    assert book.rewriting.take(answer(2))
    book.rewriting.wait_until_sent()
    assert book.sent == [b"1\n", b"2\n"]
    assert not book.rewriting.take(answer(3)), "nothing is queued behind work that has taken too long"

    book.go_on.set()
    sent_again = _until(lambda: book.rewriting.take(answer(4)))
    book.rewriting.wait_until_sent()

    assert sent_again
    assert book.sent == [b"1\n", b"2\n", b"re4\n"]
    assert book.late == [b"1\n", b"2\n"]


def test_results_wait_for_a_slow_start_only_so_long() -> None:
    """Rules that load for ever hold nothing back."""
    loading = Event()
    sent: list[bytes] = []

    def load() -> None:
        loading.wait(PATIENCE)

    rewriting = Rewriting(load, sent.append, lambda late: None, lambda: False, time_limit=0.05)
    rewriting.start()
    assert rewriting.take(answer(1))
    rewriting.wait_until_sent()
    loading.set()

    assert sent == [b"1\n"]


def test_without_a_rewriter_nothing_is_taken() -> None:
    """Rules that could not be loaded: everything is forwarded."""
    rewriting = Rewriting(lambda: None, lambda message: None, lambda late: None, lambda: False)
    rewriting.start()
    rewriting.wait_until_loaded(PATIENCE)

    assert not rewriting.take(answer(1))


def test_what_waits_is_bounded_in_number_and_bytes() -> None:
    """Beyond the bounds results are forwarded as they came."""
    for size, taken in ((0, MAX_WAITING), (MAX_WAITING_BYTES // 4, 3)):
        book = Playbook()
        book.rewriting.start()
        assert book.rewriting.take(answer(0, "slow"))
        assert book.working.wait(PATIENCE)

        number = 1
        while book.rewriting.take(answer(number, size=size)):
            number += 1
        assert number == taken if size == 0 else number - 1 == taken
        book.go_on.set()
        book.rewriting.wait_until_sent()

        assert len(book.sent) == number


def _until(condition: Callable[[], bool]) -> bool:
    waited = Event()
    for _ in range(int(PATIENCE / 0.01)):
        if condition():
            return True
        waited.wait(0.01)
    return False
