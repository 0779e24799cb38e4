"""The relay: a client on our stdin and stdout, a server on its own, and threads that move the bytes.

Bytes are forwarded as they come, message by message; only answers that `wire` picks out go another way,
through `rewriting`. The main thread waits for the server's end and takes the signals.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Callable, Iterator
from functools import partial
from threading import Event, Lock, Thread, main_thread
from time import monotonic
from typing import TYPE_CHECKING, NoReturn

from terse.proxy.child import Child
from terse.proxy.complaints import Complaints
from terse.proxy.rewriting import Held, Rewriter, Rewriting
from terse.proxy.wire import LISTS, ToolCall, Wire

if TYPE_CHECKING:
    from types import FrameType

READ_BYTES = 64 * 1024
READ_MORE_BYTES = 1024 * 1024
"""How much is asked for at once: little, and much once a message proves long."""
LOAD_AFTER_SECONDS = 0.05
"""The proxy's own modules load when the server has said something, or after this time: not while both
of them would be starting, nor between a client and the answer to its first message."""
LOAD_SECONDS = 10.0
"""How long a session that is over waits for its rules to be loaded, to say what is wrong with them."""
QUIET_SECONDS = 0.2
"""No message for so long: the client has what it starts with, and its model thinks."""
END_SECONDS = 2.0
"""How long a server may go on after its output, or its client, is gone."""
SWITCH_SECONDS = 0.0005
"""How long Python may let one thread run on while another waits; its default would be added to a message
that passes while a result is being rewritten."""

_CLIENT_IN, _CLIENT_OUT = 0, 1


class Refused(Exception):  # noqa: N818 — says what happened to the start
    """The proxy must not run (a policy that does not compile). The message is for stderr, complete."""


class _Stop(BaseException):
    """Raised in the main thread: end the server, and exit with this code (None: with the server's)."""

    def __init__(self, code: int | None) -> None:
        super().__init__(code)
        self.code = code


def _forget(call: ToolCall, rewriter: Rewriter) -> None:
    rewriter.forget(call.tool, call.arguments)


class Relay:
    """One client, one server.

    Args:
        child: the running server.
        load: makes what rewrites results; called in a thread while the server boots. `Refused` ends the
            relay with exit code 2; any other failure is said on stderr, and everything is sent as it came.
        rewrites_lists: see `Wire`. A list that may be rewritten waits for the rules, as results do.
        must_load: a session that is over before loading waits for it: `Refused` is never missed.
    """

    def __init__(
        self,
        child: Child,
        load: Callable[[Complaints], Rewriter],
        *,
        must_load: bool = False,
        rewrites_lists: Callable[[bytes], bool] | None = None,
    ) -> None:
        self._child = child
        self._make_rewriter = load
        self._must_load = must_load
        self._complaints = Complaints()
        self._wire = Wire(rewrites_lists)
        self._rewriting = Rewriting(self._load, self._send, self._say_late, self._is_quiet)
        self._parent = os.getppid()
        self._null = os.open(os.devnull, os.O_RDWR)
        self._send_lock = Lock()
        self._client_gone = Event()
        self._server_spoke = Event()
        self._ended = Event()
        self._drained = Event()
        self._forwarding = False
        self._last_message = 0.0
        self._stop_code: int | None = None
        self._refused = False

    def run(self) -> int:
        """Relay until the server ends, the client goes, or a signal comes. Returns the exit code.

        That is the server's own, 128+n after signal n, or 2 when the policy was refused.
        """
        try:
            self._take_signals()
            self._rewriting.start()
            Thread(target=self._guarded, args=(self._client_to_server,), daemon=True).start()
            Thread(target=self._guarded, args=(self._server_to_client,), daemon=True).start()
            code = self._child.wait()
            self._ended.set()
            self._wait_for_the_rest()
            self._ignore_signals()
            return 2 if self._refused else code
        except _Stop as stop:
            self._ignore_signals()
            code = self._child.stop()
            return code if stop.code is None else stop.code

    # ---- client to server ----------------------------------------------------------------------

    def _client_to_server(self) -> None:
        for block in _blocks(_CLIENT_IN):
            self._last_message = monotonic()
            own_tool = self._rewriting.own_tool
            if own_tool is not None and own_tool.encode() in block:
                block = self._answer_own_calls(block, own_tool)
            for message in _messages(block):
                self._wire.from_client(message)
            try:
                _write(self._child.stdin, block)
            except OSError:
                # The server reads no more. Nor do we, so that the client sees what it would see without us.
                os.dup2(self._null, _CLIENT_IN)
                break
            self._wire.read()
            del block
        self._child.close_stdin()
        self._watch_the_client()

    def _answer_own_calls(self, block: bytes, own_tool: str) -> bytes:
        """Answer the calls of our own tool; returns what is left for the server."""
        rest: list[bytes] = []
        for message in _messages(block):
            call = self._wire.own_call(message, own_tool)
            if call is None:
                rest.append(message)
            elif not self._rewriting.take(call):
                self._send(call.message)
        return b"".join(rest)

    def _watch_the_client(self) -> None:
        """After the end of the client's messages: notice that the client itself is gone.

        Until then the server may take its time over what it was asked.
        """
        poll = select.poll()
        poll.register(_CLIENT_OUT, 0)
        while not self._client_gone.wait(0.1):
            gone = any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))
            if gone or os.getppid() != self._parent:
                break
        if not self._ended.wait(END_SECONDS):
            self._stop(None)

    # ---- server to client ----------------------------------------------------------------------

    def _server_to_client(self) -> None:
        try:
            for block in _blocks(self._child.stdout):
                self._forwarding = True
                self._forward(block)
                self._forwarding = False
                self._last_message = monotonic()
                self._server_spoke.set()
                # Not kept while the next one is read: it may be large.
                del block
            self._rewriting.wait_until_sent()
        finally:
            os.dup2(self._null, _CLIENT_OUT)
            self._child.close_stdin()
            self._drained.set()
        if not self._ended.wait(END_SECONDS):
            self._stop(None)

    def _forward(self, block: bytes) -> None:
        if not self._wire.awaits_answers:
            self._send(block)
            return
        plain: list[bytes] = []
        for message in _messages(block):
            answer = self._wire.from_server(message)
            self._tell_what_was_withdrawn()
            if answer is None:
                plain.append(message)
                continue
            # What came before an answer (its progress, say) goes out before it may.
            if plain:
                self._send(b"".join(plain))
                plain.clear()
            if not self._rewriting.take(answer):
                plain.append(message)
                self._note_passed(answer)
        if plain:
            self._send(plain[0] if len(plain) == 1 else b"".join(plain))

    def _note_passed(self, answer: Held) -> None:
        """A page of the tools that nobody looked at shows the client all that the server says of them."""
        if answer.tool == LISTS:
            self._rewriting.note(lambda rewriter: rewriter.list_passed())

    def _tell_what_was_withdrawn(self) -> None:
        """Later results must not speak of what the client does not have."""
        while (call := self._wire.withdrawn()) is not False:
            if call is None:
                self._rewriting.note(lambda rewriter: rewriter.begin())
            else:
                self._rewriting.note(partial(_forget, call))

    def _send(self, data: bytes) -> None:
        """Write whole messages to the client. Nobody there to read them ends the relay."""
        try:
            with self._send_lock:
                _write(_CLIENT_OUT, data)
        except OSError:
            self._client_gone.set()
            self._child.close_stdin()
            self._child.close_stdout()

    def _wait_for_the_rest(self) -> None:
        """After the server's end: wait until what it wrote has reached the client.

        A process that the server left behind may hold its output open without ever writing again: then
        the end of the output does not come, and is not waited for.
        """
        self._server_spoke.set()
        if self._must_load:
            self._rewriting.wait_until_loaded(LOAD_SECONDS)
        poll = select.poll()
        poll.register(self._child.stdout, select.POLLIN)
        quiet = 0
        while not self._drained.wait(0.1):
            waiting = any(event & select.POLLIN for _, event in poll.poll(0))
            # More than once: what was just read may not yet be seen to be on its way.
            quiet = 0 if waiting or self._forwarding else quiet + 1
            if quiet == 3:
                self._rewriting.wait_until_sent()
                return

    # ---- the rewriter ----------------------------------------------------------------------------

    def _load(self) -> Rewriter | None:
        self._server_spoke.wait(LOAD_AFTER_SECONDS)
        sys.setswitchinterval(SWITCH_SECONDS)
        try:
            return self._make_rewriter(self._complaints)
        except Refused as refused:
            self._complaints.say("refused", str(refused))
            self._refused = True
            self._stop(2)
            # INVARIANT: no result is sent under rules that were refused. This thread would send it.
            Event().wait()
        except BaseException as error:
            self._complaints.say_failed("loading the rules", error)
        return None

    def _is_quiet(self) -> bool:
        return self._server_spoke.is_set() and monotonic() - self._last_message > QUIET_SECONDS

    def _say_late(self, answer: Held) -> None:
        self._note_passed(answer)
        self._complaints.say(
            "late", f"a result of {answer.tool} was not rewritten in time: the original was sent"
        )

    # ---- signals -----------------------------------------------------------------------------------

    def _take_signals(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            # What our parent had ignored (nohup, a job in the background) stays ignored.
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, _on_signal)
        signal.signal(signal.SIGUSR1, self._on_stop)

    def _ignore_signals(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1):
            signal.signal(number, signal.SIG_IGN)

    def _stop(self, code: int | None) -> None:
        """Have the main thread end the server and return `code`."""
        self._stop_code = code
        signal.pthread_kill(main_thread().ident or 0, signal.SIGUSR1)

    def _on_stop(self, number: int, frame: FrameType | None) -> NoReturn:
        raise _Stop(self._stop_code)

    def _guarded(self, pump: Callable[[], None]) -> None:
        """Run a pump; if it fails, end the relay rather than leave the client with a dead connection."""
        try:
            pump()
        except BaseException as error:
            self._complaints.say_failed("the relay", error)
            self._stop(1)


def _on_signal(number: int, frame: FrameType | None) -> NoReturn:
    raise _Stop(128 + number)


def _blocks(descriptor: int) -> Iterator[bytes]:
    """What comes from a descriptor, in blocks of whole messages: each ends with a line end, or is the last.

    A message may have any length: its pieces are joined once.
    """
    pieces: list[bytes] = []
    while chunk := _read(descriptor, READ_MORE_BYTES if pieces else READ_BYTES):
        end = chunk.rfind(b"\n") + 1
        if not end:
            pieces.append(chunk)
            continue
        rest = chunk[end:]
        pieces.append(chunk[:end])
        block = pieces[0] if len(pieces) == 1 else b"".join(pieces)
        pieces.clear()
        if rest:
            pieces.append(rest)
        yield block
        del block, chunk
    if pieces:
        yield b"".join(pieces)


def _messages(block: bytes) -> list[bytes]:
    """The messages of a block, line ends included. Only b"\\n" ends one: \\r and U+2028 may stand inside."""
    if block.find(b"\n", 0, -1) == -1:
        return [block]
    messages = [message + b"\n" for message in block.split(b"\n")]
    last = messages.pop()[:-1]
    if last:
        messages.append(last)
    return messages


def _read(descriptor: int, size: int) -> bytes:
    """Up to so many bytes; none at the end of the input, also if it broke."""
    while True:
        try:
            return os.read(descriptor, size)
        except BlockingIOError:
            select.select([descriptor], [], [])
        except OSError:
            return b""


def _write(descriptor: int, data: bytes) -> None:
    """Write all of `data`.

    Raises:
        OSError: nobody reads it any more.
    """
    rest: bytes | memoryview = data
    while rest:
        try:
            written = os.write(descriptor, rest)
        except BlockingIOError:
            select.select([], [descriptor], [])
            continue
        if written == len(rest):
            return
        rest = memoryview(rest)[written:]
