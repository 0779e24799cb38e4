"""An original laid out for a reader is still that original, and places are found in it."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from terse.payload.exact import JsonValue, Number, dump, parse
from terse.plan.trace import Touched
from terse.report.laid_out import lay_out

KEYS = st.text('ab/~"\\<é ', max_size=4)
VALUES: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.sampled_from([Number("1.0"), Number("1e5")]) | st.text(max_size=80),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(KEYS, inner, max_size=5),
)
DOCUMENTS = st.lists(VALUES, max_size=5) | st.dictionaries(KEYS, VALUES, max_size=5)


def _places(value: JsonValue, at: str = "") -> Iterator[tuple[str, JsonValue]]:
    yield at, value
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _places(item, f"{at}/{key.replace('~', '~0').replace('/', '~1')}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _places(item, f"{at}/{index}")


@given(DOCUMENTS, st.data())
def test_it_is_the_same_document_and_places_are_found(value: JsonValue, data: st.DataObject) -> None:
    """Only white space between values is new; the lines of a place hold exactly its value."""
    places = dict(_places(value))
    wanted = data.draw(st.lists(st.sampled_from(sorted(places)), max_size=4))
    made = lay_out(dump(value), [Touched(places=tuple(wanted))])

    assert dump(parse("\n".join(made.lines))) == dump(value)
    for place in wanted:
        first, last = made.spans[place]
        text = "\n".join(made.lines[first : last + 1]).strip().removesuffix(",")
        if place and not text.startswith(("{", "[")) and dump([places[place]])[1:-1] != text:
            # In an object the key stands before it.
            text = "{" + text + "}"
            assert dump(list(parse(text).values())) == dump([places[place]])  # type: ignore[union-attr]
        elif text != dump([places[place]])[1:-1]:
            assert dump(parse(text)) == dump(places[place])


@given(st.text("ab\n\r\t{", max_size=40))
def test_a_text_has_the_lines_that_rules_count(text: str) -> None:
    """Line numbers are those that field lines speak of: only a line feed ends a line."""
    made = lay_out(text, [])

    assert made.is_json or "\n".join(made.lines) == text.removesuffix("\n") or text == "\n"
