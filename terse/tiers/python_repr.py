"""`python-repr`: lists and dicts as Python prints them become a document to lay out."""

from __future__ import annotations

from collections.abc import Mapping

from terse.layout.document import Document, Plain
from terse.layout.forms import Python
from terse.layout.python import read_python, read_tuples
from terse.tiers.spec import Applied, Context, Draft, Example, Skip, State, Tier


def _run(draft: Draft, options: Mapping[str, int | str], context: Context) -> Applied | Skip:
    ended = draft.text.endswith("\n")
    text = draft.text[:-1] if ended else draft.text
    tuples = text.startswith("[(")
    value = read_tuples(text) if tuples else read_python(text)
    if not isinstance(value, (list, dict)) or not value:
        return Skip("no list or dict as Python prints it")
    document = Document(Plain(value), form=Python(ended, tuples))
    return Applied(Draft(State.LAYOUT, None, document, context.cost), f"{len(value)} values")


TIER = Tier(
    name="python-repr",
    sentence="Takes a list or dict as Python prints it, for the steps after it to lay out.",
    reads="`Python outline: …`: the text was Python's `repr` of that value (`tuples`: of a list of tuples; "
    "`ended`: and a line end).",
    takes=frozenset({State.TEXT}),
    leaves=State.LAYOUT,
    run=_run,
    examples=(
        Example(
            "[{'iata': '0O3', 'name': None}, {'iata': 'ORD', 'name': \"O'Hare\"}]",
            "Python outline: [{iata=0O3 name=null},{iata=ORD name=O'Hare}]",
        ),
        Example("[('cart', 9.5), ('user', 7.0)]", "Python outline (tuples): [[cart,9.5],[user,7.0]]"),
    ),
)
