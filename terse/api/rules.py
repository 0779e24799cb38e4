"""From a path to a policy."""

from __future__ import annotations

import os
from pathlib import Path

import terse.plan
from terse.api.policy import Policy
from terse.plan.stored import decode

MAX_ERRORS = 12


class RulesError(ValueError):
    """The rules cannot be read, or do not compile. The message has the errors, one a line."""


def load(rules: str | os.PathLike[str] | None = None, *, vocabulary: str = "o200k_base") -> Policy:
    """The policy of a rule file and what it imports, or of a folder of rule files.

    Loading compiles, which takes a good part of a second: do it once, at the start. Files that change later
    change nothing.

    Args:
        rules: None for the default policy, which takes nothing away.
        vocabulary: what tokens are counted with: `o200k_base` or `cl100k_base`.

    Raises:
        RulesError: the rules cannot be read, or have errors.
        UnknownVocabulary: (a LookupError) there is no such vocabulary.
    """
    if rules is None:
        stored = Path(terse.plan.__file__).parent / "default_plan.json"
        return Policy(decode(stored.read_bytes()), vocabulary=vocabulary)
    from terse.diagnostic import Severity
    from terse.language.check import check
    from terse.language.load import Unreadable

    path = os.fspath(rules)
    try:
        checked = check([path])
    except Unreadable as unreadable:
        raise RulesError(str(unreadable)) from None
    if checked.plan is None:
        errors = [
            f"{found.primary.span.place}:{found.primary.span.column}: "
            f"error {found.code.code} {found.code.name}: {found.message}"
            for found in checked.diagnostics
            if found.severity is Severity.ERROR
        ]
        more = [f"… and {len(errors) - MAX_ERRORS} more"] if len(errors) > MAX_ERRORS else []
        said = "\n".join(f"  {line}" for line in (*errors[:MAX_ERRORS], *more))
        raise RulesError(f"the rules do not compile: `terse check {path}` shows more\n{said}")
    return Policy(checked.plan, vocabulary=vocabulary)
