"""Names that were found in captures, as rule files can say them; and lines in rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from terse.language import syntax
from terse.language.tiers import known
from terse.plan import describe
from terse.plan.model import Pattern
from terse.tuning.draft import Draft, with_block, with_line_after, with_line_instead

MAX_NAME = 128
MAX_DEPTH = 8
MAX_REASON = 90

_KEY = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]{0,63}")
"""Keys that are names. What else stands as a key may be data (an address, an identifier), and a rule file
that others read must not have it."""

_FIELD_LINES = (
    syntax.Apply,
    syntax.Keep,
    syntax.Remove,
    syntax.SetAside,
    syntax.Shorten,
    syntax.Fit,
)
_CHOOSING = (syntax.On, syntax.Except, syntax.When)
_Tool = tuple[str, str]


def is_sayable(tool: _Tool) -> bool:
    """Whether a rule file can name the tool: no sign that a reader would not see, and no wildcard."""
    return all(name and name.isprintable() and "*" not in name and len(name) <= MAX_NAME for name in tool)


def is_path(keys: tuple[str, ...]) -> bool:
    """Whether the keys are names, and few enough to be read."""
    return 0 < len(keys) <= MAX_DEPTH and all(_KEY.fullmatch(key) for key in keys)


def pattern(tool: _Tool) -> str:
    """`server/tool` in the language's words."""
    return describe.pattern(Pattern(*tool))


def is_about(rule: syntax.Rule, tool: _Tool) -> bool:
    """Whether the rule speaks of this one tool, and of no other."""
    patterns = [each for line in rule.lines if isinstance(line, syntax.On) for each in line.patterns]
    return bool(patterns) and all((each.server, each.tool) == tool for each in patterns)


def found_rule(draft: Draft, name: str) -> syntax.Rule | None:
    """The rule of this name that is in force, wherever it stands."""
    own = draft.rule(name)
    if own is not None:
        return own
    items = (item for file in draft.checked.files for item in file.items)
    return next((item for item in items if isinstance(item, syntax.Rule) and item.name.text == name), None)


def with_line_for(
    draft: Draft,
    name: str,
    tool: _Tool,
    line: str,
    because: str,
    *,
    when: str = "",
    is_always: bool = False,
    bound: str = "",
) -> Iterator[tuple[Draft, str]]:
    """The rules with one more line for a tool, and the rule that it stands in: the tool's own, or a new one.

    Args:
        name: the rule that applies to the tool now. A new one does all that it does, for this tool.
        when: a condition that the line needs; only in a new rule.
        is_always: the condition holds for all results that were seen, so that a rule may go without it where
            another condition says it already.
        bound: a `lose at most` line, for a rule that has none.
    """
    rule = found_rule(draft, name)
    if rule is None or not is_sayable(tool):
        return
    if is_about(rule, tool) and draft.rule(name) is not None and not when:
        path = rule.span.source.path
        made = _with_lines(draft.text(path), rule, line, because, bound)
        changed = draft.changed({path: made}) if draft.is_editable(path) else None
        if changed is not None:
            yield changed, name
        return
    body = [_copied(each) for each in rule.lines if not isinstance(each, _CHOOSING)]
    conditions = [_copied(each) for each in rule.lines if isinstance(each, syntax.When)]
    at = next(
        (at for at, each in enumerate(body) if each.startswith(("lose ", "because ", "require "))), None
    )
    body.insert(len(body) if at is None else at, line)
    if bound and not any(each.startswith("lose ") for each in body):
        body.append(bound)
    if f'because "{because}"' not in body:
        body.append(f'because "{because}"')
    needed = [when] if when and when not in conditions else []
    for extra in (needed, []) if is_always and needed else (needed,):
        lines = [f"on {pattern(tool)}", *conditions, *extra, *body]
        made_name = draft.free_name(f"{tool[0]}-{tool[1]}")
        changed = with_rule(draft, tool[0], made_name, lines, rule, beside=_names_parts(draft, rule))
        if changed is not None:
            yield changed, made_name
            return


def _names_parts(draft: Draft, rule: syntax.Rule) -> bool:
    """Whether the rule names chains or profiles of the policy, which its file has or imports."""
    items = (item for file in draft.checked.files for item in file.items)
    chains = {item.name.text for item in items if isinstance(item, syntax.Chain)}
    return any(
        isinstance(line, syntax.Apply)
        or (isinstance(line, syntax.Use) and any(step.name.text in chains for step in line.steps))
        for line in rule.lines
    )


def with_rule(
    draft: Draft,
    server: str,
    name: str,
    lines: list[str],
    after: syntax.Rule | None = None,
    *,
    beside: bool = False,
) -> Draft | None:
    """The rules with a new one, in the file for that server; None where they do not check then.

    Args:
        beside: it belongs in the file of the rule before it, whatever its server.
    """
    path = draft.file_for(server)
    if beside and after is not None and draft.rule(after.name.text) is not None:
        path = after.span.source.path
    if not draft.is_editable(path):
        return None
    block = f"rule {name} {{\n" + "".join(f"  {line}\n" for line in lines) + "}\n"
    behind = after if after is not None and after.span.source.path == path else draft.last(path)
    return draft.changed({path: with_block(draft.text(path), block, behind)})


def with_use(draft: Draft, rule: syntax.Rule, steps: str) -> Draft | None:
    """The rules with another chain in one of them; None where they do not check then."""
    path = rule.span.source.path
    if not draft.is_editable(path):
        return None
    text = draft.text(path)
    uses = [line for line in rule.lines if isinstance(line, syntax.Use)]
    if len(uses) > 1 or (uses and "#" in uses[0].span.text):
        return None
    if uses:
        return draft.changed({path: with_line_instead(text, uses[0], f"use {steps}")})
    choosing = [line for line in rule.lines if isinstance(line, _CHOOSING)]
    if not choosing:
        return None
    return draft.changed({path: with_line_after(text, choosing[-1], f"use {steps}")})


@cache
def remembering() -> frozenset[str]:
    """The tiers that speak of earlier results."""
    return frozenset(tier.name for tier in known().tiers if tier.needs_memory)


def steps_of(rule: syntax.Rule) -> str:
    """The chain of a rule as it stands there; empty where it has none."""
    steps = (step for line in rule.lines if isinstance(line, syntax.Use) for step in line.steps)
    return " then ".join(" ".join(step.span.text.split()) for step in steps)


def _with_lines(text: str, rule: syntax.Rule, line: str, because: str, bound: str) -> str:
    """A rule's file with one more field line in it, and what that line asks for."""
    said = f'because "{because}"'
    reasons = [each for each in rule.lines if isinstance(each, syntax.Because)]
    fields = [each for each in rule.lines if isinstance(each, _FIELD_LINES)]
    uses = [each for each in rule.lines if isinstance(each, syntax.Use)]
    wanted: list[tuple[syntax.Node, str]] = []
    if all(each.span.text != said for each in reasons):
        wanted.append((rule.lines[-1], said))
    if bound and not any(isinstance(each, syntax.Lose) for each in rule.lines):
        wanted.append(((_before(rule, reasons) or rule.lines)[-1], bound))
    wanted.append(((fields or uses or list(rule.lines))[-1], line))
    # From the end, so that what is put in moves nothing that is still to come.
    for after, each in sorted(wanted, key=lambda one: one[0].span.end, reverse=True):
        text = with_line_after(text, after, each)
    return text


def _before(rule: syntax.Rule, reasons: Sequence[syntax.Node]) -> list[syntax.Node]:
    """The lines of a rule above its reasons."""
    return [each for each in rule.lines if not reasons or each.span.end <= reasons[0].span.start]


def _copied(node: syntax.Node) -> str:
    """A statement as it stands, with its comments, for another block."""
    return "\n".join(line.strip() for line in node.span.text.split("\n"))
