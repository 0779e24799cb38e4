"""What happens to an answer: the plan runs on each of its texts. Any failure sends the original."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from terse.guarantee import Guarantee
from terse.memory.history import Base
from terse.memory.session import Session
from terse.payload.call import Call
from terse.payload.exact import JsonValue, NotExact, dump, parse
from terse.payload.payload import Payload
from terse.plan.glob import matches
from terse.plan.model import CallRepeats, Guard, Pattern, Plan, Rule, SessionSize
from terse.plan.run import run, sent
from terse.plan.trace import Outcome, StepStatus, Trace
from terse.plan.whole import whole_repeat
from terse.proxy.answer import Answer
from terse.proxy.complaints import Complaints
from terse.tokens import Vocabulary

MAX_MESSAGE_BYTES = 8 * 1024 * 1024
"""A longer message is forwarded as it came: the default policy takes the whole time limit for 8 MB of
records, several times that in memory, and stops other messages for a tenth of a second in the parser."""


class ProxySession:
    """The plan of one connection, with the memory of what was sent over it."""

    def __init__(self, plan: Plan, server: str, vocabulary: Vocabulary, complaints: Complaints) -> None:
        self._plan = plan
        self._server = server
        self._vocabulary = vocabulary
        self._complaints = complaints
        self._memory = Session()
        self._unsent: _Unsent | None = None
        self._touched: dict[str, bool] = {}
        # A condition on the history needs every call to be in it, also those that no rule speaks of.
        self._needs_history = any(
            isinstance(condition, (CallRepeats, SessionSize))
            for rule in plan.rules
            for condition in rule.when
        )

    def touches(self, tool: str) -> bool:
        """Whether a result of the tool could be changed: if not, there is no need to look at it."""
        known = self._touched.get(tool)
        if known is None:
            known = self._needs_history or any(
                self._names(rule.on, tool) and not self._names(rule.except_, tool)
                for rule in self._plan.rules
            )
            if len(self._touched) < 4096:
                self._touched[tool] = known
        return known

    def rewrite(self, answer: Answer) -> bytes:
        """The message to send in place of the answer: the answer's own, but for the texts that changed."""
        name = f"{self._server}/{answer.tool}"
        if not self.touches(answer.tool):
            return answer.message
        if len(answer.message) > MAX_MESSAGE_BYTES:
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
            self._complaints.say_failed(f"rewriting a result of {name}", error)
            return answer.message

    def settle(self, *, rewritten: bool) -> None:
        """Note what the client has of the answer that was rewritten last."""
        unsent, self._unsent = self._unsent, None
        if unsent is None:
            return
        try:
            outcomes = unsent.outcomes if rewritten else [_as_it_came(each) for each in unsent.texts]
            sent(self._plan, outcomes, unsent.call, self._memory, self._vocabulary, number=unsent.number)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            self._memory.forget(unsent.call)
            self._complaints.say_failed("noting what was sent", error)

    def forget(self, tool: str, arguments: bytes) -> None:
        """The client may not have read the results of the call: its next one is sent in full."""
        values = _arguments(arguments)
        if values is not None:
            self._memory.forget(Call(self._server, tool, values))

    def begin(self) -> None:
        """The client begins anew: nothing that was sent before counts."""
        self._memory = Session()
        self._unsent = None

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
        payloads = [Payload.of(part.text) for part in parts]
        outcomes = [
            run(
                self._plan,
                payload,
                call,
                self._memory,
                self._vocabulary,
                part=number,
                number=answer.number,
            )
            for number, payload in enumerate(payloads)
        ]
        repeat = whole_repeat(outcomes, call, self._memory, answer.number)
        as_one = answer.with_one_text(repeat[0].text) if repeat is not None else None
        replacements = {
            part.span: outcome.text
            for part, outcome in zip(parts, outcomes, strict=True)
            if outcome.text != part.text
        }
        if as_one is not None and repeat is not None:
            message, outcomes = as_one, list(repeat)
        else:
            message = answer.with_texts(replacements) if replacements else answer.message
        texts = list(zip(payloads, outcomes, strict=True))
        self._unsent = _Unsent(call, answer.number, outcomes, texts)
        for outcome in outcomes:
            self._complain(outcome.trace)
        return message

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
    outcomes: list[Outcome]
    texts: list[tuple[Payload, Outcome]]


def _as_it_came(text: tuple[Payload, Outcome]) -> Outcome:
    """The outcome of a text that was sent as it came after all."""
    payload, outcome = text
    base = None
    if outcome.base is not None:
        document = payload.json
        base = Base(payload.text if document is None else dump(document), document is not None, whole=True)
    return replace(outcome, text=payload.text, guarantee=Guarantee.EXACT, base=base)


def _arguments(raw: bytes) -> dict[str, JsonValue] | None:
    """The call's arguments; None if they are not what rules could be asked about without doubt."""
    text = raw.decode("utf-8", "surrogatepass")
    if text == "null":
        return {}
    try:
        arguments = parse(text)
    except NotExact:
        return None
    return arguments if isinstance(arguments, dict) else None


def named_server(plan: Plan) -> tuple[str, str] | None:
    """The first server that the plan calls by name (anything but `*`), and the statement's `path:line`."""
    items: tuple[Rule | Guard, ...] = (*plan.rules, *plan.guards)
    for item in items:
        for pattern in (*item.on, *item.except_):
            if pattern.server != "*":
                return pattern.server, item.at
    return None
