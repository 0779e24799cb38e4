"""A home of the tests' own: what they start writes nothing into that of whoever runs them.

SDK clients hand servers an allow-list of variables, HOME among them, and none of terse's own or of XDG: a
proxy behind such a client writes its ledger where HOME says.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

REAL = "TERSE_TESTS_REAL_HOME"
"""Where the home of whoever runs the tests is: tests run in processes of processes."""
_OF_XDG = ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME")
_KEPT = {
    # Of programs that tests start: what they would else have to fetch, and how they fetch.
    "PYENV_ROOT": ".pyenv",
    "npm_config_cache": ".npm",
    "npm_config_userconfig": ".npmrc",
    "PIP_CONFIG_FILE": ".config/pip/pip.conf",
    "PIP_CACHE_DIR": ".cache/pip",
    "UV_CONFIG_FILE": ".config/uv/uv.toml",
    "UV_CACHE_DIR": ".cache/uv",
}
_OURS = (".config/terse", ".local/state/terse", ".cache/terse")


def move_away() -> None:
    """Give this process, and all that it starts, a home that is empty and goes away at its end."""
    if REAL not in os.environ:
        os.environ[REAL] = os.path.expanduser("~")
        for variable, name in _KEPT.items():
            if (there := os.path.join(os.environ[REAL], name)) and os.path.exists(there):
                os.environ.setdefault(variable, there)
    for variable in _OF_XDG:
        os.environ.pop(variable, None)
    home = tempfile.mkdtemp(prefix="terse-home-")
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    os.environ["HOME"] = home
    _before.update(_state())


def touched() -> list[str]:
    """The files of terse in the real home that changed, came or went."""
    now = _state()
    return sorted(path for path in now.keys() | _before.keys() if now.get(path) != _before.get(path))


def _state() -> dict[str, tuple[int, int]]:
    folders = [Path(os.environ[REAL], name) for name in _OURS]
    found = {}
    for path in (path for folder in folders if folder.exists() for path in folder.rglob("*")):
        if path.is_file():
            status = path.stat()
            found[str(path)] = (status.st_mtime_ns, status.st_size)
    return found


_before: dict[str, tuple[int, int]] = {}
