"""The peers, pinned, each in an environment of its own under .cache/peers."""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

from terse.tokens.encodings import PUBLISHED
from terse.tokens.pack import as_published, unpack

ROOT = Path(__file__).parent.parent.parent.parent
CACHE = ROOT / ".cache" / "peers"
HERE = Path(__file__).parent
TIKTOKEN_NAMES = {
    "cl100k_base": "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
    "o200k_base": "fb374d419588a4632f3f557e76b4b70aebbca790",
}
"""How tiktoken names the files of its cache: the sha1 of the address that it would download from."""


class NotInstalled(Exception):  # noqa: N818 — says why there is no such peer here
    """A peer cannot be run here. The message says why, in one line."""


@dataclass(frozen=True, slots=True)
class Peer:
    """One peer.

    Attributes:
        name: as `PEERS=…` names it, and as the table does.
        requirement: what is installed; empty for our own package.
        driver: its file, and its arguments.
        text: it has forms for text that is no JSON.
        opt_in: only run when it is named.
    """

    name: str
    requirement: str
    driver: tuple[str, ...]
    npm: bool = False
    text: bool = False
    opt_in: bool = False

    def command(self) -> list[str]:
        """How its driver is started; installs it first, where it is not yet.

        Raises:
            NotInstalled: it cannot be.
        """
        script, *arguments = str(HERE / self.driver[0]), *self.driver[1:]
        if not self.requirement:
            return [sys.executable, script, *arguments]
        home = CACHE / (self.name if self.npm else self.requirement.partition("==")[0])
        stamp = home / ".installed"
        if not stamp.is_file() or stamp.read_text() != self.requirement:
            self._install(home)
            stamp.write_text(self.requirement)
        if self.npm:
            return ["node", script, str(home)]
        return [str(home / "bin" / "python"), script, *arguments]

    def _install(self, home: Path) -> None:
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        if self.npm:
            if shutil.which("node") is None or shutil.which("npm") is None:
                raise NotInstalled("there is no node here")
            command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(home)]
        else:
            venv.create(home, with_pip=True)
            command = [str(home / "bin" / "python"), "-m", "pip", "install", "--quiet"]
            command.append("--disable-pip-version-check")
        done = subprocess.run(
            [*command, self.requirement], capture_output=True, text=True, check=False, timeout=900
        )
        if done.returncode:
            said = [line for line in done.stderr.splitlines() if line.strip()]
            raise NotInstalled(
                f"installing {self.requirement} failed: {said[-1] if said else 'no reason told'}"
            )


PEERS = (
    Peer("terse", "", ("drive_terse.py",), text=True),
    Peer("terse, no budget", "", ("drive_terse.py", "--no-budget"), text=True),
    Peer("terse-mcp", "terse-mcp==0.45.1", ("drive_terse_mcp.py",)),
    Peer("toon-npm", "@toon-format/toon@4.4.0", ("drive_toon.mjs",), npm=True),
    Peer("toon-python", "toon-format==1.2.0", ("drive_toon_python.py",)),
    Peer("gcf", "gcf-python==2.8.0", ("drive_gcf.py",)),
    Peer("bpp", "bpp-format==0.4.0", ("drive_bpp.py",)),
    Peer("headroom", "headroom-ai==0.42.0", ("drive_headroom.py",), text=True, opt_in=True),
    Peer(
        "headroom, lossless",
        "headroom-ai==0.42.0",
        ("drive_headroom.py", "--lossless"),
        text=True,
        opt_in=True,
    ),
)


def vocabularies() -> Path:
    """A cache of tiktoken with both vocabularies, for peers that would download them: made from our own."""
    folder = CACHE / "tiktoken"
    folder.mkdir(parents=True, exist_ok=True)
    for name, file in TIKTOKEN_NAMES.items():
        if not (folder / file).is_file():
            packed = (ROOT / "terse" / "tokens" / f"{name}.pack").read_bytes()
            (folder / file).write_bytes(as_published(unpack(packed, PUBLISHED[name].size)))
    return folder
