"""What a test expects and can never see, whatever its samples hold."""

from __future__ import annotations

from collections.abc import Iterator

from terse.diagnostic import Diagnostic, Label
from terse.guarantee import Guarantee
from terse.language import syntax
from terse.language.codes import tests as codes
from terse.language.globs import Names, matches
from terse.language.policy import Policy
from terse.language.suggest import did_you_mean
from terse.language.views import GuardView, RuleView, names_of


def check(policy: Policy) -> Iterator[Diagnostic]:
    for _, test in policy.tests:
        yield from _test(policy, test)


def _test(policy: Policy, test: syntax.Test) -> Iterator[Diagnostic]:
    call = next((line for line in reversed(test.lines) if isinstance(line, syntax.CallLine)), None)
    if call is None:
        return
    names = names_of(call.pattern)
    candidates = [view for view in policy.rules if _is_for(view, names)]
    for line in test.lines:
        if isinstance(line, syntax.Expect) and isinstance(line.expectation, syntax.ExpectRule):
            word = line.expectation.name
            named = next((view for view in policy.rules if view.name == word.text), None)
            if named is None and word.text in policy.rule_items:
                return
            if named is None or named not in candidates:
                yield _no_such_rule(policy, word, named, call)
                return
            candidates = [named]
    yield from _classes(policy, test, candidates, names)


def _is_for(view: RuleView | GuardView, call: Names) -> bool:
    def among(patterns: tuple[Names, ...]) -> bool:
        return any(matches(p.server, call.server) and matches(p.tool, call.tool) for p in patterns)

    return among(view.names) and not among(view.without)


def _no_such_rule(
    policy: Policy, word: syntax.Word, named: RuleView | None, call: syntax.CallLine
) -> Diagnostic:
    if named is None:
        return Diagnostic(
            codes.EXPECTATION_CANNOT_HOLD,
            f"there is no rule `{word.text}` in this policy",
            Label(word.span, "no such rule"),
            help=did_you_mean(word.text, (view.name for view in policy.rules)),
        )
    return Diagnostic(
        codes.EXPECTATION_CANNOT_HOLD,
        f"rule `{word.text}` is not for `{call.pattern.span.text}`",
        Label(word.span, "never applies to this call"),
        (Label(call.pattern.span, "the call"), Label(named.label, "the rule")),
    )


def _classes(
    policy: Policy, test: syntax.Test, candidates: list[RuleView], call: Names
) -> Iterator[Diagnostic]:
    if not candidates:
        return
    required = [
        Guarantee.from_word(guard.require.guarantee.text)
        for guard in policy.guards
        if guard.require is not None and _is_for(guard, call)
    ]
    # What happens is never below what could happen, nor below what a guard enforces.
    floor = max(min(view.guarantee for view in candidates), max(required, default=Guarantee.LOSSY))
    for line in test.lines:
        if not (isinstance(line, syntax.Expect) and isinstance(line.expectation, syntax.ExpectClass)):
            continue
        word = line.expectation.guarantee
        if Guarantee.from_word(word.text) < floor:
            who = f"rule `{candidates[0].name}`" if len(candidates) == 1 else "every rule for this call"
            yield Diagnostic(
                codes.EXPECTATION_CANNOT_HOLD,
                f"{who} is {floor.word} at least, so a result is never {word.text}",
                Label(word.span, "can never be seen"),
                tuple(Label(view.label, floor.word) for view in candidates[:1]),
                help=f"expect {floor.word}",
            )
