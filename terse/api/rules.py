"""From a path to a policy."""

from __future__ import annotations

import os

from terse.api.policy import Policy
from terse.rules import DoesNotCompile, default_plan, load_plan


class RulesError(ValueError):
    """The rules cannot be read, or do not compile. The message has the errors, one a line."""


def load(rules: str | os.PathLike[str] | None = None, *, vocabulary: str = "o200k_base") -> Policy:
    """The policy of a rule file and what it imports, or of a folder of rule files.

    Loading compiles, which takes a good part of a second; the plan is kept in the user's cache
    (`$XDG_CACHE_HOME/terse/plans`) until a file that it was made from changes. Files that change later
    change nothing.

    Args:
        rules: None for the default policy, which takes nothing away.
        vocabulary: what tokens are counted with: `o200k_base` or `cl100k_base`.

    Raises:
        RulesError: the rules cannot be read, or have errors.
        UnknownVocabulary: (a LookupError) there is no such vocabulary.
    """
    try:
        plan = default_plan() if rules is None else load_plan(os.fspath(rules))
    except DoesNotCompile as error:
        raise RulesError(str(error)) from None
    return Policy(plan, vocabulary=vocabulary)
