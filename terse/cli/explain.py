"""`terse explain`: what a policy does to a saved result, and why; or the page of a code."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from terse.cli.command import Command
from terse.cli.console import FINDINGS, CommandError, fail, write, write_bytes
from terse.cli.files import STDIN, read_text, shown

if TYPE_CHECKING:
    from terse.payload.call import Call
    from terse.payload.sample import Sample
    from terse.plan.model import Plan
    from terse.report.explanation import CallFrom, Explanation
    from terse.report.sequence import Asked

CODE = re.compile(r"[Tt][0-9]{3}")
NO_NAME = "?"
"""Server and tool of a call that nobody named: no exact name in a rule file matches it."""
DEFAULT_VOCABULARY = "o200k_base"
CAPTURE = ".jsonl"


def explain(
    payloads: Annotated[
        list[str],
        typer.Argument(
            metavar="PAYLOAD…",
            help="A saved tool result, - for stdin, or a code such as T201; several results, or a capture "
            "(*.jsonl), are the calls of one session.",
        ),
    ],
    call: str | None = typer.Option(
        None, metavar="CALL", help="The call that was answered: 'server/tool(argument: value, …)'."
    ),
    rules: str | None = typer.Option(
        None,
        metavar="PATH",
        help="A rule file or a folder of them; if not given, the embedded default policy.",
    ),
    json: bool = typer.Option(False, "--json", help="Print the facts as JSON (docs/explain-json.md)."),
    whole: bool = typer.Option(False, "--whole", help="Show the whole emitted text, not its start and end."),
    emitted: bool = typer.Option(False, "--emitted", help="Print the emitted text and nothing else."),
    can_retrieve: bool = typer.Option(
        False, "--can-retrieve", help="As for a client that can fetch what is set aside."
    ),
    budget: bool = typer.Option(
        False, "--budget", help="Keep the rules' budgets of time; what comes out then depends on the machine."
    ),
    vocabulary: str = typer.Option(
        DEFAULT_VOCABULARY, metavar="NAME", help="Count tokens with o200k_base or cl100k_base."
    ),
) -> None:
    payload = payloads[0]
    if len(payloads) == 1 and CODE.fullmatch(payload):
        _explain_code(payload.upper())
        return
    if json + whole + emitted > 1:
        fail("--json, --whole and --emitted exclude each other: name one")
    explainer = _Explainer(rules, vocabulary, can_retrieve, budget)
    if len(payloads) > 1 or payload.endswith(CAPTURE):
        _explain_sequence(explainer, payloads, call, json=json, whole=whole, emitted=emitted)
        return
    explanation = explainer.of_file(payload, call).explanation
    if emitted:
        _write_emitted(explanation)
    elif json:
        from terse.report.explain_json import render

        write(render(explanation))
    else:
        from terse.report.explain import render as render_text

        write(render_text(explanation, whole=whole))


def _explain_code(code: str) -> None:
    from terse.language.codes import CODES
    from terse.report.page import render

    for known in CODES:
        if known.code == code:
            write(render(known))
            return
    first, last = CODES[0].code, CODES[-1].code
    fail(f"no code {code}: they go from {first} to {last}, docs/codes/ lists them")


def _explain_sequence(
    explainer: _Explainer, paths: list[str], call: str | None, *, json: bool, whole: bool, emitted: bool
) -> None:
    """Calls of one session, one after another; those of a capture have a session each where it says so."""
    from terse.report.sequence import render, render_json

    asked: list[Asked] = []
    for path in paths:
        if path.endswith(CAPTURE):
            asked += explainer.of_capture(path, call)
        else:
            asked.append(explainer.of_file(path, call))
    if emitted:
        for each in asked:
            _write_emitted(each.explanation)
            write_bytes(b"\n")
    elif json:
        write(render_json(asked))
    else:
        write(render(asked, whole=whole))


class _Explainer:
    """Explains one call after another, as the calls of one session."""

    def __init__(self, rules: str | None, vocabulary_name: str, can_retrieve: bool, budget: bool) -> None:
        """
        Raises:
            CommandError: the rules cannot be read, or do not compile; there is no such vocabulary.
        """
        from time import thread_time

        from terse.memory.session import Session
        from terse.tokens import UnknownVocabulary, vocabulary

        try:
            self._counted = vocabulary(vocabulary_name)
        except UnknownVocabulary as error:
            fail(str(error))
        self._plan, self._policy = _policy(rules)
        self._can_retrieve = can_retrieve
        self._clock = thread_time if budget else _still
        # The vocabulary is built by the first count, which must not be charged to the first text.
        self._counted.count("a")
        self._session = Session()

    def of_file(self, path: str, call_text: str | None) -> Asked:
        """The next call of the session, answered with what a file holds.

        Raises:
            CommandError: the file cannot be read, or the call is none.
        """
        from terse.payload.sample import Sample

        try:
            sample = Sample.saved(read_text(path), str(Path(path).absolute()))
        except ValueError as error:
            fail(f"{shown(path)}, {shown(str(error))}")
        call, call_from = _call(path, call_text, sample.is_error)
        return self._asked(shown(path), sample, call, call_from, _notes(path, sample, call_from))

    def of_capture(self, path: str, call_text: str | None) -> Iterator[Asked]:
        """The calls of a capture; those of the tool that `--call` names are shown in full.

        Raises:
            CommandError: the capture cannot be read, or the call is none.
        """
        from terse.language import BadCall, parse_call
        from terse.memory.session import Session
        from terse.payload.call import Call
        from terse.payload.exact import parse
        from terse.payload.sample import Sample
        from terse.report.explanation import CallFrom
        from terse.review.replay import NotACapture, sessions

        wanted: tuple[str, str] | None = None
        if call_text is not None:
            try:
                named = parse_call(call_text)
            except BadCall as error:
                fail(f"--call {shown(call_text)}: {error}")
            wanted = (named.server, named.tool)
        try:
            found = sessions(shown(path), read_text(path).split("\n"), structured=False)
        except NotACapture as error:
            fail(shown(str(error)))
        for calls in found:
            self._session = Session()
            for number, each in enumerate(calls, 1):
                arguments = parse(each.arguments)
                assert isinstance(arguments, dict), "INVARIANT: arguments were written from an object"
                call = Call(each.server, each.tool, arguments, each.is_error)
                sample = Sample(each.texts, is_result=True, is_error=each.is_error)
                is_shown = wanted == (each.server, each.tool)
                name = f"{shown(path)} {number}"
                yield self._asked(name, sample, call, CallFrom.OPTION, (), is_shown=is_shown)

    def _asked(
        self,
        name: str,
        sample: Sample,
        call: Call,
        call_from: CallFrom,
        notes: Iterable[str],
        is_shown: bool = True,
    ) -> Asked:
        from terse.payload.payload import Payload
        from terse.plan.run import run, sent
        from terse.plan.whole import whole_repeat
        from terse.report.explanation import Explanation
        from terse.report.sequence import Asked

        outcomes = [
            run(
                self._plan,
                Payload.of(text),
                call,
                self._session,
                self._counted,
                part=part,
                can_retrieve=self._can_retrieve,
                detail=True,
                clock=self._clock,
            )
            for part, text in enumerate(sample.texts)
        ]
        repeat = whole_repeat(outcomes, call, self._session)
        sent(self._plan, repeat or outcomes, call, self._session, self._counted)
        explanation = Explanation(
            file=name,
            is_result=sample.is_result,
            is_error=sample.is_error,
            call_from=call_from,
            policy=self._policy,
            policy_hash=self._plan.hash,
            vocabulary=self._counted.name,
            outcomes=tuple(outcomes),
            notes=tuple(notes),
            originals=sample.texts,
        )
        said = None if repeat is None else (repeat[0].text, self._counted.count(repeat[0].text))
        return Asked(name, explanation, said, is_shown)


def _still() -> float:
    """A clock that stands still: the same file is explained the same on every machine."""
    return 0.0


def _call(path: str, text: str | None, is_error: bool) -> tuple[Call, CallFrom]:
    from terse.payload.call import Call
    from terse.payload.sample import place_in_samples
    from terse.report.explanation import CallFrom

    if text is not None:
        from terse.language import BadCall, parse_call

        try:
            named = parse_call(text)
        except BadCall as error:
            fail(f"--call {shown(text)}: {error}")
        return Call(named.server, named.tool, named.arguments, is_error), CallFrom.OPTION
    place = None if path == STDIN else place_in_samples(Path(path).absolute().parts)
    if place is not None:
        return Call(*place, {}, is_error), CallFrom.PLACE
    return Call(NO_NAME, NO_NAME, {}, is_error), CallFrom.NOWHERE


def _policy(rules: str | None) -> tuple[Plan, str]:
    """The plan, and the policy in words.

    Raises:
        CommandError: the rules cannot be read, or do not compile.
    """
    from terse.cli.policy import DoesNotCompile, default_plan, load_plan

    if rules is None:
        return default_plan(), "the embedded default (no --rules)"
    if not os.path.exists(rules):
        fail(f"--rules {shown(rules)}: no such file or folder")
    try:
        return load_plan(rules), shown(rules)
    except DoesNotCompile as error:
        raise CommandError(str(error), FINDINGS) from None


def _notes(path: str, sample: Sample, call_from: CallFrom) -> Iterator[str]:
    from terse.report.explanation import CallFrom

    name = shown(path)
    if sample.is_result:
        what = "an error result" if sample.is_error else "a saved MCP result"
        match len(sample.texts):
            case 0:
                yield f"{name} is {what} that has no text: it passes as it came"
            case 1:
                yield f"{name} is {what}: its text is explained"
            case texts:
                yield f"{name} is {what}: its {texts} texts are explained"
    if sample.has_structured:
        yield "it has structuredContent too, which is not explained here: some clients show it to the model"
    if call_from is CallFrom.NOWHERE:
        yield (
            f"no --call, and {name} is not in samples/SERVER/TOOL/: explained for a call of no known name, "
            "which only rules on */* match"
        )


def _write_emitted(explanation: Explanation) -> None:
    # A lone surrogate can only stand inside a JSON string, where its escape means the same.
    texts = [outcome.text.encode("utf-8", "backslashreplace") for outcome in explanation.outcomes]
    write_bytes(b"\n".join(texts))


COMMAND = Command(
    name="explain",
    sentence="Show what a policy does to a saved tool result, and why.",
    run=explain,
    example="terse explain samples/github/list_issues/open.json",
    example_does="which rule applies and why, each step with its tokens, what is sent",
    notes=(
        "Without --call, server and tool come from the file's place: samples/SERVER/TOOL/x.json.",
        'A saved MCP result ({"content": [...]}) is explained text by text.',
        "Several files are the results of calls made one after another: terse explain a.json b.json --call … "
        "shows what the second one costs once the client has the first. Of a capture every call is one row, "
        "and those of the tool that --call names are explained in full.",
        "A code of `terse check` (T201) prints its page.",
        "Every step is run to its end; in the proxy a chain has 150 ms, or what `spend at most` says.",
    ),
)
