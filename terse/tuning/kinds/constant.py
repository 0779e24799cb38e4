"""Members that are the same in every result, or empty in all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import ceil

from terse.guarantee import Guarantee
from terse.plan import describe
from terse.tuning.kinds.aside import places, rule_now
from terse.tuning.kinds.kind import Alternatives, Kind
from terse.tuning.members import Member, Seen, seen
from terse.tuning.saying import pattern, with_line_for
from terse.tuning.state import Change, State

LEAST_TIMES = 20
"""Values that have to be the same: fewer may be chance."""
LEAST_SESSIONS = 2
"""Within one session all is asked by one user, and what stands for a redacted value is the same."""
MOST_MEMBERS = 8
LEAST_BOUND = 5
"""Percent: a `lose at most` below it would be hit by every small result."""

_Keys = tuple[str, ...]


def _find(state: State) -> Iterator[Alternatives]:
    for rule, tool, found in places(state):
        if len({taken.session for taken in state.material.of(tool)}) < LEAST_SESSIONS:
            continue
        held = seen(state.material.of(tool, "held out"))
        paths = [keys for keys, member in found.paths() if _is_same(member, held.members.get(keys))]
        paths = [keys for keys in paths if not any(keys[:at] in paths for at in range(1, len(keys)))]
        paths.sort(key=lambda keys: (-_weight(found, keys), keys))
        if paths:
            yield partial(_changes, rule, tool, tuple(paths[:MOST_MEMBERS]))


def _is_same(member: Member, held: Member | None) -> bool:
    """Whether it has one value in both halves; where the other half does not have it, nobody knows."""
    return (
        member.value is not None
        and not member.differs
        and member.times >= LEAST_TIMES
        and held is not None
        and not held.differs
        and held.value == member.value
    )


def _weight(found: Seen, keys: _Keys) -> int:
    member = found.members[keys]
    return member.times * (len(member.value or "") + len(keys[-1]))


def _changes(name: str, tool: tuple[str, str], paths: Sequence[_Keys], state: State) -> Iterator[Change]:
    """All of them together; where that does not check (one is kept), each for itself."""
    name = rule_now(state, name, tool)
    why = f"these members of what {pattern(tool)} gives are the same in every result, or always empty"
    bound = f"lose at most {_bound(state, tool)}%"
    because = "the same in every result that was looked at"
    for group in (tuple(paths), *((each,) for each in paths)):
        line = f"remove {', '.join(map(describe.path, group))}"
        for draft, rule in with_line_for(state.draft, name, tool, line, because, bound=bound):
            yield Change(KIND.name, why, draft, Guarantee.LOSSY, rule)


def _bound(state: State, tool: tuple[str, str]) -> int:
    """A share that no result of the learned half loses as much of, in steps of five percent."""
    found = seen(state.material.of(tool, "learned"))
    same = sum(_weight(found, keys) for keys, member in found.paths() if not member.differs)
    share = 100 * same / found.characters if found.characters else 0
    return min(max(LEAST_BOUND, ceil(share / 5) * 5 + LEAST_BOUND), 100)


KIND = Kind("remove", _find, needs="remove", loses="removed: nobody can fetch it")
