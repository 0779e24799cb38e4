"""Long sessions through a proxy process: every answer read back, and the memory of the process over time.

The client knows the documentation of deltas and shares no code with the program: tests/proxy/conversation.py.
`CALLS=…` in the environment for another length, `MEMORY=…` for what `--memory` says.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from terse.cli.policy import load_plan
from tests.proxy.conversation import Conversation
from tests.proxy.process import started
from tests.servers import changing

CALLS = 3000
LINES = 600
"""Of each result: 15 to 60 kB."""
KEYS = 150
"""Different arguments of each tool: repeats are some hundred calls apart, and many bases are remembered."""
SAMPLES = 12
RULES = {
    "compact then dedup then diff": "use compact then dedup then diff",
    "dedup then diff": "use dedup then diff",
    "the same, and much set aside": "use dedup then diff\n  set aside every note, lines matching /7/",
}


def measure() -> Iterator[str]:
    """For each policy a line: calls, characters, and the resident memory at even steps."""
    calls = int(os.environ.get("CALLS") or CALLS)
    memory = os.environ.get("MEMORY")
    for words, lines in RULES.items():
        with TemporaryDirectory() as folder:
            rules = Path(folder) / "rules.terse"
            rules.write_text(f"terse 1\n\nrule everything {{\n  on */*\n  {lines}\n}}\n")
            load_plan(str(rules))
            options = ["--rules", str(rules), *(["--memory", memory] if memory else [])]
            server = [sys.executable, changing.__file__, "--lines", str(LINES)]
            command = [sys.executable, "-m", "terse", "proxy", *options, "--", *server]
            with started(command) as connection:
                yield from _session(words, Conversation(connection, LINES), calls, "set aside" in words)


def _session(words: str, talk: Conversation, calls: int, unread: bool) -> Iterator[str]:
    random = Random(5)
    sizes = []
    for number in range(calls):
        if number % max(1, calls // SAMPLES) == 0:
            sizes.append(talk.resident_bytes() >> 20)
        asked = talk.ask(random.choice(changing.TOOLS), str(random.randrange(KEYS)))
        if random.random() < 0.02:
            talk.cancel(asked)
        if unread:
            talk.drop_all()
        else:
            talk.take_all()
    sizes.append(talk.resident_bytes() >> 20)
    said = "answers not looked at"
    if not unread:
        given, sent = talk.characters
        said = f"{given / 1e6:,.0f} MB of text given, {100 * sent / given:.0f} % of it sent, all read back"
    yield f"{words}: {calls:,} calls, {said}"
    yield f"{words}: resident MB at even steps: {', '.join(map(str, sizes))}"
