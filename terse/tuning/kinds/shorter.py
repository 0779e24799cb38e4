"""Long texts and lists of which a part says most: the rest is one call away."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from statistics import median

from terse.guarantee import Guarantee
from terse.plan import describe
from terse.review.starter import LARGE_TEXT, MANY_LINES, MANY_ROWS
from terse.tuning.kinds.aside import large, pays, places, rule_now
from terse.tuning.kinds.kind import Alternatives, Kind
from terse.tuning.saying import pattern, with_line_for
from terse.tuning.state import Change, State


def _find(state: State) -> Iterator[Alternatives]:
    for rule, tool, found in places(state):
        for keys in large(found):
            path = describe.path(keys)
            line = f"shorten {path} to {LARGE_TEXT} characters"
            yield partial(
                _changes, rule, tool, line, "", False, f"{path} is long, and its beginning says most"
            )
        if found.others > found.results and median(found.lines) > MANY_LINES:
            line = f"shorten everything to {MANY_LINES} lines from both ends"
            why = f"results of {pattern(tool)} are long texts: beginning and end say most"
            yield partial(_changes, rule, tool, line, "payload is text", not found.results, why)
        if found.rows and median(found.rows) > MANY_ROWS:
            line = f"shorten everything to {MANY_ROWS} rows"
            why = f"results of {pattern(tool)} are long lists: whoever needs more rows asks for them"
            yield partial(_changes, rule, tool, line, "payload is json", not found.others, why)


def _changes(
    name: str, tool: tuple[str, str], line: str, when: str, is_always: bool, why: str, state: State
) -> Iterator[Change]:
    name = rule_now(state, name, tool)
    condition = f"when {when}" if when else ""
    because = "the rest is one call away"
    found = with_line_for(state.draft, name, tool, line, because, when=condition, is_always=is_always)
    for draft, rule in found:
        yield Change(KIND.name, why, draft, Guarantee.RECOVERABLE, rule)
        return


KIND = Kind(
    "shorten",
    _find,
    needs="shorten",
    loses="nothing for good: the rest is one call away",
    accepts=pays,
)
