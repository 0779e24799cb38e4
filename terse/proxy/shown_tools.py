"""What the client was shown of the server's tools: on that rests what its results may look like."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, NamedTuple

from terse.proxy.listing import Received

if TYPE_CHECKING:
    from terse.proxy.listing import Listing
    from terse.proxy.tool_list import Tool, ToolList


class _Page(NamedTuple):
    """A page of the tools that is about to be sent.

    Attributes:
        bare, with_schema: the tools that it shows without an `outputSchema`, and with one, once rewritten;
            but for `bare`, those with a user interface.
        with_schema_as_it_came, bare_as_it_came: the same of the page as the server has it.
        own_tool: the name of our tool, if it was added.
    """

    bare: frozenset[str]
    with_schema: frozenset[str]
    with_schema_as_it_came: frozenset[str]
    bare_as_it_came: frozenset[str]
    own_tool: str | None
    is_last: bool


class ShownTools:
    """The tools of one connection as the client knows them.

    INVARIANT: a tool counts as shown without an `outputSchema` only if every page it was on was sent so.

    Attributes:
        own_tool: the name under which the client was shown our tool; None before that.
        can_retrieve: the list that the client had last has our tool in it.
    """

    def __init__(self, own_tool: str | None = None) -> None:
        self.own_tool = own_tool
        self.can_retrieve = False
        self._names: set[str] = set()
        self._bare: set[str] = set()
        self._with_schema: set[str] = set()
        self._page: _Page | None = None
        self._any_schema = False
        self._lists = 0

    def rewrite(
        self, page: ToolList, *, adds_own: bool, withdraws: Callable[[str], bool], listing: Listing
    ) -> bytes:
        """The page as it is to be sent: `settle` says whether it was.

        Args:
            adds_own: our tool stands at the end of the last page.
            withdraws: whether a tool of this name loses its `outputSchema`. One with a user interface
                of its own (MCP Apps) never does, nor one that was shown with it before.
            listing: shows the tools that `tools` blocks speak of.

        Raises:
            MALFORMED, KeyError: it is no page of tools.
        """
        tools = page.tools()
        if page.is_first:
            self._names.clear()
            listing.begin()
        self._names.update(tool.name for tool in tools)
        with_schema = {tool.name for tool in tools if tool.schema is not None}
        apps = {tool.name for tool in tools if tool.is_app}
        taken_out = [
            tool
            for tool in tools
            if tool.schema is not None
            and tool.name not in apps
            and not self._any_schema
            and tool.name not in self._with_schema
            and withdraws(tool.name)
        ]
        withdrawn = {tool.name for tool in taken_out}
        is_last = page.is_last()
        shown = None
        added: list[bytes] = []
        if listing.speaks:
            received = [
                Received(tool.name, page.message[slice(*tool.span)], tool.name not in withdrawn, tool.is_app)
                for tool in tools
            ]
            shown, added = listing.page(
                received, self._names, is_whole=page.is_first and is_last, is_last=is_last
            )
            # Of a tool that is reached through ours the client sees no schema that it could check.
            withdrawn |= {tool.name for one, tool in zip(shown, tools, strict=True) if one is None} - apps
        name = None
        if is_last and adds_own:
            from terse.proxy.retrieval import definition, free_name

            name = self.own_tool
            if name is None or name in self._names:
                name = free_name(self._names)
            added.append(definition(name).encode())
        bare = {tool.name for tool in tools} - with_schema - apps
        self._page = _Page(
            frozenset(bare | withdrawn),
            frozenset(with_schema - withdrawn),
            frozenset(with_schema),
            frozenset(bare),
            name,
            is_last,
        )
        if shown is not None and any(
            one != page.message[slice(*tool.span)] for one, tool in zip(shown, tools, strict=True)
        ):
            sent = zip(shown, tools, strict=True)
            listed = [self._sent(page, tool, one, withdrawn) for one, tool in sent if one is not None]
            return page.with_tools([*listed, *added])
        if not taken_out and not added:
            return page.message
        return page.with_changes((tool.schema for tool in taken_out if tool.schema is not None), added)

    def _sent(self, page: ToolList, tool: Tool, shown: bytes, withdrawn: Collection[str]) -> bytes:
        """The tool's JSON as it is sent: where the listing left it alone, its `outputSchema` may go still."""
        start = tool.span.start
        if tool.schema is None or tool.name not in withdrawn or shown != page.message[slice(*tool.span)]:
            return shown
        return shown[: tool.schema.start - start] + shown[tool.schema.end - start :]

    def settle(self, *, rewritten: bool) -> Callable[[], None] | None:
        """The page that was rewritten last is on its way: as it was rewritten, or as it came.

        Returns:
            what notes that the client has it; None where no page is on its way. What the client may know of
            counts at once, and what it has to know of once that is called.
        """
        page, self._page = self._page, None
        if page is None:
            return None
        self._with_schema |= page.with_schema if rewritten else page.with_schema_as_it_came
        can_retrieve = page.is_last and rewritten and page.own_tool is not None
        if page.is_last:
            self._lists += 1
            if can_retrieve:
                self.own_tool = page.own_tool
            else:
                self.can_retrieve = False
        bare, lists = page.bare if rewritten else page.bare_as_it_came, self._lists

        def arrived() -> None:
            self._bare |= bare
            # A later list may be without it.
            if can_retrieve and lists == self._lists:
                self.can_retrieve = True

        return arrived

    def passed(self) -> None:
        """A page was sent as it came, and nobody knows what is on it."""
        self._page = None
        self._lists += 1
        self._any_schema = True
        self.can_retrieve = False

    def told(self, *, any_schema: bool, bare: Collection[str], with_schema: Collection[str]) -> None:
        """The client was shown these tools without an `outputSchema` and with one, by others of our kind.

        Args:
            any_schema: it may have been shown one of any tool.
        """
        self._bare |= set(bare)
        self._with_schema |= set(with_schema)
        self._any_schema = self._any_schema or any_schema

    @property
    def bare(self) -> frozenset[str]:
        """Tools that it was shown without an `outputSchema`, at least once; and"""
        return frozenset(self._bare)

    @property
    def with_schema(self) -> frozenset[str]:
        """those with one."""
        return frozenset(self._with_schema)

    def is_bare(self, tool: str) -> bool:
        """Whether the client knows of the tool and of no `outputSchema` of it, nor of a user interface."""
        return tool in self._bare and tool not in self._with_schema and not self._any_schema
