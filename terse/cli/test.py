"""`terse test`: the tests that stand in rule files."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from terse.cli.command import Command
from terse.cli.console import FINDINGS, UNUSABLE, CommandError, fail, write, write_error
from terse.cli.files import STDIN, quoted, read_text, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from terse.language import Checked
    from terse.report.tested import Covered, Tested, TestRun


class Output(StrEnum):
    TEXT = "text"
    JUNIT = "junit"
    JSON = "json"
    GITHUB = "github"


def run_tests(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATH", help="Rule files or folders, each a policy of its own. Default: policies/"
        ),
    ] = None,
    coverage: Annotated[
        bool, typer.Option("--coverage", help="Tell which rules, when lines and field lines no test covers.")
    ] = False,
    at_least: Annotated[
        float | None,
        typer.Option(
            "--at-least", metavar="N", min=0, max=100, help="Fail when less than N percent is covered."
        ),
    ] = None,
    output: Annotated[Output, typer.Option("--output", help="How results are written.")] = Output.TEXT,
) -> None:
    """Run inline tests.

    Raises:
        CommandError: a path cannot be read, the rules do not compile, there is no test, or one failed.
    """
    from terse.report.tested import TestRun

    tests: list[Tested] = []
    covered: list[Covered] = []
    names = paths or ["policies"]
    for path in names:
        of_path, lines = _run(path)
        tests += of_path
        covered += lines
    if not tests:
        fail(f'there is no test in {", ".join(map(shown, names))}: `test "…" {{ call … given … }}` is one')
    wanted = coverage or at_least is not None
    run = TestRun(" ".join(map(shown, names)), tuple(tests), tuple(covered) if wanted else None, at_least)
    write(_renderer(output)(run))
    if not run.passed:
        raise CommandError("", FINDINGS)


def _run(path: str) -> tuple[Sequence[Tested], Sequence[Covered]]:
    """The tests of one policy, and what they cover of it.

    Raises:
        CommandError: it cannot be read, or does not compile.
    """
    from terse.language import syntax
    from terse.language.load import is_below, normal
    from terse.review.run_tests import Tester
    from terse.tokens import vocabulary

    checked = checked_policy(path)
    assert checked.plan is not None, "INVARIANT: a policy without a plan has ended the command"
    entry = normal(path)
    # What a file imports was tested where it is a policy itself; here its rules may be overridden.
    own = [file for file in checked.files if file.source.path == entry or is_below(file.source.path, entry)]
    tester = Tester(checked.plan, read_sample, vocabulary(), rules=path)
    tests = [tester.run(item) for file in own for item in file.items if isinstance(item, syntax.Test)]
    return tests, list(tester.coverage.lines())


def read_sample(path: str) -> str:
    """A sample's text. Raises ValueError: one that cannot be read does not end the command."""
    try:
        return read_text(f"./{path}" if path == STDIN else path)
    except CommandError as error:
        raise ValueError(error.message) from None


def checked_policy(path: str) -> Checked:
    """The policy of a file or folder, without errors.

    Raises:
        CommandError: it cannot be read, or has errors, which are printed to stderr.
    """
    from terse.diagnostic import Severity
    from terse.language import Unreadable, check
    from terse.report import text

    try:
        checked = check([path])
    except Unreadable as error:
        fail(f"{quoted(error.path)}: {error.reason}")
    if checked.plan is None:
        write_error(text.render([d for d in checked.diagnostics if d.severity is Severity.ERROR]))
        raise CommandError(f"{shown(path)} does not compile", UNUSABLE)
    return checked


def _renderer(output: Output) -> Callable[[TestRun], str]:
    from terse.report import tested_github, tested_json, tested_junit, tested_text

    match output:
        case Output.JUNIT:
            return tested_junit.render
        case Output.JSON:
            return tested_json.render
        case Output.GITHUB:
            return tested_github.render
    return tested_text.render


COMMAND = Command(
    name="test",
    sentence="Run the tests that stand in rule files, and tell what they cover.",
    run=run_tests,
    example="terse test policies/ --coverage",
    example_does="the inline tests, and the rules and lines that none of them covers",
    notes=(
        "Every test runs the gate, too: what is sent must decode to what the rule left.",
        "Of a folder the tests of all its files are run, of a file its own: imported rules are covered, "
        "imported tests are not run.",
        "Exit codes: 0 all passed; 1 a test failed, or less is covered than --at-least; 2 nothing was run.",
    ),
)
