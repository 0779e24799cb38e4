"""One client and one server: bytes are forwarded as they come, answers to calls go through the rules.

Nothing here knows of processes, signals or exit codes, nor of what either end is: `stdio` runs one connection
as a process, and others may run many in one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from threading import Event, Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from terse.proxy.complaints import Complaints
from terse.proxy.framing import messages
from terse.proxy.rewriting import Held, Rewriter, Rewriting
from terse.proxy.wire import LISTS, ToolCall, Wire

if TYPE_CHECKING:
    from terse.plan.model import Plan
    from terse.proxy.listing import Request
    from terse.proxy.retrieval import OwnCall

_LIST_CHANGED = b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n'
_LIST_CHANGED_FOR = (
    b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":'
    b'{"_meta":{"io.modelcontextprotocol/subscriptionId":%b}}}\n'
)

QUIET_SECONDS = 0.2
"""No message for so long: the client has what it starts with, and its model thinks."""
CLOSE_SECONDS = 2.0
"""How long `close` waits for what a stopped server still had to say."""


class Refused(Exception):  # noqa: N818 — says what happened to the start
    """The rules must not run (a policy that does not compile). The message is for stderr, complete."""


class Upstream(Protocol):
    """The server's end of a connection: a child process (`child.Child`), or a server behind a URL.

    Every method may be called from any thread, `blocks` once and by one thread. No method raises but `send`.
    """

    def send(self, block: bytes) -> None:
        """Give whole messages to the server, each with its line end. May wait until it reads.

        Raises:
            OSError: the server reads no more. What it has to say still comes.
        """

    def blocks(self) -> Iterator[bytes]:
        """What the server says, in blocks of whole messages, until its end. Each message has its line end;
        only the last one of all may lack it."""

    def has_output(self) -> bool:
        """Whether the server has said what `blocks` has not yet given."""

    def close_input(self) -> None:
        """Let the server see the end of the client's messages. What it was asked is still answered."""

    def close_output(self) -> None:
        """Let the server see that nobody reads what it says."""

    def wait(self) -> int:
        """Wait until the server is gone, and return its exit code; 0 of one that has none."""

    def stop(self) -> int:
        """End the server (or the session with it) within half a second; what `wait` does then."""

    def release(self) -> None:
        """Free what it holds, once the server has ended and nobody reads `blocks`."""


class Connection:
    """What stands between one client and one server.

    Its owner feeds `from_client`, and is given what is for the client. INVARIANT: whatever fails in here,
    each message from the server reaches the client once: as the rules make it, or as it came.

    A connection has two threads, and a third from the first result that is rewritten; `close` ends them.

    Args:
        upstream: the server.
        send: takes whole messages for the client, from one thread at a time, in the order in which they are
            to arrive, and may wait: what the server says then waits, too. OSError: the client is gone.
        load: makes what rewrites results, or None for a connection that rewrites nothing; called in a
            thread, while the server boots. `Refused`: it is said
            on stderr, nothing is sent to the client any more, and `refused` is called. Any other failure is
            said on stderr, and everything is sent as it came.
        ended: called once, by the thread that reads the server, after the last message from it was sent;
            with the error if that thread itself failed.
        refused: see `load`.
        rewrites_lists: see `Wire`. A list that may be rewritten waits for the rules, as results do.
        holds_calls: calls of tools wait for the rules, which may hide a tool, or know it by another name.
        rewrites: results may be rewritten here. If not, `load` can only refuse.
        counts: see `Wire`.

    Attributes:
        client_gone: set once `send` raised OSError.
        server_spoke: set once the server has said anything, or has ended.
        is_forwarding: whether a block from the server is on its way to the client.
    """

    def __init__(
        self,
        upstream: Upstream,
        send: Callable[[bytes], None],
        load: Callable[[], Rewriter | None],
        *,
        ended: Callable[[BaseException | None], None],
        refused: Callable[[], None],
        complaints: Complaints,
        rewrites_lists: Callable[[bytes], bool] | None = None,
        holds_calls: bool = False,
        rewrites: bool = True,
        counts: Callable[[], dict[str, int]] | None = None,
    ) -> None:
        self.client_gone = Event()
        self.server_spoke = Event()
        self.is_forwarding = False
        self._upstream = upstream
        self._to_client = send
        self._make_rewriter = load
        self._ended = ended
        self._refused = refused
        self._complaints = complaints
        self._holds_calls = holds_calls
        self._rewrites = rewrites
        self._wire = Wire(rewrites_lists, counts)
        self._rewriting = Rewriting(self._load, self._send, self._say_late, self._is_quiet)
        self._reader = Thread(target=self._read_server, daemon=True)
        self._send_lock = Lock()
        self._closing = Lock()
        self._code: int | None = None
        self._is_refused = False
        self._last_message = 0.0
        self._is_list_late = False

    def start(self) -> None:
        """Start loading the rules, and reading what the server says."""
        self._rewriting.start()
        self._reader.start()

    def from_client(self, block: bytes) -> None:
        """Forward whole messages from the client, each with its line end. One thread at a time.

        Raises:
            OSError: the server reads no more; as from `Upstream.send`.
        """
        self._last_message = monotonic()
        own_tool = self._rewriting.own_tool
        if own_tool is not None and own_tool.encode() in block:
            block = self._answer_own_calls(block, own_tool)
        # The method's letters may be written as escapes.
        if self._holds_calls and (b"tools/call" in block or b"tools\\/call" in block or b"\\u00" in block):
            block = self._as_requested(block)
        if self._rewrites:
            if b"tools/list" in block and b"[" in block:
                block = b"".join(map(self._with_lists_apart, messages(block)))
            for message in messages(block):
                self._wire.from_client(message)
        self._upstream.send(block)
        self._wire.read()

    @property
    def own_tool(self) -> str | None:
        """See `Rewriter.own_tool`."""
        return self._rewriting.own_tool

    @property
    def waits_for_rules(self) -> bool:
        """Whether `from_client` may wait until the rules are there."""
        return self._holds_calls and not self._rewriting.is_loaded

    def wait_until_loaded(self, seconds: float) -> None:
        """Wait until the rules are there, or could not be loaded, or the time is over."""
        self._rewriting.wait_until_loaded(seconds)

    def is_finished(self) -> bool:
        """Whether nothing is being rewritten, and nothing will be: after `close`, when that is done."""
        return self._rewriting.is_finished()

    def wait_until_sent(self) -> None:
        """Wait until all that is being rewritten has been sent: the time limit bounds it."""
        self._rewriting.wait_until_sent()

    def follow(self, plan: Plan) -> None:
        """Run another plan from the next result on; the client is told if its list of tools is another one:
        since 2026-07-28 where it asked to be, be the server's own list one that changes or not.
        """

        def follow(rewriter: Rewriter) -> None:
            if not rewriter.follow(plan):
                return
            if self._wire.has_begun:
                self._send(_LIST_CHANGED)
            for raw_id in self._wire.listening():
                self._send(_LIST_CHANGED_FOR % raw_id)

        self._rewriting.note(follow)

    def note_retrieved(self, call: OwnCall, answer: bytes, seconds: float) -> None:
        """Somebody else answered a call that fetches what was set aside here: it is noted with the rest."""
        if self._rewriting.observes:
            self._rewriting.note(lambda rewriter: rewriter.sent(call, answer, seconds, is_late=False))

    def finish(self) -> None:
        """Wait until all is noted that was sent: see `Rewriting.finish`."""
        self._rewriting.finish()

    def close(self) -> int:
        """Stop the server, end the threads, free the rest. Returns the server's exit code.

        Not to be called by `send` or `ended`, which run in these threads. It may be called again.
        """
        with self._closing:
            # INVARIANT: once. What was released may be somebody else's by then.
            if self._code is None:
                self._code = self._close()
            return self._code

    def _close(self) -> int:
        code = self._upstream.stop()
        if self._reader.ident is not None:
            self._reader.join(CLOSE_SECONDS)
        self._rewriting.finish()
        self._rewriting.stop()
        if not self._reader.is_alive():
            self._upstream.release()
        return code

    # ---- client to server ----------------------------------------------------------------------

    def _answer_own_calls(self, block: bytes, own_tool: str) -> bytes:
        """Answer the calls of our own tool; returns what is left for the server."""
        rest: list[bytes] = []
        for message in messages(block):
            call = self._wire.own_call(message, own_tool)
            if call is None:
                rest.append(message)
            elif not self._rewriting.take(call):
                self._send(call.message)
        return b"".join(rest)

    def _as_requested(self, block: bytes) -> bytes:
        """Messages as the server is to see them: it is not asked for a tool that is hidden."""
        self._rewriting.wait_until_loaded(None)
        forwarded: list[bytes] = []
        for message in messages(block):
            request = self._rewriting.request(message)
            if request is None:
                forwarded.append(message)
                continue
            if request.to_client:
                self._send(request.to_client)
                if self._rewriting.observes:
                    self._rewriting.note(partial(_note_answered, request))
            forwarded.append(request.to_server)
        return b"".join(forwarded)

    def _with_lists_apart(self, message: bytes) -> bytes:
        """A batch that asks for lists that may be rewritten is taken apart: see `batch`."""
        if message.lstrip()[:1] != b"[" or not self._wire.may_rewrite_list(message):
            return message
        from terse.proxy.batch import with_lists_apart

        return with_lists_apart(message)

    # ---- server to client ----------------------------------------------------------------------

    def _read_server(self) -> None:
        error: BaseException | None = None
        try:
            for block in self._upstream.blocks():
                self.is_forwarding = True
                if not block.endswith(b"\n"):
                    # The last one, without its end: what is sent after it would be part of it.
                    self._rewriting.wait_until_sent()
                self._forward(block)
                self.is_forwarding = False
                self._last_message = monotonic()
                self.server_spoke.set()
                # Not kept while the next one is read: it may be large.
                del block
            self._rewriting.wait_until_sent()
        except BaseException as failure:
            error = failure
        self.is_forwarding = False
        self.server_spoke.set()
        self._ended(error)

    def _forward(self, block: bytes) -> None:
        if not self._wire.awaits_answers:
            self._send(block)
            return
        plain: list[bytes] = []
        passed: list[Held] = []
        for message in messages(block):
            answer = self._wire.from_server(message)
            self._tell_what_was_withdrawn()
            while (call := self._wire.failed()) is not None:
                if self._rewriting.observes:
                    self._rewriting.note(partial(_note_failed, call, len(message)))
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
                passed.append(answer)
        if plain:
            self._send(plain[0] if len(plain) == 1 else b"".join(plain))
        # Once it is sent: what is noted must not take its time.
        for each in passed:
            if self._rewriting.observes:
                self._rewriting.note_sent(each)
            self._rewriting.record(each)

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
        try:
            with self._send_lock:
                # INVARIANT: no result is sent under rules that were refused, not even as it came.
                if not self._is_refused:
                    self._to_client(data)
        except OSError:
            self.client_gone.set()
            self._upstream.close_input()
            self._upstream.close_output()

    # ---- the rewriter ----------------------------------------------------------------------------

    def _load(self) -> Rewriter | None:
        try:
            return self._make_rewriter()
        except Refused as refused:
            self._complaints.say("refused", str(refused))
            with self._send_lock:
                self._is_refused = True
            self._refused()
        except BaseException as error:
            self._complaints.say_failed("loading the rules", error)
        return None

    def _ask_for_list_again(self) -> None:
        """The client has a list that rules would have changed, which they now could."""
        if self._wire.has_begun:
            self._send(_LIST_CHANGED)

    def _is_quiet(self) -> bool:
        return self.server_spoke.is_set() and monotonic() - self._last_message > QUIET_SECONDS

    def _say_late(self, answer: Held) -> None:
        self._note_passed(answer)
        if answer.tool == LISTS and not self._is_list_late:
            # Once: what was late may be so again.
            self._is_list_late = True
            self._rewriting.note(lambda rewriter: self._ask_for_list_again())
        what = "the list of tools" if answer.tool == LISTS else f"a result of {answer.tool}"
        self._complaints.say("late", f"{what} was not rewritten in time: the original was sent")


def _note_failed(call: ToolCall, size: int, rewriter: Rewriter) -> None:
    if rewriter.observing is not None:
        rewriter.observing.refused(call, size)


def _note_answered(request: Request, rewriter: Rewriter) -> None:
    if rewriter.observing is not None and request.what is not None:
        rewriter.observing.answered(request.what, request.tool, request.to_client)


def _forget(call: ToolCall, rewriter: Rewriter) -> None:
    rewriter.forget(call.tool, call.arguments)
