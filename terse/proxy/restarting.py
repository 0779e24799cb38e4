"""A server that is a process, and is started again when it ends by itself: the client's session goes on."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from threading import Condition, Event, Thread

from terse.proxy.child import Child
from terse.proxy.framing import messages
from terse.proxy.many.standing import Standing
from terse.proxy.message import Message, read, replaced
from terse.proxy.spans import MALFORMED, encode_string
from terse.proxy.wire import JsonRpcId

BACK_OFF_SECONDS = (0.1, 0.5, 2.0, 5.0, 15.0)
"""Before each start that follows a start that did not last; after as many, the server is given up."""
STEADY_SECONDS = 60.0
"""A server that ran so long has lasted."""
LOOK_SECONDS = 0.2
MAX_UNDER_WAY = 4096
"""Requests that are remembered until they are answered; of more, the oldest get no error."""
_ENDED = -32000
_ONLY = ""
"""The name of the server, of which there is one."""
_CHANGED = b"".join(
    b'{"jsonrpc":"2.0","method":"notifications/%b/list_changed"}\n' % each
    for each in (b"tools", b"prompts", b"resources")
)


class Restarting:
    """An `Upstream` made of one process after another; see there for what its methods promise.

    A server that was never of use, as it answered nothing, is not started again: its end is the end.

    INVARIANT: no request is given to two processes: of one that was under way nobody knows what it did.

    Args:
        first: the process that runs.
        start: starts another one. `OSError`: it cannot be.
        say: told what a user should know.
    """

    def __init__(self, first: Child, start: Callable[[], Child], say: Callable[[str], None]) -> None:
        self._child = first
        self._reading = first.blocks()
        self._start = start
        self._say = say
        self._turn = Condition()
        self._is_between = False
        self._is_over = Event()
        self._ended = Event()
        self._code = 0
        self._was_of_use = False
        self._is_introduced = True
        self._early_ends = 0
        self._repeats = 0
        self._under_way: dict[JsonRpcId, bytes] = {}
        self._introduction: Message | None = None
        self._initialized: Message | None = None
        self._standing = Standing()

    # ---- from the client -------------------------------------------------------------------------------

    def send(self, block: bytes) -> None:
        """See `Upstream.send`. What comes between two processes waits for the next one."""
        with self._turn:
            self._turn.wait_for(lambda: not self._is_between or self._is_over.is_set())
            for message in messages(block):
                self._note(message)
            child = self._child
        try:
            child.send(block)
        except OSError:
            if self._is_over.is_set() or self._ended.is_set():
                raise
            # It has ended: what it was asked is answered once that is seen.

    def close_input(self) -> None:
        """See `Upstream.close_input`."""
        self._finish()
        self._child.close_input()

    def close_output(self) -> None:
        """See `Upstream.close_output`."""
        self._finish()
        self._child.close_output()

    def _finish(self) -> None:
        self._is_over.set()
        with self._turn:
            self._turn.notify_all()

    def _note(self, raw: bytes) -> None:
        try:
            message = read(raw)
        except MALFORMED:
            return
        if message.method == "notifications/cancelled":
            self._drop_cancelled(message)
        elif message.method == "notifications/initialized":
            self._initialized = message
        elif message.method == "logging/setLevel":
            self._standing.note_level(message)
        elif message.method == "initialize":
            self._introduction, self._initialized = message, None
            self._standing.clear()
        else:
            self._standing.note_answer(_ONLY, message)
        if message.method is not None and message.id is not None:
            self._under_way[message.id] = message.raw_id
            while len(self._under_way) > MAX_UNDER_WAY:
                self._under_way.pop(next(iter(self._under_way)))

    def _drop_cancelled(self, message: Message) -> None:
        from terse.proxy.wire import request_id

        span = message.params.get("requestId")
        ident = None if span is None else request_id(message.raw, span)
        if ident is not None:
            self._under_way.pop(ident, None)

    # ---- from the server -------------------------------------------------------------------------------

    def blocks(self) -> Iterator[bytes]:
        """See `Upstream.blocks`."""
        try:
            while True:
                half = b""
                began = time.monotonic()
                clearing = Thread(target=self._clear_away, args=(self._child,), daemon=True)
                clearing.start()
                for block in self._reading:
                    if block.endswith(b"\n"):
                        self._note_answers(block)
                        yield block
                    else:
                        half = block
                self._code = self._child.wait()
                # INVARIANT: what was released may be somebody else's: nobody works on it any more.
                clearing.join()
                is_next = self._goes_on(began)
                if half and not is_next:
                    yield half
                if not is_next:
                    return
                yield from self._begun_anew()
                if self._is_over.is_set():
                    return
        finally:
            with self._turn:
                self._is_between = False
                self._turn.notify_all()
            self._ended.set()

    def _clear_away(self, child: Child) -> None:
        # What a launcher left behind may hold the output open: the end would not be seen.
        child.wait()
        child.stop()

    def _goes_on(self, began: float) -> bool:
        if self._is_over.is_set() or not self._was_of_use:
            return False
        self._early_ends = 0 if time.monotonic() - began > STEADY_SECONDS else self._early_ends + 1
        if self._early_ends > len(BACK_OFF_SECONDS):
            self._say(f"the server has ended {self._early_ends} times: it is not started again")
            return False
        return True

    def _begun_anew(self) -> Iterator[bytes]:
        """Start another process, and yield what the client is to hear of it."""
        with self._turn:
            self._is_between = True
            lost, self._under_way = self._under_way, {}
        why = f"exit code {self._code}" if self._code < 128 else f"signal {self._code - 128}"
        said = f"the server has ended ({why}) before it answered, and is started again: ask again"
        if lost:
            yield b"".join(_failure(ident, said) for ident in lost.values())
        self._say(f"the server has ended ({why}): it is started again")
        if self._is_over.wait(BACK_OFF_SECONDS[max(self._early_ends - 1, 0)]):
            return
        try:
            child = self._start()
        except OSError as error:
            self._say(f"the server cannot be started again: {error.strerror or error}")
            self._is_over.set()
            return
        self._child.release()
        self._child, self._reading = child, child.blocks()
        if self._is_over.is_set():
            child.stop()
            return
        yield from self._introduced()
        with self._turn:
            self._is_between = False
            self._turn.notify_all()
        if self._introduction is not None and self._is_introduced:
            # A client of 2026-07-28 asks again by itself when its lists are stale.
            yield _CHANGED

    def _introduced(self) -> Iterator[bytes]:
        """Tell it what the client said once; yield what it says meanwhile but its answers to that."""
        self._is_introduced = False
        awaited: set[JsonRpcId] = set()
        wanted = [self._introduction, self._initialized, *self._standing.requests_for(_ONLY)]
        try:
            for message in wanted if self._introduction is not None else ():
                if message is None:
                    continue
                again = self._again(message)
                self._child.send(again.raw)
                if again.id is None:
                    continue
                awaited.add(again.id)
                # One after the other: nothing may come before its answer to `initialize`.
                for block in self._reading:
                    for each in messages(block):
                        ident = _answered(each)
                        if ident in awaited:
                            awaited.discard(ident)
                        elif each.endswith(b"\n"):
                            yield each
                    if not awaited:
                        break
            self._is_introduced = not awaited
        except OSError:
            # It has ended again: that is seen next.
            return

    def _again(self, message: Message) -> Message:
        """A message of the client once more, under an id that it did not choose."""
        if "id" not in message.members:
            return message
        self._repeats += 1
        ident = encode_string(f"terse-again-{self._repeats}")
        return read(replaced(message.raw, {message.members["id"]: ident}))

    def _note_answers(self, block: bytes) -> None:
        if not self._under_way:
            return
        for message in messages(block):
            ident = _answered(message)
            if ident is not None:
                with self._turn:
                    self._was_of_use = self._under_way.pop(ident, None) is not None or self._was_of_use

    # ---- the end ---------------------------------------------------------------------------------------

    def has_output(self) -> bool:
        """See `Upstream.has_output`."""
        return not self._ended.is_set()

    def wait(self) -> int:
        """See `Upstream.wait`: the exit code of the last process."""
        # The kernel may hand a signal to any thread, and Python handles it in this one once it runs.
        while not self._ended.wait(LOOK_SECONDS):
            pass
        return self._code

    def stop(self) -> int:
        """See `Upstream.stop`."""
        self._finish()
        self._code = self._child.stop()
        return self._code

    def release(self) -> None:
        """See `Upstream.release`."""
        self._child.release()


def _answered(raw: bytes) -> JsonRpcId | None:
    """The id of the request that a message answers."""
    if b'"result"' not in raw and b'"error"' not in raw:
        return None
    try:
        message = read(raw)
    except MALFORMED:
        return None
    return None if message.method is not None else message.id


def _failure(ident: bytes, said: str) -> bytes:
    error = json.dumps({"code": _ENDED, "message": said}).encode()
    return b'{"jsonrpc":"2.0","id":%b,"error":%b}\n' % (ident, error)
