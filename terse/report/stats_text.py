"""`terse stats` for people."""

from __future__ import annotations

from collections.abc import Iterator

from terse.hidden import visible
from terse.report.columns import cells, left
from terse.report.stats import Group, Stats, advice

MOST = 40
"""Groups that are listed; `--json` and `--csv` have all."""
MOST_NAMED = 5
"""Losses and values nobody fetched that are named."""
UNWRAP = {
    "tool": "to unwrap a tool, name it in an `except` line of its rule; a whole server: terse uninstall",
    "server": "to unwrap a server: terse uninstall SERVER",
}
"""What advice is given for, with how it is followed."""
_LONGEST_NAME = 44


def render(stats: Stats, since: str) -> str:
    """A row per group, the sum, what was lost and what was never fetched, and what to do.

    Args:
        since: the time that is spoken of, in words.
    """
    lines = [headline(stats, since)]
    if stats.all.messages:
        lines += ["", *_table(stats), "", *_net(stats), *_losses(stats), *_aside(stats), *_advice(stats)]
    return "".join(visible(line).rstrip() + "\n" for line in lines)


def headline(stats: Stats, since: str) -> str:
    """What is spoken of, in one line."""
    if not stats.all.messages:
        return f"nothing was noted {since}"
    results = stats.all.results
    return (
        f"{results:,} result{'' if results == 1 else 's'} {since}, tokens saved net of what was fetched later"
    )


def _table(stats: Stats) -> Iterator[str]:
    has_money = stats.all.money is not None
    headings = [stats.by, "results", "tokens", "sent", "fetched", "saved", "", "median", "ms"]
    rows = [_cells(group) for group in (*stats.groups[:MOST], stats.all)]
    if has_money:
        headings.append("money")
        rows = [
            [*row, _money(group.money)]
            for row, group in zip(rows, (*stats.groups[:MOST], stats.all), strict=True)
        ]
    rows = [[visible(row[0]), *row[1:]] for row in rows]
    widths = [max(cells(row[at]) for row in (headings, *rows)) for at in range(len(headings))]
    for row in (headings, *rows):
        first = left(row[0], widths[0])
        yield "  ".join(
            [first, *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
    more = len(stats.groups) - MOST
    if more > 0:
        yield f"{more:,} more are in --json and --csv"


def _cells(group: Group) -> list[str]:
    name = group.name if len(group.name) <= _LONGEST_NAME else f"{group.name[: _LONGEST_NAME - 1]}…"
    middle, time = group.median_share, group.median_milliseconds
    return [
        name,
        f"{group.results:,}",
        f"{group.tokens_in:,}",
        f"{group.tokens_out:,}",
        f"{group.fetched:,}" if group.fetched else "",
        f"{group.saved:,}",
        f"{group.share:.1f}%" if group.tokens_in else "–",
        f"{middle:.1f}%" if middle is not None else "–",
        f"{time:.1f}" if time is not None else "–",
    ]


def _money(money: float | None) -> str:
    return "–" if money is None else f"{money:,.2f}"


def _net(stats: Stats) -> Iterator[str]:
    whole = stats.all
    kinds = ", ".join(f"{kind} {tokens:,}" for kind, tokens in sorted(whole.fetched_by.items()))
    fetched = f"{whole.fetched:,} fetched later" + (f" ({kinds})" if kinds else "")
    yield f"gross {whole.gross:,} tokens, {fetched}, net {whole.saved:,} ({whole.share:.1f}%)"
    yield "a token is counted once, and paid again on every later turn of a conversation"
    yield from money(stats)
    unknown = whole.messages - whole.counted - whole.retrieves
    if unknown:
        were = (
            "message was not counted in tokens, and is"
            if unknown == 1
            else "messages were not counted in tokens, and are"
        )
        yield f"{unknown:,} {were} not in these sums"
    if whole.faults:
        kinds = ", ".join(f"{kind} {times:,}" for kind, times in sorted(whole.faults.items()))
        yield f"faults: {kinds}"


def money(stats: Stats) -> Iterator[str]:
    """What was saved in money, and what the prices are from."""
    prices, whole = stats.prices, stats.all
    if prices is None:
        return
    currency = f" {prices.currency}" if prices.currency else ""
    if whole.money is None:
        yield "money: no client's model is known: say which with --model, or in the table (docs/stats.md)"
        return
    later = f", and {_money(whole.money_later)}{currency} on each later turn" if whole.money_later else ""
    source = f" (prices: {prices.source})" if prices.source else ""
    yield f"money: {_money(whole.money)}{currency} once{later}{source}"


def _losses(stats: Stats) -> Iterator[str]:
    losing = sorted((group for group in stats.groups if group.lossy), key=lambda each: -each.lossy_saved)
    if losing:
        yield ""
        yield "largest losses: results from which something was taken for good"
    for group in losing[:MOST_NAMED]:
        lines = ", ".join(name for name, _ in sorted(group.losing.items(), key=lambda each: -each[1])[:3])
        yield f"  {group.name}: {group.lossy:,} results, {group.lossy_saved:,} tokens less ({lines})"


def _aside(stats: Stats) -> Iterator[str]:
    if not stats.all.aside:
        return
    yield ""
    whole = stats.all
    size = f" ({whole.aside_tokens:,} tokens)" if whole.aside_tokens else ""
    yield f"set aside: {whole.aside:,} values{size}, {whole.never_fetched:,} of them never fetched"
    unused = sorted((group for group in stats.groups if group.aside), key=lambda each: -each.never_fetched)
    for group in unused[:MOST_NAMED]:
        yield f"  {group.name}: {group.never_fetched:,} of {group.aside:,} never fetched"


def _advice(stats: Stats) -> Iterator[str]:
    if stats.by not in UNWRAP:
        return
    said = [(group, found) for group in stats.groups if (found := advice(group)) is not None]
    if said:
        yield ""
        yield "what to do"
    for do in ("tune", "unwrap", "keep"):
        for group, found in [each for each in said if each[1].do == do][:MOST_NAMED]:
            yield f"  {do} {group.name}: {found.why}"
    if any(found.do == "unwrap" for _, found in said):
        yield f"  ({UNWRAP[stats.by]})"
