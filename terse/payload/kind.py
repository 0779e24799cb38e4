"""The kinds of payload that `when payload is …` speaks of, as a tree."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """A kind of payload. `RECORDS` and `OBJECT` are `JSON`; `LOG` … `CSV` are `TEXT`."""

    JSON = "json"
    RECORDS = "records"
    OBJECT = "object"
    TEXT = "text"
    LOG = "log"
    MARKDOWN = "markdown"
    CODE = "code"
    DIFF = "diff"
    HTML = "html"
    CSV = "csv"
    BINARY = "binary"

    @property
    def parent(self) -> Kind | None:
        return _PARENT.get(self)

    def is_a(self, other: Kind) -> bool:
        """Whether every payload of this kind is also of kind `other`."""
        return self is other or self.parent is other

    def meets(self, other: Kind) -> bool:
        """Whether a payload can be of both kinds."""
        return self.is_a(other) or other.is_a(self)


_PARENT: dict[Kind, Kind] = {
    Kind.RECORDS: Kind.JSON,
    Kind.OBJECT: Kind.JSON,
    Kind.LOG: Kind.TEXT,
    Kind.MARKDOWN: Kind.TEXT,
    Kind.CODE: Kind.TEXT,
    Kind.DIFF: Kind.TEXT,
    Kind.HTML: Kind.TEXT,
    Kind.CSV: Kind.TEXT,
}
