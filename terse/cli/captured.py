"""Captures that a command is given: a sample of their results, each side by side with its session."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from terse.cli.console import fail
from terse.cli.files import quoted, shown
from terse.cli.progress import tracked

if TYPE_CHECKING:
    from terse.tuning.material import Material


def material_of(captures: Sequence[str], sample: int | None, notes: list[str]) -> Material:
    """The sample of the captures.

    Args:
        captures: files and folders; none for the user's own folder of captures.
        sample: results of a tool, about; None for as many as there are by default.
        notes: gets a sentence for what is left out.

    Raises:
        CommandError: there is no call in them, or a file that was named cannot be read.
    """
    from terse.capture.recorded import Notes, capture_files, recorded_calls
    from terse.tuning.material import MAX_PER_TOOL, Sampler

    paths = list(captures) or [_captures()]
    for path in paths:
        if not os.path.exists(path):
            fail(f"no such capture: {quoted(path)}: `terse capture` says how to make one")
    sampler, left_out = Sampler(MAX_PER_TOOL if sample is None else sample), Notes()
    try:
        files = capture_files(paths)
    except OSError as error:
        fail(f"{shown(str(error.filename))}: {error.strerror}")
    for file in tracked(files, len(files), "reading"):
        try:
            for call in recorded_calls(file, file, left_out):
                sampler.add(call, file)
        except (OSError, ValueError) as error:
            said = f"{file}: {getattr(error, 'strerror', None) or error}"
            if file in paths:
                fail(shown(said))
            left_out.add(said)
    material = sampler.material()
    notes += [f"left out: {note}" for note in left_out]
    if not material.calls:
        why = f" ({shown(left_out.said[0])})" if left_out.said else ""
        fail(f"no results in {', '.join(map(shown, paths))}{why}")
    return material


def _captures() -> str:
    from terse.capture.place import place

    return str(place(os.environ))
