"""Servers whose lists of tools are known and that no `tools` block speaks of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from terse.guarantee import Guarantee
from terse.listing.choice import treatment
from terse.listing.definition import Definition
from terse.review.listed import listed
from terse.review.starter import call_words
from terse.tuning.draft import with_block
from terse.tuning.kinds.kind import Alternatives, Kind
from terse.tuning.saying import is_sayable
from terse.tuning.state import Change, State


def _find(state: State) -> Iterator[Alternatives]:
    for server in sorted(state.lists):
        tools = state.lists[server]
        named = (treatment(state.draft.plan.tools, server, str(tool.get("name"))) for tool in tools)
        if tools and is_sayable((server, "any")) and not any(named):
            yield partial(_changes, server, tools)


def _changes(server: str, tools: Sequence[Definition], state: State) -> Iterator[Change]:
    path = state.draft.file_for(server)
    if not state.draft.is_editable(path):
        return
    block = f"tools {call_words(server, '*')} {{\n  compress low\n}}\n"
    draft = state.draft.changed({path: with_block(state.draft.text(path), block, state.draft.last(path))})
    if draft is None:
        return
    found = listed(draft.plan.tools, "", server, tools, state.vocabulary, 0)
    after = found.by_rules.tokens if found.by_rules is not None else found.received
    why = f"the list of tools of {call_words(server, '*')} says much that means nothing to a model"
    yield Change(KIND.name, why, draft, Guarantee.LOSSLESS, listed=(found.received, after))


KIND = Kind(
    "list of tools",
    _find,
    loses="nothing of a result, and nothing that a call needs: of definitions what says nothing to a model",
)
