"""`terse capture`: have proxies write the calls they pass to a private folder, and end that."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from terse.cli.command import Command
from terse.cli.console import FINDINGS, CommandError, fail, write
from terse.cli.files import shown

if TYPE_CHECKING:
    from terse.capture.asked import Asked

_SPAN = re.compile(r"(\d{1,4}) ?([mhd])")
_SECONDS = {"m": 60, "h": 3600, "d": 86400}
LONGEST_DAYS = 30


class Action(StrEnum):
    START = "start"
    STATUS = "status"
    STOP = "stop"
    REDACT = "redact"


def capture(
    action: Annotated[Action, typer.Argument(help="What to do.")] = Action.STATUS,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SERVER|CAPTURE]…",
            help="Of start: servers, with * for any part of a name; if none, all. Of redact: files, folders.",
        ),
    ] = None,
    span: Annotated[
        str, typer.Option("--for", metavar="TIME", help="Of start: for how long: 30m, 2h, 3d.")
    ] = "2h",
    most: Annotated[
        str,
        typer.Option("--max", metavar="SIZE", help="What the folder may take; the oldest files go first."),
    ] = "200MB",
    redact: Annotated[
        list[str] | None,
        typer.Option("--redact", metavar="PATTERN", help="A regex: what it finds in texts is redacted, too."),
    ] = None,
    redact_names: Annotated[
        list[str] | None,
        typer.Option(
            "--redact-name", metavar="GLOB", help="Names of members whose values are redacted, too: *phone*."
        ),
    ] = None,
    redact_files: Annotated[
        list[str] | None,
        typer.Option("--redact-file", metavar="FILE", help="`name GLOB` or `text PATTERN` a line."),
    ] = None,
    no_arguments: Annotated[
        bool, typer.Option("--no-arguments", help="Leave arguments of calls out.")
    ] = False,
    delete: Annotated[bool, typer.Option("--delete", help="Of stop: delete what was captured.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Of status: write JSON.")] = False,
) -> None:
    """Capture calls.

    Raises:
        CommandError: an option makes no sense, or a file or folder cannot be used.
    """
    from terse.cli.capturing import redaction
    from terse.cli.proxy_options import Unusable, size

    if not hasattr(os, "getuid"):
        fail("calls are captured on Linux and macOS only")
    options = {
        "--redact": redact or (),
        "--redact-name": redact_names or (),
        "--redact-file": redact_files or (),
    }
    is_redacting = action in (Action.START, Action.REDACT)
    given = {
        **{option: bool(values) and not is_redacting for option, values in options.items()},
        "--no-arguments": no_arguments and not is_redacting,
        "--delete": delete and action is not Action.STOP,
        "--json": as_json and action is not Action.STATUS,
    }
    for option, is_wrong in given.items():
        if is_wrong:
            fail(f"{option} does not go with `terse capture {action.value}`")
    if names and action in (Action.STATUS, Action.STOP):
        fail(f"`terse capture {action.value}` is for all proxies: leave out {shown(names[0])}")
    try:
        rules = redaction(options)
        most_bytes = size("--max", most)
    except Unusable as reason:
        fail(shown(str(reason)))
    if action is Action.START:
        _start(names or (), _until(span), most_bytes, rules, not no_arguments)
    elif action is Action.STATUS:
        _status(as_json)
    elif action is Action.STOP:
        _stop(delete)
    else:
        _redact(names or (), rules, no_arguments)


def _until(span: str) -> float:
    found = _SPAN.fullmatch(span.strip())
    seconds = int(found[1]) * _SECONDS[found[2]] if found else 0
    if not 0 < seconds <= LONGEST_DAYS * 86400:
        fail(f"--for {shown(span)}: write 30m, 2h or 3d; at most {LONGEST_DAYS}d")
    return time.time() + seconds


def _start(
    servers: Sequence[str],
    until: float,
    most_bytes: int,
    rules: tuple[tuple[str, ...], tuple[str, ...]],
    arguments: bool,
) -> None:
    from terse.capture.asked import LEAST_BYTES, Asked
    from terse.capture.asked import write as ask
    from terse.capture.folder import opened
    from terse.capture.place import VARIABLE, asked_place, place

    if most_bytes < LEAST_BYTES:
        fail(f"--max: at least {LEAST_BYTES >> 20}MB, so that there is room for a result")
    folder = os.path.abspath(place(os.environ))
    is_default = not os.environ.get(VARIABLE)
    asked = Asked(
        folder=folder,
        is_default_folder=is_default,
        until=until,
        servers=tuple(servers),
        arguments=arguments,
        names=rules[0],
        patterns=rules[1],
        max_bytes=most_bytes,
    )
    try:
        os.close(opened(folder, is_ours=is_default))
        ask(asked_place(os.environ), asked)
    except OSError as error:
        fail(f"cannot capture to {shown(folder)}: {error.strerror}")
    write(f"{_words(asked)}\nevery terse proxy of yours follows from its next result on\n")


def _words(asked: Asked) -> str:
    what = "calls" if asked.arguments else "calls without arguments"
    whose = ", ".join(map(shown, asked.servers)) or "all servers"
    until = "" if asked.until is None else f" until {_day(asked.until)}"
    return f"capturing {what} of {whose}{until}, redacted, in {shown(asked.folder)}"


def _day(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at))


def _asked() -> Asked | None:
    """What is asked for now; None: nothing.

    Raises:
        CommandError: the file that says so cannot be followed.
    """
    from terse.capture.asked import Unusable, read
    from terse.capture.place import asked_place

    path = asked_place(os.environ)
    try:
        asked = read(path)
    except FileNotFoundError:
        return None
    except Unusable as reason:
        fail(f"{shown(path)}: {reason}; `terse capture stop` takes it away")
    return None if asked.is_over(time.time()) else asked


def _status(as_json: bool) -> None:
    from terse.capture.folder import files
    from terse.capture.place import place

    asked = _asked()
    folder = asked.folder if asked is not None else os.path.abspath(place(os.environ))
    try:
        found = files(folder)
    except OSError as error:
        fail(f"{shown(folder)}: {error.strerror}")
    total = sum(file.size for file in found)
    if as_json:
        facts: dict[str, Any] = {
            "format": 1,
            "capturing": asked is not None,
            "until": None if asked is None else asked.until,
            "servers": [] if asked is None else list(asked.servers),
            "arguments": None if asked is None else asked.arguments,
            "max_bytes": None if asked is None else asked.max_bytes,
            "folder": folder,
            "files": len(found),
            "bytes": total,
            "oldest": found[0].changed if found else None,
            "newest": found[-1].changed if found else None,
        }
        write(json.dumps(facts, indent=2) + "\n")
        return
    lines = [_words(asked) if asked is not None else "not capturing: `terse capture start` begins"]
    if found:
        days = [
            time.strftime("%Y-%m-%d %H:%M", time.localtime(file.changed)) for file in (found[0], found[-1])
        ]
        files_of = "1 file" if len(found) == 1 else f"{len(found):,} files"
        lines.append(f"{files_of}, {total / 1e6:,.1f} MB, from {days[0]} to {days[1]}: {shown(folder)}")
    else:
        lines.append(f"nothing captured in {shown(folder)}")
    write("".join(f"{line}\n" for line in lines))


def _stop(delete: bool) -> None:
    from terse.capture.asked import Unusable, read
    from terse.capture.folder import delete as delete_files
    from terse.capture.place import asked_place, place

    path = asked_place(os.environ)
    folders = [os.path.abspath(place(os.environ))]
    with suppress(Unusable, FileNotFoundError):
        folders.append(read(path).folder)
    try:
        is_on = os.path.lexists(path)
        with suppress(FileNotFoundError):
            os.unlink(path)
        lines = ["not capturing any more" if is_on else "not capturing"]
        if delete:
            for folder in dict.fromkeys(folders):
                gone = delete_files(folder)
                size = sum(file.size for file in gone)
                lines.append(f"deleted {len(gone):,} files, {size / 1e6:,.1f} MB, in {shown(folder)}")
    except OSError as error:
        fail(f"{shown(str(error.filename or path))}: {error.strerror}")
    write("".join(f"{line}\n" for line in lines))


def _redact(paths: Sequence[str], rules: tuple[tuple[str, ...], tuple[str, ...]], no_arguments: bool) -> None:
    """Redact files anew, each in one go: a reader sees the old file or the new one."""
    from terse.capture.place import place
    from terse.capture.recorded import Notes, capture_files
    from terse.capture.redacting import redact_file
    from terse.capture.redaction import NAMES, Rules

    made = Rules((*NAMES, *rules[0]), rules[1])
    notes = Notes()
    try:
        found = capture_files(list(paths) or [place(os.environ)])
        lines = 0
        for path in found:
            lines += redact_file(path, shown(path), made, notes, keeps_arguments=not no_arguments)
    except OSError as error:
        fail(f"{shown(str(error.filename or ''))}: {error.strerror}")
    write(f"{lines:,} calls in {len(found):,} files redacted\n")
    for note in notes:
        write(f"taken out: {note}\n")
    if len(notes):
        raise CommandError("", FINDINGS)


COMMAND = Command(
    name="capture",
    sentence="Have proxies write the calls they pass, redacted, to a private folder, to measure and tune.",
    run=capture,
    example="terse capture start github --for 2h --redact-name '*email*'",
    example_does="calls of one server from now on, for two hours, in all proxies that run or start",
    notes=(
        "Nothing is captured unless you ask for it, here or with `terse proxy --capture`. Proxies look at "
        "what is asked for once a second, and say so on stderr; the time limit ends it whatever happens.",
        "Before anything is written, values of members with a secret's name, keys of well-known forms and "
        "logins in URLs are redacted in arguments and results, in JSON within texts, too; images are "
        "replaced by their size. What else is nobody's business is for you to name: docs/capture.md.",
        "The folder is yours alone (0700, files 0600): $TERSE_CAPTURES, or ~/.local/state/terse/captures.",
        "Exit codes: 0 done; 1 redacted, and lines that were no calls are gone; 2 not done.",
    ),
)
