"""One payload through a plan: choose, guards, field lines, chain, gate. Whatever runs rules calls this."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from time import thread_time

from terse.fields.desk import Desk
from terse.fields.fit_in import fit_in
from terse.fields.marks import RETRIEVE, Marks
from terse.fields.tree import Tree
from terse.guarantee import Guarantee, lowest
from terse.memory.history import Base
from terse.memory.session import Session
from terse.payload.call import Call
from terse.payload.exact import dump
from terse.payload.payload import Payload
from terse.plan import describe, gate
from terse.plan.chain import DEFAULT_BUDGET_MS, Chain, Chained
from terse.plan.choose import Choice, choose
from terse.plan.conditions import Facts
from terse.plan.field_lines import FieldLines, aside_words
from terse.plan.limits import Limits
from terse.plan.model import FitIn, Keep, Plan, Remove, Rule, SessionSize, SetAside, Shorten
from terse.plan.recall import Recalled
from terse.plan.scale import Scale
from terse.plan.trace import NOT_COUNTED, GateTrace, Outcome, StepStatus, StepTrace, Trace
from terse.tiers import BY_NAME
from terse.tiers.expand import expand as from_any_form
from terse.tiers.spec import State, Tier
from terse.tokens import Vocabulary


def run(
    plan: Plan,
    payload: Payload,
    call: Call,
    session: Session,
    vocabulary: Vocabulary,
    *,
    part: int = 0,
    number: int | None = None,
    can_retrieve: bool = False,
    retrieve_tool: str = RETRIEVE,
    detail: bool = False,
    sizes: bool = True,
    clock: Callable[[], float] = thread_time,
    tiers: Mapping[str, Tier] = BY_NAME,
    expand: Callable[[str], str] = from_any_form,
) -> Outcome:
    """What is to be sent in place of a tool's result, and the facts about it.

    The session is only read, but for what is set aside: whoever sends the outcome says so with `sent`.
    Nothing that goes wrong in here is raised: the outcome is then the original, and its trace says why.

    Args:
        part: which text of the result it is, from 0.
        number: the call's number among the calls of its tool, if it is not the next one of the session.
        can_retrieve: the client can fetch what is set aside. If not, `set aside` and `shorten` do nothing
            (but `shorten … and remove the rest`).
        retrieve_tool: the name of the tool that the client fetches it with.
        detail: fill in what `explain` shows beyond the decisions: near misses, conditions, the tokens
            after each field line. The text sent is the same either way.
        sizes: count what came to its end, for the trace. That a result is smaller is known sooner: without
            this, `tokens_in` is `NOT_COUNTED` where nothing else asked for it.
        clock: seconds, the only thing that budgets are measured with. Processor time of this thread, so that
            a busy machine decides like an idle one.
        tiers, expand: the steps by name, and the way back from any of their forms.
    """
    scale = Scale(vocabulary.count, tells_all=detail)
    report = _Report(payload, call, scale, detail, sizes)
    try:
        facts = Facts(payload, call, session, vocabulary)
        choice = choose(plan, call, facts, detail=detail)
    except Exception as error:
        return report.original(None, f"choosing a rule failed: {_said(error)}", failed=True)
    rule = choice.rule
    if rule is None:
        return report.original(choice, "no rule applies")
    try:
        limits = Limits.of(choice.guards, call, can_retrieve)
        budget = DEFAULT_BUDGET_MS if rule.spend_ms is None else rule.spend_ms
        chain = Chain(rule.chain, tiers, limits, scale, clock, budget)
        report.remembers = chain.remembers and not call.is_error
        if not detail and not rule.fields and (steps := chain.idle(payload.size_bytes)) is not None:
            # There is no need to parse or to count anything.
            return report.original(choice, "nothing changed", steps)
        desk = Desk(scale.count, Marks(payload.text, retrieve_tool), session.store)
        keeps = [line for line in rule.fields if isinstance(line, Keep)]
        if not detail and len(keeps) == len(rule.fields):
            # No line takes anything away: what is kept needs no looking for.
            keeps = []
        else:
            keeps += [line for guard in choice.guards for line in guard.keep]
        lines = FieldLines(payload, keeps, desk, limits, lose_percent=rule.lose_percent, detail=detail)
        recalled = None
        if report.remembers:
            tool = retrieve_tool if can_retrieve else None
            recalled = Recalled(session.earlier(call, part, number), part, session.store, tool)
        lines, chained = _work(rule, lines, chain, scale, recalled)
        return report.outcome(choice, lines, chained, session, expand, recalled)
    except Exception as error:
        return report.original(choice, f"running rule {rule.name} failed: {_said(error)}", failed=True)


def sent(
    plan: Plan,
    outcomes: Iterable[Outcome],
    call: Call,
    session: Session,
    vocabulary: Vocabulary,
    *,
    number: int | None = None,
    request: str | None = None,
) -> None:
    """Note in the session that a call was answered, with one outcome for each text of its result.

    Tokens are counted only for a plan that asks about them, and not again where the run did.

    Args:
        number: the call's number among the calls of its tool, if it is not the next one of the session.
        request: see `Session.record`.

    Raises:
        TokenizerError: the tokenizer gave up on a text.
    """
    asked = any(isinstance(condition, SessionSize) for rule in plan.rules for condition in rule.when)
    tokens = 0
    bases: list[Base | None] = []
    for outcome in outcomes:
        bases.append(outcome.base)
        if outcome.trace.tokens_out != NOT_COUNTED:
            tokens += outcome.trace.tokens_out
        elif asked:
            tokens += vocabulary.count(outcome.text)
    session.record(call, tokens, bases, number, request)


def _work(
    rule: Rule, lines: FieldLines, chain: Chain, scale: Scale, recalled: Recalled | None
) -> tuple[FieldLines, Chained]:
    """The field lines and the chain; each line of a `fit in` only while the result does not fit."""
    lines.run(line for line in rule.fields if isinstance(line, (Remove, SetAside, Shorten)))
    fits = [line for line in rule.fields if isinstance(line, FitIn)]
    let_go = lines.let_go if _is_large(lines, recalled) and not fits else None
    if not (lines.edited or rule.chain or fits):
        return lines, Chained(lines.draft, (), scale)

    def run_chain() -> Chained:
        memory = recalled.memory_of(lines.left) if recalled is not None else None
        return chain.run(lines.draft, lines.handles, memory, let_go)

    chained = run_chain()
    for fit in fits:

        def apply(line: Remove | SetAside | Shorten) -> int:
            nonlocal chained
            if lines.run_one(line):
                chained = run_chain()
            return chained.tokens

        place = len(lines.steps)
        size = fit_in(fit.tokens, chained.tokens, fit.lines, apply)
        lines.note_fit(fit, place, size)
    return lines, chained


def _is_large(lines: FieldLines, recalled: Recalled | None) -> bool:
    """Whether the payload is a document that takes much memory, and that is whole in the end."""
    return lines.is_large_document and not lines.edited and recalled is None


class _Report:
    """Puts outcomes together."""

    def __init__(self, payload: Payload, call: Call, scale: Scale, detail: bool, sizes: bool) -> None:
        self._payload = payload
        self._call = call
        self._scale = scale
        self._detail = detail
        self._sizes = sizes
        self.remembers = False

    def original(
        self,
        choice: Choice | None,
        verdict: str,
        steps: tuple[StepTrace, ...] = (),
        kept: tuple[str, ...] = (),
        failed: bool = False,
        refused: bool = False,
    ) -> Outcome:
        """The result as it came, and why."""
        tokens = self._tokens_of_original()
        given = GateTrace("original", verdict, failed, refused)
        trace = self._trace(choice, given, tokens, tokens, Guarantee.EXACT, steps, kept)
        base = None
        if self.remembers:
            document = self._payload.json
            text = self._payload.text if document is None else dump(document)
            base = Base(text, document is not None, whole=True)
        return Outcome(self._payload.text, Guarantee.EXACT, trace, base)

    def outcome(
        self,
        choice: Choice,
        lines: FieldLines,
        chained: Chained,
        session: Session,
        expand: Callable[[str], str],
        recalled: Recalled | None,
    ) -> Outcome:
        """The result of a run that went through, if it passes the gate; else the original."""
        steps = (*lines.steps, *chained.steps)
        kept = tuple(describe.target(target) for target in lines.kept)
        text = chained.draft.text
        if text == self._payload.text:
            if self._sizes:
                self._scale.count(text)
            return self.original(choice, "nothing changed", steps, kept)
        if self._sizes or lines.lost_tokens:
            self._scale.count(self._payload.text)
        if not self._scale.reaches(self._payload.text, chained.tokens):
            verdict = f"the result would be larger: {chained.tokens:,} tokens"
            return self.original(choice, verdict, steps, kept)
        handles, base = lines.handles, None
        if recalled is not None:
            is_delta = chained.draft.state is State.DELTA
            base = recalled.base_of(lines.left, whole=not is_delta)
            if is_delta:
                handles, expand = {**handles, **recalled.handles}, recalled.apply
        try:
            if _is_large(lines, recalled):
                self._gate_alone(lines, chained, text, expand)
            else:
                self._gate(lines, text, expand)
        except gate.Refused as reason:
            verdict = f"the gate refused the result: {reason}"
            return self.original(choice, verdict, steps, kept, failed=True, refused=True)
        if not session.store.keep(handles):
            return self.original(choice, "what is set aside could not be stored", steps, kept)
        guarantee = lowest(step.guarantee for step in steps if step.status is StepStatus.APPLIED)
        equal = "equal but for what is listed above" if lines.edited else "equal"
        verdict = f"decoded and compared with the original: {equal}"
        given = GateTrace("emitted", verdict)
        tokens = self._scale.known(self._payload.text)
        trace = self._trace(choice, given, tokens, chained.tokens, guarantee, steps, kept)
        lost = 100 * lines.lost_tokens / tokens if lines.lost_tokens else 0.0
        aside = (
            aside_words(lines.aside, lines.handles, self._scale.count) if self._detail else tuple(lines.aside)
        )
        return Outcome(
            text,
            guarantee,
            replace(
                trace,
                lost=tuple(lines.lost),
                lost_percent=lost,
                aside=aside,
                kept_places=lines.kept_places,
                handles=tuple(lines.handles),
                whole=next(iter(handles.keys() - lines.handles.keys()), None),
            ),
            base,
        )

    def _gate_alone(
        self, lines: FieldLines, chained: Chained, text: str, expand: Callable[[str], str]
    ) -> None:
        """The gate for a large document: its text is all that the comparison needs, and all that is kept."""
        chained.draft.let_go()
        lines.let_go()
        gate.check_canonical(text, self._payload.text, expand)

    def _gate(self, lines: FieldLines, text: str, expand: Callable[[str], str]) -> None:
        subject = lines.subject
        left = lines.left
        if isinstance(left, str):
            gate.check_text(text, left, expand)
        else:
            received = None if lines.edited else self._payload.text
            gate.check_document(text, left, expand, lines.canonical, received)
        if not lines.edited:
            # The whole was compared, and what is kept with it.
            return
        if isinstance(subject, Tree):
            gate.check_kept(subject.document, left, lines.kept, subject.notes)
        else:
            gate.check_kept_lines(subject.kept_lines, subject.text)

    def _tokens_of_original(self) -> int:
        try:
            return self._scale.known(self._payload.text)
        except Exception:
            # The verdict has the reason; a count that cannot be had is none.
            return NOT_COUNTED

    def _trace(
        self,
        choice: Choice | None,
        verdict: GateTrace,
        tokens_in: int,
        tokens_out: int,
        guarantee: Guarantee,
        steps: tuple[StepTrace, ...],
        kept: tuple[str, ...],
    ) -> Trace:
        payload = self._payload
        rule = choice.rule if choice else None
        return Trace(
            call=self._call.name,
            kind=payload.kind.value if self._detail else "",
            summary=payload.summary if self._detail else "",
            bytes_in=payload.size_bytes,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            rule=choice.trace if choice else None,
            why=choice.why if choice else "",
            nearest=choice.nearest if choice else (),
            guards=choice.guard_traces if choice else (),
            steps=steps,
            gate=verdict,
            static_guarantee=Guarantee.from_word(rule.guarantee) if rule else Guarantee.EXACT,
            guarantee=guarantee,
            kept=kept,
        )


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:200]
