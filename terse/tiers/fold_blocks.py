"""`fold-blocks`: blocks of lines that come again, by name."""

from __future__ import annotations

from collections.abc import Sequence

from terse.folds import blocks
from terse.payload.kind import Kind
from terse.tiers.folding import Path, text_tier, written_in
from terse.tiers.spec import Context, Example


def _paths(context: Context) -> Sequence[Path]:
    return [(lambda lines: written_in(blocks.FORM, blocks.fold(lines)),)]


_TRACE = (
    'Traceback (most recent call last):\n  File "/srv/app/worker.py", line 41, in run\n    self.handle(job)\n'
    '  File "/srv/app/worker.py", line 88, in handle\n    client.send(job.payload)\n'
)

TIER = text_tier(
    name="fold-blocks",
    sentence="Writes blocks of lines that come again once, under a name.",
    reads="`<1>` stands for the lines under `<1: 5 lines>`.",
    fits=lambda seen: True,
    paths=_paths,
    missing="no block comes again",
    whole=True,
    also=frozenset({Kind.MARKDOWN}),
    after=frozenset({"counts", "references", "history"}),
    example=Example(
        before=(
            "Traceback (most recent call last):\n"
            '  File "/srv/app/worker.py", line 41, in run\n'
            "    self.handle(job)\n"
            '  File "/srv/app/worker.py", line 88, in handle\n'
            "    client.send(job.payload)\n"
            "TimeoutError: 30 s\n"
            "Traceback (most recent call last):\n"
            '  File "/srv/app/worker.py", line 41, in run\n'
            "    self.handle(job)\n"
            '  File "/srv/app/worker.py", line 88, in handle\n'
            "    client.send(job.payload)\n"
            "ConnectionError: refused\n"
            "Traceback (most recent call last):\n"
            '  File "/srv/app/worker.py", line 41, in run\n'
            "    self.handle(job)\n"
            '  File "/srv/app/worker.py", line 88, in handle\n'
            "    client.send(job.payload)\n"
            "TimeoutError: 31 s\n"
        ),
        after=(
            "[terse: 18 lines; <1> stands for the lines under <1: N lines>]\n"
            "<1: 5 lines>\n"
            "Traceback (most recent call last):\n"
            '  File "/srv/app/worker.py", line 41, in run\n'
            "    self.handle(job)\n"
            '  File "/srv/app/worker.py", line 88, in handle\n'
            "    client.send(job.payload)\n"
            "TimeoutError: 30 s\n"
            "<1>\n"
            "ConnectionError: refused\n"
            "<1>\n"
            "TimeoutError: 31 s\n"
        ),
    ),
)
