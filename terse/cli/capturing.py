"""What a proxy captures: by its own options, or because `terse capture start` asked all proxies to."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from terse.cli.proxy_options import Unusable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from terse.capture.asked import Asked
    from terse.capture.recorder import Recorder
    from terse.cli.proxy_options import Options
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
