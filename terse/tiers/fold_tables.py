"""`fold-tables`: markdown tables without padding."""

from __future__ import annotations

from collections.abc import Sequence

from terse.folds import padding
from terse.tiers.folding import Path, text_tier, written_in
from terse.tiers.spec import Context, Example


def _paths(context: Context) -> Sequence[Path]:
    return [(lambda lines: written_in(padding.FORM, padding.fold(lines)),)]


TIER = text_tier(
    name="fold-tables",
    sentence="Takes padding and outer bars out of markdown tables.",
    reads="A markdown table without outer bars, whose cells were padded to the width of their column.",
    fits=lambda seen: "|" in seen.sample and sum(line.startswith("|") for line in seen.lines) >= 3,
    paths=_paths,
    missing="no padded table",
    whole=True,
    example=Example(
        before=(
            "| name        | type      | default           |\n"
            "| ----------- | --------- | ----------------- |\n"
            "| id          | integer   |                   |\n"
            "| customer_id | integer   |                   |\n"
            "| created_at  | timestamp | CURRENT_TIMESTAMP |\n"
            "| currency    | text      |                   |\n"
            "| amount      | numeric   | 0                 |\n"
            "| note        | text      |                   |\n"
            "| paid        | boolean   | false             |\n"
        ),
        after=(
            "[terse: 9 lines; tables without their padding and outer bars]\n"
            "name | type | default\n"
            "--- | --- | ---\n"
            "id | integer | \n"
            "customer_id | integer | \n"
            "created_at | timestamp | CURRENT_TIMESTAMP\n"
            "currency | text | \n"
            "amount | numeric | 0\n"
            "note | text | \n"
            "paid | boolean | false\n"
        ),
    ),
)
