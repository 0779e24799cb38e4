"""Tokens that the default policy saves: `terse bench` over the corpus beside the repository, or samples."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

SHARED = Path(__file__).parent.parent.parent.parent / "shared"
CORPUS = SHARED / "corpus"
PEERS = SHARED / "reference" / "peer_tokens.tsv"


def measure() -> Iterator[str]:
    """The report of the command, as a user gets it."""
    arguments = ["--corpus", str(CORPUS)] if CORPUS.is_dir() else []
    if PEERS.is_file():
        arguments += ["--against", str(PEERS)]
    done = subprocess.run(
        [sys.executable, "-m", "terse", "bench", *arguments], stdout=subprocess.PIPE, text=True, check=False
    )
    yield from done.stdout.splitlines()
