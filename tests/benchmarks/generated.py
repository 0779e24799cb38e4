"""Generated documents through every step and back: `make bench BENCH=generated`, `DOCUMENTS=200000` for many.

What hypothesis looks for in hundreds of examples, this looks for in as many as there is time for: seeded, so
that a number names a document. Every fifth is a text for the folds, the others are JSON.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from terse.payload.exact import Number, as_object, dump, parse
from terse.payload.payload import Payload
from terse.tiers.expand import expand
from terse.tiers.spec import Draft
from tests.folds.shapes import FOLDED
from tests.folds.test_exact import FOLDS, MARKS, folded
from tests.layout.documents import MARKS as WORDS
from tests.layout.documents import NON_FINITE, NUMBERS
from tests.layout.test_chains import JSON_TIERS, steps

DOCUMENTS = 5_000
MOST_TOLD = 10


def measure() -> Iterator[str]:
    """How many documents came back, and the seeds of those that did not."""
    wanted = int(os.environ.get("DOCUMENTS", DOCUMENTS))
    changed, wrong = 0, []
    for seed in range(wanted):
        was_changed, why = _tried(seed)
        changed += was_changed
        if why:
            wrong.append(f"{seed} ({why})")
    yield f"{wanted:,} documents, {changed:,} of them written in another form, {len(wrong):,} not exact"
    yield from wrong[:MOST_TOLD]


def _tried(seed: int) -> tuple[bool, str]:
    """Whether a document is written otherwise, and what went wrong."""
    random = Random(seed)
    try:
        if seed % 5 == 0:
            text = made_text(random)
            sent = folded(text, FOLDS, _COUNTS[seed % len(_COUNTS)]).text
            return sent != text, "" if expand(sent) == text else "another text"
        text = dump(made_document(random))
        sent = steps(Draft.of(Payload.of(text)), JSON_TIERS, ("few signs", "tokens", "length")[seed % 3]).text
        return sent != text, "" if dump(parse(expand(sent))) == text else "another document"
    except Exception as error:
        return False, f"{type(error).__name__}: {error}"[:120]


_COUNTS: tuple[Callable[[str], int], ...] = (len, lambda text: len(text) // 3)


# ---- texts ---------------------------------------------------------------------------------------


def made_text(random: Random) -> str:
    """A text as a program prints it, a part of it, with damage and with marks that look like ours."""
    lines = FOLDED[random.choice(sorted(FOLDED))](random).split("\n")
    start = random.randint(0, max(0, len(lines) - 10))
    lines = lines[start : start + random.randint(5, 60)]
    for _ in range(random.choice((0, 0, 1, 4))):
        at = random.randrange(len(lines))
        lines[at:at] = random.choice(([random.choice(MARKS)], lines[at : at + 3] * 3, [lines[at][:9]]))
    return random.choice(("\n", "\n", "\n", "\r\n")).join(lines)


# ---- documents -----------------------------------------------------------------------------------


def made_document(random: Random) -> Any:
    """A list or an object, most often with records in it."""
    value = random.choice((_records, _records, _wrapped, _object, _keyed, _lists))(random, 0)
    return value if isinstance(value, (list, dict)) else [value]


def _wrapped(random: Random, depth: int) -> Any:
    return {"total": Number("3"), _word(random): _records(random, depth + 1), "next": None}


def _object(random: Random, depth: int) -> Any:
    pairs = [(_word(random), _value(random, depth + 1)) for _ in range(random.randint(0, 8))]
    return as_object(pairs) if random.random() < 0.25 else dict(pairs)


def _lists(random: Random, depth: int) -> Any:
    width = random.randint(1, 4)
    return [[_scalar(random) for _ in range(width)] for _ in range(random.randint(0, 9))]


def _keyed(random: Random, depth: int) -> Any:
    rows = _records(random, depth)
    start = random.choice((0, 0, 0, 5))
    pairs = [
        (f"{random.choice(('node-', ''))}{max(at, start)}{_word(random)}", row) for at, row in enumerate(rows)
    ]
    return as_object(pairs)


def _records(random: Random, depth: int) -> list[Any]:
    columns = [_column(random, depth) for _ in range(random.randint(1, 6))]
    names = [_word(random) if random.random() < 0.3 else f"c{at}" for at in range(len(columns))]
    if random.random() < 0.1:
        # A key twice in every record, with columns between the two or none.
        names[-1] = names[0]
    gaps = random.choice((0.0, 0.0, 0.1, 0.5))
    rows: list[Any] = []
    for at in range(random.randint(0, 14)):
        row = as_object(
            [
                (name, column(at, rows))
                for name, column in zip(names, columns, strict=True)
                if random.random() >= gaps
            ]
        )
        rows.append(row if random.random() > 0.03 else _value(random, depth + 2))
    return rows


def _column(random: Random, depth: int) -> Callable[[int, list[Any]], Any]:
    """How a column's values come about: constant, counted, from others, nested, or any."""
    fixed, few = _scalar(random), [_value(random, depth + 2) for _ in range(3)]
    stem = random.choice(("https://x.example/", "tenant-", "", "a b ", "{c0}", "2026-03-01T"))
    end = random.choice(("", "/forks", "Z", "{/sha}", "\n"))
    inner = random.choice((_records, _object)) if depth < 2 else _object

    def from_another(at: int, rows: list[Any]) -> Any:
        return f"{stem}{at * 37 % 11}{end}"

    return random.choice(
        (
            lambda at, rows: fixed,
            lambda at, rows: Number(str(at)),
            lambda at, rows: random.choice(few),
            lambda at, rows: fixed if random.random() < 0.8 else _scalar(random),
            from_another,
            from_another,
            lambda at, rows: inner(random, depth + 1) if depth < 3 else fixed,
            lambda at, rows: _scalar(random),
        )
    )


def _value(random: Random, depth: int) -> Any:
    if depth > 3 or random.random() < 0.6:
        return _scalar(random)
    return random.choice((_records, _object, _lists, _keyed, _embedded))(random, depth)


def _embedded(random: Random, depth: int) -> str:
    """A string that holds JSON, or nearly."""
    text = dump(_object(random, depth + 1))
    return random.choice((text, text.replace(",", ", "), text + " ", text[:-1]))


def _scalar(random: Random) -> Any:
    return random.choice(
        (
            None,
            random.random() < 0.5,
            Number(random.choice(NUMBERS)),
            Number(random.choice(NON_FINITE if random.random() < 0.2 else NUMBERS)),
            Number(str(random.randint(-99, 10 ** random.randint(1, 25)))),
            random.choice(WORDS),
            random.choice(WORDS),
            _word(random),
            " ".join(random.choice(WORDS) for _ in range(random.randint(2, 5))),
            "\n".join(random.choice(WORDS) for _ in range(random.randint(2, 9))),
        )
    )


def _word(random: Random) -> str:
    return (
        random.choice(WORDS) if random.random() < 0.2 else random.choice(("id", "name", "url", "état", "x-y"))
    )
