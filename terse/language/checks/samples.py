"""Selectors and token tests against the saved results of the tools that a rule speaks of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from terse.diagnostic import Diagnostic, Label
from terse.fields.find import find
from terse.fields.regex import Refused, compiled
from terse.fields.selector import Every, LinesMatching, Path, Target
from terse.fields.wildcard import matches as key_matches
from terse.language import syntax, units
from terse.language.codes import fields, matching
from terse.language.globs import Names, matches
from terse.language.policy import Policy
from terse.language.suggest import closest
from terse.language.views import GuardView, RuleView
from terse.language.workspace import SavedText
from terse.payload.exact import JsonValue

LARGE = 1_000_000
"""Bytes of a result of which the tokens take a while to count."""

COSTLY = 50_000
"""Tokens of a limit up to which the count, which stops there, is quick."""

MAX_KEYS = 20_000
"""Keys of a document looked at for one that is nearly the selector's."""


@dataclass(slots=True)
class _Seen:
    """What the samples say of one selector: it stands in a rule, or in a profile that many apply."""

    part: syntax.Part
    texts: dict[int, SavedText] = field(default_factory=dict)
    only_near: bool = True
    """Only a key that is nearly the selector's is worth telling: a guard protects what may come."""


def check(policy: Policy) -> Iterator[Diagnostic]:
    if not policy.workspace.sampled_tools:
        return
    seen: dict[int, _Seen] = {}
    for view in policy.rules:
        texts = _texts(policy, view)
        yield from _costs_tokens(policy, view, texts)
        for part in _parts(view):
            _note(seen, part, texts, False)
    for guard in policy.guards:
        for keep in guard.keeps:
            for part in keep.parts:
                _note(seen, part, _texts(policy, guard), True)
    for found in seen.values():
        yield from _finds_nothing(found)


def _texts(policy: Policy, view: RuleView | GuardView) -> list[SavedText]:
    workspace = policy.workspace
    return [
        text
        for tool in workspace.sampled_tools
        if _among(view.names, tool) and not _among(view.without, tool)
        for text in workspace.texts(tool)
    ]


def _among(patterns: Iterable[Names], tool: Names) -> bool:
    return any(matches(names.server, tool.server) and matches(names.tool, tool.tool) for names in patterns)


def _parts(view: RuleView) -> Iterator[syntax.Part]:
    for line, _ in view.whens:
        match line.condition:
            case syntax.PayloadHas(parts=parts):
                yield from parts
            case syntax.FieldIs(field=part) | syntax.FieldSize(field=part):
                yield part
    for act in view.all_acts:
        yield from act.parts


def _note(seen: dict[int, _Seen], part: syntax.Part, texts: Iterable[SavedText], only_near: bool) -> None:
    found = seen.setdefault(id(part), _Seen(part))
    found.texts |= {id(text): text for text in texts}
    found.only_near = found.only_near and only_near


# ---- selectors -------------------------------------------------------------------------------------------


def _finds_nothing(seen: _Seen) -> Iterator[Diagnostic]:
    target = seen.part.target
    texts = list(seen.texts.values())
    if isinstance(target, (Path, Every)):
        values = [text.value for text in texts if text.value is not None]
        if values and not any(any(True for _ in find(value, target)) for value in values):
            yield from _no_value(seen, target, values)
    elif isinstance(target, LinesMatching):
        lines = [text.text for text in texts if text.value is None]
        if lines and not seen.only_near and not any(_found(target, text) for text in lines):
            yield _nothing(seen, len(lines))


def _found(target: LinesMatching, text: str) -> bool:
    try:
        regex = compiled(target.regex)
    except Refused:
        return True
    return any(regex.found_in(line) for line in text.splitlines())


def _no_value(seen: _Seen, target: Path | Every, values: Sequence[JsonValue]) -> Iterator[Diagnostic]:
    near = _near_miss(target, values)
    if near is not None:
        key, meant = near
        yield Diagnostic(
            fields.SELECTOR_NEAR_MISS,
            f"no sample has a key `{key}` here, but some have `{meant}`",
            Label(seen.part.span, "finds nothing"),
            help=f"did you mean `{meant}`?",
        )
    elif not seen.only_near:
        yield _nothing(seen, len(values))


def _nothing(seen: _Seen, count: int) -> Diagnostic:
    samples = "the one sample" if count == 1 else f"all {count} samples"
    return Diagnostic(
        fields.SELECTOR_FINDS_NOTHING,
        f"`{seen.part.span.text}` finds nothing in {samples} of the tools it is for",
        Label(seen.part.span, "finds nothing"),
        help="correct it, or save a sample that has it",
    )


def _near_miss(target: Target, values: Sequence[JsonValue]) -> tuple[str, str] | None:
    """The first key of the selector that no sample has, and one of theirs that is nearly it."""
    match target:
        case Path(keys=keys):
            return _near_key(keys, values)
        case Every(keys=keys):
            objects = [value for document in values for value in _objects(document)]
            return _near_key(keys, objects)
    return None


def _near_key(keys: tuple[str, ...], values: Sequence[JsonValue]) -> tuple[str, str] | None:
    level = values
    for key in keys:
        objects = [value for one in level for value in _through_lists(one)]
        following = [member for value in objects for name, member in value.items() if key_matches(key, name)]
        if not following:
            meant = closest(key, {name for value in objects for name in list(value)[:MAX_KEYS]})
            return (key, meant) if meant is not None else None
        level = following
    return None


def _through_lists(value: JsonValue) -> Iterator[dict[str, JsonValue]]:
    if isinstance(value, dict):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _through_lists(item)


def _objects(document: JsonValue) -> list[JsonValue]:
    """Every object of a document, to a number."""
    found: list[JsonValue] = []
    waiting: list[JsonValue] = [document]
    while waiting and len(found) < MAX_KEYS:
        value = waiting.pop()
        if isinstance(value, dict):
            found.append(value)
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
    return found


# ---- costs ------------------------------------------------------------------------------------------------


def _costs_tokens(policy: Policy, view: RuleView, texts: list[SavedText]) -> Iterator[Diagnostic]:
    large = next((text for text in texts if len(text.text) > LARGE), None)
    if large is None:
        return
    for line, _ in view.whens:
        condition = line.condition
        if (
            isinstance(condition, syntax.PayloadSize)
            and units.base_unit(condition.quantity) == "tokens"
            and COSTLY <= units.amount(condition.quantity) < len(large.text.encode("utf-8", "replace"))
        ):
            yield Diagnostic(
                matching.CONDITION_COSTS_TOKENS,
                f"this test counts the tokens of results as large as `{large.path}`",
                Label(condition.quantity.span, "counted on every call"),
                help="a test in bytes costs nothing: `kB` or `MB`",
            )
