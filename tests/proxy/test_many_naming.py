"""Names of several servers' tools: each means one tool of one server, and every client takes it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terse.proxy.many.naming import MAX_NAME, Names, SameName, prefix_of

SOUND = re.compile(r"[A-Za-z0-9_-]{1,64}")
TOOLS = st.text("abcXYZ012_-", min_size=1, max_size=120)


@given(st.lists(st.text(min_size=1, max_size=60), min_size=1, max_size=6, unique_by=prefix_of), st.data())
def test_a_shown_name_means_one_tool_of_one_server(servers: list[str], data: st.DataObject) -> None:
    """Whatever the servers are called, also with the separator in their names or their tools'."""
    names = Names(servers)
    tools = {(server, data.draw(TOOLS)) for server in servers}
    shown = {names.shown(*tool): tool for tool in tools}
    assert {name: names.owner(name) for name in shown} == shown
    assert all(SOUND.fullmatch(name) and len(name) <= MAX_NAME for name in shown)


@given(st.text(min_size=1, max_size=60), st.text(min_size=1, max_size=60), TOOLS)
def test_a_name_stays_when_a_server_is_added(server: str, other: str, tool: str) -> None:
    """Clients and users remember names, and permit tools by them."""
    if prefix_of(server) != prefix_of(other):
        assert Names([server]).shown(server, tool) == Names([other, server]).shown(server, tool)
    elif server != other:
        with pytest.raises(SameName):
            Names([server, other])
