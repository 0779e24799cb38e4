"""`--rules` of the commands that look at a policy: which one that is, and what it is called."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from terse.cli.console import CommandError, fail
from terse.cli.files import quoted, shown

if TYPE_CHECKING:
    from terse.plan.model import Plan

DEFAULT_RULES = "policies"
"""Where a repository has its rules: taken where there is such a folder and `--rules` is not given."""


def policy_of(path: str) -> tuple[Plan, str]:
    """The plan of a rule file or of a folder of them, and the policy in words.

    Raises:
        CommandError: there is none, or it does not compile.
    """
    from terse.cli.policy import DoesNotCompile, load_plan

    if not os.path.exists(path):
        fail(f"--rules {quoted(path)}: no such file or folder")
    try:
        return load_plan(path), shown(path)
    except DoesNotCompile as error:
        raise CommandError(str(error), error.code) from None


def policy_here(rules: str | None) -> tuple[Plan, str]:
    """As `policy_of`; without `--rules`, that of the folder we are in, or the embedded one.

    Raises:
        CommandError: as `policy_of`.
    """
    if rules is None and not os.path.isdir(DEFAULT_RULES):
        from terse.cli.policy import default_plan

        return default_plan(), "the embedded default policy"
    return policy_of(DEFAULT_RULES if rules is None else rules)
