"""`terse verify --html`: one page that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from terse.report.chart import LEGEND, Bar, bars, listed, page, table, tiles
from terse.report.explain_views import shown
from terse.report.verified import Check, Form, Saved, Verified
from terse.report.verified_text import headline, subject

MOST_BARS = 15
MOST_ROWS = 200
_VERDICTS = {True: ("holds", "ok"), False: ("broken", "no"), None: ("open", "–")}


def render(found: Verified) -> str:
    """The page. Same input, same bytes.

    INVARIANT: every text goes through `shown`, and the page's content security policy runs no script and
    loads nothing.
    """
    return page("terse verify", _body(found), "verified_page.css")


def _body(found: Verified) -> Iterator[str]:
    yield f"<h1>{shown(headline(found))}</h1>\n<p>{shown(subject(found))}</p>\n"
    yield _tiles(found)
    yield "<h2>Promises</h2>\n" + _checks(found.checks)
    rows = [
        Bar(row.tool, row.received, row.sent, f"{row.tool}: {row.received:,} tokens, {row.sent:,} sent")
        for row in found.saved[:MOST_BARS]
    ]
    yield "<h2>Tokens by tool</h2>\n" + LEGEND + bars(rows, "Tokens sent and not sent, by tool")
    yield from _table(found)
    yield "<h2>What a client without a decoder sees</h2>\n"
    yield (
        '<p class="soft">An example of each step that was at work: the first lines of a result as it came, '
        "and of what is sent in its place. A result that no step makes smaller is sent as it came.</p>\n"
    )
    yield from map(_form, found.forms)
    yield from _facts(found)
    if found.notes:
        yield "<h2>Left out</h2>\n" + listed(found.notes)


def _tiles(found: Verified) -> str:
    held = sum(check.holds is True for check in found.checks)
    each = (
        (f"{held} of {len(found.checks)}", "promises hold"),
        (f"{found.texts:,}", "texts decoded and compared"),
        (f"{found.all.percent:.1f}%", "of the tokens not sent"),
        (f"{found.seconds:.1f} s", "without the network"),
    )
    return tiles(each)


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


def _table(found: Verified) -> Iterator[str]:
    headings = ("tool", "kind", "results", "tokens", "sent", "saved")
    rows = [_row(row) for row in (*found.saved[:MOST_ROWS], found.all)]
    yield "<h2>All figures</h2>\n" + table(headings, rows, "all")
    if len(found.saved) > MOST_ROWS:
        yield f'<p class="soft">{len(found.saved) - MOST_ROWS:,} more are in --json</p>\n'


def _row(row: Saved) -> tuple[str, ...]:
    return (
        row.tool,
        row.kinds,
        f"{row.results:,}",
        f"{row.received:,}",
        f"{row.sent:,}",
        f"{row.percent:.1f}%",
    )


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
