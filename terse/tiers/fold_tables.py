"""`fold-tables`: markdown tables without padding."""

from __future__ import annotations

from terse.folds import padding
from terse.tiers.folding import Step, text_tier
from terse.tiers.spec import Context, Example


def _fold(lines: list[str], context: Context) -> list[Step] | str:
    written = padding.fold(lines)
    return [(padding.FORM, written)] if written else "no padded table"


TIER = text_tier(
    name="fold-tables",
    sentence="takes the padding out of markdown tables",
    reads="a markdown table, whose cells were padded to the width of their column",
    fits=lambda lines: sum(1 for line in lines if line.startswith("|")) >= 3,
    fold=_fold,
    example=Example(
        before=(
            "| name        | type      | default           |\n| ----------- | --------- | ----------------- |\n"
            "| id          | integer   |                   |\n| created_at  | timestamp | CURRENT_TIMESTAMP |\n"
            "| customer_id | integer   |                   |\n| note        | text      |                   |\n"
            "| paid        | boolean   | false             |\n| total       | numeric   | 0                 |\n"
        ),
        after=(
            "[terse: 8 lines; table cells padded to the width of their column]\n"
            "| name | type | default |\n| --- | --- | --- |\n| id | integer |  |\n"
            "| created_at | timestamp | CURRENT_TIMESTAMP |\n| customer_id | integer |  |\n| note | text |  |\n"
            "| paid | boolean | false |\n| total | numeric | 0 |\n"
        ),
    ),
)
