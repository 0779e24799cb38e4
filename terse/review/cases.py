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
class Earlier:
    """A call that was answered before in the same session, with the texts of its result."""

    call: Call
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """One text of a saved result, and the call.

    Attributes:
        words: the call in the language's words, after those of the session before it.
        part: which text of the result it is, from 0.
        earlier: the session before it.
    """

    name: str
    call: Call
    words: str
    text: str
    part: int = 0
    earlier: tuple[Earlier, ...] = ()


@dataclass(frozen=True, slots=True)
class _Step:
    """A `call` line with the file it is given."""

    path: str
    call: Call
    words: str


def cases(
    root: str, files: Iterable[syntax.File], reader: Reader, read: Callable[[str], str], notes: list[str]
) -> Iterator[Case]:
    """Every sample below `root`, and every file that a test is given, each with the calls of the tests.

    A sample that no test speaks of is taken for the call of its place, without arguments.

    Args:
        read: the text of a file. Raises OSError or ValueError.
        notes: gets a sentence for each file that is left out.
    """
    sessions: dict[str, dict[str, tuple[_Step, ...]]] = {}
    folder = posixpath.normpath(posixpath.join(root, SAMPLES_FOLDER))
    try:
        for path in reader.files(folder) if reader.is_folder(folder) else ():
            if place_in_samples(path.split("/")) is not None:
                sessions[path] = {}
    except OSError as error:
        notes.append(f"{folder} cannot be read: {error.strerror or error}")
    for session in _sessions(files):
        words = ", then ".join(step.words for step in session)
        sessions.setdefault(session[-1].path, {}).setdefault(words, session)
    samples = _Samples(read, notes)
    for path in sorted(sessions):
        sample = samples.get(path)
        if sample is None:
            continue
        if not sessions[path]:
            place = place_in_samples(path.split("/"))
            assert place is not None, "INVARIANT: a file without a call was found by its place"
            step = _Step(path, Call(*place), "/".join(place))
            sessions[path][step.words] = (step,)
        for words, session in sessions[path].items():
            yield from _texts(words, session, sample, samples)


class _Samples:
    """Samples by path, each read once; one that cannot be read, or is too long, is told once."""

    def __init__(self, read: Callable[[str], str], notes: list[str]) -> None:
        self._read = read
        self._notes = notes
        self._known: dict[str, Sample | None] = {}

    def get(self, path: str) -> Sample | None:
        if path not in self._known:
            self._known[path] = self._fresh(path)
        return self._known[path]

    def _fresh(self, path: str) -> Sample | None:
        try:
            sample = Sample.saved(self._read(path), path)
        except (OSError, ValueError) as error:
            self._notes.append(f"{path} is left out: {getattr(error, 'strerror', None) or error}")
            return None
        longest = max(map(len, sample.texts), default=0)
        if longest > MAX_TEXT:
            self._notes.append(f"{path} is left out: it has {longest:,} characters")
            return None
        return sample


def _texts(words: str, session: tuple[_Step, ...], sample: Sample, samples: _Samples) -> Iterator[Case]:
    earlier: list[Earlier] = []
    for step in session[:-1]:
        before = samples.get(step.path)
        if before is None:
            return
        earlier.append(Earlier(_answered(step.call, before), before.texts))
    last = session[-1]
    for part, text in enumerate(sample.texts):
        name = last.path if len(sample.texts) == 1 else f"{last.path} text {part + 1}"
        yield Case(name, _answered(last.call, sample), words, text, part, tuple(earlier))


def _answered(call: Call, sample: Sample) -> Call:
    return Call(call.server, call.tool, call.arguments, sample.is_error)


def _sessions(files: Iterable[syntax.File]) -> Iterator[tuple[_Step, ...]]:
    """The sessions of all tests: one that ends with each file that a test is given."""
    for file in files:
        for item in file.items:
            if not isinstance(item, syntax.Test):
                continue
            steps: list[_Step] = []
            call: syntax.CallLine | None = None
            for line in item.lines:
                if isinstance(line, syntax.CallLine):
                    call = line
                elif isinstance(line, syntax.Given) and call is not None:
                    try:
                        steps.append(_step(file, call, line))
                    except BadCall:
                        # A test that is wrong is told by `terse test`.
                        break
                    call = None
                    yield tuple(steps)


def _step(file: syntax.File, call: syntax.CallLine, given: syntax.Given) -> _Step:
    folder = posixpath.dirname(file.source.path)
    path = posixpath.normpath(posixpath.join(folder, given.file.text))
    words = file.source.text[call.pattern.span.start : call.span.end]
    return _Step(path, call_of(call), " ".join(words.split()))
