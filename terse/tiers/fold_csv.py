"""`fold-csv`: what the rows of a CSV or TSV share, once."""

from __future__ import annotations

from terse.folds import cuts, headings, rows
from terse.tiers.folding import Step, shortest, text_tier
from terse.tiers.spec import Context, Example


def _fold(lines: list[str], context: Context) -> list[Step] | str:
    def under_times(held: list[str]) -> Step | None:
        written = headings.fold(held, cuts.stamp)
        return (headings.FORM, written) if written else None

    def by_columns(held: list[str]) -> Step | None:
        return rows.fold(held, context.count)

    steps = shortest(lines, context, [(by_columns,), (under_times, by_columns)])
    return steps if any(form.name.startswith("rows") for form, _ in steps) else "the rows share too little"


TIER = text_tier(
    name="fold-csv",
    sentence="writes what the rows of a CSV or TSV share once: constants, beginnings and ends, repeated values",
    reads="the first line shows how a row is written, and after `=` the line that it stands for",
    fits=lambda lines: rows.delimiter_of(lines) is not None,
    fold=_fold,
    example=Example(
        before=(
            "id,name,country,active,url\n"
            + "".join(
                f"{number},{name},Norway,true,https://shops.example.org/stores/{number}\n"
                for number, name in ((4011, "Bergen"), (4012, "Oslo"), (4017, "Bodø"), (4020, "Voss"), (4031, "Moss"))
            )
            + "4033,Molde,Norway,true,https://shops.example.org/stores/4033\n"
        ),
        after="",
    ),
)
