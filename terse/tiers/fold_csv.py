"""`fold-csv`: what the rows of a CSV or TSV share, once."""

from __future__ import annotations

from collections.abc import Sequence

from terse.folds import cuts, headings, rows
from terse.payload.kind import Kind
from terse.tiers.folding import Path, Step, text_tier, written_in
from terse.tiers.spec import Context, Example


def _paths(context: Context) -> Sequence[Path]:
    def under_times(lines: list[str]) -> Step | None:
        return written_in(headings.FORM, headings.fold(lines, cuts.stamp))

    def under_first(lines: list[str]) -> Step | None:
        shape = rows.delimiter_of(lines)
        return written_in(headings.FORM, headings.fold(lines, cuts.first_cells(shape[0])) if shape else None)

    def by_columns(lines: list[str]) -> Step | None:
        return rows.fold(lines, context.count)

    return [(by_columns,), (under_times, by_columns), (under_first, by_columns)]


TIER = text_tier(
    name="fold-csv",
    sentence="Writes what the rows of a CSV or TSV share once: constants, beginnings, ends, repeated values.",
    reads="The first line shows how a row is written, and after `=` the line that it stands for.",
    fits=lambda seen: rows.delimiter_of(seen.lines) is not None,
    paths=_paths,
    missing="the rows share too little",
    also=frozenset({Kind.HTML}),
    example=Example(
        before=(
            "id,name,country,active,url\n"
            "4011,Bergen,Norway,true,https://shops.example.org/stores/4011\n"
            "4012,Oslo,Norway,true,https://shops.example.org/stores/4012\n"
            "4017,Bodø,Norway,true,https://shops.example.org/stores/4017\n"
            "4020,Voss,Norway,true,https://shops.example.org/stores/4020\n"
            "4031,Moss,Norway,true,https://shops.example.org/stores/4031\n"
            "4033,Molde,Norway,true,https://shops.example.org/stores/4033\n"
        ),
        after=(
            "[terse: 7 lines; rows written as on the left of = below]\n"
            "{id} {name} = {id},{name},Norway,true,https://shops.example.org/stores/{id}\n"
            "…id,name,country,active,url\n"
            "4011 Bergen\n"
            "4012 Oslo\n"
            "4017 Bodø\n"
            "4020 Voss\n"
            "4031 Moss\n"
            "4033 Molde\n"
        ),
    ),
)
