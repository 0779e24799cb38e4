"""What a proxy captures: by its own options, or because `terse capture start` asked all proxies to."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from terse.cli.proxy_options import Unusable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from terse.capture.asked import Asked
    from terse.capture.recorder import Recorder
    from terse.cli.proxy_options import Options
    from terse.payload.exact import JsonValue
    from terse.proxy.complaints import Complaints

CLOSE_SECONDS = 2.0
"""What writing may take that is still to be done at the end."""


def recorder_of(asked: Asked | None, complaints: Complaints) -> Recorder:
    """What is given each call, once its result was sent.

    Args:
        asked: what `--capture` asks for; None: what `terse capture start` asks for, once it does.
    """
    from terse.capture.place import asked_place
    from terse.capture.recorder import Recorder

    return Recorder(asked, asked_place(os.environ), complaints.tell, complaints.say)


def asked_of(given: Options) -> Asked | None:
    """What the options ask for.

    Raises:
        Unusable: a rule of redaction makes no sense, or nothing can be written to the folder.
    """
    if given.capture is None:
        return None
    from terse.capture.asked import Asked
    from terse.capture.folder import opened
    from terse.capture.place import place

    names, patterns = redaction(given.redaction)
    folder = os.path.abspath(given.capture or place(os.environ))
    asked = Asked(
        folder=folder,
        is_default_folder=not given.capture,
        arguments=given.captures_arguments,
        names=names,
        patterns=patterns,
    )
    try:
        os.close(opened(folder, is_ours=asked.is_default_folder))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise Unusable(f"--capture={given.capture or folder}: {reason}") from None
    return asked


def redaction(given: Mapping[str, Sequence[str]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names and patterns of `--redact-name`, `--redact` and `--redact-file`, checked.

    Raises:
        Unusable: one makes no sense, or a file cannot be read.
    """
    if not any(given.values()):
        return (), ()
    from terse.capture.redaction import BadRule, Rules

    try:
        rules = Rules(tuple(given.get("--redact-name", ())), tuple(given.get("--redact", ())))
        for path in given.get("--redact-file", ()):
            try:
                with open(path, encoding="utf-8-sig") as file:
                    rules = rules.with_file(file.read(1 << 20))
            except (OSError, ValueError) as error:
                if isinstance(error, BadRule):
                    raise Unusable(f"--redact-file {path}: {error}") from None
                reason = getattr(error, "strerror", None) or "it is no text in UTF-8"
                raise Unusable(f"--redact-file {path}: {reason}") from None
    except BadRule as error:
        raise Unusable(f"redaction: {error}") from None
    return rules.names, rules.patterns


class _Hooked:
    """A call as a hook is told of it: see `terse.capture.recorder.Answered`."""

    client: str | None = "claude-code"

    def __init__(self, tool: str, arguments: str, result: str) -> None:
        self.tool = tool
        self.arguments = arguments.encode()
        self.message = result.encode()

    def whole_result(self) -> bytes:
        return self.message


def capture_hooked(told: str) -> None:
    """Capture the call that a hook was told of, if that is asked for, in a process of its own: nobody waits
    for it.

    INVARIANT: raises nothing, and says nothing on stdout or stderr.
    """
    with suppress(Exception):
        from terse.capture.asked import read
        from terse.capture.place import asked_place
        from terse.payload.exact import dump, parse_unambiguous

        asked = read(asked_place(os.environ))
        call = parse_unambiguous(told)
        if asked.is_over(time.time()) or not isinstance(call, dict):
            return
        server, _, tool = str(call["tool_name"]).removeprefix("mcp__").partition("__")
        if not tool or not asked.names_server(server) or os.fork():
            return
        try:
            os.setsid()
            nothing = os.open(os.devnull, os.O_RDWR)
            for descriptor in range(3):
                os.dup2(nothing, descriptor)
            from terse.capture.recorder import Sent
            from terse.capture.writing import Writing

            answer = _Hooked(tool, dump(call.get("tool_input")), dump(_result(call["tool_response"])))
            session = str(call.get("session_id") or "") or None
            Writing(asked).write(Sent(time.time(), 0.0, answer, server, session))
        finally:
            os._exit(0)


def _result(response: JsonValue) -> JsonValue:
    """The MCP result that a hook was told of as a text, as blocks, or as it is."""
    if isinstance(response, dict):
        return response if "content" in response else {"content": [], "structuredContent": response}
    if isinstance(response, list):
        return {"content": response}
    return {"content": [{"type": "text", "text": response}]}
