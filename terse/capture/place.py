"""Where captured calls are, and where it is said that calls are to be captured."""

from __future__ import annotations

import os

# Type checkers know the name; a proxy that captures nothing imports as little as can be.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

VARIABLE = "TERSE_CAPTURES"
"""The environment variable that names another folder."""


def place(environment: Mapping[str, str]) -> str:
    """The folder of captured calls: `$TERSE_CAPTURES`, or below the user's state folder (XDG)."""
    return environment.get(VARIABLE) or os.path.join(_state(environment), "captures")


def asked_place(environment: Mapping[str, str]) -> str:
    """The file that says which proxies are to capture, and until when: `terse capture start` writes it."""
    return os.path.join(_state(environment), "capture.json")


def _state(environment: Mapping[str, str]) -> str:
    state = environment.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    return os.path.join(state, "terse")
