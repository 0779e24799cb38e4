"""JSON documents for hypothesis: values as tools return them, with our own marks among the strings."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from terse.payload.exact import JsonValue, Number, as_object, dump, parse

MARKS = [
    *(
        "",
        "-",
        ".",
        "=",
        "==x",
        "*1",
        "*",
        "~",
        "null",
        "true",
        "false",
        "0",
        "-0",
        "1.0",
        "1e5",
        "NaN",
        "Infinity",
        "-Infinity",
        "00",
        "007",
    ),
    *(
        "=null",
        "a,b",
        "a b",
        " a",
        "a ",
        "a=b",
        "a:b",
        "a:text",
        "x?=y",
        '"',
        '"a"',
        'a"b',
        "\\",
        "\\n",
        "a\nb",
    ),
    *(
        "{",
        "}",
        "[",
        "]",
        "{}",
        "[]",
        "{a}",
        "[1]",
        "{a=1}",
        'f"{x}"',
        "#1",
        "#key",
        "json{",
        "json[1]",
        "jsonx",
    ),
    *(
        "json_spaced{}",
        "(3 lines)",
        "(0 lines)",
        "3 lines",
        "1 item",
        "2 items",
        "3 rows of a",
        "JSON outline",
    ),
    *(
        "JSON outline: 1 row of a",
        "1 line, then JSON:",
        "\t",
        "\r\n",
        "\x00",
        "\x7f",
        "\u2028",
        "é",
        "😀",
        "\ud800",
    ),
    *(
        'one\ntwo\n"three"\n\tfour\n\nsix\n',
        "a.b",
        "https://api.example/users/ana",
        '{"a": 1, "b": [true, null]}',
    ),
    *('[{"id":1,"name":"x"},{"id":2,"name":"y"}]', '{\n  "a": 1\n}', "tenant-7", "2026-03-01T10:00:00Z"),
]

NUMBERS = ["0", "-0", "1", "7", "1.0", "1e5", "1E400", "-1.50", "0.1000", "12345678901234567890123"]
NON_FINITE = ["NaN", "Infinity", "-Infinity"]

words = (
    st.sampled_from(MARKS)
    | st.text(max_size=6)
    | st.integers(0, 40).map(lambda n: f"https://api.example/users/u{n}")
    | st.integers(0, 40).map(lambda n: f"u{n}")
)
numbers = st.sampled_from(NUMBERS + NON_FINITE).map(Number) | st.integers().map(lambda n: Number(str(n)))
scalars: st.SearchStrategy[Any] = st.none() | st.booleans() | numbers | words


def with_repeats(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Objects in which keys stand twice."""
    return st.lists(st.tuples(st.sampled_from(["a", "b", "", "url"]) | words, inner), max_size=6).map(
        as_object
    )


values: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=5) | st.dictionaries(words, inner, max_size=5) | with_repeats(inner)
    ),
    max_leaves=20,
)


@st.composite
def records(draw: st.DrawFn) -> list[Any]:
    """Lists of records: ragged, nested, with constant, repeated, derived and child columns."""
    keys = draw(st.lists(words, min_size=1, max_size=5, unique=True))
    inner = draw(st.lists(words, min_size=1, max_size=3, unique=True))
    # Here and there a key stands in a record twice, mostly in all of them: the writer of all is one program.
    twice = draw(st.sampled_from([None, None, None, *keys]))
    every = draw(st.booleans())
    kinds = [
        draw(
            st.sampled_from(
                ["any", "text", "same", "few", "count", "derived", "list", "group", "map", "pairs"]
            )
        )
        for _ in keys
    ]
    same, few = draw(values), draw(st.lists(values, min_size=1, max_size=3))
    made: list[Any] = []
    for row in range(draw(st.integers(1, 7))):
        record: dict[str, Any] = {}
        for key, kind in zip(keys, kinds, strict=True):
            if draw(st.integers(0, 9)) == 0:
                continue
            if kind == "any":
                record[key] = draw(values)
            elif kind == "text":
                record[key] = draw(words)
            elif kind == "same":
                record[key] = same
            elif kind == "few":
                record[key] = draw(st.sampled_from(few))
            elif kind == "count":
                record[key] = Number(row)
            elif kind == "derived":
                record[key] = f"https://api.example/{row}/{keys[0]}"
            elif kind == "list":
                record[key] = [
                    {name: draw(scalars) for name in inner if draw(st.integers(0, 4))}
                    for _ in range(draw(st.integers(0, 3)))
                ]
            elif kind == "map":
                record[key] = {f"{row}{draw(words)}": {name: draw(scalars) for name in inner} for _ in inner}
            elif kind == "pairs":
                record[key] = [[draw(scalars), Number(row)] for _ in range(draw(st.integers(0, 4)))]
            else:
                record[key] = {name: draw(scalars) for name in inner if draw(st.integers(0, 4))}
        if twice in record and (every or draw(st.booleans())):
            again = draw(st.sampled_from([record[twice], Number(row), None]))
            at = draw(st.integers(0, len(record)))
            pairs = list(record.items())
            record = as_object([*pairs[:at], (twice, again), *pairs[at:]])
        made.append(record if draw(st.integers(0, 15)) else draw(values))
    return made


def _carried(value: Any) -> bool:
    # Two halves of one character, each in a piece of its own, join when they are read again.
    return isinstance(value, (list, dict)) and dump(parse(dump(value))) == dump(value)


DOCUMENTS: st.SearchStrategy[JsonValue] = (
    values
    | records()
    | st.fixed_dictionaries({"items": records(), "more": values})
    | st.tuples(words, records()).map(lambda made: {f"{made[0]}{at}": row for at, row in enumerate(made[1])})
    | st.lists(st.lists(scalars, min_size=2, max_size=2), min_size=2)
).filter(_carried)


@st.composite
def json_texts(draw: st.DrawFn) -> str:
    """JSON as text: keys twice, every number spelling, escapes, surrogates, white space, depth."""
    space = st.sampled_from(["", "", "", " ", "\n", "\t \r\n"])

    def string() -> str:
        text = draw(words)
        return draw(st.sampled_from([json.dumps(text), dump(text), json.dumps(text).replace("/", "\\/")]))

    def value(depth: int) -> str:
        kind = draw(st.integers(0, 9 if depth < 4 else 5))
        if kind == 0:
            return draw(st.sampled_from(["null", "true", "false", *NUMBERS, *NON_FINITE, "nan", "01", "1."]))
        if kind <= 3:
            return draw(st.sampled_from(NUMBERS))
        if kind <= 5:
            return string()
        count = draw(st.integers(0, 3))
        if kind <= 7:
            inner = [draw(space) + value(depth + 1) + draw(space) for _ in range(count)]
            return "[" + ",".join(inner) + "]"
        pairs = [
            f"{draw(space)}{string()}{draw(space)}:{draw(space)}{value(depth + 1)}" for _ in range(count)
        ]
        return "{" + ",".join(pairs) + "}"

    deep = draw(st.sampled_from([0, 0, 0, 3, 199, 200, 5000]))
    return draw(space) + "[" * deep + value(0) + "]" * deep + draw(space)
