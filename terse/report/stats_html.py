"""`terse stats --html`: one page that needs nothing else, with its charts drawn in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from terse.report.chart import LEGEND, WIDTH, Bar, bars, drawing, listed, page, table, tiles
from terse.report.explain_views import shown
from terse.report.stats import Group, Stats, advice
from terse.report.stats_text import UNWRAP, headline, money

MOST_BARS = 15
MOST_DAYS = 60
"""The last days that the chart has."""
MOST_ROWS = 200


def render(stats: Stats, since: str) -> str:
    """The page. Same input, same bytes.

    INVARIANT: every name goes through `shown`, and the page's content security policy runs no script and
    loads nothing.
    """
    return page("terse stats", _body(stats, since))


def _body(stats: Stats, since: str) -> Iterator[str]:
    yield f"<h1>terse stats</h1>\n<p>{shown(headline(stats, since))}</p>\n"
    if not stats.all.messages:
        return
    yield _tiles(stats.all, "" if stats.prices is None else stats.prices.currency)
    yield "".join(f'<p class="soft">{shown(line)}</p>\n' for line in money(stats))
    if len(stats.days) > 1:
        yield "<h2>By day</h2>\n" + LEGEND + _columns(stats.days[-MOST_DAYS:])
    if stats.by != "day":
        largest = sorted(stats.groups, key=lambda group: -group.tokens_in)[:MOST_BARS]
        rows = [
            Bar(group.name, group.tokens_in, group.tokens_out, _words(group), group.share)
            for group in largest
            if group.tokens_in
        ]
        yield f"<h2>By {stats.by}</h2>\n" + LEGEND + bars(rows, "Tokens sent and not sent, by group")
    yield from _table(stats)
    yield from _lists(stats)


def _amount(money: float, currency: str) -> str:
    return f"{money:,.2f} {currency}".rstrip()


def _tiles(whole: Group, currency: str) -> str:
    each = [
        (f"{whole.share:.1f}%", "saved net"),
        (f"{whole.saved:,}", "tokens saved net"),
        (f"{whole.results:,}", "results"),
        (f"{whole.gross:,}", "tokens saved gross"),
        (f"{whole.fetched:,}", "tokens fetched later"),
    ]
    if whole.money is not None:
        each.append((_amount(whole.money, currency), "money, each token once"))
    if whole.money_later:
        each.append((_amount(whole.money_later, currency), "money, each later turn"))
    return tiles(each)


def _columns(days: Sequence[Group]) -> str:
    """A column per day."""
    height, base = 160, 130
    most = max((day.tokens_in for day in days), default=1) or 1
    step = WIDTH / len(days)
    parts = [f'<line class="axis" x1="0" x2="{WIDTH}" y1="{base}" y2="{base}"/>']
    every = max(1, len(days) // 6)
    for place, day in enumerate(days):
        left, width = place * step + step * 0.15, step * 0.7
        sent = (base - 10) * min(day.tokens_out, day.tokens_in) / most
        spared = (base - 10) * max(day.gross, 0) / most
        parts.append(
            f"<g><title>{shown(_words(day))}</title>"
            f'<rect class="sent" x="{left:.1f}" y="{base - sent:.1f}" width="{width:.1f}" '
            f'height="{sent:.1f}"/>'
            f'<rect class="saved" x="{left:.1f}" y="{base - sent - spared:.1f}" width="{width:.1f}" '
            f'height="{spared:.1f}"/></g>'
        )
        if place % every == 0:
            # Neither the first nor the last label stands over the edge.
            middle = min(max(place * step + step / 2, 18), WIDTH - 18)
            parts.append(
                f'<text x="{middle:.1f}" y="{base + 18}" text-anchor="middle">{shown(day.name[5:])}</text>'
            )
    return drawing(height, "Tokens sent and not sent, by day", parts)


def _words(group: Group) -> str:
    return (
        f"{group.name}: {group.tokens_in:,} tokens, {group.tokens_out:,} sent, {group.share:.1f}% saved net"
    )


def _table(stats: Stats) -> Iterator[str]:
    headings = [stats.by, "results", "tokens", "sent", "fetched", "saved net", "", "median", "ms"]
    has_money = stats.all.money is not None
    rows = [_row(group, has_money) for group in (*stats.groups[:MOST_ROWS], stats.all)]
    yield "<h2>All figures</h2>\n" + table([*headings, *(["money"] if has_money else [])], rows, "all")
    if len(stats.groups) > MOST_ROWS:
        yield f'<p class="soft">{len(stats.groups) - MOST_ROWS:,} more are in --json and --csv</p>\n'


def _row(group: Group, has_money: bool) -> list[str]:
    middle, time = group.median_share, group.median_milliseconds
    cells = [
        group.name,
        f"{group.results:,}",
        f"{group.tokens_in:,}",
        f"{group.tokens_out:,}",
        f"{group.fetched:,}",
        f"{group.saved:,}",
        f"{group.share:.1f}%",
        "–" if middle is None else f"{middle:.1f}%",
        "–" if time is None else f"{time:.1f}",
    ]
    if has_money:
        cells.append("–" if group.money is None else f"{group.money:,.2f}")
    return cells


def _lists(stats: Stats) -> Iterator[str]:
    losing = sorted((group for group in stats.groups if group.lossy), key=lambda each: -each.lossy_saved)
    if losing:
        yield "<h2>Largest losses</h2>\n" + listed(
            f"{group.name}: {group.lossy:,} results, {group.lossy_saved:,} tokens less "
            f"({', '.join(sorted(group.losing))})"
            for group in losing[:MOST_BARS]
        )
    unused = sorted((group for group in stats.groups if group.aside), key=lambda each: -each.never_fetched)
    if unused:
        yield "<h2>Set aside</h2>\n" + listed(
            f"{group.name}: {group.never_fetched:,} of {group.aside:,} values never fetched"
            for group in unused[:MOST_BARS]
        )
    said = [(group, found) for group in stats.groups if (found := advice(group)) is not None]
    if said and stats.by in UNWRAP:
        order = {"tune": 0, "unwrap": 1, "keep": 2}
        said.sort(key=lambda each: order[each[1].do])
        yield "<h2>What to do</h2>\n" + listed(
            f"{found.do} {group.name}: {found.why}" for group, found in said[:MOST_ROWS]
        )
