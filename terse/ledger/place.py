"""Where the ledger is."""

from __future__ import annotations

import os
from collections.abc import Mapping

VARIABLE = "TERSE_LEDGER"
"""The environment variable that names another file, or says `off`."""


def place(environment: Mapping[str, str]) -> str | None:
    """Where the ledger is: `$TERSE_LEDGER`, or below the user's state folder (XDG); None where it is off."""
    named = environment.get(VARIABLE)
    if named:
        return None if named == "off" else named
    state = environment.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    return os.path.join(state, "terse", "ledger.sqlite")
