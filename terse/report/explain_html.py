"""`terse explain --html`: one page that needs nothing else, where a step shows what it touched."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

from terse.plan.trace import GuardTrace, Outcome, RuleTrace, StepStatus, StepTrace, Touched, Trace
from terse.report.explain import IDLE, MAX_IDLE_ROWS
from terse.report.explain_views import MAX_PLACES, SIGNS, rows, shown, unlike
from terse.report.explanation import CallFrom, Explanation
from terse.report.laid_out import LaidOut, lay_out
from terse.report.sizes import bytes_in_words, count, percent, tokens_in_words

LISTED_PLACES = 50
"""Places of a step that are written out; of more it says how many."""
MAX_TEXTS = 20
"""Texts of one result that a page shows."""
MAX_VIEWS = 2_000_000
"""Characters of the views of single steps in a page; later steps then show no text of their own."""
MAX_RANGES = 2_000
"""Stretches of touched lines of one step that the page can light up."""


def render(explanation: Explanation) -> str:
    """The explanation as an HTML document. Same input, same bytes.

    INVARIANT: every text that comes from a payload, a rule or a name goes through `shown`; and the page's
    content security policy runs no script but ours, and loads nothing.
    """
    style, script = _part("explain_page.css"), _part("explain_page.js")
    title = f"terse explain {explanation.file}"
    body = "".join(_body(explanation))
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        "<!doctype html>\n"
        '<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{shown(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        f"{body}<script>{script}</script>\n</body>\n</html>\n"
    )


def _part(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _body(explanation: Explanation) -> Iterator[str]:
    yield f"<header><p>terse explain</p><p>{shown(explanation.file)}</p></header>\n<main>\n"
    for note in explanation.notes:
        yield f'<p class="notice">{shown(note)}</p>\n'
    total = len(explanation.outcomes)
    for number, (outcome, original) in enumerate(
        zip(explanation.outcomes[:MAX_TEXTS], explanation.originals, strict=False), 1
    ):
        yield from _Case(explanation, outcome, original, number).html(total)
    if total > MAX_TEXTS:
        yield f'<p class="notice">{total - MAX_TEXTS:,} more texts are not shown on this page</p>\n'
    yield "</main>\n"


class _Case:
    """One text of the result."""

    def __init__(self, explanation: Explanation, outcome: Outcome, original: str, number: int) -> None:
        self._explanation = explanation
        self._outcome = outcome
        self._trace = outcome.trace
        self._number = number
        touched = [step.touched for step in self._trace.steps if step.touched is not None]
        kept = self._trace.kept_places
        self._touched = [*touched, kept] if kept is not None else touched
        self._laid_out: LaidOut = lay_out(original, self._touched)
        self._views: list[tuple[str, str]] = []
        """The texts after each applied step: id and rows."""

    def html(self, total: int) -> Iterator[str]:
        steps = "".join(self._steps())
        yield f'<section class="case" id="t{self._number}">\n<div class="facts">\n'
        if total > 1:
            yield f'<p class="of">text {self._number} of {total}</p>\n'
        yield from self._heading()
        yield from _facts(self._explanation, self._trace)
        yield steps
        yield "</div>\n"
        yield from self._panes()
        for identity, content in self._views:
            yield f'<template id="{identity}">{content}</template>\n'
        yield "</section>\n"

    def _heading(self) -> Iterator[str]:
        trace = self._trace
        nobody = self._explanation.call_from is CallFrom.NOWHERE
        call = "any call" if nobody else trace.call
        if trace.rule is None:
            yield f"<h1>{shown(call)} <span>→ no rule: sent as it came</span></h1>\n"
        else:
            yield f"<h1>{shown(call)} <span>→ rule {shown(trace.rule.name)}</span></h1>\n"
            yield f'<p class="at">{shown(trace.rule.at)}</p>\n'
        before, after = max(0, trace.tokens_in), max(0, trace.tokens_out)
        if trace.gate.sent == "original" or before == after:
            said = f"as it came, {tokens_in_words(trace.tokens_out)}"
        else:
            said = f"{count(before)} → {tokens_in_words(after)}, {percent(before - after, before)} saved"
        guarantee = trace.guarantee.word
        yield f'<p class="result">{shown(said)} <span class="class {guarantee}">{guarantee}</span></p>\n'

    def _steps(self) -> Iterator[str]:
        trace = self._trace
        if not trace.steps:
            return
        before, lines = "", self._laid_out.lines
        room = MAX_VIEWS
        applied = [step for step in trace.steps if step.after is not None]
        texts = {id(step): lay_out(step.after or "", self._touched) for step in applied}
        nexts = {id(step): texts[id(after)].lines for step, after in pairwise(applied)}
        idle = [step for step in trace.steps if step.status in IDLE]
        # A long chain is mostly steps for other kinds of payload: as rows they would bury what was done.
        folded = idle if len(idle) > MAX_IDLE_ROWS else []
        yield "<h2>Steps</h2>\n"
        rows_there = len(folded) < len(trace.steps)
        if rows_there:
            yield _STEPS_HEAD
        for number, step in enumerate(trace.steps, 1):
            if folded and step.status in IDLE:
                continue
            text = texts.get(id(step))
            if text is None:
                yield self._step(step, number, "", "")
                continue
            compared = {"new": unlike(text.lines, lines)}
            if id(step) in nexts:
                compared["gone"] = unlike(text.lines, nexts[id(step)])
            content = ""
            if room > 0:
                content = rows(
                    text.lines, unlike={name: to for name, to in compared.items() if to is not None}
                )
                room -= len(content)
            after = f"t{self._number}v{number}" if content else ""
            if content:
                self._views.append((after, content))
            yield self._step(step, number, before, after)
            before, lines = after, text.lines
        if rows_there:
            yield "</tbody></table>\n"
        if folded:
            said = "".join(f"<li><span>{shown(step.label)}</span>: {_why_idle(step)}</li>" for step in folded)
            yield f'<details class="idle"><summary>{len(folded)} steps changed nothing</summary>'
            yield f"<ul>{said}</ul></details>\n"

    def _step(self, step: StepTrace, number: int, before: str, after: str) -> str:
        applied = step.status is StepStatus.APPLIED
        gained = step.tokens_before - step.tokens_after
        saved = percent(gained, self._trace.tokens_in) if applied and gained else "–"
        word = step.guarantee.word if applied else step.status.value
        ranges = "" if step.touched is None else _ranges(self._laid_out.ranges(step.touched))
        what = f"{step.action}: {_number_of(step.touched)}" if step.touched is not None else ""
        label = shown(step.label)
        name = (
            f'<button type="button">{label}</button>'
            if after or ranges
            else f'<span class="label">{label}</span>'
        )
        note = f'<p class="note">{shown(step.note)}</p>' if step.note else ""
        at = f'<p class="at">{shown(step.at)}</p>' if step.at else ""
        return (
            f'<tr id="t{self._number}s{number}" class="step {step.status.name.lower()}" '
            f'data-touch="{ranges}" data-before="{before}" data-after="{after}" data-what="{shown(what)}">'
            f"<td>{name}{note}{at}{_places(step, what)}</td>"
            f'<td class="n">{count(step.tokens_after)}</td><td class="n">{saved}</td>'
            f'<td><span class="class {word.replace(" ", "-")}">{word}</span></td></tr>\n'
        )

    def _panes(self) -> Iterator[str]:
        laid_out = self._laid_out
        actions: dict[int, str] = {}
        wanted: list[tuple[int, int]] = []
        kept = self._trace.kept_places
        marked = [("kept", kept)] if kept is not None else []
        # What was done last is what a line shows; nothing is done to what is kept.
        marked += [(step.action, step.touched) for step in self._trace.steps if step.touched is not None]
        for action, touched in marked:
            ranges = list(laid_out.ranges(touched))
            wanted += ranges[:MAX_PLACES]
            for first, last in ranges:
                for line in range(first, last + 1):
                    if action != "kept" or line not in actions:
                        actions[line] = action
        if kept is not None:
            for first, last in laid_out.ranges(kept):
                actions.update(dict.fromkeys(range(first, last + 1), "kept"))
        about = "as it came"
        if laid_out.is_json:
            about = "as it came, but for line breaks and indents: a line for each value"
        yield '<div class="panes">\n<p class="now" role="status">Original and result</p>\n'
        yield '<button type="button" class="whole" hidden>Back to original and result</button>\n'
        yield _legend(dict.fromkeys(actions.values()))
        left = rows(laid_out.lines, actions=actions, wanted=wanted)
        yield _pane("left", "Original", about, left)
        sent = _lines(self._outcome.text)
        said = "what is sent" if self._trace.gate.sent == "emitted" else "what is sent: the original"
        yield _pane("right", "Emitted", f"{said}, {tokens_in_words(self._trace.tokens_out)}", rows(sent))
        yield "</div>\n"


def _why_idle(step: StepTrace) -> str:
    said = step.note or step.status.value
    if step.status is StepStatus.OUT_OF_TIME:
        said = f"{step.status.value}, {said}"
    return f'{shown(said)} <span class="at">{shown(step.at)}</span>'


_STEPS_HEAD = (
    '<p class="hint">Point at a step to see what it touched; select it to hold it.</p>\n'
    '<table class="steps"><thead><tr><th>step</th><th class="n">tokens</th>'
    '<th class="n">saved</th><th>class</th></tr></thead><tbody>\n'
)


def _pane(side: str, title: str, about: str, content: str) -> str:
    return (
        f'<section class="pane {side}"><h3>{title}</h3><p class="about">{shown(about)}</p>'
        f'<div class="text" tabindex="0" role="region" aria-label="{title}">{content}</div></section>\n'
    )


def _legend(actions: Iterable[str]) -> str:
    items = "".join(
        f'<li class="{SIGNS[action][0]}"><span>{SIGNS[action][1]}</span> {action}</li>' for action in actions
    )
    return f'<ul class="legend">{items}</ul>\n' if items else ""


def _places(step: StepTrace, what: str) -> str:
    """The places as text, for those who see no colours or run no scripts."""
    touched = step.touched
    if touched is None:
        return ""
    names = [place or "the whole document" for place in touched.places[:LISTED_PLACES]]
    names += [
        f"line {first}" if first == last else f"lines {first}–{last}"
        for first, last in touched.lines[:LISTED_PLACES]
    ]
    listed = "".join(f"<li>{shown(name)}</li>" for name in names)
    more = len(touched.places) + len(touched.lines) - len(names)
    if more > 0:
        listed += f"<li>and {more:,} more</li>"
    return f'<details><summary>{shown(what)}</summary><ul class="places">{listed}</ul></details>'


def _number_of(touched: Touched) -> str:
    number = touched.number
    word = "place" if touched.places else "line"
    return f"{number:,} {word}{'s' if number != 1 else ''}"


def _ranges(ranges: Iterable[tuple[int, int]]) -> str:
    """Lines from 1, neighbours joined: `3-5 9-9`."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return " ".join(f"{first + 1}-{last + 1}" for first, last in joined[:MAX_RANGES])


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    if lines[-1] == "" and len(lines) > 1:
        lines.pop()
    return lines


# ---- facts -------------------------------------------------------------------------------------------------


def _facts(explanation: Explanation, trace: Trace) -> Iterator[str]:
    size = f"{bytes_in_words(trace.bytes_in).strip()}, {tokens_in_words(trace.tokens_in).strip()}"
    entries = [("payload", [f"{shown(trace.summary)}, {size}"]), ("policy", [shown(explanation.policy)])]
    if trace.why:
        entries.append(("chosen", [shown(trace.why)]))
    if trace.rule is not None:
        entries.append(
            (
                "when",
                [
                    _condition(each.text.removeprefix("when "), each.held, each.reason)
                    for each in trace.rule.conditions
                    if not each.text.startswith("on ")
                ],
            )
        )
        entries.append(("because", [shown(reason) for reason in trace.rule.because]))
    entries.append(("guards", list(_guards(trace.guards))))
    entries.append(("nearest", [_nearest(rule) for rule in trace.nearest]))
    if trace.lost:
        entries.append(("lost", [f"{trace.lost_percent:.1f}%: {shown(', '.join(trace.lost))}"]))
    if trace.kept:
        entries.append(("kept", [f"{shown(', '.join(trace.kept))}: compared, unchanged"]))
    if trace.aside:
        entries.append(("aside", [shown(", ".join(trace.aside))]))
    entries.append(("check", [shown(trace.gate.verdict)]))
    yield "<dl>\n"
    for name, said in entries:
        if said:
            yield f"<dt>{name}</dt>" + "".join(f"<dd>{each}</dd>" for each in said) + "\n"
    yield "</dl>\n"


def _condition(text: str, held: bool, reason: str) -> str:
    answer = "yes" if held else f"no: {reason}" if reason else "no"
    return f'{shown(text)} <span class="answer {"yes" if held else "no"}">{shown(answer)}</span>'


def _guards(guards: Iterable[GuardTrace]) -> Iterator[str]:
    others = 0
    for guard in guards:
        if guard.elsewhere:
            others += 1
            continue
        said = guard.text if guard.applies else f"does not apply: {guard.text}"
        why = "".join(
            f' <span class="why">because {shown(each)}</span>' for each in guard.because if guard.applies
        )
        yield f'<b>{shown(guard.name)}</b> {shown(said)}{why} <span class="at">{shown(guard.at)}</span>'
    if others:
        yield f"{others} guard{'s speak' if others > 1 else ' speaks'} of other calls"


def _nearest(rule: RuleTrace) -> str:
    lines = "".join(f"<li>{_condition(each.text, each.held, each.reason)}</li>" for each in rule.conditions)
    return f'<b>{shown(rule.name)}</b> <span class="at">{shown(rule.at)}</span><ul>{lines}</ul>'
