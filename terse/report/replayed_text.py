"""`terse replay` for people, and as a page."""

from __future__ import annotations

from collections.abc import Sequence

from terse.hidden import visible
from terse.report.differed_markdown import code, plain
from terse.report.replayed import LONG, Group, Replay
from terse.report.sizes import count, percent

_LONGEST_NAME = 44


def render(replay: Replay) -> str:
    """A row per tool, the sum, and what repeats cost."""
    lines = [headline(replay), "", *_columns(_headings(replay), [_cells(each) for each in _groups(replay)])]
    lines += ["", *_findings(replay)]
    return "".join(visible(line).rstrip() + "\n" for line in lines)


def render_markdown(replay: Replay) -> str:
    """The same as a page."""
    headings = _headings(replay)
    lines = ["### terse replay", "", f"{plain(headline(replay))}.", "", f"| {' | '.join(headings)} |"]
    lines.append("|" + "|".join("---" if name in ("tool", "classes") else "---:" for name in headings) + "|")
    for first, *rest in map(_cells, _groups(replay)):
        lines.append(f"| {' | '.join([code(first), *map(plain, rest)])} |")
    lines += ["", *(f"- {plain(line)}" for line in _findings(replay))]
    return "\n".join(lines).rstrip("\n") + "\n"


def headline(replay: Replay) -> str:
    """What was replayed, and how."""
    calls = len(replay.rows)
    sessions = f"{replay.sessions:,} session{'' if replay.sessions == 1 else 's'}"
    said = [f"{sessions} with {calls:,} call{'' if calls == 1 else 's'}", f"rules {replay.policy}"]
    if replay.against is not None:
        said.append(f"against {replay.against}")
    return ", ".join([*said, f"a client that shows {replay.client}", f"tokens in {replay.vocabulary}"])


def _groups(replay: Replay) -> list[Group]:
    return [*replay.tools, replay.all]


def _headings(replay: Replay) -> list[str]:
    against = [] if replay.against is None else ["against", "change"]
    return ["tool", "calls", "received", "sent", "saved", *against, "lost", "classes"]


def _cells(group: Group) -> list[str]:
    cells = [
        group.name,
        count(len(group.calls)),
        count(group.before),
        count(group.after),
        percent(group.before - group.after, group.before),
    ]
    if group.after_against is not None:
        cells += [count(group.after_against), f"{group.after - group.after_against:+,}"]
    classes = ", ".join(f"{each.word} {number}" for each, number in group.classes.items())
    return [*cells, count(group.lost), classes]


def _findings(replay: Replay) -> list[str]:
    lines: list[str] = []
    if replay.same:
        lines.append(
            f"{len(replay.same):,} calls gave again what they had given: "
            f"{sum(replay.same):,} tokens in all, {max(replay.same):,} at most"
        )
    if replay.changed_median is not None:
        lines.append(
            f"{len(replay.changed):,} calls of {LONG} characters or more gave something else than before: "
            f"{replay.changed_median:.1f}% of their tokens were sent, in the median"
        )
    lines += [f"failed: {problem}" for problem in replay.problems]
    return lines + [f"left out: {note}" for note in replay.notes]


def _columns(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    shown = [[_short(row[0]), *row[1:]] for row in rows]
    widths = [max(len(row[at]) for row in (headings, *shown)) for at in range(len(headings))]
    last = len(headings) - 1
    return [
        "  ".join(
            cell.ljust(width) if at in (0, last) else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (headings, *shown)
    ]


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
