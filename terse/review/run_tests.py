"""The inline tests of a policy, run: each is one session of calls, and expectations on its last result."""

from __future__ import annotations

import posixpath
import shlex
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from terse.fields.find import find
from terse.fields.page import Page
from terse.fields.selector import Target
from terse.language import syntax, units
from terse.language.call import BadCall, call_of
from terse.memory.session import Session
from terse.payload.call import Call
from terse.payload.exact import NotExact, dump, parse
from terse.payload.sample import Sample
from terse.plan import describe
from terse.plan.conditions import Facts
from terse.plan.gate import Refused, check_kept_lines
from terse.plan.model import Plan
from terse.plan.run import sent
from terse.plan.trace import Outcome, StepStatus
from terse.report.tested import Failure, Tested
from terse.review.coverage import Coverage
from terse.review.once import Result, result_of
from terse.tiers.expand import expand
from terse.tokens import TokenizerError, Vocabulary

Read = Callable[[str], str]
"""The text of a file, by its path. Raises OSError, and ValueError where it is no text."""


@dataclass(frozen=True, slots=True)
class _Answered:
    """One `call` with its `given`, run."""

    call: Call
    result: Result

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules that applied, each once."""
        named = (outcome.trace.rule.name for outcome in self.result.outcomes if outcome.trace.rule)
        return tuple(dict.fromkeys(named))


class _CannotRun(Exception):  # noqa: N818 — the test cannot be run; nothing of ours failed
    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.actual)
        self.failure = failure


class Tester:
    """Runs tests against one plan."""

    def __init__(self, plan: Plan, read: Read, vocabulary: Vocabulary, rules: str | None = None) -> None:
        """
        Args:
            read: how samples are read; paths are relative to where the command runs.
            rules: what `--rules` of an explain line is; None for the file of each test.
        """
        self._plan = plan
        self._read = read
        self._vocabulary = vocabulary
        self._rules = rules
        self.coverage = Coverage(plan)

    def run(self, test: syntax.Test) -> Tested:
        """Run one test. Whatever is wrong with it is a failure of it, never an exception."""
        title, at = test.title.text, test.span.place
        explain = ""
        try:
            answered = None
            session = Session()
            for call, given in _steps(test):
                explain = self._explain(call, given)
                answered = self._answer(call, given, session)
            if answered is None:
                failure = Failure("a `call` and the result it is `given`", "the test has none", at)
                return Tested(title, at, (failure,))
            failures = (*_gate_failures(answered, at), *_failures(test, answered))
            return Tested(title, at, failures, explain)
        except _CannotRun as reason:
            return Tested(title, at, (reason.failure,))
        except TokenizerError as reason:
            failure = Failure("a count of tokens", str(reason), at)
            return Tested(title, at, (failure,), explain)

    def _answer(self, line: syntax.CallLine, given: syntax.Given, session: Session) -> _Answered:
        try:
            named = call_of(line)
        except BadCall as reason:
            raise _CannotRun(Failure("a call", str(reason), line.span.place)) from None
        path = _path(given)
        try:
            sample = Sample.saved(self._read(path), path)
        except (OSError, ValueError) as reason:
            why = getattr(reason, "strerror", None) or str(reason)
            failure = Failure("a sample that can be read", why, given.span.place, "T602")
            raise _CannotRun(failure) from None
        call = Call(named.server, named.tool, named.arguments, sample.is_error)
        result = result_of(self._plan, sample, call, session, self._vocabulary)
        for payload, outcome in zip(result.payloads, result.outcomes, strict=True):
            self.coverage.note(Facts(payload, call, session, self._vocabulary), outcome)
        sent(self._plan, result.outcomes, call, session, self._vocabulary)
        return _Answered(call, result)

    def _explain(self, line: syntax.CallLine, given: syntax.Given) -> str:
        source = line.span.source
        call = " ".join(source.text[line.pattern.span.start : line.span.end].split())
        rules = self._rules if self._rules is not None else source.path
        words = ("terse", "explain", _path(given), "--rules", rules, "--can-retrieve", "--call", call)
        return shlex.join(words)


def _steps(test: syntax.Test) -> Iterator[tuple[syntax.CallLine, syntax.Given]]:
    """The calls of a test with what each is given."""
    waiting: syntax.CallLine | None = None
    for line in test.lines:
        match line:
            case syntax.CallLine():
                if waiting is not None:
                    raise _CannotRun(_without_given(waiting))
                waiting = line
            case syntax.Given():
                if waiting is None:
                    failure = Failure("a `call` before it", "there is none", line.span.place)
                    raise _CannotRun(failure)
                yield waiting, line
                waiting = None
    if waiting is not None:
        raise _CannotRun(_without_given(waiting))


def _without_given(call: syntax.CallLine) -> Failure:
    return Failure("a `given` after it: the result of the call", "there is none", call.span.place)


def _path(given: syntax.Given) -> str:
    folder = posixpath.dirname(given.span.source.path)
    return posixpath.normpath(posixpath.join(folder, given.file.text))


def _gate_failures(answered: _Answered, at: str) -> Iterator[Failure]:
    for outcome in answered.result.outcomes:
        if outcome.trace.gate.failed:
            yield Failure("a result that passes the gate", outcome.trace.gate.verdict, at)
        for step in outcome.trace.steps:
            if step.status is StepStatus.FAILED:
                yield Failure(f"{step.label} to run", step.note, step.at)


# ---- expectations --------------------------------------------------------------------------------------


def _failures(test: syntax.Test, answered: _Answered) -> Iterator[Failure]:
    expectations = [line for line in test.lines if isinstance(line, syntax.Expect)]
    wants_none = any(isinstance(line.expectation, syntax.ExpectNoRule) for line in expectations)
    if not answered.rules and not wants_none:
        yield Failure("a rule", f"no rule applies to {answered.call.name}", test.span.place, "T601")
    for line in expectations:
        for expected, actual in _unmet(line.expectation, answered):
            yield Failure(expected, actual, line.span.place)


def _unmet(expectation: syntax.Expectation, answered: _Answered) -> Iterator[tuple[str, str]]:
    match expectation:
        case syntax.ExpectRule(name=name):
            if answered.rules != (name.text,) and answered.rules:
                yield f"rule {name.text}", f"rule {', '.join(answered.rules)}"
        case syntax.ExpectNoRule():
            if answered.rules:
                yield "no rule", f"rule {', '.join(answered.rules)}"
        case syntax.ExpectClass(guarantee=word):
            if answered.result.guarantee.word != word.text:
                yield word.text, answered.result.guarantee.word
        case syntax.ExpectSize(comparison=comparison, quantity=quantity):
            yield from _size(comparison.text, quantity, answered)
        case syntax.ExpectSaving(comparison=comparison, share=share):
            yield from _saving(comparison.text, share, answered)
        case syntax.ExpectKeeps(parts=parts):
            for part in parts:
                lost = _not_kept(part.target, answered)
                if lost:
                    yield f"keeps {describe.target(part.target)}", lost
        case syntax.ExpectText(text=text, present=present):
            found = any(text.text in each for each in answered.result.texts)
            if found != present:
                shown = text.span.text
                yield (f"text {shown}", "it is not there") if present else (f"no text {shown}", "it is there")


def _size(comparison: str, quantity: syntax.Quantity, answered: _Answered) -> Iterator[tuple[str, str]]:
    limit, tokens = units.amount(quantity), answered.result.tokens_out
    if not (tokens > limit if comparison == "over" else tokens < limit):
        yield f"{comparison} {quantity.span.text}", f"{tokens:,} tokens"


def _saving(comparison: str, share: syntax.Quantity, answered: _Answered) -> Iterator[tuple[str, str]]:
    before = answered.result.tokens_in
    saved = 100 * (before - answered.result.tokens_out) / before if before else 0.0
    limit = float(units.amount(share))
    if not (saved > limit if comparison == "over" else saved < limit):
        told = f"{before:,} → {answered.result.tokens_out:,} tokens"
        yield f"saving {comparison} {share.span.text}", f"{saved:.1f}% ({told})"


def _not_kept(target: Target, answered: _Answered) -> str:
    """What is wrong with a value that should have been kept; empty when it is there, unchanged."""
    looked_at = 0
    for payload, outcome in zip(answered.result.payloads, answered.result.outcomes, strict=True):
        emitted = _decoded(outcome)
        if payload.json is None:
            page = Page(payload.text)
            if page.has(target):
                looked_at += 1
                page.keep(target)
                try:
                    check_kept_lines(page.kept_lines, emitted)
                except Refused:
                    return "a line of it is gone or changed"
            continue
        before = [dump(spot.value) for spot in find(payload.json, target)]
        looked_at += len(before)
        if not before:
            continue
        try:
            after = [dump(spot.value) for spot in find(parse(emitted), target)]
        except NotExact:
            return "the result is not JSON any more"
        if before != after:
            same = (Counter(before) & Counter(after)).total()
            return f"{same:,} of {len(before):,} there, unchanged"
    return "" if looked_at else "the sample has none"


def _decoded(outcome: Outcome) -> str:
    """What a reader of the emitted text knows: what it decodes to, with what the client had before."""
    if outcome.base is not None and not outcome.base.whole:
        return outcome.base.text
    return expand(outcome.text)
