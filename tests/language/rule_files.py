"""Strategies: rule files that parse, as texts, with all the white space and comments that people type."""

from __future__ import annotations

import re

from hypothesis import strategies as st

# Places in a skeleton where white space stands; each is filled in on its own.
SPACE, MAYBE, GOES_ON, LINE_END = "\ue000", "\ue001", "\ue002", "\ue003"
PLACES = re.compile(f"[{SPACE}{MAYBE}{GOES_ON}{LINE_END}]")

NAMES = st.sampled_from(["a", "lists", "keep", "on-time", "rule", "x_1"])
TOOLS = st.sampled_from(["github", "*", "get_*", "Jira.v2", '"my tool"', '"a \\" b"', "on"])
KEYS = st.sampled_from(["id", "*_url", "keep", "to", "over", '"x-rate limit"', "@type", "$ref", "2"])
TEXTS = st.sampled_from(['"why"', '"# no comment"', '"two  spaces, {and} more"', '""', '"\\\\"'])
REGEXES = st.sampled_from(["/error|fatal/", "/a # b,  c/", r"/\/path\//", "/^  x$/"])
CLASSES = st.sampled_from(["exact", "lossless", "recoverable", "lossy"])
KINDS = st.sampled_from(["json", "text", "records", "log"])
NUMBERS = st.sampled_from(["1", "2k", "1_500", "2.5k", "0"])
UNITS = st.sampled_from(["tokens", "token", "kB", "MB", "rows", "lines", "ms", "%", "calls"])
COMPARISONS = st.sampled_from(["over", "under"])
COMMENTS = st.sampled_from(["#", "# why", "#why  not", "# a, b then {", "# allow unused-chain", "# §\t"])


def listed(members: st.SearchStrategy[str], least: int = 1) -> st.SearchStrategy[str]:
    return st.lists(members, min_size=least, max_size=6).map(f"{MAYBE},{GOES_ON}".join)


def words(*parts: str | st.SearchStrategy[str], by: str = SPACE) -> st.SearchStrategy[str]:
    """The parts with white space between them."""
    each = [st.just(part) if isinstance(part, str) else part for part in parts]
    return st.tuples(*each).map(by.join)


QUANTITIES = st.one_of(NUMBERS, words(NUMBERS, UNITS, by=MAYBE))
PATHS = st.lists(KEYS, min_size=1, max_size=4).map(f"{MAYBE}.{MAYBE}".join)
TARGETS = st.one_of(
    PATHS,
    words("every", PATHS),
    words("lines", "matching", REGEXES),
    st.sampled_from(["everything", f"code{SPACE}blocks", f"terminal{SPACE}codes"]),
)
PATTERNS = words(TOOLS, "/", TOOLS, by=MAYBE)
OPTIONS = words(NAMES, st.one_of(QUANTITIES, TEXTS))
STEPS = st.one_of(
    NAMES, st.tuples(NAMES, listed(OPTIONS)).map(lambda s: f"{s[0]}{MAYBE}({MAYBE}{s[1]}{MAYBE})")
)
CHAINS = st.lists(STEPS, min_size=1, max_size=5).map(f"{SPACE}then{SPACE}{GOES_ON}".join)

CONDITIONS = st.one_of(
    words("payload", "is", st.lists(KINDS, min_size=1, max_size=3).map(f"{SPACE}or{SPACE}".join)),
    words("payload", "has", listed(TARGETS)),
    words("payload", COMPARISONS, QUANTITIES),
    words("field", PATHS, COMPARISONS, QUANTITIES),
    words("argument", NAMES, "is", listed(st.one_of(NAMES, TEXTS))),
    words("argument", TEXTS, "matches", TEXTS),
    words("argument", NAMES, st.sampled_from(["exists", f"is{SPACE}missing"])),
    words("call", "repeats", "within", QUANTITIES),
    words("session", COMPARISONS, QUANTITIES),
)
VALUES = st.recursive(
    st.one_of(st.sampled_from(["1", "2.50", "-1e3", "true", "word"]), TEXTS),
    lambda inner: st.one_of(
        listed(inner, 0).map(lambda items: f"[{MAYBE}{items}{MAYBE}]"),
        listed(words(NAMES, ":", inner, by=MAYBE), 0).map(lambda items: f"{{{MAYBE}{items}{MAYBE}}}"),
    ),
    max_leaves=6,
)
ARGUMENTS = listed(words(NAMES, ":", VALUES, by=MAYBE))

OVER = st.one_of(st.just(""), words("", "over", QUANTITIES))
LOSSES = st.one_of(
    st.tuples(words(st.sampled_from(["remove", f"set{SPACE}aside"]), listed(TARGETS)), OVER).map("".join),
    words("shorten", listed(TARGETS), "to", QUANTITIES),
    words("shorten", listed(TARGETS), "to", "first", QUANTITIES, "and", "remove", "the", "rest"),
    words("shorten", listed(TARGETS), "to", QUANTITIES, "from", "both", "ends"),
)
REASONS = words("because", TEXTS)
WHICH_CALLS = words(st.sampled_from(["on", "except"]), listed(PATTERNS))
KEEPS = words("keep", listed(TARGETS))


def block(head: st.SearchStrategy[str], lines: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    body = st.lists(lines, max_size=5).map(lambda each: "".join(line + LINE_END for line in each))
    return st.tuples(head, body).map(lambda parts: f"{parts[0]}{SPACE}{{{LINE_END}{parts[1]}}}")


RULE_LINES = st.one_of(
    WHICH_CALLS,
    words("when", CONDITIONS),
    words("use", CHAINS),
    words("apply", listed(NAMES)),
    KEEPS,
    LOSSES,
    block(words("fit", "in", QUANTITIES), LOSSES),
    words("lose", "at", "most", QUANTITIES),
    words("spend", "at", "most", QUANTITIES),
    words("require", CLASSES),
    REASONS,
)
GUARD_LINES = st.one_of(
    WHICH_CALLS,
    KEEPS,
    words("never", "store"),
    words("never", "use", listed(NAMES)),
    words("require", CLASSES),
    REASONS,
)
TOOLS_LINES = st.one_of(
    words("compress", "high", "for", listed(TOOLS)),
    words("show", listed(TOOLS)),
    words("hide", listed(TOOLS)),
    words("rename", TOOLS, "to", TOOLS),
    REASONS,
)
TEST_LINES = st.one_of(
    words("call", PATTERNS),
    words("call", words(PATTERNS, f"({MAYBE}", ARGUMENTS, ")", by=MAYBE)),
    words("given", TEXTS),
    words("expect", "rule", NAMES),
    words("expect", "no", "rule"),
    words("expect", CLASSES),
    words("expect", COMPARISONS, QUANTITIES),
    words("expect", "saving", COMPARISONS, QUANTITIES),
    words("expect", "keeps", listed(TARGETS)),
    words("expect", "no", "text", TEXTS),
)
ITEMS = st.one_of(
    words("import", TEXTS),
    words(words("chain", NAMES), "=", CHAINS, by=MAYBE),
    block(words("profile", NAMES), st.one_of(KEEPS, LOSSES, REASONS)),
    block(words("guard", NAMES), GUARD_LINES),
    block(words("rule", NAMES), RULE_LINES),
    block(words("override", "rule", NAMES), RULE_LINES),
    block(words("tools", listed(PATTERNS)), TOOLS_LINES),
    block(words("test", TEXTS), TEST_LINES),
)
SKELETONS = st.lists(ITEMS, max_size=5).map(
    lambda items: "".join(f"{item}{LINE_END}" for item in (f"terse{SPACE}1", *items))
)

NEW_LINES = st.sampled_from(["\n", "\r\n"])
SPACES = st.sampled_from([" ", "  ", "\t", " \t "])
INDENTS = st.sampled_from(["", "", " ", "  ", "\t"])


@st.composite
def _line_ends(draw: st.DrawFn) -> str:
    """The end of a line, a comment at it, and empty lines and lines with comments after it."""
    text = draw(st.one_of(INDENTS, words("", COMMENTS))) + draw(NEW_LINES)
    for _ in range(draw(st.integers(0, 2))):
        text += draw(INDENTS) + draw(st.one_of(st.just(""), COMMENTS)) + draw(NEW_LINES)
    return text.replace(SPACE, " ") + draw(INDENTS)


@st.composite
def rule_files(draw: st.DrawFn) -> str:
    """The text of a rule file that parses: nothing about it is checked."""
    plain = draw(st.booleans())
    places = {
        SPACE: st.just(" ") if plain else SPACES,
        MAYBE: st.just("") if plain else INDENTS,
        GOES_ON: st.one_of(INDENTS, _line_ends()),
        LINE_END: _line_ends(),
    }
    return PLACES.sub(lambda place: draw(places[place[0]]), draw(SKELETONS))
