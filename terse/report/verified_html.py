"""`terse verify --html`: one page that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from terse.report.explain_views import shown
from terse.report.verified import Check, Form, Saved, Verified
from terse.report.verified_text import headline, subject

MOST_BARS = 15
MOST_ROWS = 200
_LONGEST_LABEL = 52
# Narrow, so that words in it are large enough on a phone.
_WIDTH, _ROW, _BAR = 400, 36, 12
_VERDICTS = {True: ("holds", "ok"), False: ("broken", "no"), None: ("open", "–")}


def render(found: Verified) -> str:
    """The page. Same input, same bytes.

    INVARIANT: every text goes through `shown`, and the page's content security policy runs no script and
    loads nothing.
    """
    folder = Path(__file__).parent
    style = "".join(
        (folder / name).read_text(encoding="utf-8") for name in ("stats_page.css", "verified_page.css")
    )
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return (
        "<!doctype html>\n"
        '<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>terse verify</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n"
        f"{''.join(_body(found))}</main>\n</body>\n</html>\n"
    )


def _body(found: Verified) -> Iterator[str]:
    yield f"<h1>{shown(headline(found))}</h1>\n<p>{shown(subject(found))}</p>\n"
    yield _tiles(found)
    yield "<h2>Promises</h2>\n" + _checks(found.checks)
    yield "<h2>Tokens by tool</h2>\n" + _LEGEND + _bars(found.saved[:MOST_BARS])
    yield from _table(found)
    yield "<h2>What a client without a decoder sees</h2>\n"
    yield (
        '<p class="soft">An example of each step that was at work: the first lines of a result as it came, '
        "and of what is sent in its place. A result that no step makes smaller is sent as it came.</p>\n"
    )
    yield from map(_form, found.forms)
    yield from _facts(found)
    if found.notes:
        yield '<h2>Left out</h2>\n<ul class="said">'
        yield "".join(f"<li>{shown(note)}</li>" for note in found.notes) + "</ul>\n"


def _tiles(found: Verified) -> str:
    held = sum(check.holds is True for check in found.checks)
    tiles = (
        (f"{held} of {len(found.checks)}", "promises hold"),
        (f"{found.texts:,}", "texts decoded and compared"),
        (f"{found.all.percent:.1f}%", "of the tokens not sent"),
        (f"{found.seconds:.1f} s", "without the network"),
    )
    return '<ul class="tiles">' + "".join(f"<li><b>{big}</b>{what}</li>" for big, what in tiles) + "</ul>\n"


def _checks(checks: Sequence[Check]) -> str:
    items = []
    for check in checks:
        kind, sign = _VERDICTS[check.holds]
        findings = "".join(f"<li>{shown(finding)}</li>" for finding in check.findings)
        listed = f'<ul class="said">{findings}</ul>' if findings else ""
        items.append(
            f'<li class="{kind}"><span class="verdict">{sign}</span><b>{shown(check.name)}</b>: '
            f"{shown(check.said)}{listed}</li>\n"
        )
    return f'<ul class="checks">{"".join(items)}</ul>\n'


_LEGEND = (
    '<ul class="legend"><li><svg viewBox="0 0 10 10" aria-hidden="true"><rect class="sent" width="10" '
    'height="10"/></svg>sent</li><li><svg viewBox="0 0 10 10" aria-hidden="true"><rect class="saved" '
    'width="10" height="10"/></svg>not sent</li></ul>\n'
)


def _bars(rows: Sequence[Saved]) -> str:
    """A bar per tool: what is sent, and what is not."""
    most = max((row.received for row in rows), default=0) or 1
    room = _WIDTH - 40
    parts = []
    for place, row in enumerate(rows):
        top = place * _ROW
        sent = room * min(row.sent, row.received) / most
        spared = room * max(row.received - row.sent, 0) / most
        name = row.tool if len(row.tool) <= _LONGEST_LABEL else f"…{row.tool[1 - _LONGEST_LABEL :]}"
        bar = f'y="{top + 18}" height="{_BAR}"'
        words = f"{row.tool}: {row.received:,} tokens, {row.sent:,} sent"
        parts.append(
            f"<g><title>{shown(words)}</title>"
            f'<text x="0" y="{top + 13}">{shown(name)}</text>'
            f'<rect class="sent" x="0" width="{sent:.1f}" {bar}/>'
            f'<rect class="saved" x="{sent:.1f}" width="{spared:.1f}" {bar}/>'
            f'<text x="{sent + spared + 6:.1f}" y="{top + 28}">{row.percent:.0f}%</text></g>'
        )
    return (
        f'<svg viewBox="0 0 {_WIDTH} {len(rows) * _ROW}" role="img" '
        f'aria-label="Tokens sent and not sent, by tool">{"".join(parts)}</svg>\n'
    )


def _table(found: Verified) -> Iterator[str]:
    headings = "".join(f"<th>{name}</th>" for name in ("tool", "kind", "results", "tokens", "sent", "saved"))
    yield '<h2>All figures</h2>\n<div class="wide" tabindex="0"><table>\n'
    yield f"<thead><tr>{headings}</tr></thead>\n<tbody>\n"
    for row in found.saved[:MOST_ROWS]:
        yield _row(row)
    yield _row(found.all, "all") + "</tbody></table></div>\n"
    if len(found.saved) > MOST_ROWS:
        yield f'<p class="soft">{len(found.saved) - MOST_ROWS:,} more are in --json</p>\n'


def _row(row: Saved, kind: str = "") -> str:
    cells = (
        shown(row.tool),
        shown(row.kinds),
        f"{row.results:,}",
        f"{row.received:,}",
        f"{row.sent:,}",
        f"{row.percent:.1f}%",
    )
    start = f'<tr class="{kind}">' if kind else "<tr>"
    return start + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>\n"


def _form(form: Form) -> str:
    sides = "".join(
        f'<div><h3>{title}</h3><pre tabindex="0">{_lines(text)}</pre></div>'
        for title, text in (("as it came", form.received), ("as it is sent", form.sent))
    )
    return (
        f"<details><summary><b>{shown(form.name)}</b> in {form.times:,}, here {shown(form.tool)}</summary>\n"
        f'<p class="soft reads">{shown(form.reads)}</p><div class="pair">{sides}</div></details>\n'
    )


def _lines(text: str) -> str:
    return "\n".join(map(shown, text.split("\n")))


def _facts(found: Verified) -> Iterator[str]:
    counted, installed = found.counted, found.installed
    yield "<h2>To count again</h2>\n" + _list(
        ("vocabulary", f"{counted.vocabulary}, {counted.tokens:,} tokens"),
        ("sha256", f"{counted.sha256} of its published file"),
        ("counted", "the whole text of a result, no special tokens"),
        ("all that is sent", f"sha256 {found.digest}"),
    )
    packages = ", ".join(f"{name} {version}" for name, version in installed.packages.items())
    record = (
        f"{installed.files} files; sha256 of their list {installed.record}" if installed.record else "none"
    )
    yield "<h2>What was verified</h2>\n" + _list(
        ("terse", f"{installed.version} in {installed.folder}"),
        ("Python", f"{installed.python}, {installed.platform}"),
        ("made from", packages),
        ("list of files", record),
    )
    yield "<h2>What is kept on disk</h2>\n"
    yield '<p class="soft">Those in bold were written by the terse proxy that was watched here.</p>\n'
    yield '<ul class="said">'
    for place in found.places:
        path = f"<b>{shown(place.path)}</b>" if place.seen else shown(place.path)
        yield f"<li>{path}: {shown(place.what)} ({shown(place.when)})</li>\n"
    yield "</ul>\n"


def _list(*pairs: tuple[str, str]) -> str:
    return (
        "<dl>" + "".join(f"<dt>{shown(name)}</dt><dd>{shown(text)}</dd>" for name, text in pairs) + "</dl>\n"
    )
