"""Records of what was sent: put together once it was, and its tokens counted while nothing else is to be
done.

INVARIANT: no result waits for a count of more than one stretch of text, which takes about a millisecond.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

import msgspec

from terse.guarantee import Guarantee, lowest
from terse.listing.definition import compact
from terse.payload.exact import NotExact, dump, parse_unambiguous
from terse.plan.trace import NOT_COUNTED, Outcome, StepStatus, StepTrace
from terse.proxy.answer import Answer
from terse.proxy.retrieval import OwnCall
from terse.proxy.rewriting import MAX_COUNTED_BYTES
from terse.proxy.spans import envelope
from terse.proxy.structured import document
from terse.proxy.tool_list import ToolList
from terse.proxy.wire import ToolCall
from terse.record import Bound, Fault, Form, Kept, Observer, Record, What
from terse.tokens.cuts import chunks

if TYPE_CHECKING:
    from terse.memory.store import Store
    from terse.proxy.complaints import Complaints
    from terse.proxy.rewriting import Held
    from terse.tokens import Vocabulary

STRETCH = 1 << 13
"""Characters that are counted at a time, or up to twice as many."""
MAX_SLICE = 1 << 20
"""Characters: a stretch without a place to cut it that is longer is not counted."""
MAX_PENDING = 1024
MAX_PENDING_BYTES = 32 * 1024 * 1024
"""Records that wait to be counted; beyond either bound they are given out with their bytes only."""
MAX_HANDLES = 65_536
"""Handles of which it is remembered where they come from."""

_Count = Generator[None, None, "int | None"]


class _Origin:
    """Where a handle comes from."""

    __slots__ = ("is_fetched", "kept", "rule", "tool")

    def __init__(self, tool: str, rule: str | None, kept: Kept) -> None:
        self.tool = tool
        self.rule = rule
        self.kept: Kept = kept
        self.is_fetched = False


class _Pending(NamedTuple):
    """A record whose tokens are being counted: each step of the counting gives None, the last one ends it."""

    record: Record
    counting: Generator[None, None, Record]
    size: int


class Observing:
    """What is noted of one connection. To be used by its working thread.

    Args:
        observer: takes the records.
        server: the name that rules know the server by.
        now: seconds since 1970.
    """

    def __init__(
        self,
        observer: Observer,
        server: str,
        vocabulary: Vocabulary,
        complaints: Complaints,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._observer = observer
        self._server = server
        self._vocabulary = vocabulary
        self._complaints = complaints
        self._now = now
        self._client = ""
        self._outcomes: Sequence[Outcome] = ()
        self._faults: list[Fault] = []
        self._pending: deque[_Pending] = deque()
        self._pending_bytes = 0
        self._origins: dict[str, _Origin] = {}

    # ---- while a message is being worked on -----------------------------------------------------------

    def made(self, outcomes: Sequence[Outcome]) -> None:
        """What rules made of the result that is about to be sent."""
        self._outcomes = outcomes

    def failed(self, fault: Fault) -> None:
        """What went wrong with the message that is about to be sent."""
        self._faults.append(fault)

    # ---- once it was sent -----------------------------------------------------------------------------

    def sent(
        self,
        held: Held,
        message: bytes,
        seconds: float,
        *,
        client: str | None,
        shows_structured: bool,
        store: Store,
    ) -> None:
        """A message was sent that had been taken, or one that could have been.

        Args:
            message: as it was sent.
            seconds: from when it had come in whole.
            client: its name; None if it is not known.
            store: where what was set aside is kept.
        """
        outcomes, self._outcomes = self._outcomes, ()
        faults, self._faults = self._faults, []
        self._client = client or self._client
        milliseconds = 1000 * seconds
        if isinstance(held, Answer):
            self._result(held, message, milliseconds, outcomes, faults, shows_structured, store)
        elif isinstance(held, ToolList):
            record = self._record(
                "list", "", len(held.message), len(message), milliseconds, faults=_each(faults)
            )
            self._count_later(record, self._list(record, held, message), len(held.message) + len(message))
        elif isinstance(held, OwnCall):
            self._retrieved(held, message, milliseconds, faults)

    def passed(self, call: ToolCall, size: int, *, is_late: bool) -> None:
        """A result of so many bytes was forwarded as it came, and is not kept to be counted."""
        faults: tuple[Fault, ...] = ("late",) if is_late else ()
        self._give(self._record("result", call.tool, size, size, 0.0, call, faults=faults))

    def refused(self, call: ToolCall, size: int) -> None:
        """The server answered a call with an error of the protocol."""
        self._give(self._record("error", call.tool, size, size, 0.0, call, is_error=True))

    def answered(self, what: Literal["definition", "refusal"], tool: str, message: bytes) -> None:
        """A call was answered in the server's place."""
        record = self._record(what, tool, 0, len(message), 0.0, is_error=what == "refusal")
        self._count_later(record, self._own(record, message), len(message))

    def knows(self, arguments: bytes) -> bool:
        """Whether the handle in the arguments stands in a result that was noted here. From any thread."""
        return _handle(arguments) in self._origins

    @property
    def is_counting(self) -> bool:
        """Whether anything waits to be counted."""
        return bool(self._pending)

    def count_next(self) -> bool:
        """Count a stretch of what waits to be counted. Returns whether there was anything."""
        if not self._pending:
            return False
        pending = self._pending[0]
        try:
            next(pending.counting)
        except StopIteration as end:
            self._done(end.value)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            self._complaints.say_failed("counting what was sent", error)
            self._done(pending.record)
        return True

    def finish(self, seconds: float) -> None:
        """Give out all records: those that are not counted by then with their bytes only."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and self.count_next():
            pass
        while self._pending:
            self._done(self._pending[0].record)

    # ---- records --------------------------------------------------------------------------------------

    def _record(
        self,
        what: What,
        tool: str,
        bytes_in: int,
        bytes_out: int,
        milliseconds: float,
        call: ToolCall | None = None,
        *,
        is_error: bool = False,
        faults: tuple[Fault, ...] = (),
    ) -> Record:
        return Record(
            at=self._now(),
            what=what,
            client=self._client,
            server=self._server,
            tool=tool,
            bytes_in=bytes_in,
            bytes_out=bytes_out,
            milliseconds=milliseconds,
            is_error=is_error,
            faults=faults,
            call_milliseconds=None if call is None else 1000 * (time.monotonic() - call.asked),
            traceparent=None if call is None else call.traceparent,
            tracestate=None if call is None else call.tracestate,
            tokens_in=None if bytes_in else 0,
        )

    def _result(
        self,
        answer: Answer,
        message: bytes,
        milliseconds: float,
        outcomes: Sequence[Outcome],
        faults: list[Fault],
        shows_structured: bool,
        store: Store,
    ) -> None:
        is_changed = message != answer.message
        ruled = [each for each in outcomes if each.trace.rule is not None]
        chosen = max(ruled, key=lambda each: each.trace.bytes_in, default=None)
        rule = chosen.trace.rule.name if chosen is not None and chosen.trace.rule is not None else None
        steps: list[StepTrace] = []
        bounds: list[Bound] = []
        handles: list[str] = []
        for outcome in outcomes:
            trace = outcome.trace
            bounds += _bounds(trace.steps)
            if trace.gate.failed:
                faults.append("gate" if trace.gate.refused else "rule")
            if any(step.status is StepStatus.FAILED for step in trace.steps):
                faults.append("step")
            if is_changed and outcome.changed:
                applied = [step for step in trace.steps if step.status is StepStatus.APPLIED]
                # A `fit in` by itself changes nothing, and has no class of its own.
                steps += [step for step in applied if step.guarantee is not Guarantee.EXACT]
                handles += trace.handles
                self._remember(trace.handles, answer.tool, rule, "value")
                self._remember((trace.whole,) if trace.whole is not None else (), answer.tool, rule, "whole")
        guarantee = lowest(outcome.guarantee for outcome in outcomes) if is_changed else Guarantee.EXACT
        if is_changed and guarantee is Guarantee.EXACT:
            # Its data stands in it once in place of twice, or its texts in one.
            guarantee = Guarantee.LOSSLESS
        tiers = _each(step.tier for step in steps if step.tier)
        record = msgspec.structs.replace(
            self._record("result", answer.tool, len(answer.message), len(message), milliseconds, answer.call),
            rule=rule,
            guarantee=guarantee,
            lines=_each(step.label for step in steps if not step.tier),
            tiers=tiers,
            repeat="dedup" if "dedup" in tiers else "diff" if "diff" in tiers else None,
            aside_values=len(set(handles)),
            aside_tokens=None if handles else 0,
            bounds=_each(bounds),
            faults=_each(faults),
        )
        counting = self._weighed(record, answer, message, outcomes, shows_structured, _each(handles), store)
        size = len(answer.message) + (len(message) if is_changed else 0)
        if not is_changed and size > MAX_COUNTED_BYTES and not ruled:
            self._give(record)
        else:
            self._count_later(record, counting, size)

    def _retrieved(self, call: OwnCall, message: bytes, milliseconds: float, faults: list[Fault]) -> None:
        origin = self._origins.get(_handle(call.arguments))
        is_error = message.endswith(b',"isError":true}}\n')
        record = msgspec.structs.replace(
            self._record(
                "retrieve",
                "" if origin is None else origin.tool,
                0,
                len(message),
                milliseconds,
                is_error=is_error,
                faults=_each(faults),
            ),
            rule=None if origin is None else origin.rule,
            retrieved=None if origin is None else origin.kept,
            is_first=origin is not None and not origin.is_fetched and not is_error,
        )
        if origin is not None and not is_error:
            origin.is_fetched = True
        self._count_later(record, self._own(record, message), len(message))

    def _remember(self, handles: Iterable[str], tool: str, rule: str | None, kept: Kept) -> None:
        for handle in handles:
            if handle not in self._origins:
                self._origins[handle] = _Origin(tool, rule, kept)
        while len(self._origins) > MAX_HANDLES:
            del self._origins[next(iter(self._origins))]

    # ---- counting -------------------------------------------------------------------------------------

    def _weighed(
        self,
        record: Record,
        answer: Answer,
        message: bytes,
        outcomes: Sequence[Outcome],
        shows_structured: bool,
        handles: Sequence[str],
        store: Store,
    ) -> Generator[None, None, Record]:
        received, form, is_error = _shown(answer, shows_structured)
        traces = [outcome.trace for outcome in outcomes]
        known = _sum(trace.tokens_in for trace in traces)
        if known is None or form == "structured" or len(traces) != len(received):
            known = yield from self._count(received)
        tokens_in = tokens_out = known
        if message != answer.message:
            made, made_form, _ = _shown(_reread(answer, message), shows_structured)
            tokens_out = _sum(trace.tokens_out for trace in traces)
            if tokens_out is None or made_form == "structured" or len(traces) != len(made):
                tokens_out = yield from self._count(made)
            if made_form == "text":
                form = "joined" if len(made) < len(received) and form == "text" else "text"
        aside = [text for handle in handles if (text := store.get(handle)) is not None]
        return msgspec.structs.replace(
            record,
            form=form,
            is_error=is_error,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            aside_tokens=(yield from self._count(aside)),
        )

    def _own(self, record: Record, message: bytes) -> Generator[None, None, Record]:
        structure, found = envelope(message)
        parts, _ = Answer(message, structure, found["result"], record.tool, b"{}").texts()
        tokens = yield from self._count([part.text for part in parts])
        return msgspec.structs.replace(record, tokens_out=tokens)

    def _list(self, record: Record, page: ToolList, message: bytes) -> Generator[None, None, Record]:
        tokens_in = tokens_out = yield from self._definitions(page)
        if message != page.message:
            structure, found = envelope(message)
            sent = ToolList(message, structure, found["result"], page.is_first, page.client)
            tokens_out = yield from self._definitions(sent)
        return msgspec.structs.replace(record, tokens_in=tokens_in, tokens_out=tokens_out)

    def _definitions(self, page: ToolList) -> _Count:
        total = 0
        for tool in page.tools():
            raw = page.message[slice(*tool.span)].decode("utf-8", "surrogatepass")
            try:
                definition = parse_unambiguous(raw)
            except NotExact:
                definition = None
            text = compact(definition) if isinstance(definition, dict) else raw
            tokens = yield from self._count([text])
            if tokens is None:
                return None
            total += tokens
        return total

    def _count(self, texts: Iterable[str]) -> _Count:
        total = 0
        for text in texts:
            for chunk in chunks(text, STRETCH):
                if len(chunk) > MAX_SLICE:
                    return None
                total += self._vocabulary.count(chunk)
                yield
        return total

    def _count_later(self, record: Record, counting: Generator[None, None, Record], size: int) -> None:
        if len(self._pending) >= MAX_PENDING or self._pending_bytes + size > MAX_PENDING_BYTES:
            self._give(record)
            return
        self._pending.append(_Pending(record, counting, size))
        self._pending_bytes += size

    def _done(self, record: Record) -> None:
        self._pending_bytes -= self._pending.popleft().size
        self._give(record)

    def _give(self, record: Record) -> None:
        try:
            self._observer(record)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            self._complaints.say_failed("noting what was sent", error)


def _shown(answer: Answer, shows_structured: bool) -> tuple[list[str], Form, bool]:
    """What a client shows its model of a result, where it stands, and whether it is an error."""
    parts, is_error = answer.texts()
    span = answer.structured() if shows_structured else None
    if span is not None:
        value = document(answer.message[slice(*span)])
        if value is not None:
            # As a list of one: what is written of a value by itself may be no JSON text.
            return [dump([value])[1:-1]], "structured", is_error
    return [part.text for part in parts], "text", is_error


def _sum(tokens: Iterable[int]) -> int | None:
    """Of what a run has counted; None if it did not count all of it."""
    counted = list(tokens)
    return None if not counted or NOT_COUNTED in counted else sum(counted)


def _reread(answer: Answer, message: bytes) -> Answer:
    structure, found = envelope(message)
    return Answer(message, structure, found["result"], answer.tool, answer.arguments)


def _bounds(steps: Iterable[StepTrace]) -> list[Bound]:
    found: list[Bound] = []
    for step in steps:
        if step.bound == "lose at most":
            found.append("lose at most")
        elif step.bound == "fit in":
            found.append("fit in")
        elif step.status is StepStatus.OUT_OF_TIME:
            found.append("spend at most")
    return found


_Word = TypeVar("_Word", bound=str)


def _each(words: Iterable[_Word]) -> tuple[_Word, ...]:
    """Each of them once, in their order."""
    return tuple(dict.fromkeys(words))


def _handle(arguments: bytes) -> str:
    try:
        given = json.loads(arguments)
    except (ValueError, RecursionError):
        return ""
    handle = given.get("handle") if isinstance(given, dict) else None
    return handle if isinstance(handle, str) else ""
