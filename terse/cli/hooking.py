"""What `terse hook` does, and a way to it without an option parser.

Each call is a process: an option parser would take longer to import than all else; `terse.cli.hook` has the
command as typer knows it, for `--help` and everything unusual.
"""

from __future__ import annotations

import json
import os
import sys

from terse.cli.console import OK, CommandError, complain, write_bytes, write_error

MAX_BYTES = 16 * 1024 * 1024
"""A larger call with its result passes: it is not worth the memory of a process for each call."""

PREFIX = "mcp__"


def quick(arguments: list[str]) -> int | None:
    """Answer one call, and end the process; None where the command line is none of `hook`'s plain ones.

    Args:
        arguments: what follows `terse hook`.
    """
    match arguments:
        case []:
            rules = None
        case ["--rules", str(rules)] if not rules.startswith("-"):
            pass
        case _:
            return None
    try:
        run(rules)
    except CommandError as error:
        return complain(error.message, error.code) if error.message else error.code
    if sys.stderr is not None:
        sys.stderr.flush()
    # At once: giving back the vocabulary takes a sixth of all, and nothing is left to clean up.
    os._exit(OK)


def run(rules: str | None) -> None:
    """Answer one call on stdin. INVARIANT: whatever fails, nothing is printed, and the result passes."""
    try:
        raw = sys.stdin.buffer.read(MAX_BYTES + 1)
        answer = None if len(raw) > MAX_BYTES else _answer(raw, rules)
    except (KeyboardInterrupt, SystemExit):
        raise
    # Not only Exception: a panic in a tokenizer's native code arrives as a BaseException.
    except BaseException as error:
        # Of rules that do not compile, the words; of anything else they may quote the result.
        from terse.rules import DoesNotCompile

        said = str(error) if isinstance(error, DoesNotCompile) else type(error).__name__
        write_error(f"terse: the result was left as it came: {said}\n")
        return
    if answer is not None:
        write_bytes(answer)
    if len(raw) <= MAX_BYTES:
        _capture(raw)


def _capture(raw: bytes) -> None:
    """Hand the call to whoever captures, where that is asked for. Raises nothing."""
    from terse.capture.place import asked_place

    if not os.path.exists(asked_place(os.environ)):
        return
    from terse.cli.capturing import capture_hooked

    capture_hooked(raw.decode("utf-8", "replace"))


def _answer(raw: bytes, rules: str | None) -> bytes | None:
    """What the hook prints for a call; None where the result stays as it is."""
    text = raw.decode("utf-8")
    if PREFIX not in text:
        return None
    asked = json.loads(text)
    server, between, tool = str(asked["tool_name"]).removeprefix(PREFIX).partition("__")
    if not (asked["tool_name"].startswith(PREFIX) and server and between and tool):
        return None
    from terse.api.apply import apply
    from terse.memory.session import Session as Memory
    from terse.payload.call import Call
    from terse.payload.exact import dump, parse_unambiguous
    from terse.rules import default_plan, load_plan
    from terse.tokens import vocabulary

    # Exactly: what stands beside the texts is printed again.
    exact = parse_unambiguous(text)
    response = exact["tool_response"] if isinstance(exact, dict) else None
    if not (type(response) is str or isinstance(response, dict) or _is_blocks(response)):
        return None
    plan = default_plan() if rules is None else load_plan(rules)
    call = Call(server, tool, asked.get("tool_input") or {})
    applied, _ = apply(plan, response, call, Memory(), vocabulary(), counted=False)
    if applied.fault is not None and not _has_no_texts(response):
        write_error(f"terse: a result of {server}/{tool}: {applied.fault}\n")
    if not applied.changed:
        return None
    told = {"hookEventName": "PostToolUse", "updatedMCPToolOutput": applied.result}
    return dump({"hookSpecificOutput": told}).encode() + b"\n"


def _is_blocks(response: object) -> bool:
    return isinstance(response, list) and all(isinstance(block, dict) for block in response)


def _has_no_texts(response: object) -> bool:
    """A tool's own object, which no text stands for."""
    return isinstance(response, dict) and "content" not in response
