"""Tools that no rule is for: a rule that writes their results shorter and loses nothing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from terse.guarantee import Guarantee
from terse.payload.call import Call
from terse.plan import describe
from terse.plan.choose import names
from terse.plan.model import Pattern
from terse.review.starter import rule_name
from terse.tuning.kinds.kind import Alternatives, Kind
from terse.tuning.saying import is_sayable, pattern, with_rule
from terse.tuning.state import Change, State

_MOST_PATTERNS = 40


def _find(state: State) -> Iterator[Alternatives]:
    servers: dict[str, list[tuple[str, str]]] = {}
    for tool in state.material.tools:
        ran = state.of_tool(tool)
        without = sum(not each.rules for each in ran)
        if without * 2 > len(ran) and is_sayable(tool) and not _is_excepted(state, tool):
            servers.setdefault(tool[0], []).append(tool)
    for server in sorted(servers):
        if sum(len(state.of_tool(tool)) for tool in servers[server]) >= state.least_results:
            yield partial(_changes, server, servers[server])


def _is_excepted(state: State, tool: tuple[str, str]) -> bool:
    """Whether a rule says that it is not for the tool: whoever wrote that wants it left alone."""
    call = Call(*tool)
    return any(names(each, call) for rule in state.draft.plan.rules for each in rule.except_)


def _changes(server: str, tools: list[tuple[str, str]], state: State) -> Iterator[Change]:
    named = describe.patterns(Pattern(*tool) for tool in tools[:_MOST_PATTERNS])
    word = pattern((server, "*"))
    for on in (word, named):
        name = state.draft.free_name(rule_name(server))
        draft = with_rule(state.draft, server, name, [f"on {on}", "use compact"])
        if draft is not None:
            why = f"no rule is for these results of {word}: they pass as they came"
            yield Change(KIND.name, why, draft, Guarantee.LOSSLESS, name)
            # The names of tools are for where a pattern for all of the server would not do.
            return


KIND = Kind("unmatched", _find)
