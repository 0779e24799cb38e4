"""Large texts in results that nobody is known to fetch: one call away is near enough."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from terse.guarantee import Guarantee
from terse.plan import describe
from terse.report.stats import OFTEN_PERCENT
from terse.tuning.kinds.kind import Alternatives, Kind
from terse.tuning.members import Seen, seen
from terse.tuning.runs import Runs
from terse.tuning.saying import pattern, with_line_for
from terse.tuning.state import Change, State

LARGE_SHARE = 0.1
"""Of the results' characters: a member with so much of them is worth a line of its own."""
LARGE_TEXT = 400
"""Characters of a text, on average: shorter ones are values to read."""

_Keys = tuple[str, ...]


def places(state: State) -> Iterator[tuple[str, tuple[str, str], Seen]]:
    """The rule, the tool and its learned results, where a line that sets aside could pay: there are results
    enough, one rule is for most of them, and what was set aside of the tool was not mostly fetched.
    """
    for tool in state.material.tools:
        ran = state.of_tool(tool, "learned")
        names = sorted({name for each in ran for name in each.rules})
        rule = max(names, key=lambda name: (sum(name in each.rules for each in ran), name), default=None)
        if rule is None or not state.is_enough(tool) or not state.of_tool(tool, "held out"):
            continue
        noted = state.ledgered.of(tool).rate
        captured = state.rate([tool])
        if any(100 * rate > OFTEN_PERCENT for rate in (noted, captured and captured[0]) if rate is not None):
            continue
        yield rule, tool, seen(state.material.of(tool, "learned"))


def large(found: Seen) -> list[_Keys]:
    """The paths of large texts, the largest first."""
    sizes = {
        keys: member.characters
        for keys, member in found.paths()
        if member.characters >= LARGE_SHARE * found.characters
        and member.texts
        and member.characters >= LARGE_TEXT * member.texts
    }
    return sorted(sizes, key=lambda keys: (-sizes[keys], keys))


def _find(state: State) -> Iterator[Alternatives]:
    for rule, tool, found in places(state):
        for keys in large(found):
            yield partial(_changes, rule, tool, keys)


def _changes(name: str, tool: tuple[str, str], keys: _Keys, state: State) -> Iterator[Change]:
    path = describe.path(keys)
    because = "large, and one call away"
    # An earlier change may have given the tool a rule of its own.
    name = rule_now(state, name, tool)
    for over in (f" over {LARGE_TEXT} characters", ""):
        for draft, rule in with_line_for(state.draft, name, tool, f"set aside {path}{over}", because):
            why = f"{path} is most of what {pattern(tool)} gives, and can be fetched where it is needed"
            yield Change(KIND.name, why, draft, Guarantee.RECOVERABLE, rule)
            return


def rule_now(state: State, name: str, tool: tuple[str, str]) -> str:
    """The rule that applies to most results of a tool by now; the named one where none does."""
    ran = state.of_tool(tool, "learned")
    names = sorted({each for one in ran for each in one.rules})
    return max(names, key=lambda each: (sum(each in one.rules for one in ran), each), default=name)


def pays(state: State, change: Change, runs: Runs) -> bool:
    """Whether it would save something even if as much were fetched as has us take a line back."""
    figures = state.figures(runs)
    return 100 * figures.gross >= OFTEN_PERCENT * figures.aside_tokens


KIND = Kind(
    "set aside",
    _find,
    needs="set-aside",
    loses="nothing for good: what is set aside is one call away",
    accepts=pays,
)
