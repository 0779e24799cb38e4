"""Field actions on texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terse.fields.desk import Desk, Done
from terse.fields.keep import keep
from terse.fields.marks import Marks
from terse.fields.page import MAX_LINE, Page
from terse.fields.remove import remove
from terse.fields.selector import CodeBlocks, Everything, LinesMatching, Path, Target, TerminalCodes
from terse.fields.set_aside import set_aside
from terse.fields.shorten import Cut, region, shorten
from terse.fields.size import Amount
from terse.memory.store import Store, handle_of
from terse.plan.gate import check_kept_lines


def _count(text: str) -> int:
    """Tokens, near enough for what these tests are about."""
    return -(-len(text) // 4)


def _desk(text: str) -> Desk:
    return Desk(_count, Marks(text), Store())


def _log(*levels: str) -> str:
    return "".join(
        f"2026-11-30 {level} worker {number} did what workers do\n" for number, level in enumerate(levels)
    )


LOG = _log("INFO", "DEBUG", "DEBUG", "INFO", "ERROR", "DEBUG", "INFO")
DEBUG = LinesMatching(r"\bDEBUG\b")


def test_removed_lines_are_counted_where_they_were() -> None:
    """A reader sees where lines are missing, and how many."""
    page = Page(LOG)
    done = remove(DEBUG, None, page, _desk(LOG))

    lines = LOG.splitlines()
    assert page.text.splitlines() == [
        lines[0],
        "[2 lines removed]",
        lines[3],
        lines[4],
        "[1 line removed]",
        lines[6],
    ]
    assert done.places == 2
    assert done.note == "3 lines"


def test_lines_shorter_than_a_note_are_counted_at_the_end() -> None:
    """Short lines are not replaced by something longer; one note at the end speaks for all of them."""
    text = "one\n-----\ntwo\n-----\n" * 10
    page = Page(text)
    done = remove(LinesMatching("^-+$"), None, page, _desk(text))

    assert page.text == "one\ntwo\n" * 10 + "[in all, 20 lines removed]\n"
    assert done.note == "20 lines"


def test_lines_shorter_than_all_their_notes_stay() -> None:
    """Taking out two blank lines would make the text longer: nothing is done, and the trace says so."""
    text = "one\n\ntwo\n\nthree"
    page = Page(text)

    assert remove(LinesMatching("^$"), None, page, _desk(text)).note == "shorter than its notes would be"
    assert page.text == text
    assert not page.edited


def test_a_note_at_the_end_does_not_touch_the_last_line() -> None:
    """A kept last line without a line end stays a line of its own, whatever comes after it."""
    text = "one\n-----\n" * 30 + "the end"
    page, desk = Page(text), _desk(text)
    keep(LinesMatching("end"), page)
    remove(LinesMatching("^-+$"), None, page, desk)
    shorten(Everything(), Cut(Amount(3, "lines"), removes=True), page, desk)

    notes = ["[27 lines removed]", "the end", "[in all, 30 lines removed]"]
    assert page.text.splitlines() == ["one", "one", "one", *notes]


def test_kept_lines_win() -> None:
    """`keep` and `remove` that find the same line: it stays, as it came."""
    page = Page(LOG)
    keep(LinesMatching("worker 2"), page)
    remove(DEBUG, None, page, _desk(LOG))

    assert "worker 2" in page.text
    assert "worker 1" not in page.text


def test_terminal_codes_go_without_a_note() -> None:
    """Colours, titles, links and cursor moves go, text stays, kept lines stay as they came."""
    text = "\x1b[31;1mred\x1b[0m \x1b]0;title\x07plain \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\x1b(B\n\x1b[2Kkept\n"
    page = Page(text)
    keep(LinesMatching("^kept$"), page)
    done = remove(TerminalCodes(), None, page, _desk(text))

    assert page.text == "red plain link\n\x1b[2Kkept\n"
    assert done.places == 6


def test_lines_are_matched_as_a_reader_sees_them() -> None:
    """A colour code at the start of a line does not hide it from `^ERROR`."""
    text = "\x1b[31mERROR\x1b[0m broken\nfine\n"
    page = Page(text)

    assert keep(LinesMatching("^ERROR broken$"), page) == 1


def test_a_line_too_long_to_search_is_kept_and_not_removed() -> None:
    """What cannot be searched in bounded time stays with the reader."""
    text = "x" * (MAX_LINE + 1) + "\nshort\n"
    page = Page(text)

    assert keep(LinesMatching("nowhere"), page) == 1
    assert remove(LinesMatching("x+"), None, page, _desk(text)).note == "nothing found"


MARKDOWN = """# Title

Some words.

```python
def first():
    return "a block that is long enough to be worth a note of ours, and then some more of it"
```

~~~
let second = "``` inside, which ends nothing"
~~~

    ``` indented by four: no fence

`````
```
open to the end
"""


def test_code_blocks_are_found_with_their_fences() -> None:
    """Fences of both kinds; a longer fence holds shorter ones; one without an end goes on to the end."""
    page = Page(MARKDOWN)
    blocks = [page.text_of(part) for part in page.parts(CodeBlocks())]

    assert [block.splitlines()[0] for block in blocks] == ["```python", "~~~", "`````"]
    assert blocks[2].endswith("open to the end\n")


def test_a_code_block_is_set_aside() -> None:
    """A note stands for the block, and the handle holds it."""
    page, desk = Page(MARKDOWN), _desk(MARKDOWN)
    set_aside(CodeBlocks(), Amount(60, "characters"), page, desk)

    block = MARKDOWN[MARKDOWN.index("```python") : MARKDOWN.index("~~~")].removesuffix("\n")
    assert f"\n[code block, 4 lines set aside: terse_retrieve {handle_of(block)}]\n\n~~~\n" in page.text
    assert list(desk.handles.values()) == [block]


def test_lines_that_are_set_aside_share_a_handle() -> None:
    """The first note has it, and says how many lines it fetches."""
    text = _log("INFO", *["DEBUG"] * 4, "INFO", *["DEBUG"] * 3, "INFO")
    page, desk = Page(text), _desk(text)
    done = set_aside(DEBUG, None, page, desk)

    lines = text.splitlines(keepends=True)
    held = "".join(line for line in lines if "DEBUG" in line)
    assert page.text == "".join(
        [
            lines[0],
            f"[4 lines here and 7 in all set aside: terse_retrieve {handle_of(held)}]\n",
            lines[5],
            "[3 lines set aside]\n",
            lines[9],
        ]
    )
    assert desk.handles == {handle_of(held): held}
    assert done == Done(2, aside=2, note="2 of 2 set aside")


def test_kept_lines_stay_in_a_block_that_is_set_aside() -> None:
    """The parts around them are notes; the first has the handle, which holds the whole block."""
    text = "```\n" + _log(*["INFO"] * 5, "ERROR", *["INFO"] * 5) + "```\n"
    page, desk = Page(text), _desk(text)
    keep(LinesMatching("ERROR"), page)
    set_aside(CodeBlocks(), None, page, desk)

    kept = next(line for line in text.splitlines() if "ERROR" in line)
    assert page.text.splitlines() == [
        f"[code block, 6 lines set aside: terse_retrieve {handle_of(text)}]",
        kept,
        "[code block, 6 lines set aside]",
    ]


def test_a_text_is_cut_to_lines_from_both_ends() -> None:
    """The middle is a note; the handle holds the whole text."""
    text = _log(*["INFO"] * 30)
    page, desk = Page(text), _desk(text)
    shorten(Everything(), Cut(Amount(5, "lines"), "both"), page, desk)

    lines = text.splitlines()
    note = f"[25 lines set aside: terse_retrieve {handle_of(text)}]"
    assert page.text.splitlines() == [*lines[:3], note, *lines[-2:]]
    assert desk.handles == {handle_of(text): text}


def test_kept_lines_stay_where_a_text_is_cut() -> None:
    """Errors in the middle of a log stay in their place, between notes."""
    text = _log(*["INFO"] * 10, "ERROR", *["INFO"] * 10)
    page, desk = Page(text), _desk(text)
    keep(LinesMatching("ERROR"), page)
    shorten(Everything(), Cut(Amount(2, "lines"), "last"), page, desk)

    lines = text.splitlines()
    assert page.text.splitlines() == [
        f"[10 lines set aside: terse_retrieve {handle_of(text)}]",
        lines[10],
        "[8 lines set aside]",
        *lines[-2:],
    ]


def test_notes_are_not_counted_as_lines() -> None:
    """What is set aside is counted in lines of the source, not of our notes."""
    text = _log(*["INFO", "DEBUG"] * 10)
    page, desk = Page(text), _desk(text)
    remove(DEBUG, None, page, desk)
    shorten(Everything(), Cut(Amount(2, "lines")), page, desk)

    assert page.text.splitlines()[2] == f"[9 lines set aside: terse_retrieve {handle_of(text)}]"


def test_a_text_of_one_line_is_cut_inside_it() -> None:
    """`to 100 characters` needs no line ends."""
    text = "word " * 100
    page, desk = Page(text), _desk(text)
    shorten(Everything(), Cut(Amount(100, "characters"), removes=True), page, desk)

    assert page.text == text[:100] + "[400 characters removed]"


def test_matching_lines_are_cut_each() -> None:
    """`shorten lines matching /INFO/ to 12 characters` cuts long lines and leaves the others."""
    text = _log("INFO", "ERROR") + "INFO ok\n"
    page, desk = Page(text), _desk(text)
    shorten(LinesMatching("INFO"), Cut(Amount(12, "characters"), removes=True), page, desk)

    lines = text.splitlines()
    assert page.text.splitlines() == [
        lines[0][:12] + f"[{len(lines[0]) - 12} characters removed]",
        *lines[1:],
    ]


@pytest.mark.parametrize(
    ("action", "note"),
    [
        (lambda page, desk: shorten(Everything(), Cut(Amount(1, "rows")), page, desk), "a text has no rows"),
        (lambda page, desk: remove(Path(("id",)), None, page, desk), "nothing found"),
        (lambda page, desk: shorten(Everything(), Cut(Amount(9, "lines")), page, desk), "short enough"),
        (lambda page, desk: set_aside(LinesMatching("x"), None, page, desk), "shorter than a note would be"),
    ],
)
def test_nothing_to_do_is_said(action: object, note: str) -> None:
    """Nothing found is nothing done, never an error, and the trace says which it was."""
    page = Page("x\ny\n")

    assert action(page, _desk("x\ny\n")) == Done(note=note)  # type: ignore[operator]
    assert not page.edited


# ---- on any text ------------------------------------------------------------------------------------

LINES = st.sampled_from(
    [
        "",
        "error: it broke",
        "a line that is long enough for a note to be worth its while",
        "```",
        "```python",
        "~~~~",
        "[3 lines removed]",
        "\x1b[1mbold\x1b[0m and plain",
        "DEBUG something long enough to be worth taking out of the text",
    ]
) | st.text(max_size=12)
TEXTS = st.tuples(st.lists(LINES, max_size=24), st.sampled_from(["", "\n", "\r\n"])).map(
    lambda parts: "\n".join(parts[0]) + parts[1]
)
PARTS: st.SearchStrategy[Target] = st.sampled_from(
    [
        Everything(),
        CodeBlocks(),
        LinesMatching("DEBUG|long"),
        LinesMatching("^e"),
        LinesMatching("^$"),
        TerminalCodes(),
    ]
)
CUTS = st.builds(
    Cut,
    st.builds(Amount, st.integers(1, 40), st.sampled_from(["characters", "tokens", "lines"])),
    st.sampled_from(["first", "last", "both"]),
    st.booleans(),
)
ACTIONS = st.one_of(
    st.tuples(st.just("remove"), PARTS, st.just(None)),
    st.tuples(st.just("set aside"), PARTS, st.just(None)),
    st.tuples(st.just("shorten"), PARTS, CUTS),
)


def _act(action: tuple[str, Target, Cut | None], page: Page, desk: Desk) -> Done:
    name, target, cut = action
    if name == "remove":
        return remove(target, None, page, desk)
    if name == "set aside":
        return set_aside(target, None, page, desk)
    assert cut is not None
    return shorten(target, cut, page, desk)


@given(text=TEXTS, actions=st.lists(ACTIONS, max_size=4), kept=st.lists(PARTS, min_size=1, max_size=2))
def test_kept_lines_survive_any_actions(
    text: str, actions: list[tuple[str, Target, Cut | None]], kept: list[Target]
) -> None:
    """Whatever is done, kept lines are there afterwards, as they came, in their order."""
    page, desk = Page(text), _desk(text)
    for target in kept:
        keep(target, page)
    for action in actions:
        _act(action, page, desk)

    check_kept_lines(page.kept_lines, page.text)


@given(text=TEXTS, actions=st.lists(ACTIONS, max_size=4))
def test_no_line_is_made_up(text: str, actions: list[tuple[str, Target, Cut | None]]) -> None:
    """What is left is pieces of the text, in their order, and notes."""
    page, desk = Page(text), _desk(text)
    for action in actions:
        _act(action, page, desk)

    plain = Page(text)
    if any(isinstance(target, TerminalCodes) and name == "remove" for name, target, _ in actions):
        plain.drop_terminal_codes()
    position = 0
    for line, origin in zip(page._lines, page._origins, strict=True):
        if origin >= 0 and line not in ("", "\n"):
            options = [plain.text.find(line, position), text.find(line)]
            assert max(options) >= 0


def _number(note: str) -> int:
    """The lines that a note counts."""
    return int(note.strip("[").split()[0])


@given(text=TEXTS, target=PARTS)
def test_set_aside_lines_can_be_put_back(text: str, target: Target) -> None:
    """With each note replaced by what its handle holds, the text is the one received."""
    page, desk = Page(text), _desk(text)
    set_aside(target, None, page, desk)

    if isinstance(target, LinesMatching):
        held = iter("".join(desk.handles.values()).removesuffix("\n").split("\n"))
        restored = "".join(
            line if origin >= 0 else "".join(next(held) + "\n" for _ in range(_number(line)))
            for line, origin in zip(page._lines, page._origins, strict=True)
        )
        assert restored.removesuffix("\n") == text.removesuffix("\n")
        return
    restored = page.text
    for handle, held_text in desk.handles.items():
        line = next(line for line in page.text.split("\n") if line.rstrip("]").endswith(handle))
        restored = restored.replace(line + ("\n" if held_text.endswith("\n") else ""), held_text)
    assert restored == text


@given(text=TEXTS, cut=CUTS)
def test_a_cut_leaves_what_was_asked_for(text: str, cut: Cut) -> None:
    """What stays has at most the size asked for, and a text that has no more is not cut."""
    taken = region(text, cut, _count)
    sizes = {"characters": len, "tokens": _count, "lines": lambda part: len(part.splitlines())}
    if cut.to.unit == "lines":
        text = text.replace("\x0b", " ")
        sizes["lines"] = lambda part: part.count("\n") + (not part.endswith("\n") and part != "")
    size = sizes[cut.to.unit]

    if taken is None:
        assert size(text) <= cut.to.number
    else:
        start, end = taken
        assert size(text[:start]) + size(text[end:]) <= cut.to.number + (cut.to.unit == "tokens")
        assert start == 0 or cut.end != "last"
        assert end == len(text) or cut.end != "first"


@given(text=TEXTS, actions=st.lists(ACTIONS, max_size=3))
def test_a_copy_goes_its_own_way(text: str, actions: list[tuple[str, Target, Cut | None]]) -> None:
    """An attempt leaves the page as it was."""
    page, desk = Page(text), _desk(text)
    attempt = page.copy()
    for action in actions:
        _act(action, attempt, desk.copy())

    assert page.text == text
    assert not page.edited
    assert not desk.handles
