"""`terse tune`: what would make rules better, as a patch, with the evidence for it."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from terse.cli.captured import material_of
from terse.cli.command import Command
from terse.cli.console import FINDINGS, CommandError, fail, write, write_error
from terse.cli.files import quoted, replace_file, shown
from terse.cli.output import Output, renderer
from terse.cli.rules_option import DEFAULT_RULES
from terse.cli.test import read_sample

if TYPE_CHECKING:
    from terse.listing.definition import Definition
    from terse.report.tuned import Tuned
    from terse.tuning.draft import Draft
    from terse.tuning.fetches import Ledgered
    from terse.tuning.kinds.kind import Allowed
    from terse.tuning.state import Least, State

_LEAST = re.compile(r"([0-9]{1,9})(?:\.([0-9]{1,3}))?\s*(%?)")


class Allow(StrEnum):
    SET_ASIDE = "set-aside"
    SHORTEN = "shorten"
    REMOVE = "remove"


def tune(
    captures: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CAPTURE]…",
            help="Captures (*.jsonl), or folders of them. Default: what `terse capture` wrote.",
        ),
    ] = None,
    rules: Annotated[
        str,
        typer.Option("--rules", metavar="PATH", help="The rules to change: a file or a folder."),
    ] = DEFAULT_RULES,
    allow: Annotated[
        list[Allow] | None,
        typer.Option("--allow", help="Propose this, too; else nothing that loses anything. Can be repeated."),
    ] = None,
    at_least: Annotated[
        str,
        typer.Option(
            "--at-least",
            metavar="N[%]",
            help="What a change has to save: tokens, or percent of what is sent now of these results.",
        ),
    ] = "2%",
    results: Annotated[
        int, typer.Option("--results", metavar="N", min=2, help="Say nothing of tools with fewer results.")
    ] = 20,
    sample: Annotated[
        int,
        typer.Option(
            "--sample", metavar="N", min=2, max=100_000, help="Run about so many results of a tool."
        ),
    ] = 120,
    apply: Annotated[bool, typer.Option("--apply", help="Write the changes, and show what they do.")] = False,
    patch: Annotated[
        str | None, typer.Option("--patch", metavar="FILE", help="Write the patch to this file.")
    ] = None,
    output: Annotated[Output, typer.Option("--output", help="How proposals are written.")] = Output.TEXT,
    ledger: Annotated[
        str | None,
        typer.Option("--ledger", metavar="FILE", help="The ledger to read, if not the user's own."),
    ] = None,
) -> None:
    """Propose changes of rules.

    Raises:
        CommandError: nothing can be read, or the rules do not compile; or there are proposals.
    """
    least = _least(at_least)
    state, notes = _state(captures or [], rules, least, results, sample, ledger)
    allowed: list[Allowed] = [each.value for each in allow or ()]
    facts = _tuned(state, rules, allowed, notes)
    if patch is not None:
        replace_file(patch, facts.patch)
    if apply and facts.files:
        from dataclasses import replace

        _apply(state.draft, facts.files)
        facts = replace(facts, applied=True)
    write(_rendered(output, facts))
    if not facts.proposals:
        return
    if not apply:
        raise CommandError("", FINDINGS)
    if output is not Output.JSON:
        write("\n" + _effect(state, facts, output))


def _state(
    captures: Sequence[str], rules: str, least: Least, results: int, sample: int, ledger: str | None
) -> tuple[State, list[str]]:
    from terse.tokens import vocabulary
    from terse.tuning.draft import Draft, NoRules
    from terse.tuning.runs import Runner
    from terse.tuning.state import State

    if not rules:
        fail("--rules: the name is empty")
    try:
        draft = Draft.of(rules)
    except NoRules as error:
        fail(shown(str(error)))
    notes: list[str] = []
    if not draft.original:
        notes.append(
            f"there are no rules at {rules}, so figures are against what the servers send; a proxy without "
            "--rules runs the default policy, which is `use compact` for everything"
        )
    notes += [
        f"{path} is left as it is: it has line ends of Windows, or a byte order mark; `terse fmt` "
        "takes them out"
        for path in sorted(draft.foreign)
    ]
    material = material_of(captures, sample, notes)
    runner = Runner(material, vocabulary())
    state = State.of(draft, material, _ledgered(ledger, notes), _lists(draft, notes), runner, least, results)
    return state, notes


def _ledgered(ledger: str | None, notes: list[str]) -> Ledgered:
    """What the ledger says; nothing where there is none that was asked for.

    Raises:
        CommandError: the one that was named cannot be read.
    """
    from terse.ledger.file import Unusable
    from terse.ledger.place import place
    from terse.ledger.reader import records
    from terse.tuning.fetches import Ledgered

    path = ledger if ledger is not None else place(os.environ)
    if path is None or (ledger is None and not os.path.exists(path)):
        return Ledgered()
    try:
        return Ledgered(records(Path(path), float("-inf")))
    except Unusable as error:
        if ledger is not None:
            fail(f"--ledger {shown(path)}: {error}")
        notes.append(f"the ledger is left out: {error}")
        return Ledgered()


def _lists(draft: Draft, notes: list[str]) -> Mapping[str, Sequence[Definition]]:
    """The servers' lists of tools, from the tools.lock of the rules."""
    from terse.capture.lock import NAME
    from terse.payload.exact import NotExact, parse_unambiguous

    path = os.path.join(draft.checked.root, NAME)
    if not os.path.isfile(path):
        return {}
    try:
        document = parse_unambiguous(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, NotExact) as error:
        notes.append(f"{path} is left out: {getattr(error, 'strerror', None) or error}")
        return {}
    servers = document.get("servers") if isinstance(document, dict) else None
    found: dict[str, list[Definition]] = {}
    for name, listing in servers.items() if isinstance(servers, dict) else ():
        tools = listing.get("tools") if isinstance(listing, dict) else None
        if isinstance(tools, list):
            found[str(name)] = [tool for tool in tools if isinstance(tool, dict) and "name" in tool]
    return found


def _tuned(state: State, rules: str, allowed: Sequence[Allowed], notes: list[str]) -> Tuned:
    from terse.tuning.tune import tune as run

    def told(what: str) -> None:
        if sys.stderr is not None and sys.stderr.isatty():
            write_error(f"\rlooking for: {what:<20}")

    try:
        return run(state, rules, allowed, read_sample, notes, told)
    finally:
        if sys.stderr is not None and sys.stderr.isatty():
            write_error("\r" + " " * 33 + "\r")


def _rendered(output: Output, facts: Tuned) -> str:
    from terse.report import tuned_json, tuned_markdown, tuned_text

    return renderer(output, tuned_text.render, tuned_markdown.render, tuned_json.render)(facts)


def _least(given: str) -> Least:
    """
    Raises:
        CommandError: it is neither tokens nor a share.
    """
    from terse.tuning.state import Least

    found = _LEAST.fullmatch(given.strip())
    if found is None or (found[2] and not found[3]):
        fail(f"--at-least {quoted(given)}: write tokens (500) or a share (2%)")
    if not found[3]:
        return Least(tokens=int(found[1]))
    percent = float(f"{found[1]}.{found[2] or 0}")
    if percent > 100:
        fail(f"--at-least {quoted(given)}: a share is at most 100%")
    return Least(percent=percent)


# ---- writing -----------------------------------------------------------------------------------------------


def _apply(draft: Draft, files: Mapping[str, tuple[str | None, str]]) -> None:
    """Write the files, all or none as far as can be known before.

    Raises:
        CommandError: one of them is not what was read any more, cannot be written, or leads out of the
            rules' folder.
    """
    root = Path(draft.path if not draft.is_file else draft.checked.root)
    for path, (old, _) in files.items():
        _refuse(path, old, root)
    written: dict[str, str | None] = {}
    try:
        for path, (old, new) in files.items():
            # Nothing is locked: whoever wrote to it since the first look is not overwritten either.
            _refuse(path, old, root)
            replace_file(path, new)
            written[path] = old
    except CommandError:
        for path, before in written.items():
            if before is None:
                os.unlink(path)
            else:
                replace_file(path, before)
        raise


def _refuse(path: str, old: str | None, root: Path) -> None:
    if not Path(path).resolve().is_relative_to(root.resolve()):
        fail(f"{shown(path)} leads out of {shown(str(root))}: nothing was written")
    if old is None:
        if os.path.lexists(path):
            fail(f"{shown(path)} is there by now: nothing of it was written")
        return
    try:
        now = Path(path).read_bytes()
    except OSError as error:
        fail(f"cannot read {shown(path)}: {error.strerror}")
    if now != old.encode():
        fail(f"{shown(path)} was changed meanwhile: run terse tune again")
    if not os.access(path, os.W_OK):
        fail(f"{shown(path)} cannot be written: it is read-only")


def _effect(state: State, facts: Tuned, output: Output) -> str:
    """What `terse diff` says of the change, over the sample."""
    from terse.report import differed_json, differed_markdown, differed_text
    from terse.report.differed import Diff
    from terse.review.difference import guard_names, rule_names, tools_names
    from terse.tuning.draft import Draft
    from terse.tuning.effect import effect

    was, now = state.draft.plan, Draft.of(facts.rules).plan
    found = Diff(
        before="as it was",
        after=shown(facts.rules),
        samples=effect(was, now, state.material, state.vocabulary),
        rules=rule_names(was, now),
        guards=guard_names(was, now),
        tools=tools_names(was, now),
    )
    return renderer(output, differed_text.render, differed_markdown.render, differed_json.render)(found)


COMMAND = Command(
    name="tune",
    sentence="Propose better rules from captured results, as a patch with evidence for each change.",
    run=tune,
    example="terse tune monday.jsonl --rules policies/",
    example_does="what would save more and loses nothing; `terse tune … | git apply` takes it over",
    notes=(
        "Each change is really run on the captured results: found on one half of the sessions, and told of "
        "the other. Nothing that loses anything is proposed unless --allow says so, nothing that a guard "
        "forbids, and nothing that makes `terse check` or a test fail.",
        "Rules get names of tools and of members, never what stands in them.",
        "Of each tool a sample of its results is run; --sample says how large. The same captures give the "
        "same proposals.",
        "Exit codes: 0 nothing to propose, or applied; 1 proposals; 2 nothing was done.",
    ),
)
