"""What `terse check` does, and a way to it without an option parser.

An option parser takes longer to import than twenty rules take to check, so plain command lines are read
by hand here; `terse.cli.check` has the command as typer knows it, for `--help` and everything unusual.
"""

from __future__ import annotations

import os
import sys

from terse.cli.console import FINDINGS, OK, CommandError, fail, write

# Type checkers know the name; importing `typing` for it takes a while.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from terse.diagnostic import Diagnostic
    from terse.language import Checked

DEFAULT_PATH = "policies"
OUTPUTS = ("text", "json", "github", "sarif")
SEVERITIES = ("note", "warning", "error")


def quick(arguments: list[str]) -> int | None:
    """Run a plain command line and return its exit code; None where it is not plain, or cannot be done.

    Args:
        arguments: what follows `terse check`.
    """
    paths: list[str] = []
    options: dict[str, str | None] = {"--output": "text", "--fail-on": "warning", "--root": None}
    samples = False
    rest = iter(arguments)
    for argument in rest:
        if argument in options:
            options[argument] = next(rest, "")
        elif argument == "--samples":
            samples = True
        elif argument.startswith("-"):
            return None
        else:
            paths.append(argument)
    output, fail_on, root = options.values()
    if output not in OUTPUTS or fail_on not in SEVERITIES or root == "":
        return None
    try:
        return run(paths, output, fail_on, root, samples)
    except CommandError as error:
        # Without a message there is nothing left to say: the reader of a pipe went away.
        return None if error.message else error.code
    except Exception:
        return None


def run(paths: Sequence[str], output: str, fail_on: str, root: str | None, samples: bool) -> int:
    """Check each path as a policy of its own, write what is found, and return the exit code.

    Raises:
        CommandError: a path cannot be read, or is empty; or the root is no folder.
    """
    from terse.cli.files import quoted, shown
    from terse.diagnostic import Severity
    from terse.language import Unreadable, check

    if "" in paths:
        fail("the name of a file is empty")
    if root is not None and not os.path.isdir(root):
        fail(f"--root {shown(root)}: no such folder")
    found: dict[tuple[object, ...], Diagnostic] = {}
    for path in paths or (DEFAULT_PATH,):
        try:
            checked = check([path], root)
        except Unreadable as error:
            fail(f"{quoted(error.path)}: {error.reason}")
        for diagnostic in (*checked.diagnostics, *(_effects(checked) if samples else ())):
            # Two policies may share a file, and what is wrong with it is told once.
            found.setdefault((diagnostic.sort_key, diagnostic.message), diagnostic)
    diagnostics = sorted(found.values(), key=lambda diagnostic: diagnostic.sort_key)
    text = _renderer(output)(diagnostics)
    if text:
        write(text)
    least = Severity[fail_on.upper()]
    return FINDINGS if any(diagnostic.severity >= least for diagnostic in diagnostics) else OK


def _effects(checked: Checked) -> Sequence[Diagnostic]:
    """What running the policy on its samples shows."""
    from terse.language.disk import Disk
    from terse.review.effects import effects
    from terse.tokens import vocabulary

    return effects(checked, Disk(), vocabulary())


def _renderer(output: str) -> Callable[[Sequence[Diagnostic]], str]:
    if output == "json":
        from terse.report.json import render
    elif output == "github":
        from terse.report.github import render
    elif output == "sarif":
        from terse.report.sarif import render
    else:
        from terse.report.text import render as render_text

        return lambda diagnostics: render_text(diagnostics, _colours())
    return render


def _colours() -> bool:
    # no-color.org: any value that is not empty means no.
    return (
        sys.stdout is not None
        and sys.stdout.isatty()
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM") != "dumb"
    )
