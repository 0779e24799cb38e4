"""`terse diff`: what a change of rules does to all samples."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from terse.cli.captured import material_of
from terse.cli.command import Command
from terse.cli.console import FINDINGS, CommandError, fail, write
from terse.cli.files import quoted, shown
from terse.cli.output import Output, renderer
from terse.cli.rules_option import DEFAULT_RULES
from terse.cli.test import checked_policy, read_sample

if TYPE_CHECKING:
    from terse.language import Checked
    from terse.plan.model import Plan
    from terse.report.differed import Diff


def diff(
    before: Annotated[
        str,
        typer.Argument(
            metavar="REV|DIR", help="What to compare with: a commit of git, or a folder (or file) of rules."
        ),
    ],
    rules: Annotated[
        str,
        typer.Option("--rules", metavar="PATH", help="The rules as they are now; their samples are used."),
    ] = DEFAULT_RULES,
    captures: Annotated[
        list[str] | None,
        typer.Option(
            "--captures",
            metavar="CAPTURE",
            help="Compare on these captured results, too: a file (*.jsonl) or a folder. Can be given again.",
        ),
    ] = None,
    output: Annotated[Output, typer.Option("--output", help="How the change is written.")] = Output.TEXT,
    allow_loss: Annotated[
        bool, typer.Option("--allow-loss", help="Exit 0 though something is lost that was not before.")
    ] = False,
) -> None:
    """Compare two versions of a policy.

    Raises:
        CommandError: one of them cannot be read or does not compile, or there is a new loss.
    """
    facts = _facts(before, rules, captures)
    write(_renderer(output)(facts))
    if facts.new_losses and not allow_loss:
        raise CommandError("", FINDINGS)


def _facts(before: str, rules: str, captures: list[str] | None) -> Diff:
    from terse.language.disk import Disk
    from terse.report.differed import Diff
    from terse.review.cases import cases
    from terse.review.difference import differences, guard_names, rule_names, tools_names
    from terse.tokens import vocabulary

    now = checked_policy(rules)
    assert now.plan is not None, "INVARIANT: a policy without a plan has ended the command"
    notes: list[str] = []
    was = _plan_before(before, rules, now.root, notes)
    tried = cases(now.root, now.files, Disk(), read_sample, notes)
    samples = tuple(differences(was, now.plan, tried, vocabulary()))
    if captures:
        from terse.tuning.effect import effect

        samples += effect(was, now.plan, material_of(captures, None, notes), vocabulary())
    if not samples:
        notes.append("there is no sample: nothing was compared but the rules themselves")
    return Diff(
        before=shown(before),
        after=shown(rules),
        samples=samples,
        rules=rule_names(was, now.plan),
        guards=guard_names(was, now.plan),
        tools=tools_names(was, now.plan),
        unreachable=_unreachable(now),
        notes=tuple(notes),
    )


def _unreachable(checked: Checked) -> tuple[str, ...]:
    return tuple(
        found.primary.span.text for found in checked.diagnostics if found.code.name == "unreachable-rule"
    )


def _plan_before(before: str, rules: str, root: str, notes: list[str]) -> Plan:
    """The plan of the version to compare with; one without rules where it did not have this path."""
    from terse.language import Reader, Unreadable, check
    from terse.plan.model import Plan
    from terse.review.revision import NoRevision, Revision

    if not before:
        fail("the name of what to compare with is empty: name a revision or a folder")
    reader: Reader | None = None
    path, folder = before, None
    if not os.path.exists(before):
        try:
            reader = Revision(before)
        except NoRevision as error:
            fail(f"{quoted(before)}: no such folder, and no revision: {shown(str(error))}")
        path, folder = rules, root
        if not reader.exists(path):
            notes.append(f"{shown(before)} has no {shown(rules)}: compared with no rules at all")
            return Plan(edition=1)
    try:
        checked = check([path], folder, reader)
    except Unreadable as error:
        fail(f"{shown(before)}: {quoted(error.path)}: {error.reason}")
    if checked.plan is None:
        first = next(iter(found for found in checked.diagnostics if found.severity.word == "error"))
        where = first.primary.span.place
        fail(f"the rules of {shown(before)} do not compile: {shown(where)}: {first.message}")
    return checked.plan


def _renderer(output: Output) -> Callable[[Diff], str]:
    from terse.report import differed_json, differed_markdown, differed_text

    return renderer(output, differed_text.render, differed_markdown.render, differed_json.render)


COMMAND = Command(
    name="diff",
    sentence="Show what a change of rules does to all samples: tokens, class, and what is lost only now.",
    run=diff,
    example="terse diff main --output markdown",
    example_does="a change of policies/ since main, for the pull request",
    notes=(
        "A commit is read from git; the work tree is not touched. What exists as a folder is taken as one.",
        "Samples are those of the rules as they are now, and the calls of their tests. Of captures, a sample "
        "of each tool's results is run in its sessions, and a row stands for a tool.",
        "Exit codes: 0 no new loss; 1 something is lost that was not before (--allow-loss accepts it); "
        "2 nothing was compared.",
    ),
)
