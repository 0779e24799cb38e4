"""The algebra of globs, against every name of a small alphabet."""

from __future__ import annotations

import re
from itertools import product

from hypothesis import example, given
from hypothesis import strategies as st

from terse.language.globs import Names, Zone, covers, matches, meet, meet_pattern, outside, regions

GLOBS = st.text(st.sampled_from("ab*"), min_size=1, max_size=5)
SMALL = [""] + ["".join(letters) for size in range(1, 7) for letters in product("abc", repeat=size)]


def _in(glob: str, name: str) -> bool:
    pattern = "".join(".*" if letter == "*" else re.escape(letter) for letter in glob)
    return re.fullmatch(pattern, name, re.DOTALL) is not None


@given(GLOBS, st.text(st.sampled_from("abc*"), max_size=6))
def test_matching_is_what_a_glob_says(glob: str, name: str) -> None:
    """A star is any run of characters, everything else itself; a star in a name is a character."""
    assert matches(glob, name) == _in(glob, name)


@given(GLOBS, GLOBS)
def test_one_glob_covers_another_when_it_has_all_its_names(a: str, b: str) -> None:
    """`covers` is the subset relation. Letters beyond the globs' own (c) tell stars from letters."""
    subset = all(_in(a, name) for name in SMALL if _in(b, name))

    assert covers(a, b) == subset


@example("*a**", "*a")
@given(GLOBS, GLOBS)
def test_two_globs_meet_when_they_share_a_name(a: str, b: str) -> None:
    """`meet` gives a name of both, a shortest one, or None when no name is of both."""
    shared = [name for name in SMALL if _in(a, name) and _in(b, name)]
    found = meet(a, b)

    # Of globs this short, names of twice their length are enough to find one.
    if found is None:
        assert shared == []
    else:
        assert _in(a, found)
        assert _in(b, found)
        if shared:
            assert len(found) == len(shared[0])


@given(st.lists(GLOBS, min_size=1, max_size=3).map(tuple))
def test_regions_are_all_the_ways_names_match(globs: tuple[str, ...]) -> None:
    """Each region's name matches exactly the globs it says, and every name is in a region."""
    found = regions(globs)

    assert found is not None
    ways = {region.matched: region.name for region in found}
    for matched, name in ways.items():
        assert [bool(matched >> i & 1) for i in range(len(globs))] == [_in(glob, name) for glob in globs]
    seen = {sum(_in(glob, name) << i for i, glob in enumerate(globs)) for name in SMALL if name}
    assert seen <= ways.keys()


NAMES = st.builds(Names, GLOBS, GLOBS)
ZONES = st.builds(Zone, NAMES, st.lists(NAMES, max_size=1).map(tuple))


@given(st.lists(NAMES, min_size=1, max_size=2), st.lists(ZONES, max_size=3))
def test_a_call_outside_is_found_when_there_is_one(wanted: list[Names], zones: list[Zone]) -> None:
    """`outside` gives a call of all wanted patterns and of no zone, and None only when there is none."""

    def of(names: Names, server: str, tool: str) -> bool:
        return _in(names.server, server) and _in(names.tool, tool)

    def fits(server: str, tool: str) -> bool:
        return all(of(names, server, tool) for names in wanted) and not any(
            of(zone.pattern, server, tool) and not any(of(names, server, tool) for names in zone.without)
            for zone in zones
        )

    call = outside(wanted, zones)

    if call is not None:
        assert fits(call.server, call.tool)
    else:
        few = [name for name in SMALL if 1 <= len(name) <= 3]
        assert not any(fits(server, tool) for server in few for tool in few)


@given(NAMES, NAMES)
def test_patterns_meet_in_a_call(a: Names, b: Names) -> None:
    """A server and a tool that both patterns match; names have at least one character."""
    call = meet_pattern(a, b)

    if call is not None:
        assert call.server
        assert call.tool
        assert all(_in(n.server, call.server) and _in(n.tool, call.tool) for n in (a, b))


def test_names_are_never_joined() -> None:
    """`a/*` has nothing to do with a server called `a/b`: each half is matched for itself."""
    assert meet_pattern(Names("a", "*"), Names("a/b", "*")) is None
