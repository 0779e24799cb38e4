"""Tuning of rules in a folder of the test's own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path

import pytest

from terse.capture.recorded import recorded_calls
from terse.record import Record
from terse.report.tuned import Tuned
from terse.tokens import vocabulary
from terse.tuning.draft import Draft
from terse.tuning.fetches import Ledgered
from terse.tuning.kinds.kind import Allowed
from terse.tuning.material import Sampler
from terse.tuning.runs import Runner
from terse.tuning.state import Least, State
from terse.tuning.tune import tune
from tests.tuning import captured

Tune = Callable[..., Tuned]


def tuned(
    rules: Mapping[str, str],
    lines: Iterable[str],
    allow: Collection[Allowed] = (),
    *,
    records: Iterable[Record] = (),
    least: Least | None = None,
    least_results: int = 10,
    folder: Path | None = None,
    path: str = "policies",
) -> Tuned:
    """What is proposed for rule files (by path, from the working directory), given a capture."""
    for name, text in rules.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(text.encode())
    capture = captured.write(Path("capture.jsonl"), lines)
    sampler = Sampler()
    for call in recorded_calls(str(capture), "capture.jsonl"):
        sampler.add(call, "capture.jsonl")
    material = sampler.material()
    state = State.of(
        Draft.of(path),
        material,
        Ledgered(records),
        {},
        Runner(material, vocabulary()),
        Least(percent=2.0) if least is None else least,
        least_results,
    )

    def read(sample: str) -> str:
        return Path(sample).read_text(encoding="utf-8")

    return tune(state, path, allow, read, [], lambda what: None)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
