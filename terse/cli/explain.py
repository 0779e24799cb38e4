"""`terse explain`: what a policy does to a saved result, and why; or the page of a code."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from terse.cli.command import Command
from terse.cli.console import fail, write, write_bytes, write_error
from terse.cli.files import STDIN, quoted, read_bytes, read_text, replace_file, shown
from terse.cli.rules_option import policy_of
from terse.cli.vocabulary_option import DEFAULT_VOCABULARY

if TYPE_CHECKING:
    from terse.payload.call import Call
    from terse.payload.sample import Sample
    from terse.plan.model import Plan
    from terse.report.explanation import CallFrom, Explanation
    from terse.report.sequence import Asked

CODE = re.compile(r"[Tt][0-9]{3}")
NO_NAME = "?"
"""Server and tool of a call that nobody named: no exact name in a rule file matches it."""
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
    html: bool = typer.Option(
        False, "--html", help="Print one page for a browser: both texts, and what each step touched."
    ),
    to: str | None = typer.Option(None, metavar="FILE", help="Write there instead of to stdout."),
    watch: bool = typer.Option(
        False, "--watch", help="Explain again whenever the result or a rule file changes, until Ctrl-C."
    ),
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
    if json + whole + emitted + html > 1:
        fail("--json, --html, --whole and --emitted exclude each other: name one")
    is_sequence = len(payloads) > 1 or payload.endswith(CAPTURE)
    if html and is_sequence:
        fail("--html shows one result: name one file, and no capture")
    if watch and STDIN in payloads:
        fail("--watch needs a file: stdin is read once")
    if to is not None:
        if not to:
            fail("--to '': the name of the file is empty")
        _refuse_inputs(to, [*payloads, *([rules] if rules else [])])

    def once() -> None:
        explainer = _Explainer(rules, vocabulary, can_retrieve, budget)
        if is_sequence:
            asked = _sequence(explainer, payloads, call)
            explanations = [each.explanation for each in asked]
        else:
            explanations = [explainer.of_file(payload, call).explanation]
        if emitted:
            end = b"\n" if is_sequence else b""
            _deliver(b"".join(_emitted_bytes(each) + end for each in explanations), to)
        elif is_sequence:
            from terse.report import sequence

            _deliver(sequence.render_json(asked) if json else sequence.render(asked, whole=whole), to)
        elif html:
            from terse.report.explain_html import render as render_html

            # The page says that it is UTF-8, whatever the terminal speaks.
            _deliver(render_html(explanations[0]).encode(), to)
        elif json:
            from terse.report.explain_json import render

            _deliver(render(explanations[0]), to)
        else:
            from terse.report.explain import render as render_text

            _deliver(render_text(explanations[0], whole=whole), to)

    if not watch:
        once()
        return
    from terse.cli import watch as watching

    watching.watch(lambda: [*payloads, *(watching.rule_files(rules) if rules else ())], once)


def _refuse_inputs(to: str, inputs: Iterable[str]) -> None:
    for path in inputs:
        if os.path.exists(to) and os.path.exists(path) and os.path.samefile(to, path):
            fail(f"--to {shown(to)}: it is what is explained, and would be overwritten")


def _deliver(product: str | bytes, to: str | None) -> None:
    """Write to the file, or to stdout.

    Raises:
        CommandError: it cannot be written.
    """
    if to is not None:
        data = product.encode("utf-8", "backslashreplace") if isinstance(product, str) else product
        replace_file(to, data.decode())
    elif isinstance(product, str):
        write(product)
    else:
        write_bytes(product)


def _explain_code(code: str) -> None:
    from terse.language.codes import CODES
    from terse.report.page import render

    for known in CODES:
        if known.code == code:
            write(render(known))
            return
    first, last = CODES[0].code, CODES[-1].code
    fail(f"no code {code}: they go from {first} to {last}, docs/codes/ lists them")


def _sequence(explainer: _Explainer, paths: list[str], call: str | None) -> list[Asked]:
    """Calls of one session, one after another; those of a capture have a session each where it says so."""
    asked: list[Asked] = []
    for path in paths:
        if path.endswith(CAPTURE):
            asked += explainer.of_capture(path, call)
        else:
            asked.append(explainer.of_file(path, call))
    return asked


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
        from terse.capture.recorded import Notes
        from terse.language import BadCall, parse_call
        from terse.memory.session import Session
        from terse.payload.call import Call
        from terse.payload.exact import parse
        from terse.report.explanation import CallFrom
        from terse.review.replay import sessions

        wanted: tuple[str, str] | None = None
        if call_text is not None:
            try:
                named = parse_call(call_text)
            except BadCall as error:
                fail(f"--call {quoted(call_text)}: {error}")
            wanted = (named.server, named.tool)
        notes = Notes()
        found = sessions(shown(path), BytesIO(read_bytes(path)), notes)
        if not found:
            fail("; ".join([f"no calls in {shown(path)}", *map(shown, notes.said[:1])]))
        for note in notes:
            write_error(f"terse: left out: {shown(note)}\n")
        for calls in found:
            self._session = Session()
            for number, each in enumerate(calls, 1):
                arguments = parse(each.arguments)
                assert isinstance(arguments, dict), "INVARIANT: arguments were written from an object"
                sample = each.sample
                call = Call(each.server, each.tool, arguments, sample.is_error)
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
        from terse.payload.blocks import join
        from terse.plan.result import run_result
        from terse.plan.run import sent
        from terse.report.explanation import Explanation
        from terse.report.sequence import Asked

        may_join = sample.is_texts_alone and not sample.is_error and len(sample.texts) > 1
        answered = run_result(
            self._plan,
            sample.texts,
            call,
            self._session,
            self._counted,
            joined=join(sample.texts) if may_join else None,
            can_retrieve=self._can_retrieve,
            detail=True,
            clock=self._clock,
        )
        sent(self._plan, answered.outcomes, call, self._session, self._counted)
        is_one = len(answered.outcomes) < len(sample.texts)
        received = None
        if is_one:
            received = sum(map(self._counted.count, sample.texts))
            words = f"its {len(sample.texts)} texts, {received:,} tokens, are sent as one, which takes less"
            notes = (*notes, words)
        explanation = Explanation(
            file=name,
            is_result=sample.is_result,
            is_error=sample.is_error,
            call_from=call_from,
            policy=self._policy,
            policy_hash=self._plan.hash,
            vocabulary=self._counted.name,
            # Where one sentence speaks of all texts, each of them is explained all the same.
            outcomes=answered.outcomes if answered.one is None or is_one else answered.untaken,
            notes=tuple(notes),
            originals=tuple(payload.text for payload in answered.payloads),
        )
        said = None
        if answered.one is not None and not is_one:
            said = (answered.one, self._counted.count(answered.one))
        return Asked(name, explanation, said, is_shown, received)


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
            fail(f"--call {quoted(text)}: {error}")
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
    if rules is not None:
        return policy_of(rules)
    from terse.cli.policy import default_plan

    return default_plan(), "the embedded default (no --rules)"


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


def _emitted_bytes(explanation: Explanation) -> bytes:
    # A lone surrogate can only stand inside a JSON string, where its escape means the same.
    texts = [outcome.text.encode("utf-8", "backslashreplace") for outcome in explanation.outcomes]
    return b"\n".join(texts)


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
        "YAML below a folder `samples` stands for the JSON that the tool sends.",
        "A code of `terse check` (T201) prints its page.",
        "Every step is run to its end; in the proxy a chain has 150 ms, or what `spend at most` says.",
        "Exit codes: 0 done; 1 the rules do not compile; 2 nothing to explain: a file that cannot be "
        "read, a wrong call.",
    ),
)
