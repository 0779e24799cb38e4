"""`terse verify`: whether what was installed keeps its promises, checked without the network."""

from __future__ import annotations

import os
import signal
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from terse.cli.command import Command
from terse.cli.console import FINDINGS, CommandError, fail, write, write_error
from terse.cli.files import quoted, shown

if TYPE_CHECKING:
    from terse.report.verified import Verified


class Denial(StrEnum):
    AUTO = "auto"
    NAMESPACE = "namespace"
    SECCOMP = "seccomp"
    HOOK = "hook"


def verify(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PATH]…",
            help="Captures (*.jsonl), folders of them, or saved results. Default: our own samples.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
    html: Annotated[
        str | None, typer.Option("--html", metavar="FILE", help="Write one page to this file, too.")
    ] = None,
    denial: Annotated[
        Denial,
        typer.Option("--denial", help="How the network is denied: auto takes the first that is to be had."),
    ] = Denial.AUTO,
) -> None:
    """Verify this installation.

    Raises:
        CommandError: it could not be done, or something does not hold.
    """
    from terse.verification.verify import CannotVerify
    from terse.verification.verify import verify as verified

    for path in paths or ():
        if not os.path.exists(path):
            fail(f"no such file or folder: {quoted(path)}")
    if not hasattr(os, "fork"):
        fail("terse proxy runs on Linux and macOS only, and it is part of what is verified")
    if html is not None and not os.path.isdir(os.path.dirname(os.path.abspath(html))):
        # Said before the work is done, and not after.
        fail(f"--html {shown(html)}: there is no such folder")
    if sys.stderr is not None and sys.stderr.isatty():
        write_error("checking; it takes some seconds, and longer where there is much to check\n")
    # What is ended must not leave copies of results behind.
    before = signal.signal(signal.SIGTERM, _end)
    try:
        found = verified(paths or (), denial.value)
    except CannotVerify as reason:
        fail(shown(str(reason)))
    finally:
        signal.signal(signal.SIGTERM, before)
    if html is not None:
        _write_page(html, found)
    if as_json:
        from terse.report.verified_json import render

        write(render(found))
    else:
        from terse.report.verified_text import render

        write(render(found))
    if not found.holds:
        raise CommandError("", FINDINGS)


def _end(*_: object) -> NoReturn:
    raise SystemExit(128 + signal.SIGTERM)


def _write_page(path: str, found: Verified) -> None:
    from terse.report.verified_html import render

    try:
        Path(path).write_text(render(found), encoding="utf-8")
    except (OSError, ValueError) as error:
        fail(f"--html {shown(path)}: {getattr(error, 'strerror', None) or error}")


COMMAND = Command(
    name="verify",
    sentence="Check here, without the network, that what was installed keeps its promises.",
    run=verify,
    example="terse verify --html report.html",
    example_does="our own samples, a proxy over them, and the files of the installation; as a page, too",
    notes=(
        "All of it runs in processes whose network is denied: by a network namespace or a seccomp filter on "
        "Linux, else by Python itself. The report says by which, and that a connection tried first failed.",
        "Each text that is sent is decoded by the strict readers and compared with the original by a parser "
        "of its own, not by the gate. --json and --html have the figures by tool, an example of each form, "
        "and what is kept on disk. docs/verify.md says what each check does.",
        "Exit codes: 0 all holds; 1 something does not; 2 it could not be done.",
    ),
)
