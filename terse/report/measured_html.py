"""`terse measure --html`: one page that needs nothing else, with its charts drawn in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from terse.report.chart import LEGEND, Bar, bars, listed, page, table, tiles
from terse.report.explain_views import shown
from terse.report.measured import Group, Measure
from terse.report.measured_text import headline, sections, sums
from terse.report.sizes import count, percent

MOST_BARS = 15


def render(measure: Measure) -> str:
    """The page. Same input, same bytes. INVARIANT: every name goes through `shown`."""
    return page("terse measure", _body(measure))


def _body(measure: Measure) -> Iterator[str]:
    yield f"<h1>terse measure</h1>\n<p>{shown(headline(measure))}</p>\n"
    if not measure.all.sums.calls:
        return
    yield tiles(_figures(measure))
    yield listed(sums(measure))
    for title, groups in (("tool", measure.tools), ("kind", measure.kinds)):
        yield f"<h2>Tokens by {title}</h2>\n" + LEGEND + bars(_bars(groups), f"Tokens by {title}")
    for section in sections(measure):
        yield f"<h2>{shown(section.title[0].upper() + section.title[1:])}</h2>\n"
        if section.headings:
            yield table(section.headings, section.rows, "all" if section.title == "by tool" else "")
        else:
            yield listed(row[0] for row in section.rows)
        yield "".join(f'<p class="soft">{shown(line)}</p>\n' for line in section.after)


def _figures(measure: Measure) -> Iterator[tuple[str, str]]:
    whole = measure.all.sums
    yield percent(measure.net, whole.before), "saved net"
    yield count(measure.net), "tokens saved net"
    yield count(whole.saved), "tokens saved gross"
    yield percent(whole.saved_alone, whole.before), "saved without memory"
    yield count(whole.calls), "calls"
    if measure.against is not None:
        yield f"{whole.after - whole.against:+,}", "tokens, against the other rules"


def _bars(groups: Sequence[Group]) -> list[Bar]:
    return [
        Bar(
            group.name,
            group.sums.before,
            group.sums.after,
            f"{group.name}: {group.sums.calls:,} calls, {group.sums.before:,} tokens, "
            f"{group.sums.after:,} sent",
        )
        for group in groups[:MOST_BARS]
        if group.sums.before
    ]
