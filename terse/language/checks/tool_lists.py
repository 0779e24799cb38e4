"""Patterns, arguments and values against the servers' tool lists in `tools.lock`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from terse.diagnostic import Diagnostic, Label
from terse.language import syntax
from terse.language.codes import matching as codes
from terse.language.globs import Names, matches
from terse.language.policy import Policy
from terse.language.suggest import closest, did_you_mean
from terse.language.views import RuleView, names_of, narrowed, words_of
from terse.language.workspace import ToolSchema, Workspace
from terse.source import Span


def check(policy: Policy) -> Iterator[Diagnostic]:
    workspace = policy.workspace
    if workspace.problem is not None:
        yield from _unusable(policy, workspace)
    if not workspace.tools:
        return
    for pattern in _patterns(policy):
        yield from _no_such_tool(pattern, workspace)
    for _, block in policy.tools:
        yield from _no_such_names(block, workspace)
    for view in policy.rules:
        schemas = _schemas(view, workspace)
        if schemas and not any(schema.open for schema in schemas):
            for line, _ in view.whens:
                if isinstance(
                    line.condition, (syntax.ArgumentIs, syntax.ArgumentMatches, syntax.ArgumentPresence)
                ):
                    yield from _argument(line.condition, schemas, view)
    for _, test in policy.tests:
        for call in test.lines:
            if isinstance(call, syntax.CallLine):
                yield from _call(call, workspace)


def _unusable(policy: Policy, workspace: Workspace) -> Iterator[Diagnostic]:
    first = next((file for file in policy.loaded.files.values() if file.entry), None)
    if first is not None and first.tree.edition is not None:
        yield Diagnostic(
            codes.UNUSABLE_LOCK,
            f"`{workspace.lock_path}` cannot be used: {workspace.problem}",
            Label(first.tree.edition.span, "this policy's tool lists"),
            help="write it anew with `terse snapshot`, or remove it",
        )


def _patterns(policy: Policy) -> Iterator[syntax.Pattern]:
    for rule in policy.rules:
        yield from (*rule.on, *rule.except_)
    for guard in policy.guards:
        yield from (*guard.on, *guard.except_)
    for _, tools in policy.tools:
        yield from tools.patterns
    for _, test in policy.tests:
        for line in test.lines:
            if isinstance(line, syntax.CallLine):
                yield line.pattern


def _no_such_tool(pattern: syntax.Pattern, workspace: Workspace) -> Iterator[Diagnostic]:
    names = names_of(pattern)
    servers = [server for server in workspace.tools if matches(names.server, server)]
    if not servers:
        # A server that has no list yet is no mistake; one that is called nearly like another may be.
        meant = closest(pattern.server, workspace.tools)
        if "*" not in names.server and meant is not None:
            yield Diagnostic(
                codes.NO_SUCH_TOOL,
                f"`{workspace.lock_path}` has no server `{pattern.server}`",
                Label(pattern.span, "matches nothing"),
                help=f"did you mean `{meant}/{pattern.tool}`?",
            )
        return
    if "*" in names.server or any(True for _ in workspace.known(names)):
        return
    tools = workspace.tools[servers[0]]
    yield Diagnostic(
        codes.NO_SUCH_TOOL,
        f"server `{servers[0]}` has no tool that `{pattern.tool}` matches"
        if "*" in names.tool
        else f"server `{servers[0]}` has no tool `{pattern.tool}`",
        Label(pattern.span, "matches nothing"),
        help=did_you_mean(pattern.tool, tools) or f"`{workspace.lock_path}` lists its {len(tools)} tools",
    )


def _no_such_names(block: syntax.Tools, workspace: Workspace) -> Iterator[Diagnostic]:
    """Names in the lines of a `tools` block that no tool of its servers has."""
    servers = [
        server
        for server in workspace.tools
        if any(matches(names_of(pattern).server, server) for pattern in block.patterns)
    ]
    if not servers or any("*" in pattern.server for pattern in block.patterns):
        return
    listed = sorted({tool for server in servers for tool in workspace.tools[server]})
    for word in (word for line in block.lines for word in words_of(line)):
        names = narrowed(block, word)
        if names and not any(True for one in names for _ in workspace.known(one)):
            yield Diagnostic(
                codes.NO_SUCH_TOOL,
                f"server `{servers[0]}` has no tool {'that ' if '*' in word.text else ''}`{word.text}`"
                f"{' matches' if '*' in word.text else ''}",
                Label(word.span, "matches nothing"),
                help=did_you_mean(word.text, listed) or f"`{workspace.lock_path}` lists its tools",
            )


def _schemas(view: RuleView, workspace: Workspace) -> list[ToolSchema]:
    """The tools that the rule may apply to, as far as the lock lists them."""
    found: dict[Names, ToolSchema] = {}
    for names in view.names:
        for tool, schema in workspace.known(names):
            excepted = any(
                matches(n.server, tool.server) and matches(n.tool, tool.tool) for n in view.without
            )
            if not excepted:
                found[tool] = schema
    return list(found.values())


def _argument(
    condition: syntax.ArgumentIs | syntax.ArgumentMatches | syntax.ArgumentPresence,
    schemas: list[ToolSchema],
    view: RuleView,
) -> Iterator[Diagnostic]:
    name = condition.name
    having = [schema for schema in schemas if name.text in schema.arguments]
    if not having:
        yield _no_such_argument(name, schemas, f"no tool of rule `{view.name}`")
    elif isinstance(condition, syntax.ArgumentIs):
        for value in condition.values:
            yield from _value(name.text, value.span, value.text, having)


def _call(call: syntax.CallLine, workspace: Workspace) -> Iterator[Diagnostic]:
    schemas = [schema for _, schema in workspace.known(names_of(call.pattern))]
    if len(schemas) != 1 or schemas[0].open:
        return
    for argument in call.arguments:
        if argument.name.text not in schemas[0].arguments:
            yield _no_such_argument(argument.name, schemas, f"tool `{call.pattern.tool}`", "has no")
        elif isinstance(argument.value, syntax.Word):
            yield from _value(argument.name.text, argument.value.span, argument.value.text, schemas)


def _no_such_argument(
    name: syntax.Word, schemas: Iterable[ToolSchema], who: str, verb: str = "has an"
) -> Diagnostic:
    known = sorted({argument for schema in schemas for argument in schema.arguments})
    listed = ", ".join(f"`{argument}`" for argument in known[:8])
    return Diagnostic(
        codes.NO_SUCH_ARGUMENT,
        f"{who} {verb} argument `{name.text}`",
        Label(name.span, "not in the tool's schema"),
        help=did_you_mean(name.text, known) or (f"arguments are {listed}" if known else "it takes none"),
    )


def _value(name: str, span: Span, text: str, having: list[ToolSchema]) -> Iterator[Diagnostic]:
    allowed: set[str] = set()
    for schema in having:
        values = schema.arguments.get(name)
        if values is None:
            return
        allowed.update(values)
    if text not in allowed:
        listed = ", ".join(f"`{value}`" for value in sorted(allowed)[:12])
        yield Diagnostic(
            codes.VALUE_NOT_IN_ENUM,
            f"argument `{name}` is never `{text}`",
            Label(span, "not allowed by the tool's schema"),
            help=did_you_mean(text, allowed) or f"it is one of {listed}",
        )
