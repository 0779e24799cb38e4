"""`terse cli` as a user runs it, with folders of its own and nothing left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

SERVERS = Path(__file__).parent.parent / "servers"
NOTEBOOK = [sys.executable, str(SERVERS / "notebook.py")]
TALKING = [sys.executable, str(SERVERS / "talking.py")]
TERSE = [sys.executable, "-m", "terse"]
ROOT = Path(__file__).parent.parent.parent
PATIENCE = 90.0


class Shell:
    """Runs command lines.

    Attributes:
        folder: where they are run.
        private: where the files of the processes in the background are.
        environment: theirs.
    """

    def __init__(self, folder: Path, **environment: str) -> None:
        self.folder = folder
        runtime = folder / "runtime"
        runtime.mkdir(mode=0o700, exist_ok=True)
        self.private = runtime / "terse" / "cli"
        self.environment = {
            **os.environ,
            "HOME": str(folder),
            "XDG_RUNTIME_DIR": str(runtime),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_STATE_HOME": str(folder / "state"),
            "TERSE_LEDGER": "off",
            "PYTHONPATH": str(ROOT),
            "COLUMNS": "80",
            **environment,
        }

    def knows(self, **servers: Sequence[str] | dict[str, Any]) -> None:
        """Write the user's document of servers, by their names."""
        entries = {
            name: server if isinstance(server, dict) else {"command": server[0], "args": list(server[1:])}
            for name, server in servers.items()
        }
        path = self.folder / "config" / "terse" / "servers.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"mcpServers": entries}), encoding="utf-8")

    def run(
        self, *arguments: str, stdin: bytes = b"", cwd: Path | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """A finished `terse cli …`."""
        return subprocess.run(
            [*TERSE, "cli", *arguments],
            cwd=self.folder if cwd is None else cwd,
            env=self.environment,
            input=stdin,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )

    def started(self, *arguments: str) -> subprocess.Popen[bytes]:
        """A `terse cli …` that is under way."""
        return subprocess.Popen(
            [*TERSE, "cli", *arguments],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def out(self, *arguments: str, stdin: bytes = b"") -> str:
        """What a command line prints that works, and has nothing to say on stderr."""
        done = self.run(*arguments, stdin=stdin)
        assert (done.returncode, done.stderr) == (0, b""), done.stderr.decode()
        return done.stdout.decode()

    def refused(self, *arguments: str, stdin: bytes = b"") -> str:
        """The one line on stderr of a command line that is not done."""
        done = self.run(*arguments, stdin=stdin)
        said = done.stderr.decode()
        assert (done.returncode, done.stdout) == (2, b""), said
        assert said.startswith("terse: ")
        assert "Traceback" not in said
        return said.removeprefix("terse: ").rstrip("\n")

    def state(self, name: str) -> dict[str, Any]:
        """What is said of the process of a server."""
        (path,) = self.private.glob(f"{name}-*.json")
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return found

    def stop(self) -> None:
        """End all."""
        subprocess.run([*TERSE, "cli", "--stop"], env=self.environment, timeout=PATIENCE, check=False)
