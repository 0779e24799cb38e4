"""The saved results of a policy with the calls that they answer: what a change of rules is tried on."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from terse.language import syntax
from terse.language.call import BadCall, call_of
from terse.language.load import Reader
from terse.payload.call import Call
from terse.payload.sample import SAMPLES_FOLDER, Sample, place_in_samples

MAX_TEXT = 8_000_000
"""Characters of a text; a longer one is left out, as counting it takes longer than anyone waits."""


@dataclass(frozen=True, slots=True)
class Case:
    """One text of a saved result, and the call. `words` is the call in the language's words."""

    name: str
    call: Call
    words: str
    text: str


def cases(
    root: str, files: Iterable[syntax.File], reader: Reader, read: Callable[[str], str], notes: list[str]
) -> Iterator[Case]:
    """Every sample below `root`, and every file that a test is given, each with the calls of the tests.

    A sample that no test speaks of is taken for the call of its place, without arguments.

    Args:
        read: the text of a file. Raises OSError or ValueError.
        notes: gets a sentence for each file that is left out.
    """
    calls: dict[str, dict[str, Call]] = {}
    folder = posixpath.normpath(posixpath.join(root, SAMPLES_FOLDER))
    try:
        for path in reader.files(folder) if reader.is_folder(folder) else ():
            if place_in_samples(path.split("/")) is not None:
                calls[path] = {}
    except OSError as error:
        notes.append(f"{folder} cannot be read: {error.strerror or error}")
    for path, words, call in _tested(files):
        calls.setdefault(path, {}).setdefault(words, call)
    for path in sorted(calls):
        try:
            sample = Sample.of(read(path))
        except (OSError, ValueError) as error:
            notes.append(f"{path} is left out: {getattr(error, 'strerror', None) or error}")
            continue
        if not calls[path]:
            place = place_in_samples(path.split("/"))
            assert place is not None, "INVARIANT: a file without a call was found by its place"
            calls[path]["/".join(place)] = Call(*place)
        for words, call in calls[path].items():
            yield from _texts(path, words, call, sample, notes)


def _texts(path: str, words: str, call: Call, sample: Sample, notes: list[str]) -> Iterator[Case]:
    named = Call(call.server, call.tool, call.arguments, sample.is_error)
    for number, text in enumerate(sample.texts, 1):
        name = path if len(sample.texts) == 1 else f"{path} text {number}"
        if len(text) > MAX_TEXT:
            notes.append(f"{name} is left out: it has {len(text):,} characters")
            continue
        yield Case(name, named, words, text)


def _tested(files: Iterable[syntax.File]) -> Iterator[tuple[str, str, Call]]:
    """The files that tests are given, each with the call before it."""
    for file in files:
        for item in file.items:
            if not isinstance(item, syntax.Test):
                continue
            call: syntax.CallLine | None = None
            for line in item.lines:
                if isinstance(line, syntax.CallLine):
                    call = line
                elif isinstance(line, syntax.Given) and call is not None:
                    folder = posixpath.dirname(file.source.path)
                    path = posixpath.normpath(posixpath.join(folder, line.file.text))
                    words = file.source.text[call.pattern.span.start : call.span.end]
                    try:
                        yield path, " ".join(words.split()), call_of(call)
                    except BadCall:
                        # A test that is wrong is told by `terse test`.
                        continue
