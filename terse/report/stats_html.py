"""`terse stats --html`: one page that needs nothing else, with its charts drawn in it."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from terse.report.explain_views import shown
from terse.report.stats import Group, Stats, advice
from terse.report.stats_text import UNWRAP, headline, money

MOST_BARS = 15
MOST_DAYS = 60
"""The last days that the chart has."""
MOST_ROWS = 200
_LONGEST_LABEL = 52

# Narrow, so that words in it are large enough on a phone.
_WIDTH, _ROW, _BAR = 400, 36, 12


def render(stats: Stats, since: str) -> str:
    """The page. Same input, same bytes.

    INVARIANT: every name goes through `shown`, and the page's content security policy runs no script and
    loads nothing.
    """
    style = (Path(__file__).parent / "stats_page.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return (
        "<!doctype html>\n"
        '<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>terse stats</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n"
        f"{''.join(_body(stats, since))}</main>\n</body>\n</html>\n"
    )


def _body(stats: Stats, since: str) -> Iterator[str]:
    yield f"<h1>terse stats</h1>\n<p>{shown(headline(stats, since))}</p>\n"
    if not stats.all.messages:
        return
    yield _tiles(stats.all, "" if stats.prices is None else stats.prices.currency)
    yield "".join(f'<p class="soft">{shown(line)}</p>\n' for line in money(stats))
    if len(stats.days) > 1:
        yield "<h2>By day</h2>\n" + _LEGEND + _columns(stats.days[-MOST_DAYS:])
    if stats.by != "day":
        largest = sorted(stats.groups, key=lambda group: -group.tokens_in)[:MOST_BARS]
        yield f"<h2>By {stats.by}</h2>\n" + _LEGEND + _bars([group for group in largest if group.tokens_in])
    yield from _table(stats)
    yield from _lists(stats)


def _amount(money: float, currency: str) -> str:
    return shown(f"{money:,.2f} {currency}".rstrip())


def _tiles(whole: Group, currency: str) -> str:
    tiles = [
        (f"{whole.share:.1f}%", "saved net"),
        (f"{whole.saved:,}", "tokens saved net"),
        (f"{whole.results:,}", "results"),
        (f"{whole.gross:,}", "tokens saved gross"),
        (f"{whole.fetched:,}", "tokens fetched later"),
    ]
    if whole.money is not None:
        tiles.append((_amount(whole.money, currency), "money, each token once"))
    if whole.money_later:
        tiles.append((_amount(whole.money_later, currency), "money, each later turn"))
    return '<ul class="tiles">' + "".join(f"<li><b>{big}</b>{what}</li>" for big, what in tiles) + "</ul>\n"


_LEGEND = (
    '<ul class="legend"><li><svg viewBox="0 0 10 10" aria-hidden="true"><rect class="sent" width="10" '
    'height="10"/></svg>sent</li><li><svg viewBox="0 0 10 10" aria-hidden="true"><rect class="saved" '
    'width="10" height="10"/></svg>not sent</li></ul>\n'
)


def _bars(groups: Sequence[Group]) -> str:
    """A bar per group: what was sent, and what was not."""
    most = max((group.tokens_in for group in groups), default=1)
    room = _WIDTH - 40
    parts = []
    for place, group in enumerate(groups):
        top = place * _ROW
        sent = room * min(group.tokens_out, group.tokens_in) / most
        spared = room * max(group.gross, 0) / most
        label = group.name if len(group.name) <= _LONGEST_LABEL else f"…{group.name[1 - _LONGEST_LABEL :]}"
        bar = f'y="{top + 18}" height="{_BAR}"'
        parts.append(
            f"<g><title>{shown(_words(group))}</title>"
            f'<text x="0" y="{top + 13}">{shown(label)}</text>'
            f'<rect class="sent" x="0" width="{sent:.1f}" {bar}/>'
            f'<rect class="saved" x="{sent:.1f}" width="{spared:.1f}" {bar}/>'
            f'<text x="{sent + spared + 6:.1f}" y="{top + 28}">{group.share:.0f}%</text></g>'
        )
    return _svg(len(groups) * _ROW, "Tokens sent and not sent, by group", parts)


def _columns(days: Sequence[Group]) -> str:
    """A column per day."""
    height, base = 160, 130
    most = max((day.tokens_in for day in days), default=1) or 1
    step = _WIDTH / len(days)
    parts = [f'<line class="axis" x1="0" x2="{_WIDTH}" y1="{base}" y2="{base}"/>']
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
            middle = min(max(place * step + step / 2, 18), _WIDTH - 18)
            parts.append(
                f'<text x="{middle:.1f}" y="{base + 18}" text-anchor="middle">{shown(day.name[5:])}</text>'
            )
    return _svg(height, "Tokens sent and not sent, by day", parts)


def _svg(height: int, what: str, parts: Sequence[str]) -> str:
    return f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{what}">{"".join(parts)}</svg>\n'


def _words(group: Group) -> str:
    return (
        f"{group.name}: {group.tokens_in:,} tokens, {group.tokens_out:,} sent, {group.share:.1f}% saved net"
    )


def _table(stats: Stats) -> Iterator[str]:
    headings = [stats.by, "results", "tokens", "sent", "fetched", "saved net", "", "median", "ms"]
    has_money = stats.all.money is not None
    cells = "".join(f"<th>{heading}</th>" for heading in (*headings, *(["money"] if has_money else [])))
    yield '<h2>All figures</h2>\n<div class="wide" tabindex="0"><table>\n'
    yield f"<thead><tr>{cells}</tr></thead>\n<tbody>\n"
    for group in stats.groups[:MOST_ROWS]:
        yield _row(group, has_money)
    yield _row(stats.all, has_money, "all") + "</tbody></table></div>\n"
    if len(stats.groups) > MOST_ROWS:
        yield f'<p class="soft">{len(stats.groups) - MOST_ROWS:,} more are in --json and --csv</p>\n'


def _row(group: Group, has_money: bool, kind: str = "") -> str:
    middle, time = group.median_share, group.median_milliseconds
    cells = [
        shown(group.name),
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
    start = f'<tr class="{kind}">' if kind else "<tr>"
    return start + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>\n"


def _lists(stats: Stats) -> Iterator[str]:
    losing = sorted((group for group in stats.groups if group.lossy), key=lambda each: -each.lossy_saved)
    if losing:
        yield "<h2>Largest losses</h2>\n" + _list(
            f"{group.name}: {group.lossy:,} results, {group.lossy_saved:,} tokens less "
            f"({', '.join(sorted(group.losing))})"
            for group in losing[:MOST_BARS]
        )
    unused = sorted((group for group in stats.groups if group.aside), key=lambda each: -each.never_fetched)
    if unused:
        yield "<h2>Set aside</h2>\n" + _list(
            f"{group.name}: {group.never_fetched:,} of {group.aside:,} values never fetched"
            for group in unused[:MOST_BARS]
        )
    said = [(group, found) for group in stats.groups if (found := advice(group)) is not None]
    if said and stats.by in UNWRAP:
        order = {"tune": 0, "unwrap": 1, "keep": 2}
        said.sort(key=lambda each: order[each[1].do])
        yield "<h2>What to do</h2>\n" + _list(
            f"{found.do} {group.name}: {found.why}" for group, found in said[:MOST_ROWS]
        )


def _list(lines: Iterator[str]) -> str:
    return '<ul class="said">' + "".join(f"<li>{shown(line)}</li>" for line in lines) + "</ul>\n"
