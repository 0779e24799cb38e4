"""What a client is shown of a server's tools, and what that costs: by the code that the proxy runs."""

from __future__ import annotations

from collections.abc import Sequence

from terse.listing.choice import Treatment, treatment
from terse.listing.definition import Definition, compact
from terse.listing.wrapped import Wrapped, listing
from terse.payload.exact import JsonValue, dump, parse_unambiguous
from terse.plan.model import Compress, Level, Pattern, Present, Presentation, ToolsBlock
from terse.proxy.listing import Listing, Received
from terse.report.listed import Listed, ListedTool, ListSize
from terse.tokens import Vocabulary

LEVELS: tuple[Level, ...] = ("low", "medium", "high", "max")
PRESENTATIONS: tuple[Presentation, ...] = ("in place", "wrapped")


def listed(
    blocks: Sequence[ToolsBlock],
    policy: str,
    server: str,
    tools: Sequence[Definition],
    vocabulary: Vocabulary,
    fetched: int,
) -> Listed:
    """A server's list of tools under the blocks, and at each level.

    Args:
        policy: the rules in words.
        tools: the definitions as the server sends them, each with a name.
        fetched: how many definitions are fetched later.
    """
    count = vocabulary.count
    received = [count(compact(tool)) for tool in tools]
    whole = _tokens(tools, vocabulary)
    fetched = min(fetched, len(tools))
    price = round(sum(received) / len(received) * fetched) if received else 0

    def size(how: str, under: Sequence[ToolsBlock]) -> ListSize:
        shown, is_whole = _shown(under, server, tools)
        tokens = _tokens(shown, vocabulary)
        return ListSize(how, tokens, tokens if is_whole else tokens + price)

    treatments = [treatment(blocks, server, _name(tool)) for tool in tools]
    return Listed(
        server,
        policy,
        whole,
        fetched,
        tuple(
            _tool(tool, found, tokens, blocks, server, vocabulary)
            for tool, found, tokens in zip(tools, treatments, received, strict=True)
        ),
        size("rules", blocks) if any(treatments) else None,
        tuple(
            size(f"{presentation}, {level}", (_block(presentation, level),))
            for presentation in PRESENTATIONS
            for level in LEVELS
        ),
    )


def emitted(blocks: Sequence[ToolsBlock], server: str, tools: Sequence[Definition]) -> str:
    """The list as a client is shown it under the blocks, as JSON, one tool a line."""
    shown, _ = _shown(blocks, server, tools)
    lines = ",\n".join(map(dump, shown))
    return f'{{"tools":[\n{lines}\n]}}\n' if shown else '{"tools":[]}\n'


def _tool(
    tool: Definition,
    found: Treatment | None,
    received: int,
    blocks: Sequence[ToolsBlock],
    server: str,
    vocabulary: Vocabulary,
) -> ListedTool:
    name = _name(tool)
    if found is None:
        return ListedTool(name, name, "", "", "", received, received)
    shown = 0
    if found.hidden_by is None and found.presentation == "wrapped":
        shown = vocabulary.count(listing([Wrapped(found.name, tool, found.level)]))
    elif found.hidden_by is None:
        made, _ = _shown(blocks, server, [tool])
        shown = vocabulary.count(compact(made[0]))
    return ListedTool(
        name, found.name, found.level, found.presentation, found.hidden_by or "", received, shown
    )


def _shown(
    blocks: Sequence[ToolsBlock], server: str, tools: Sequence[Definition]
) -> tuple[list[Definition], bool]:
    """The list as the proxy sends it, and whether a model has all it could want from the start."""
    proxied = Listing(blocks, server, offers=True)
    names = {_name(tool) for tool in tools}
    received = [Received(_name(tool), _json(tool), True) for tool in tools]
    raw, ours = proxied.page(received, names, is_whole=True, is_last=True)
    made = [parse_unambiguous(one.decode()) for one in (*(one for one in raw if one is not None), *ours)]
    return [one for one in made if isinstance(one, dict)], not ours


def _block(presentation: Presentation, level: Level) -> ToolsBlock:
    on = (Pattern("*", "*"),)
    return ToolsBlock(on, "", compress=(Compress(on, level),), present=(Present(on, presentation),))


def _tokens(tools: Sequence[Definition], vocabulary: Vocabulary) -> int:
    return vocabulary.count(f"[{','.join(map(compact, tools))}]")


def _json(tool: Definition) -> bytes:
    return dump(tool).encode("utf-8", "surrogatepass")


def _name(tool: Definition) -> str:
    name: JsonValue = tool.get("name")
    return str(name)
