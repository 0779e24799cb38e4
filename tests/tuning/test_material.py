"""The sample: bounded, fair, and the same each time."""

from __future__ import annotations

import json
from random import Random

import pytest

from terse.capture.recorded import RecordedCall, call_in
from terse.tuning import material
from terse.tuning.material import Material, Sampler
from tests.tuning.captured import line


def calls(number: int, tools: int = 1, repeats: int = 1, sessions: int = 10) -> list[RecordedCall]:
    """So many calls of each tool, each of them made again so often in its session."""
    return [
        call_in(
            line(f"tool{tool}", f"result {at} of {tool}", session=str(at % sessions), arguments={"at": at})
        )
        for at in range(number)
        for _ in range(repeats)
        for tool in range(tools)
    ]


def sampled(made: list[RecordedCall], most: int = material.MAX_PER_TOOL) -> Material:
    sampler = Sampler(most)
    for call in made:
        sampler.add(call)
    return sampler.material()


def test_a_sample_holds_so_many_results_of_a_tool() -> None:
    """However many there are, and each tool has its own share."""
    found = sampled(calls(500, tools=3), most=40)

    assert {tool: len(found.of(tool)) for tool in found.tools} == {
        ("tracker", f"tool{at}"): 40 for at in range(3)
    }
    assert found.read[("tracker", "tool0")] == 500


def test_a_sample_is_the_same_in_any_order() -> None:
    """Which calls are in it depends on the calls alone."""
    made = calls(300)
    other = Random(1).sample(made, len(made))

    one, two = ({taken.texts for taken in sampled(each, most=50).calls} for each in (made, other))
    assert one == two


def test_calls_that_repeat_stay_together() -> None:
    """Of a call that is in the sample the earlier and the later ones of its session are, too."""
    found = sampled(calls(200, repeats=4), most=40)

    groups: dict[str, int] = {}
    for taken in found.calls:
        groups[str(taken.call.arguments)] = groups.get(str(taken.call.arguments), 0) + 1
    assert set(groups.values()) == {4}


def test_a_dropped_call_never_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of a call's results would look like calls that never repeat."""
    made = sorted(calls(100, repeats=3), key=lambda call: json.loads(call.arguments)["at"] % 7)

    assert {len(found) for found in _by_call(sampled(made, most=30)).values()} == {3}


def _by_call(found: Material) -> dict[str, list[object]]:
    groups: dict[str, list[object]] = {}
    for taken in found.calls:
        groups.setdefault(str(taken.call.arguments), []).append(taken)
    return groups


def test_calls_between_are_counted() -> None:
    """How long ago an earlier result was sent decides what may be said of it."""
    made = [call_in(line("a", "x"))]
    made += [call_in(line("a", "y" * (material.MAX_RESULT + 1), arguments={"at": at})) for at in range(5)]
    made += [call_in(line("a", "x"))]

    assert [taken.gap for taken in sampled(made).calls] == [0, 5]


def test_a_sample_is_bounded_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Results are kept in memory: of one tool, and of all of them."""
    monkeypatch.setattr(material, "MAX_BYTES_PER_TOOL", 3_000)
    monkeypatch.setattr(material, "MAX_BYTES", 5_000)
    made = [
        call_in(line(f"tool{tool}", "x" * 100, arguments={"at": at}))
        for at in range(200)
        for tool in range(5)
    ]

    found = sampled(made)

    sizes = {tool: sum(len(text) for each in found.of(tool) for text in each.texts) for tool in found.tools}
    assert max(sizes.values()) <= 3_000
    assert sum(sizes.values()) <= 5_000


def test_the_halves_share_no_session() -> None:
    """What is the same within a session would else be on both sides."""
    found = sampled(calls(100))

    sides: dict[str, set[str]] = {}
    for taken in found.calls:
        sides.setdefault(taken.session, set()).add(taken.side)
    assert {len(each) for each in sides.values()} == {1}
    assert {side for each in sides.values() for side in each} == {"learned", "held out"}


def test_one_session_is_parted_by_its_calls() -> None:
    """Who captured one session has something held out, too."""
    found = sampled(calls(40, repeats=2, sessions=1))

    sides: dict[str, set[str]] = {}
    for taken in found.calls:
        sides.setdefault(str(taken.call.arguments), set()).add(taken.side)
    assert {len(each) for each in sides.values()} == {1}
    assert {side for each in sides.values() for side in each} == {"learned", "held out"}


def test_sessions_without_a_name_are_one_for_each_file() -> None:
    """A call of another file is no earlier call."""
    call = call_in(json.dumps({"server": "a", "tool": "b", "result": {"content": []}}))
    sampler = Sampler()
    sampler.add(call, "one.jsonl")
    sampler.add(call, "two.jsonl")

    assert sampler.material().sessions == 2


def test_calls_whose_arguments_are_not_known_are_never_the_same() -> None:
    """Else every call of a tool would look like a repeat of the one before."""
    lines = [json.loads(line("a", f"result {at}")) | {"arguments": None} for at in range(3)]

    found = sampled([call_in(json.dumps(each)) for each in lines])

    assert len({str(taken.call.arguments) for taken in found.calls}) == 3
