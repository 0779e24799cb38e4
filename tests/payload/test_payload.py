"""What a text is, in a kind and a few words."""

from __future__ import annotations

import pytest

from terse.payload.kind import Kind
from terse.payload.payload import Payload


@pytest.mark.parametrize(
    ("text", "kind", "summary"),
    [
        ('[{"id":1},{"id":2}]', Kind.RECORDS, "list of 2 records"),
        ('{"total":3,"issues":[1,2,3]}', Kind.OBJECT, "object, 3 issues"),
        ('{"a":{"b":1}}', Kind.OBJECT, "object, 1 key"),
        ("[1,2]", Kind.JSON, "list of 2 values"),
        ("[]", Kind.JSON, "list of 0 values"),
        ('{"k":1,"k":2}', Kind.OBJECT, "object, 2 keys"),
        ('[{"id":NaN,"id":2}]', Kind.RECORDS, "list of 1 record"),
        ("3.10", Kind.TEXT, "text, 1 line"),
        ("", Kind.TEXT, "text, 0 lines"),
        ("a\nb\n", Kind.TEXT, "text, 2 lines"),
    ],
)
def test_kind_and_summary(text: str, kind: Kind, summary: str) -> None:
    """The narrowest kind, and a summary with a number and a noun."""
    payload = Payload.of(text)

    assert payload.kind is kind
    assert payload.summary == summary


def test_size_counts_utf_8() -> None:
    """Bytes as they travel; a lone surrogate is no crash."""
    assert Payload.of("é").size_bytes == 2
    assert Payload.of("\ud800").size_bytes == 3
