"""What is verified: the calls of captures and other saved results, one in memory at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from terse.capture.recorded import SUFFIX, Notes, capture_files, recorded_calls
from terse.capture.results import Unreadable, whole_results
from terse.payload.exact import JsonValue, dump

SAMPLES = Path(__file__).parent / "samples"


class Given(NamedTuple):
    """One call.

    Attributes:
        arguments, result: as JSON text; the result is the whole MCP result.
    """

    server: str
    tool: str
    arguments: str
    result: str


def given(paths: Sequence[str], notes: Notes) -> Iterator[Given]:
    """The calls of captures (`*.jsonl`, also below folders) and the results in other files.

    Args:
        notes: gets a sentence for each line and each found file that is left out.

    Raises:
        Unreadable: a path that was named cannot be read. The message is one line.
    """
    for path in paths:
        try:
            files = capture_files([path])
        except OSError as error:
            raise Unreadable(f"{path}: {error.strerror}") from None
        if files == [path] and not path.endswith(SUFFIX):
            yield from _saved(path, notes)
            continue
        for file in files:
            try:
                for call in recorded_calls(file, file, notes):
                    yield Given(call.server, call.tool, call.arguments, call.result)
            except OSError as error:
                why = f"{file}: {error.strerror}"
                if file == path:
                    raise Unreadable(why) from None
                notes.add(f"left out: {why}")


def _saved(path: str, notes: Notes) -> Iterator[Given]:
    said: list[str] = []
    for whole in whole_results([path], said):
        result: dict[str, JsonValue] = {
            "content": [{"type": "text", "text": text} for text in whole.texts],
            **({"isError": True} if whole.call.is_error else {}),
        }
        yield Given(whole.call.server, whole.call.tool, "{}", dump(result))
    for each in said:
        notes.add(each)
