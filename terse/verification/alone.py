"""Each result by itself, as the first of a session: is it exact, smaller, and the same every time?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

import terse.plan
from terse.memory.session import Session
from terse.payload.blocks import join
from terse.payload.call import Call
from terse.payload.exact import parse
from terse.payload.payload import Payload
from terse.payload.sample import Sample
from terse.plan.model import Plan
from terse.plan.result import run_result
from terse.plan.stored import decode
from terse.plan.trace import StepStatus
from terse.report.verified import Check, Form, Saved
from terse.tiers import BY_NAME
from terse.tokens import Vocabulary, vocabulary
from terse.verification.reading import Reader
from terse.verification.results import Given

MOST_FINDINGS = 20
LINES, WIDTH = 14, 160
"""Of an example: more would not be looked at."""
_MARK = 16
_LIKED = 800
"""Characters of an example: long enough to show its form, and short enough to be seen as a whole."""


def default_plan() -> Plan:
    """The plan of the default policy, as it is in the package."""
    return decode((Path(terse.plan.__file__).parent / "default_plan.json").read_bytes())


class Alone:
    """Runs results through the default policy, one after another.

    Attributes:
        calls, texts: how many there were.
        marks: a short hash of what is sent, for each call.
        digest: sha256 over all of that.
    """

    def __init__(self, *, figures: bool = True) -> None:
        """
        Args:
            figures: also count, decode and compare; without, only the digest is made.
        """
        self.calls = self.texts = 0
        self.marks: list[str] = []
        self._figures = figures
        self._plan = default_plan()
        self._vocabulary: Vocabulary = vocabulary()
        self._wrong: list[str] = []
        self._larger: list[str] = []
        self._saved: dict[str, tuple[set[str], Counter[str]]] = {}
        self._forms: dict[str, tuple[int, int, str, str, str]] = {}

    @property
    def digest(self) -> str:
        return sha256("".join(self.marks).encode()).hexdigest()

    def add(self, given: Given) -> None:
        """Run one result."""
        sample = Sample.of(given.result)
        arguments = parse(given.arguments)
        assert isinstance(arguments, dict), "INVARIANT: arguments are an object"
        call = Call(given.server, given.tool, arguments, sample.is_error)
        may_join = sample.is_texts_alone and not sample.is_error and len(sample.texts) > 1
        answered = run_result(
            self._plan,
            sample.texts,
            call,
            Session(),
            self._vocabulary,
            joined=join(sample.texts) if may_join else None,
            clock=_still,
        )
        sent = answered.texts
        self.calls += 1
        self.texts += len(sample.texts)
        mark = sha256()
        for text in sent:
            data = text.encode("utf-8", "surrogatepass")
            mark.update(b"%d:" % len(data) + data)
        self.marks.append(mark.hexdigest()[:_MARK])
        if not self._figures:
            return
        name = f"{call.name}"
        wrong = Reader().wrong(given.tool, given.arguments, sample.texts, sent)
        if wrong is not None:
            _note(self._wrong, f"{name}, call {self.calls}: {wrong}")
        before, after = (sum(map(self._vocabulary.count, texts)) for texts in (sample.texts, sent))
        if after > before:
            _note(self._larger, f"{name}, call {self.calls}: {before:,} tokens became {after:,}")
        kinds, sums = self._saved.setdefault(name, (set(), Counter()))
        kinds.update(Payload.of(text).kind.value for text in sample.texts)
        sums.update(results=1, received=before, sent=after)
        for payload, outcome in zip(answered.payloads, answered.outcomes, strict=True):
            if outcome.text == payload.text:
                continue
            for step in outcome.trace.steps:
                if step.status is StepStatus.APPLIED and step.tier:
                    self._note_form(step.tier, name, payload.text, outcome.text)

    def _note_form(self, tier: str, tool: str, received: str, sent: str) -> None:
        times, distance, *example = self._forms.get(tier, (0, 0, "", "", ""))
        if not times or abs(len(sent) - _LIKED) < distance:
            distance, example = abs(len(sent) - _LIKED), [tool, excerpt(received), excerpt(sent)]
        self._forms[tier] = (times + 1, distance, example[0], example[1], example[2])

    def exact(self) -> Check:
        """Whether each text that is sent is what was received."""
        said = f"{self.texts:,} texts decoded and compared: {_number(self._wrong)} differ"
        return Check("exact", not self._wrong, said, tuple(self._wrong[:MOST_FINDINGS]))

    def not_larger(self) -> Check:
        """Whether no result has more tokens than it came with."""
        whole = Counter[str]()
        for _, sums in self._saved.values():
            whole += sums
        percent = 100 * (1 - whole["sent"] / whole["received"]) if whole["received"] else 0.0
        said = (
            f"{_number(self._larger)} of {self.calls:,} results: {whole['received']:,} tokens, "
            f"{whole['sent']:,} sent ({percent:.1f}% saved)"
        )
        return Check("never larger", not self._larger, said, tuple(self._larger[:MOST_FINDINGS]))

    def saved(self) -> tuple[Saved, ...]:
        """Tokens by tool, the largest first."""
        rows = [
            Saved(tool, ", ".join(sorted(kinds)), sums["results"], sums["received"], sums["sent"])
            for tool, (kinds, sums) in self._saved.items()
        ]
        return tuple(sorted(rows, key=lambda row: (-row.received, row.tool)))

    def forms(self) -> tuple[Form, ...]:
        """An example of each step that was at work, in the order of the steps."""
        return tuple(
            Form(name, BY_NAME[name].reads, times, tool, received, sent)
            for name, (times, _, tool, received, sent) in sorted(
                self._forms.items(), key=lambda each: list(BY_NAME).index(each[0])
            )
        )


def marks_of(results: Iterable[Given]) -> list[str]:
    """A short hash of what is sent, for each of these results."""
    alone = Alone(figures=False)
    for each in results:
        alone.add(each)
    return alone.marks


def excerpt(text: str) -> str:
    """The first lines of a text, each cut to a width that can be looked at."""
    lines = text[: LINES * 4 * WIDTH].split("\n")
    cut = [line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…" for line in lines[:LINES]]
    more = text.count("\n") + 1 - len(cut)
    return "\n".join([*cut, f"… {more:,} more lines"] if more > 0 else cut)


def _note(findings: list[str], finding: str) -> None:
    if len(findings) <= MOST_FINDINGS:
        findings.append(finding)


def _number(findings: list[str]) -> str:
    return f"over {MOST_FINDINGS}" if len(findings) > MOST_FINDINGS else str(len(findings))


def _still() -> float:
    return 0.0
