"""Whatever the blocks and the tools: what is hidden stays hidden, and every name shown is one that works."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from terse.listing.choice import treatment
from terse.proxy.listing import Listing, Received, Request
from tests.language.example import check_text
from tests.proxy.test_tool_listing import SEARCH, call, invoke

NAMES = ("get_a", "get_b", "del_a", "del_b")
GLOBS = st.sampled_from(["*", "get_*", "del_*", "*_a", "get_a", "del_b"])
LINES = st.one_of(
    st.builds("compress {}".format, st.sampled_from(["low", "medium", "high", "max"])),
    st.builds(
        "compress {} for {}".format, st.sampled_from(["low", "max"]), st.sampled_from(["get_a", "del_*"])
    ),
    st.builds("present {}".format, st.sampled_from(["in place", "wrapped"])),
    st.builds("hide {}".format, GLOBS),
    st.builds("show {}".format, GLOBS),
    st.builds("rename {} to {}".format, st.sampled_from(NAMES), st.sampled_from(["a", "b", "get_b"])),
)
BLOCKS = st.lists(st.tuples(GLOBS, st.lists(LINES, max_size=3)), min_size=1, max_size=3)


@given(BLOCKS, st.lists(st.sampled_from(NAMES), unique=True, min_size=1), st.booleans())
def test_hidden_tools_and_shown_names(
    blocks: list[tuple[str, list[str]]], tools: list[str], offers: bool
) -> None:
    """A hidden tool is neither listed nor called; a shown one is called by the name it is shown under."""
    text = "terse 1\n" + "".join(
        f"tools x/{on} {{\n" + "".join(f"  {line}\n" for line in lines) + "}\n" for on, lines in blocks
    )
    plan = check_text(text).plan
    if plan is None:
        return
    listing = Listing(plan.tools, "x", offers=offers)
    raws = {name: json.dumps({**SEARCH, "name": name}).encode() for name in tools}
    received = [Received(name, raws[name], True) for name in tools]
    made, ours = listing.page(received, set(tools), is_whole=True, is_last=True)

    shown = [json.loads(one)["name"] for one in (*(one for one in made if one is not None), *ours)]
    assert len(set(shown)) == len(shown)
    for name, one in zip(tools, made, strict=True):
        found = treatment(plan.tools, "x", name)
        through = invoke(name, tool_input={"query": "a"})
        if found is None:
            assert one == raws[name]
        elif found.hidden_by is not None:
            assert one is None
            assert listing.request(call(name, query="a")).to_server == b""
            assert listing.request(through).to_server in (b"", through)
        elif one is not None:
            assert len(one) <= len(raws[name]) + 8
            by_name = listing.request(call(json.loads(one)["name"], query="a"))
            assert by_name == Request(call(name, query="a"))
        else:
            known_as = found.name if found.name not in tools else name
            request = listing.request(invoke(known_as, tool_input={"query": "a"}))
            assert json.loads(request.to_server)["params"] == {"name": name, "arguments": {"query": "a"}}
