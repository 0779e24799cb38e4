"""What happens to an answer: the plan runs on each of its texts. Any failure sends the original."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import thread_time
from typing import TYPE_CHECKING, NamedTuple

from terse.fields.marks import RETRIEVE
from terse.memory.history import MAX_BYTES
from terse.memory.session import Session, request_key
from terse.memory.store import Store
from terse.payload.blocks import Joined, join
from terse.payload.call import Call
from terse.payload.exact import JsonValue, NotExact, dump, parse_unambiguous
from terse.plan.glob import matches
from terse.plan.model import CallRepeats, Pattern, Plan, SessionSize
from terse.plan.result import Answered, run_result
from terse.plan.run import sent
from terse.plan.trace import Outcome, StepStatus, Trace
from terse.proxy.answer import Answer
from terse.proxy.clients import shown_by
from terse.proxy.complaints import Complaints
from terse.proxy.listing import Listing, Request
from terse.proxy.rules_at_hand import offers
from terse.proxy.shown_tools import ShownTools
from terse.record import Fault, Observer
from terse.tiers import BY_NAME
from terse.tokens import Vocabulary

if TYPE_CHECKING:
    from terse.memory.received_session import Receipts
    from terse.proxy.client_memory import ClientMemory
    from terse.proxy.observing import Observing
    from terse.proxy.retrieval import OwnCall
    from terse.proxy.rewriting import Held
    from terse.proxy.tool_list import ToolList
    from terse.proxy.wire import JsonRpcId

COUNTED_BYTES = 200
"""Characters of a text that may have to be counted: steps leave a smaller one alone."""
_PAGE = b"page"
"""The key of a page of the tools on its way: no call has one like it."""

Recording = Callable[[Answer, str, "Session | None"], None]
"""Takes the answer to a call as it came, once it, or what the rules made of it, was sent: with the server's
name, and the memory of the session that it is of, None where nobody knows which that is. It may be called
from several threads at a time, and is to return at once."""

MAX_MESSAGE_BYTES = 8 * 1024 * 1024
"""A longer message is forwarded as it came: the default policy takes the whole time limit for 8 MB of
records, several times that in memory, and stops other messages for a tenth of a second in the parser."""


class ProxySession:
    """The plan of one connection, with the memory of what was sent over it."""

    def __init__(
        self,
        plan: Plan,
        server: str,
        vocabulary: Vocabulary,
        complaints: Complaints,
        *,
        client: str | None = None,
        retrieves: bool = True,
        store: Store | None = None,
        memory_bytes: int | None = None,
        shared: ClientMemory | None = None,
        receipts: Receipts | None = None,
        shown_as: Callable[[str], str] | None = None,
        remembers: bool = True,
        clock: Callable[[], float] = thread_time,
        run: Callable[..., Answered] | None = None,
        tell: Callable[[Answered, Sequence[Outcome]], None] | None = None,
        observe: Observer | None = None,
        record: Recording | None = None,
    ) -> None:
        """
        Args:
            client: what `--client` says; None to go by the name that the client gives itself.
            retrieves: the client may be offered the tool that fetches what was set aside.
            store: where that is kept; in this process, for as long as it lives, if None.
            memory_bytes: what the results that later ones may speak of take at most; None: as usual.
            shared: what the client has of several servers; who stands before them then offers the tool that
                fetches what was set aside. None: this server is the only one.
            receipts: learn what the client has; None: whatever was sent.
            shown_as: see `Listing`.
            remembers: what was sent may be spoken of later. Not so where requests are of many clients: none
                of them is known to have what another one was sent.
            clock: seconds, which budgets of time are measured with.
            run: runs the rules on a result; None: `run_result`, which others may do elsewhere.
            tell: called with each result that rules were run on, once it is on its way, and with what came of
                it in the end.
            observe: is given a record of each message that was sent.
            record: is given each answer to a call once it was sent, as it came from the server.

        Attributes:
            observing: what makes these; None where nobody asked.
        """
        self.observing: Observing | None = None
        if observe is not None:
            from terse.proxy.observing import Observing

            self.observing = Observing(observe, server, vocabulary, complaints)
        self._record = record
        self._plan = plan
        self._client = client
        self._store = store
        self._remembers = remembers
        self._clock = clock
        self._run = run_result if run is None else run
        self._tell = tell
        self._memory_bytes = MAX_BYTES if memory_bytes is None else memory_bytes
        self._shown = ShownTools()
        self._listing = Listing(plan.tools, server, offers=retrieves, say=complaints.say, shown_as=shown_as)
        self._server = server
        self._vocabulary = vocabulary
        self._complaints = complaints
        self._shared = shared
        self._receipts = receipts
        self._memory = self._new_memory()
        self._unsent: _Unsent | None = None
        self._list: ToolList | None = None
        self._retrieves = retrieves
        self._read_rules()

    def _read_rules(self) -> None:
        """What is asked of the plan again and again."""
        # A condition on the history needs every call to be in it, also those that no rule speaks of.
        self._needs_history = self._remembers and any(
            isinstance(condition, (CallRepeats, SessionSize))
            for rule in self._plan.rules
            for condition in rule.when
        )
        self._offers = (
            self._retrieves
            and self._shared is None
            and offers(self._plan, self._server, remembers=self._remembers)
        )
        # Last: another thread notes what it finds in the one that it began with.
        self._least_bytes: dict[str, int | None] = {}

    def follow(self, plan: Plan) -> bool:
        """Run another plan, from the next result on. What the client has, and was shown, stays as it is.

        Returns:
            whether the client would be shown another list of tools now.
        """
        shown, offered, before = self._listing, self._offers, self._plan
        try:
            listing = shown.under(plan.tools)
            is_other = not listing.shows_as(shown)
            self._plan = plan
            self._read_rules()
            self._listing = listing
            return is_other or self._offers != offered
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            self._plan = before
            self._read_rules()
            self._complaints.say_fault("changing the rules", error, "the old ones stay")
            return False

    @property
    def own_tool(self) -> str | None:
        """The name under which the client was shown the tool that fetches what was set aside."""
        return self._shown.own_tool

    def touches_lists(self, client: str | None) -> bool:
        """Whether a page of the tools could be changed for the client of this name."""
        return self._offers or self._listing.speaks or self._shows_structured(client)

    def request(self, message: bytes) -> Request:
        """What becomes of a message from the client: a call of a tool that `tools` blocks speak of may be
        refused, or be one of another name.
        """
        try:
            return self._listing.request(message)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            # INVARIANT: a hidden tool is not called, whatever fails here.
            if self._listing.hides:
                self._complaints.say_fault("reading a call", error, "it was not made")
                return Request(b"")
            self._complaints.say_failed("reading a call", error)
            return Request(message)

    def rewrite_list(self, page: ToolList) -> bytes:
        """The message to send in place of a page of the tools."""
        try:
            self._unsent, self._list = None, page
            # A client that shows texts has no use for an `outputSchema`; one that shows `structuredContent`
            # may check it.
            shows = self._shows_structured(page.client)
            withdraws = self._may_change if shows else self._listing.speaks_of
            return self._shown.rewrite(
                page, adds_own=self._offers, withdraws=withdraws, listing=self._listing
            )
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            self._shown.passed()
            self._note_fault("other")
            self._complaints.say_failed("reading the list of tools", error)
            return page.message

    def list_passed(self) -> None:
        """A page of the tools was sent as it came, without being looked at."""
        self._shown.passed()
        self._listing.passed()

    def sent(self, held: Held, message: bytes, seconds: float, *, is_late: bool) -> None:
        """Note what was sent, for whoever observes."""
        if self.observing is None:
            return
        try:
            if is_late:
                self.observing.failed("late")
            client = self._client if self._client is not None else held.client
            shows = self._shows_structured(held.client)
            self.observing.sent(
                held, message, seconds, client=client, shows_structured=shows, store=self._memory.store
            )
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            self._complaints.say_failed("noting what was sent", error)

    def record(self, held: Held) -> None:
        """Hand on the answer to a call that was sent, to whoever captures."""
        if self._record is None or not isinstance(held, Answer):
            return
        try:
            self._record(held, self._server, self._memory if self._remembers else None)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            self._complaints.say_fault("capturing a call", error, "it was sent as ever")

    def set_aside(self, arguments: bytes) -> bool:
        """Whether the handle in the arguments of a call of our tool is known to be of a result from here."""
        return self.observing is not None and self.observing.knows(arguments)

    def retrieve(self, call: OwnCall) -> bytes:
        """The answer to a call of our own tool."""
        from terse.proxy.retrieval import Refused, retrieve

        try:
            self._unsent = None
            given = retrieve(call.arguments, self._memory.store, self._vocabulary.count, call.tool)
            return call.answer(given)
        except Refused as reason:
            return call.answer(reason)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            self._note_fault("other")
            self._complaints.say_failed("fetching what was set aside", error)
            return call.answer(Refused("It could not be read: call the tool again whose result had it."))

    def touches(self, tool: str, size: int | None = None) -> bool:
        """Whether a result of the tool could be changed: if not, there is no need to look at it.

        Args:
            size: bytes of the message that holds the result; any size, if None.
        """
        known = self._least_bytes
        if tool in known:
            least = known[tool]
        else:
            least = self._least_that_changes(tool)
            if len(known) < 4096:
                known[tool] = least
        return least is not None and (size is None or size >= least)

    def _least_that_changes(self, tool: str) -> int | None:
        """The smallest message, in bytes, in which a result of the tool could be changed; None: no size can.

        A text has no more tokens than bytes, so the steps of a chain leave a shorter one alone.
        """
        if self._needs_history:
            return 0
        rules = [
            rule
            for rule in self._plan.rules
            if self._names(rule.on, tool) and not self._names(rule.except_, tool)
        ]
        if any(rule.fields for rule in rules):
            return 0
        return min((BY_NAME[step.tier].least_tokens for rule in rules for step in rule.chain), default=None)

    def rewrite(self, answer: Answer) -> bytes:
        """The message to send in place of the answer: the answer's own, but for the texts that changed."""
        name = f"{self._server}/{answer.tool}"
        if not self.touches(answer.tool):
            return answer.message
        if len(answer.message) > MAX_MESSAGE_BYTES:
            self._note_fault("too large")
            self._complaints.say(
                "too large", f"a result of {name} is over {MAX_MESSAGE_BYTES >> 20} MiB: sent as it came"
            )
            return answer.message
        try:
            self._unsent = None
            return self._rewrite(answer)
        except (KeyboardInterrupt, SystemExit):
            raise
        # Not only Exception: a panic in a tokenizer's native code arrives as a BaseException.
        except BaseException as error:
            self._note_fault("other")
            self._complaints.say_failed(f"rewriting a result of {name}", error)
            return answer.message

    def settle(self, *, rewritten: bool) -> None:
        """Note what the client has of the answer, or of the list of tools, that was rewritten last."""
        self._settle_page(rewritten)
        unsent, self._unsent = self._unsent, None
        if unsent is None:
            return
        try:
            outcomes = unsent.outcomes if rewritten else unsent.answered.as_they_came
            if self._tell is not None:
                self._tell(unsent.answered, outcomes)
            if self.observing is not None:
                self.observing.made(outcomes)
            if self._remembers:
                key = None if unsent.request is None else request_key(unsent.request)
                about = unsent.call, self._memory, self._vocabulary
                sent(self._plan, outcomes, *about, number=unsent.number, request=key)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            self._memory.forget(unsent.call)
            self._complaints.say_failed("noting what was sent", error)

    def _settle_page(self, rewritten: bool) -> None:
        page, self._list = self._list, None
        arrived = self._shown.settle(rewritten=rewritten)
        if arrived is None:
            return
        if self._receipts is None:
            arrived()
        elif page is not None and page.request is not None:
            self._receipts.sent(request_key(page.request), _PAGE, 0, arrived)

    def forget(self, tool: str, arguments: bytes) -> None:
        """The client may not have read the results of the call: its next one is sent in full."""
        values = _arguments(arguments)
        if values is not None:
            self._memory.forget(Call(self._server, tool, values))

    def begin(self) -> None:
        """The client begins anew: nothing that was sent before counts."""
        memory = self._new_memory()
        if memory is self._memory:
            # Not the client: the server began anew, and is told what the client had said.
            return
        self._memory = memory
        self._unsent = None
        self._shown = ShownTools(self._shown.own_tool)

    def warm(self) -> None:
        """Build the tokenizer, so that the first result need not wait for it."""
        try:
            self._vocabulary.warm()
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            self._complaints.say_failed("building the tokenizer", error)

    def _rewrite(self, answer: Answer) -> bytes:
        parts, is_error = answer.texts()
        if not parts:
            return answer.message
        arguments = _arguments(answer.arguments)
        if arguments is None:
            return answer.message
        call = Call(self._server, answer.tool, arguments, is_error)
        texts = [part.text for part in parts]
        if max(map(len, texts)) >= COUNTED_BYTES:
            # Not in the time that the chain of the first result has.
            self._vocabulary.warm()
        twice = self._sent_twice(answer, texts)
        answered = self._run(
            self._plan,
            texts,
            call,
            self._memory,
            self._vocabulary,
            joined=None if is_error or not answer.is_texts_alone() else _joined(texts, twice),
            number=answer.number,
            can_retrieve=self._shown.can_retrieve if self._shared is None else self._shared.can_retrieve,
            retrieve_tool=self._shown.own_tool or RETRIEVE,
            sizes=False,
            clock=self._clock,
        )
        for outcome in (*answered.outcomes, *answered.untaken):
            self._complain(outcome.trace)
        if twice is not None and not self._is_less(answered, twice):
            self._unsent = _Unsent(call, answer.number, answer.request, answered, answered.as_they_came)
            return answer.message
        if answered.one is not None:
            message = answer.with_one_text(answered.one, without_structured=twice is not None)
        else:
            replacements = {
                part.span: outcome.text
                for part, outcome in zip(parts, answered.outcomes, strict=True)
                if outcome.text != part.text
            }
            message = answer.message
            if replacements or twice is not None:
                message = answer.with_texts(replacements, without_structured=twice is not None)
        outcomes = answered.outcomes
        if twice is None and self._shows_structured(answer.client) and answer.structured() is not None:
            # The client shows another document than these texts, and drops them: it has no base.
            outcomes = tuple(replace(outcome, base=None) for outcome in outcomes)
        self._unsent = _Unsent(call, answer.number, answer.request, answered, outcomes)
        return message

    def _sent_twice(self, answer: Answer, texts: Sequence[str]) -> JsonValue | None:
        """The data of a result that is in `structuredContent` as well as in its texts, where the client shows
        the former, drops the latter, and cannot miss it. None in all other cases.
        """
        if not self._shows_structured(answer.client) or not self._shown.is_bare(answer.tool):
            return None
        span = answer.structured()
        if span is None or not self._may_change(answer.tool):
            return None
        from terse.proxy.structured import document, says_the_same

        value = document(answer.message[slice(*span)])
        return value if value is not None and says_the_same(value, texts) else None

    def _is_less(self, answered: Answered, shown: JsonValue) -> bool:
        """Whether what would be sent is no larger than the data as the client shows it, and made by rules."""
        if any(outcome.trace.rule is None or outcome.trace.gate.failed for outcome in answered.outcomes):
            return False
        return sum(map(self._vocabulary.count, answered.texts)) <= self._vocabulary.count(dump(shown))

    def _shows_structured(self, client: str | None) -> bool:
        return shown_by(self._client if self._client is not None else client) == "structured"

    def _may_change(self, tool: str) -> bool:
        """Whether rules may change results of the tool, and no guard wants them as they came."""
        return self.touches(tool) and not any(
            guard.require == "exact" and self._names(guard.on, tool) and not self._names(guard.except_, tool)
            for guard in self._plan.guards
        )

    def _note_fault(self, fault: Fault) -> None:
        if self.observing is not None:
            self.observing.failed(fault)

    def _new_memory(self) -> Session:
        if self._shared is not None:
            return self._shared.session
        if self._receipts is None:
            memory = Session(max_base_bytes=self._memory_bytes)
        else:
            from terse.memory.received_session import ReceivedSession

            memory = ReceivedSession(self._receipts, max_base_bytes=self._memory_bytes)
        if self._store is not None:
            memory.store = self._store
        return memory

    def _complain(self, trace: Trace) -> None:
        """Say what failed, without the words of the failure: they may quote the result."""
        if trace.gate.failed:
            what = trace.gate.verdict.partition(":")[0]
            self._complaints.say(what, f"a result of {trace.call} was sent as it came: {what}")
        for step in trace.steps:
            if step.status is StepStatus.FAILED:
                self._complaints.say(step.label, f"{step.label} failed on a result of {trace.call}")

    def _names(self, patterns: tuple[Pattern, ...], tool: str) -> bool:
        return any(
            matches(pattern.server, self._server) and matches(pattern.tool, tool) for pattern in patterns
        )


class _Unsent(NamedTuple):
    """An answer that was rewritten, until it is known whether that was sent or the answer as it came."""

    call: Call
    number: int | None
    request: JsonRpcId | None
    answered: Answered
    outcomes: tuple[Outcome, ...]


def _joined(texts: Sequence[str], twice: JsonValue | None) -> Joined | None:
    """One text that stands for all of them."""
    if len(texts) < 2:
        return None
    if isinstance(twice, dict):
        # They are the items of its only value, which is one text already.
        (value,) = twice.values()
        return Joined(dump(value), is_list=True)
    return join(texts)


def _arguments(raw: bytes) -> dict[str, JsonValue] | None:
    """The call's arguments; None if they are not what rules could be asked about without doubt."""
    text = raw.decode("utf-8", "surrogatepass")
    if text == "null":
        return {}
    try:
        arguments = parse_unambiguous(text)
    except NotExact:
        return None
    return arguments if isinstance(arguments, dict) else None
