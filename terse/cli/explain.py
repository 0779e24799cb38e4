"""`terse explain`: what a policy does to a saved result, and why; or the page of a code."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from terse.cli.command import Command
from terse.cli.console import FINDINGS, CommandError, fail, write, write_bytes
from terse.cli.files import STDIN, read_text, shown

if TYPE_CHECKING:
    from terse.payload.call import Call
    from terse.payload.sample import Sample
    from terse.plan.model import Plan
    from terse.report.explanation import CallFrom, Explanation

CODE = re.compile(r"[Tt][0-9]{3}")
NO_NAME = "?"
"""Server and tool of a call that nobody named: no exact name in a rule file matches it."""
DEFAULT_VOCABULARY = "o200k_base"


def explain(
    payload: str = typer.Argument(
        ..., metavar="PAYLOAD", help="A saved tool result, - for stdin, or a code such as T201."
    ),
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
    if CODE.fullmatch(payload):
        _explain_code(payload.upper())
        return
    if json + whole + emitted > 1:
        fail("--json, --whole and --emitted exclude each other: name one")
    explanation = _explanation(payload, call, rules, vocabulary, can_retrieve, budget)
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


def _explanation(
    path: str,
    call_text: str | None,
    rules: str | None,
    vocabulary_name: str,
    can_retrieve: bool,
    budget: bool,
) -> Explanation:
    from time import thread_time

    from terse.memory.session import Session
    from terse.payload.payload import Payload
    from terse.payload.sample import Sample
    from terse.plan.run import run
    from terse.report.explanation import Explanation
    from terse.tokens import UnknownVocabulary, vocabulary

    try:
        counted = vocabulary(vocabulary_name)
    except UnknownVocabulary as error:
        fail(str(error))
    try:
        sample = Sample.saved(read_text(path), str(Path(path).absolute()))
    except ValueError as error:
        fail(f"{shown(path)}, {shown(str(error))}")
    call, call_from = _call(path, call_text, sample.is_error)
    plan, policy = _policy(rules)
    notes = _notes(path, sample, call_from)
    # The vocabulary is built by the first count, which must not be charged to the first text.
    counted.count("a")
    # One result, one call: what its texts have in common is the session before it.
    outcomes = tuple(
        run(
            plan,
            Payload.of(text),
            call,
            Session(),
            counted,
            can_retrieve=can_retrieve,
            detail=True,
            clock=thread_time if budget else _still,
        )
        for text in sample.texts
    )
    return Explanation(
        file=shown(path),
        is_result=sample.is_result,
        is_error=sample.is_error,
        call_from=call_from,
        policy=policy,
        policy_hash=plan.hash,
        vocabulary=counted.name,
        outcomes=outcomes,
        notes=tuple(notes),
    )


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
        "A code of `terse check` (T201) prints its page.",
        "Every step is run to its end; in the proxy a chain has 150 ms, or what `spend at most` says.",
    ),
)
