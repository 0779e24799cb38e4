"""`terse fluency`: whether a model reads what is emitted as well as the original. Sends content out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from terse.cli.bench import measured_paths, policy
from terse.cli.command import Command
from terse.cli.console import FINDINGS, CommandError, fail, write, write_error
from terse.cli.files import shown
from terse.cli.progress import tracked
from terse.cli.rules_option import RulesOption

if TYPE_CHECKING:
    from terse.fluency.endpoint import Endpoint
    from terse.fluency.trial import Item, Trial
    from terse.report.fluent import Fluency
    from terse.tokens import Vocabulary

MOST_SHOWN = 100


class Output(StrEnum):
    TEXT = "text"
    JSON = "json"


class ApiName(StrEnum):
    AUTO = "auto"
    OPENAI = "openai"
    ANTHROPIC = "anthropic"


def fluency(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PATH]…", help="Saved results, folders of them, or captures. Default: our samples."
        ),
    ] = None,
    endpoint: Annotated[
        str | None,
        typer.Option("--endpoint", metavar="URL", help="Where the model is: https://api.openai.com/v1, …"),
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="NAME", help="Which model is asked.")
    ] = None,
    api: Annotated[
        ApiName, typer.Option("--api", help="How the endpoint is spoken to; auto goes by its host.")
    ] = ApiName.AUTO,
    count: Annotated[
        int, typer.Option("--questions", metavar="N", min=1, max=10_000, help="How many questions are asked.")
    ] = 60,
    rules: RulesOption = None,
    most_tokens: Annotated[
        int, typer.Option("--most-tokens", metavar="N", min=1, help="Leave out results of more tokens.")
    ] = 8000,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Other questions, in another order.")] = 0,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", min=0.01, max=3600, help="For one request.")
    ] = 60.0,
    output: Annotated[Output, typer.Option("--output", help="How the answers are written.")] = Output.TEXT,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the questions and their answers; send nothing.")
    ] = False,
) -> None:
    """Ask a model.

    Raises:
        CommandError: nothing can be sent or asked, too little came back, or the emitted form is read worse.
    """
    from terse.capture.results import Unreadable, results
    from terse.fluency.selection import items
    from terse.tokens import vocabulary

    plan, named = policy(rules)
    where = None if dry_run else _endpoint(endpoint, model, api, timeout)
    notes: list[str] = []
    try:
        found = results(measured_paths(paths, None), notes)
        asked = items(found, plan, vocabulary(), count, most_tokens, seed)
    except Unreadable as error:
        fail(shown(str(error)))
    if not asked:
        fail("nothing to ask: no result is made smaller by the rules and has records or lines to ask for")
    if where is None:
        write(_questions(asked, vocabulary()))
        return
    trial = _run(where, asked, seed, vocabulary())
    facts = _facts(where, named, asked, trial, vocabulary(), notes)
    if facts.refusal:
        because = f" (last failure: {facts.failures[-1]})" if facts.failures else ""
        fail(f"no report: {facts.refusal}{because}")
    write(_rendered(facts, output))
    if facts.difference_is_loss:
        raise CommandError("", FINDINGS)


def _endpoint(url: str | None, model: str | None, api: ApiName, timeout: float) -> Endpoint:
    from terse.fluency.endpoint import Api, Endpoint, Unusable

    if not url or not model:
        missing = "--endpoint" if not url else "--model"
        fail(f"{missing} is missing: name where the results are sent to, and the model (or --dry-run)")
    chosen = None if api is ApiName.AUTO else Api(api.value)
    try:
        return Endpoint.of(url, chosen, model, os.environ, timeout)
    except Unusable as error:
        fail(f"--endpoint: {error}")


def _questions(asked: Sequence[Item], counted: Vocabulary) -> str:
    lines = [f"{_cost(asked, counted)}; nothing was sent", ""]
    for item in asked[:MOST_SHOWN]:
        lines += [
            f"{item.question.kind.value:8} {item.name}: {item.question.words}",
            f"         {item.answer}",
        ]
    if len(asked) > MOST_SHOWN:
        lines.append(f"and {len(asked) - MOST_SHOWN} more")
    return "\n".join(map(shown, lines)) + "\n"


def _cost(asked: Sequence[Item], counted: Vocabulary) -> str:
    from terse.report.fluent import Arm

    names = {item.name for item in asked}
    # The original is shown twice: once more as a control.
    tokens = sum(2 * counted.count(item.raw) + counted.count(item.emitted) for item in asked)
    requests = len(asked) * len(Arm)
    on = f"{len(names)} result{'' if len(names) == 1 else 's'}"
    return f"{len(asked)} questions on {on}: {requests} requests, about {tokens:,} tokens"


def _run(where: Endpoint, asked: Sequence[Item], seed: int, counted: Vocabulary) -> Trial:
    from terse.fluency.endpoint import Model, Refused
    from terse.fluency.trial import NothingAnswers, Trial
    from terse.report.fluent import Arm

    write_error(f"{_cost(asked, counted)}; sent to {shown(where.host)}\n")
    with Model(where) as model:
        trial = Trial(model.ask, seed)
        try:
            for _ in tracked(trial.run(asked), len(asked) * len(Arm), "asking"):
                pass
        except (Refused, NothingAnswers) as error:
            fail(f"no report: {shown(str(error))}")
    return trial


def _facts(
    where: Endpoint,
    named: str,
    asked: Sequence[Item],
    trial: Trial,
    counted: Vocabulary,
    notes: Sequence[str],
) -> Fluency:
    from terse.fluency.intervals import paired, wilson
    from terse.report.fluent import Fluency

    texts = {item.name: (item.raw, item.emitted) for item in asked}
    return Fluency(
        model=where.model,
        endpoint=where.host,
        policy=named,
        results=len(texts),
        raw_tokens=sum(counted.count(raw) for raw, _ in texts.values()),
        emitted_tokens=sum(counted.count(emitted) for _, emitted in texts.values()),
        asked=trial.asked,
        wilson=wilson,
        paired=paired,
        failures=trial.failures,
        notes=tuple(notes),
    )


def _rendered(facts: Fluency, output: Output) -> str:
    from terse.report import fluent_json, fluent_text

    return fluent_json.render(facts) if output is Output.JSON else fluent_text.render(facts)


COMMAND = Command(
    name="fluency",
    sentence="Ask a model the same questions on original and emitted results, and compare its answers.",
    run=fluency,
    example="terse fluency samples/ --dry-run",
    example_does="the questions that a model would be asked, with their answers",
    notes=(
        "This is the only command that sends the content of results anywhere: to --endpoint, which must be "
        "named. Nothing else calls it.",
        "The key comes from OPENAI_API_KEY or ANTHROPIC_API_KEY; a server on this machine may want none.",
        "Each question is asked four times: on the original, on the emitted form, on the original again (the "
        "model's own noise) and without the result (what can be guessed). Without these controls, with fewer "
        "than 30 questions answered in all four, or when most can be guessed, there is no report.",
        "Exit codes: 0 reported; 1 the emitted form is read worse, beyond chance; 2 no report.",
    ),
)
