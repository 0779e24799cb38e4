"""Rules that do less than they, or the guards over all their calls, promise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from terse.diagnostic import Diagnostic, Label
from terse.guarantee import Guarantee
from terse.language import syntax
from terse.language.checks.kept import applied
from terse.language.codes import chains, fields
from terse.language.match import guard_of_all
from terse.language.policy import Policy
from terse.language.views import Act, GuardView, RuleView, RunStep


def check(policy: Policy) -> Iterator[Diagnostic]:
    for view in policy.rules:
        doings = list(_doings(view))
        yield from _own_require(view, doings)
        yield from _guards(view, doings, policy.guards)
        yield from _never_store(view, doings, policy.guards)
        yield from _never_use(view, policy.guards)


def _doings(view: RuleView) -> Iterator[tuple[Act | RunStep, Guarantee]]:
    for act in view.all_acts:
        if not isinstance(act.node, syntax.Keep):
            yield act, act.guarantee
    for step in view.steps:
        yield step, step.spec.class_


def text_of(doing: Act | RunStep) -> str:
    """How messages name a line or step."""
    if isinstance(doing, RunStep):
        return f"step `{doing.tier}`"
    return f"`{' '.join(doing.span.text.split())}`" if len(doing.span.text) < 60 else "this line"


def _where(doing: Act | RunStep) -> tuple[Label, ...]:
    if isinstance(doing, RunStep):
        return (Label(doing.chain.name.span, "in this chain"),) if doing.chain is not None else ()
    return applied(doing)


def _own_require(view: RuleView, doings: Iterable[tuple[Act | RunStep, Guarantee]]) -> Iterator[Diagnostic]:
    if view.require is None:
        return
    required = Guarantee.from_word(view.require.guarantee.text)
    for doing, guarantee in doings:
        if guarantee < required:
            yield Diagnostic(
                fields.BELOW_OWN_REQUIRE,
                f"{text_of(doing)} is {guarantee.word}, and rule `{view.name}` requires {required.word}",
                Label(doing.node.span, guarantee.word),
                (Label(view.require.span, f"requires {required.word}"), *_where(doing)),
                help=_weaker(doing, guarantee, required, f"leave it out, or require {guarantee.word}"),
            )


def _weaker(doing: Act | RunStep, guarantee: Guarantee, required: Guarantee, otherwise: str) -> str:
    """What to write instead, where a weaker word would do."""
    if guarantee is Guarantee.LOSSY and required is Guarantee.RECOVERABLE and isinstance(doing, Act):
        if isinstance(doing.node, syntax.Shorten):
            return "leave out `and remove the rest`: the rest is then set aside"
        return "`set aside` takes it out of the result and leaves it where the agent can fetch it"
    return otherwise


def _guards(
    view: RuleView, doings: Iterable[tuple[Act | RunStep, Guarantee]], guards: Iterable[GuardView]
) -> Iterator[Diagnostic]:
    requiring = [
        (Guarantee.from_word(guard.require.guarantee.text), guard.require, guard)
        for guard in guards
        if guard.require is not None
    ]
    broken: dict[Guarantee, GuardView | None] = {}
    for doing, guarantee in doings:
        # Each line has a cause of its own; that no step may run at all is one cause for all of them.
        if isinstance(doing, RunStep) and guarantee in broken:
            continue
        if guarantee not in broken:
            stronger = [guard for g, _, guard in requiring if guarantee < g]
            broken[guarantee] = guard_of_all(view, stronger)
        guard = broken[guarantee]
        if guard is None:
            continue
        required, line = next((g, line) for g, line, own in requiring if own is guard)
        yield Diagnostic(
            fields.BELOW_GUARD,
            f"{text_of(doing)} is {guarantee.word}; guard `{guard.name}` requires {required.word} "
            "on every call of this rule",
            Label(doing.node.span, "dropped from every call"),
            (Label(line.span, f"guard `{guard.name}`"), *_where(doing)),
            help=_weaker(doing, guarantee, required, "leave it out; a guard cannot be undone"),
        )


def _never_store(
    view: RuleView, doings: Iterable[tuple[Act | RunStep, Guarantee]], guards: Iterable[GuardView]
) -> Iterator[Diagnostic]:
    storing = [
        doing
        for doing, guarantee in doings
        if (isinstance(doing, Act) and guarantee is Guarantee.RECOVERABLE)
        or (isinstance(doing, RunStep) and doing.spec.needs_memory)
    ]
    never = [guard for guard in guards if guard.never_store is not None]
    guard = guard_of_all(view, never) if storing else None
    if guard is None:
        return
    line = guard.never_store.span if guard.never_store is not None else guard.label
    for doing in storing:
        yield Diagnostic(
            chains.MEMORY_UNDER_NEVER_STORE,
            f"{text_of(doing)} keeps something for later; guard `{guard.name}` says `never store` "
            "on every call of this rule",
            Label(doing.node.span, "can never run"),
            (Label(line, f"guard `{guard.name}`"), *_where(doing)),
            help="leave it out; a guard cannot be undone",
        )


def _never_use(view: RuleView, guards: Iterable[GuardView]) -> Iterator[Diagnostic]:
    for step in view.steps:
        found = [(guard, word) for guard in guards for word in guard.never_use if word.text == step.tier]
        guard = guard_of_all(view, [guard for guard, _ in found])
        if guard is not None:
            word = next(word for own, word in found if own is guard)
            yield Diagnostic(
                chains.FORBIDDEN_STEP,
                f"step `{step.tier}` is forbidden by guard `{guard.name}` on every call of this rule",
                Label(step.node.span, "can never run"),
                (Label(word.span, f"guard `{guard.name}`"), *_where(step)),
                help="leave it out; a guard cannot be undone",
            )
