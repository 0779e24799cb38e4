"""Hover texts: what is under the cursor, in its own sentence; a rule, also by what it does to its samples."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from terse.editors.facts import Facts, facts, texts
from terse.editors.findings import Finding, findings
from terse.editors.names import Kind, Name, Named, definition, name_at
from terse.editors.positions import Position, Range, offset_of, position_of, range_of
from terse.editors.project import Project
from terse.language.codes import BY_CODE
from terse.language.codes import BY_NAME as CODES_BY_NAME
from terse.language.words import SENTENCES
from terse.memory.session import Session
from terse.payload.call import Call
from terse.payload.payload import Payload
from terse.plan.glob import matches
from terse.plan.model import Plan, Rule
from terse.plan.run import run
from terse.plan.trace import Outcome, StepStatus
from terse.source import Source
from terse.tiers import BY_NAME
from terse.tiers.spec import Tier
from terse.tokens import vocabulary

MOST_SAMPLES = 6
"""Samples that a rule is explained on: a hover is read at a glance."""
MOST_TRIED = 24
"""Samples that are run to find those: other rules may apply to most of them."""
LARGEST = 200_000
"""Characters of the largest text that is run while someone waits for a hover."""


@dataclass(frozen=True, slots=True)
class Hover:
    """Markdown, and the stretch of the file that it is about."""

    text: str
    range: Range


def hover(project: Project, path: str, at: Position, encoding: str = "utf-16") -> Hover | None:
    """What there is to say of the place; None where there is nothing."""
    source = project.source(path)
    if source is None:
        return None
    offset = offset_of(source, at, encoding)
    parts: list[str] = []
    where: Range | None = None
    name = name_at(source, offset)
    if name is not None:
        said = "\n\n".join(_about(project, path, name))
        if said:
            parts.append(said)
            where = range_of(name.span, encoding)
    if not parts and (word := _word_at(source, offset)) is not None:
        parts.append(SENTENCES[word.text])
        where = Range(position_of(source, word.start, encoding), position_of(source, word.end, encoding))
    for finding in findings(project, path, encoding).get(path, ()):
        if finding.range.start <= at <= finding.range.end:
            parts.append(_of_finding(finding))
            where = where or finding.range
    return Hover("\n\n---\n\n".join(parts), where) if where is not None else None


# ---- words ---------------------------------------------------------------------------------------------


class _Word(NamedTuple):
    text: str
    start: int
    end: int


_WORDS = re.compile(
    "|".join(
        rf"(?<![\w*.-]){re.escape(word).replace(chr(92) + ' ', '[ ]+')}(?![\w*-])"
        for word in sorted(SENTENCES, key=len, reverse=True)
    )
)
_SKIPPED = re.compile(r'"(?:\\.|[^"\\\n])*"|#[^\n]*')


def _word_at(source: Source, offset: int) -> _Word | None:
    """The word of the language at a place, outside texts and comments; `set aside` is one word."""
    line = source.line_of(min(offset, len(source.text)))
    start, text = source.start_of(line), source.line_text(line)
    bare = _SKIPPED.sub(lambda found: "\0" * len(found[0]), text)
    for found in _WORDS.finditer(bare):
        if found.start() <= offset - start <= found.end():
            return _Word(re.sub(" +", " ", found[0]), start + found.start(), start + found.end())
    return None


def _of_finding(finding: Finding) -> str:
    code = BY_CODE[finding.code]
    return f"**{code.code} {code.name}** ({finding.severity.word}): {code.summary}.\n\n{code.why}"


# ---- names ----------------------------------------------------------------------------------------------


def _about(project: Project, path: str, name: Name) -> Iterator[str]:
    match name.kind:
        case Kind.TIER if name.text in BY_NAME:
            yield from _of_tier(BY_NAME[name.text])
        case Kind.OPTION if name.of in BY_NAME:
            yield from _of_option(BY_NAME[name.of], name.text)
        case Kind.CODE if name.text in CODES_BY_NAME:
            code = CODES_BY_NAME[name.text]
            yield f"**{code.code} {code.name}** ({code.severity.word}): {code.summary}."
        case Kind.RULE:
            yield from _of_rule(project, path, name.text)
        case Kind.CHAIN | Kind.PROFILE | Kind.GUARD:
            yield from _of_definition(project, path, name)


def _of_tier(tier: Tier) -> Iterator[str]:
    yield f"**{tier.name}**, {tier.guarantee.word}: {tier.sentence}."
    yield f"How it reads: {tier.reads}."
    if tier.options:
        yield "\n".join(_option_line(tier, option.name) for option in tier.options)


def _of_option(tier: Tier, name: str) -> Iterator[str]:
    if any(option.name == name for option in tier.options):
        yield _option_line(tier, name).removeprefix("- ")


def _option_line(tier: Tier, name: str) -> str:
    option = next(option for option in tier.options if option.name == name)
    unit = f" {option.unit}" if option.unit else ""
    return (
        f"- `{option.name} {option.default}{unit}`: {option.sentence} "
        f"({option.minimum} to {option.maximum}{unit})"
    )


def _of_definition(project: Project, path: str, name: Name) -> Iterator[str]:
    span = definition(project, path, name)
    for item in project.items(path):
        if isinstance(item, Named) and item.name.span == span:
            yield f"**{name.kind} {name.text}**, {item.span.place}"
            yield f"```terse\n{item.span.text.strip()}\n```"


# ---- rules: what explain says, for each of its samples -----------------------------------------------------


def _of_rule(project: Project, path: str, name: str) -> Iterator[str]:
    checked = project.last_plan(path)
    plan = checked.plan if checked is not None else None
    rule = next((rule for rule in plan.rules if rule.name == name), None) if plan is not None else None
    if plan is None or rule is None:
        return
    yield f"**rule {rule.name}**, {rule.guarantee} at worst. {'; '.join(rule.because)}".rstrip()
    places = list(_places(rule, facts(project, path)))
    if not places:
        yield "No sample of the calls it speaks of."
        return
    rows: list[str] = []
    tried = 0
    while tried < min(len(places), MOST_TRIED) and len(rows) < MOST_SAMPLES:
        rows += _rows(project, plan, rule, *places[tried])
        tried += 1
    if rows:
        yield "\n".join(("| sample | tokens | class | |", "|---|---|---|---|", *rows))
    else:
        yield f"It applies to none of {tried} samples when the call has no arguments."
    if tried < len(places):
        yield f"{len(places) - tried} samples were not tried: `terse explain SAMPLE --rules …`"


def _places(rule: Rule, known: Facts) -> Iterator[tuple[str, str, str]]:
    """Server, tool and path of the samples whose calls the rule's patterns match."""
    for (server, tool), files in sorted(known.samples.items()):
        if any(matches(each.server, server) and matches(each.tool, tool) for each in rule.on):
            yield from ((server, tool, file) for file in files)


def _rows(project: Project, plan: Plan, rule: Rule, server: str, tool: str, file: str) -> Iterator[str]:
    count = vocabulary()
    shown = "/".join(file.split("/")[-3:])
    for text in texts(project, file):
        if len(text) > LARGEST:
            yield f"| {shown} | | | too large to run here |"
            continue
        call = Call(server, tool, {})
        outcome = run(plan, Payload.of(text), call, Session(), count, can_retrieve=True, detail=True)
        if outcome.trace.rule is not None and outcome.trace.rule.name == rule.name:
            yield _row(shown, outcome)


def _row(shown: str, outcome: Outcome) -> str:
    trace = outcome.trace
    saved = 100 * (1 - trace.tokens_out / trace.tokens_in) if trace.tokens_in else 0.0
    tokens = f"{trace.tokens_in:,} → {trace.tokens_out:,}, {saved:.1f}% saved"
    done = ", ".join(step.label for step in trace.steps if step.status is StepStatus.APPLIED)
    return f"| {shown} | {tokens} | {outcome.guarantee.word} | {done or trace.gate.verdict} |"
