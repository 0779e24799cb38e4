"""`fold-paths`: lists of paths under their folders."""

from __future__ import annotations

from collections.abc import Sequence

from terse.folds import cuts, headings
from terse.tiers.folding import Path, text_tier, written_in
from terse.tiers.spec import Context, Example
from terse.tiers.survey import Survey


def _share_folders(seen: Survey) -> bool:
    # Slashes alone are no sign: text in base64 is full of them, and no two of its lines begin alike.
    if "/" not in seen.sample or len({line[:4] for line in seen.lines}) == len(seen.lines):
        return False
    if seen.share(cuts.folders) < 0.5:
        return False
    starts = [line[: cut[0]] for line in seen.lines if (cut := cuts.folders(line))]
    return len(set(starts)) < len(starts)


def _paths(context: Context) -> Sequence[Path]:
    return [(lambda lines: written_in(headings.FORM, headings.fold(lines, cuts.folders)),)]


TIER = text_tier(
    name="fold-paths",
    sentence="Puts paths under their folder.",
    reads="A line that ends in `…` starts the lines below it.",
    fits=_share_folders,
    paths=_paths,
    missing="few paths share a folder",
    example=Example(
        before=(
            "packages/server/src/routes/users.ts\n"
            "packages/server/src/routes/orders.ts\n"
            "packages/server/src/routes/invoices.ts\n"
            "packages/server/src/routes/health.ts\n"
            "packages/server/src/routes/search.ts\n"
            "packages/server/src/models/user.ts\n"
            "packages/server/src/models/order.ts\n"
            "packages/server/src/models/invoice.ts\n"
            "packages/server/src/models/session.ts\n"
        ),
        after=(
            "[terse: 9 lines; a line ending in … starts those below]\n"
            "packages/server/src/routes/…\n"
            "users.ts\n"
            "orders.ts\n"
            "invoices.ts\n"
            "health.ts\n"
            "search.ts\n"
            "packages/server/src/models/…\n"
            "user.ts\n"
            "order.ts\n"
            "invoice.ts\n"
            "session.ts\n"
        ),
    ),
)
