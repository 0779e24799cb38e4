"""Pages that need nothing else, and charts drawn in them."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from terse.report.explain_views import shown

_LONGEST_LABEL = 52
# Narrow, so that words in it are large enough on a phone.
WIDTH, _ROW, _BAR = 400, 36, 12

LEGEND = (
    '<ul class="legend"><li><svg viewBox="0 0 10 10" aria-hidden="true"><rect class="sent" width="10" '
    'height="10"/></svg>sent</li><li><svg viewBox="0 0 10 10" aria-hidden="true"><rect class="saved" '
    'width="10" height="10"/></svg>not sent</li></ul>\n'
)


class Bar(NamedTuple):
    """A bar: tokens received and sent, and words for whoever points at it.

    Attributes:
        percent: what stands behind it, if not what was saved of what was received.
    """

    name: str
    received: int
    sent: int
    words: str
    percent: float | None = None


def page(title: str, body: Iterable[str], style_of_its_own: str = "") -> str:
    """A page. Same input, same bytes.

    INVARIANT: the page's content security policy runs no script and loads nothing.

    Args:
        body: HTML, in which every text went through `shown`.
        style_of_its_own: the file in this folder with what this page has beside the others.
    """
    names = ("page.css", style_of_its_own) if style_of_its_own else ("page.css",)
    style = "".join((Path(__file__).parent / name).read_text(encoding="utf-8") for name in names)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return (
        "<!doctype html>\n"
        '<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{shown(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n"
        f"{''.join(body)}</main>\n</body>\n</html>\n"
    )


def bars(rows: Sequence[Bar], what: str) -> str:
    """A bar per row, as long as what was received: what was sent, and what was not."""
    most = max((row.received for row in rows), default=1) or 1
    room = WIDTH - 40
    parts = []
    for place, row in enumerate(rows):
        top = place * _ROW
        sent = room * min(row.sent, row.received) / most
        spared = room * max(row.received - row.sent, 0) / most
        percent = row.percent
        if percent is None:
            percent = 100 * (row.received - row.sent) / row.received if row.received else 0.0
        label = row.name if len(row.name) <= _LONGEST_LABEL else f"…{row.name[1 - _LONGEST_LABEL :]}"
        bar = f'y="{top + 18}" height="{_BAR}"'
        parts.append(
            f"<g><title>{shown(row.words)}</title>"
            f'<text x="0" y="{top + 13}">{shown(label)}</text>'
            f'<rect class="sent" x="0" width="{sent:.1f}" {bar}/>'
            f'<rect class="saved" x="{sent:.1f}" width="{spared:.1f}" {bar}/>'
            f'<text x="{sent + spared + 6:.1f}" y="{top + 28}">{percent:.0f}%</text></g>'
        )
    return drawing(max(1, len(rows)) * _ROW, what, parts)


def drawing(height: int, what: str, parts: Iterable[str]) -> str:
    """A drawing `WIDTH` wide; `what` is for whoever does not see it."""
    label = shown(what)
    return f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{label}">{"".join(parts)}</svg>\n'


def tiles(each: Iterable[tuple[str, str]]) -> str:
    """Figures that stand by themselves: each with what it is."""
    items = "".join(f"<li><b>{shown(figure)}</b>{shown(what)}</li>" for figure, what in each)
    return f'<ul class="tiles">{items}</ul>\n'


def table(headings: Sequence[str], rows: Sequence[Sequence[str]], last: str = "") -> str:
    """A table; it is moved sideways where it is too wide.

    Args:
        last: the class of the last row.
    """
    head = "".join(f"<th>{shown(heading)}</th>" for heading in headings)
    made = []
    for place, row in enumerate(rows):
        kind = f' class="{last}"' if last and place == len(rows) - 1 else ""
        made.append(f"<tr{kind}>" + "".join(f"<td>{shown(cell)}</td>" for cell in row) + "</tr>\n")
    return (
        f'<div class="wide" tabindex="0"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n'
        f"{''.join(made)}</tbody></table></div>\n"
    )


def listed(lines: Iterable[str]) -> str:
    """Sentences, one below the other."""
    return '<ul class="said">' + "".join(f"<li>{shown(line)}</li>" for line in lines) + "</ul>\n"
