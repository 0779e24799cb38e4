"""Whatever the document and whichever steps: the text comes back as the same document."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terse.layout.read import read
from terse.layout.strict import NotLayout
from terse.payload.exact import JsonValue, NotExact, dump, parse
from terse.payload.payload import Payload
from terse.tiers import TIERS
from terse.tiers.expand import expand
from terse.tiers.spec import Applied, Context, Draft, State, Tier
from terse.tokens import vocabulary
from tests.layout.documents import DOCUMENTS, json_texts

ALONE = [tier for tier in TIERS if not tier.needs_memory]
JSON_TIERS = [tier for tier in ALONE if State.JSON in tier.takes or State.LAYOUT in tier.takes]
NEAR_JSON = [tier for tier in ALONE if tier.leaves is State.LAYOUT and State.TEXT in tier.takes]


def few_signs(text: str) -> int:
    """A count that makes layouts look cheap, so that small documents are laid out too."""
    return text.count('"') + text.count("\n") + len(text) // 8


COUNTS = {"tokens": vocabulary().count, "few signs": few_signs, "length": len}


def steps(draft: Draft, tiers: Sequence[Tier], count: str) -> Draft:
    """The draft after the tiers, whether they make it smaller or not."""
    for tier in tiers:
        if draft.state in tier.takes:
            options = {option.name: option.default for option in tier.options}
            result = tier.run(draft, options, Context(COUNTS[count]))
            if isinstance(result, Applied):
                draft = result.draft
    return draft


subsets = st.lists(st.booleans(), min_size=len(JSON_TIERS), max_size=len(JSON_TIERS)).map(
    lambda chosen: [tier for tier, yes in zip(JSON_TIERS, chosen, strict=True) if yes]
)
everything = st.just(JSON_TIERS)


@given(DOCUMENTS, subsets | everything, st.sampled_from(sorted(COUNTS)))
def test_every_chain_has_an_exact_inverse(document: JsonValue, tiers: list[Tier], count: str) -> None:
    """Values, types, number text and key order come back through any subset of the JSON tiers."""
    text = dump(document)

    laid = steps(Draft.of(Payload.of(text)), tiers, count).text

    assert dump(parse(expand(laid))) == text
    laid.encode()  # it can be sent as UTF-8


@given(DOCUMENTS, everything, st.sampled_from(sorted(COUNTS)), st.sampled_from([1, 2, 2_000]))
def test_what_comes_back_is_compact_json_to_the_byte(
    document: JsonValue, tiers: list[Tier], count: str, rows: int
) -> None:
    """A table read some rows at a time, and spelt from its columns, says what the whole would."""
    text = dump(document)
    laid = steps(Draft.of(Payload.of(text)), tiers, count).text

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("terse.layout.rows.ROWS_AT_ONCE", rows)
        assert expand(laid) == text


@given(DOCUMENTS, subsets, st.sampled_from(sorted(COUNTS)))
def test_a_step_changes_no_draft(document: JsonValue, tiers: list[Tier], count: str) -> None:
    """The same input gives the same bytes, and a step leaves its input as it was."""
    start = Draft.of(Payload.of(dump(document)))

    first, second = steps(start, tiers, count), steps(start, tiers, count)

    assert first.text == second.text
    assert start.text == dump(document)
    assert (
        first.document is None
        or Draft(first.state, None, first.document, Context(COUNTS[count]).cost).text == first.text
    )


@given(json_texts())
def test_any_json_text_comes_back_or_is_left_alone(text: str) -> None:
    """JSON as text: what cannot be carried exactly keeps its tokens; the rest is the same document."""
    laid = steps(Draft.of(Payload.of(text)), JSON_TIERS, "few signs").text

    try:
        value = parse(text)
    except NotExact:
        assert without_space(laid) == without_space(text)
    else:
        assert dump(parse(expand(laid))) == dump(value)


def without_space(text: str) -> str:
    """A text without white space: what `minify` may drop, wherever it stands."""
    return "".join(text.split())


FORMS = ("lines", "spaced lines", "python", "tuples", "prose")


@given(st.lists(DOCUMENTS, min_size=1, max_size=5), st.sampled_from(FORMS))
def test_texts_near_json_come_back_to_the_byte(documents: list[JsonValue], form: str) -> None:
    """JSON lines, Python's repr and JSON below prose."""
    if form == "lines":
        text = "\n".join(map(dump, documents))
    elif form == "spaced lines":
        text = "".join(f"{dump(document)}\n".replace('":', '": ') for document in documents)
    elif form == "python":
        text = repr([None, *map(_plain, documents)])
    elif form == "tuples":
        values = list(map(_plain, documents))
        text = repr([tuple(values), *(tuple(v) if isinstance(v, list) else v for v in values), *zip(values)])
    else:
        text = f"Found:\n{dump(documents[0])}\nDone."

    laid = steps(Draft.of(Payload.of(text)), [*NEAR_JSON, *JSON_TIERS], "few signs")

    if laid.state is State.LAYOUT:
        same = expand(laid.text)
        assert same == text or (Payload.of(text).json is not None and dump(parse(same)) == dump(parse(text)))
    else:
        assert without_space(laid.text) == without_space(text)


def _plain(value: JsonValue) -> object:
    return json.loads(dump(value))


@given(DOCUMENTS)
def test_what_looks_like_a_layout_is_one_only_as_a_whole(document: JsonValue) -> None:
    """A layout inside a JSON string, or with a word before it, is text."""
    laid = steps(Draft.of(Payload.of(dump(document))), JSON_TIERS, "few signs").text
    held: JsonValue = {"text": laid, "more": [laid, laid]}

    again = steps(Draft.of(Payload.of(dump(held))), JSON_TIERS, "few signs").text

    assert dump(parse(expand(again))) == dump(held)
    assert expand(f"see: {laid}") == f"see: {laid}"
    try:
        read(laid)
    except NotLayout:
        assert laid[0] in "[{"


@pytest.mark.parametrize("keyed", [False, True], ids=["list", "by key"])
@pytest.mark.parametrize("name", ["#key", "#1"])
def test_a_key_named_like_a_slot_is_a_key(name: str, keyed: bool) -> None:
    """A record's own `#key` is not the key of its row, whatever follows from it."""
    rows = [{name: f"part-{n}{n}", "url": f"https://x.example/part-{n}{n}/", "n": "x"} for n in range(9)]
    text = json.dumps({f"key{n}": row for n, row in enumerate(rows)} if keyed else rows)

    laid = steps(Draft.of(Payload.of(text)), JSON_TIERS, "length").text

    assert dump(parse(expand(laid))) == dump(parse(text))


def test_a_table_that_is_left_with_one_column_has_commas() -> None:
    """A group that the legend closes may have been all that showed the separator."""
    inner = '{"":"and,so,on,in,many,words","*1":null}'
    text = f'{{"0":{{}},"1":{{"":{inner}}},"2":{{"":{inner}}},"3":{{"":{inner}}},"4":{{"":{inner}}}}}'
    tiers = [tier for tier in JSON_TIERS if tier.name in ("tabularize", "dictionary")]

    start = Draft.of(Payload.of(text))
    assert steps(start, tiers[:1], "tokens").text.startswith('JSON outline: 5 rows by key of ""{"" "*1"}\n')
    laid = steps(start, tiers, "tokens").text

    assert laid.startswith('JSON outline: 5 rows by key of ""\n*1 = ')
    assert dump(parse(expand(laid))) == dump(parse(text))


def test_an_object_without_cells_beside_a_row_that_is_none() -> None:
    """What all objects in a column have in common stands once, and some row has no object at all."""
    rows: list[object] = [
        {"id": 37 * at, "url": f"https://x.example/items/{37 * at}/forks", "owner": {"kind": "user"}}
        for at in range(12)
    ]
    text = json.dumps([*rows, 3], separators=(",", ":"))

    for count in COUNTS:
        laid = steps(Draft.of(Payload.of(text)), JSON_TIERS, count).text
        assert dump(parse(expand(laid))) == text
