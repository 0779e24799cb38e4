"""Field actions on JSON documents."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from terse.fields.desk import Desk, Done
from terse.fields.keep import keep
from terse.fields.marks import Marks
from terse.fields.remove import remove
from terse.fields.selector import Every, Everything, Path, Target
from terse.fields.set_aside import set_aside
from terse.fields.shorten import Cut, shorten
from terse.fields.size import Amount, text_of
from terse.fields.tree import Tree
from terse.memory.store import Store, handle_of
from terse.payload.exact import JsonValue, Number, dump, parse
from terse.plan.gate import check_kept
from tests.fields.documents import DOCUMENTS, TARGETS, Way, at, every_way, found_ways, leads, within

FEW_CHARACTERS = 4


def _count(text: str) -> int:
    """Tokens, near enough for what these tests are about."""
    return -(-len(text) // FEW_CHARACTERS)


def _desk(document: JsonValue, store: Store | None = None) -> Desk:
    return Desk(_count, Marks(dump(document)), store or Store())


LONG = "a body that is long enough to be worth a note of ours, " * 4
ISSUES = parse(
    '{"issues": [{"id": 1, "title": "one", "body": "LONG", "user": {"id": 7, "url": "u"}},'
    ' {"id": 2, "title": "two", "body": "short", "user": {"id": 8, "url": "v"}}], "total": 2}'.replace(
        "LONG", LONG
    )
)
ROWS = parse(dump([{"id": Number(str(number)), "text": "some words in a row"} for number in range(50)]))


def test_removed_keys_are_gone() -> None:
    """`remove issues.user, every body` leaves the rest in its order."""
    tree = Tree(ISSUES)
    desk = _desk(ISSUES)
    remove(Path(("issues", "user")), None, tree, desk)
    done = remove(Every(("body",)), None, tree, desk)

    assert dump(tree.value()) == '{"issues":[{"id":1,"title":"one"},{"id":2,"title":"two"}],"total":2}'
    assert done.places == 2
    assert done.lost >= len(LONG) // FEW_CHARACTERS


def test_kept_values_stay_in_what_is_removed() -> None:
    """`keep every id` and `remove issues.user`: the user's id stays, with the keys that lead to it."""
    tree = Tree(ISSUES)
    keep(Every(("id",)), tree)
    remove(Path(("issues", "user")), None, tree, _desk(ISSUES))

    assert at(tree.value(), ("issues", 0, "user")) == {"id": Number("7")}


def test_a_removed_document_leaves_a_note() -> None:
    """Something must be sent in place of a result that is removed whole."""
    tree = Tree(ISSUES)
    remove(Everything(), None, tree, _desk(ISSUES))

    assert tree.value() == "[2 keys removed]"


def test_set_aside_leaves_a_note_where_it_pays() -> None:
    """A long body becomes a note with a handle that holds it; a short one stays."""
    tree, desk = Tree(ISSUES), _desk(ISSUES)
    done = set_aside(Every(("body",)), None, tree, desk)

    handle = handle_of(LONG)
    assert at(tree.value(), ("issues", 0, "body")) == f"[220 characters set aside: terse_retrieve {handle}]"
    assert at(tree.value(), ("issues", 1, "body")) == "short"
    assert desk.handles == {handle: LONG}
    assert done == Done(1, aside=1, note="1 of 2 set aside")


def test_set_aside_over_a_size_leaves_smaller_values() -> None:
    """`set aside every body over 2k characters` does nothing to 200 characters."""
    tree, desk = Tree(ISSUES), _desk(ISSUES)
    set_aside(Every(("body",)), Amount(2000, "characters"), tree, desk)

    assert not tree.edited
    assert not desk.handles


def test_kept_values_stay_beside_the_note() -> None:
    """What is kept in a value that is set aside stands in its place, with the note."""
    tree, desk = Tree(ISSUES), _desk(ISSUES)
    keep(Every(("id",)), tree)
    set_aside(Path(("issues",)), None, tree, desk)

    handle = handle_of(dump(at(ISSUES, ("issues",))))
    assert at(tree.value(), ("issues",)) == [
        {"id": Number("1"), "user": {"id": Number("7")}},
        {"id": Number("2"), "user": {"id": Number("8")}},
        {"…": f"[2 rows set aside: terse_retrieve {handle}]"},
    ]


def test_handles_hold_the_value_as_received() -> None:
    """`set aside` takes its copy from the original, before anything was removed from it."""
    tree, desk = Tree(ISSUES), _desk(ISSUES)
    remove(Every(("body",)), None, tree, desk)
    set_aside(Path(("issues",)), None, tree, desk)

    assert list(desk.handles.values()) == [dump(at(ISSUES, ("issues",)))]


def test_a_full_store_stops_setting_aside() -> None:
    """Nothing is set aside that could not be promised, and the trace says so."""
    tree = Tree(ISSUES)
    done = set_aside(Every(("body",)), None, tree, _desk(ISSUES, Store(max_bytes=50)))

    assert not tree.edited
    assert done == Done(note="the store is full")


def test_a_string_is_cut_to_characters() -> None:
    """The note stands where the rest was and says how much it is; the handle holds the whole string."""
    tree, desk = Tree(ISSUES), _desk(ISSUES)
    shorten(Every(("body",)), Cut(Amount(10, "characters")), tree, desk)

    note = f"[the last 210 of 220 characters set aside: terse_retrieve {handle_of(LONG)}]"
    assert at(tree.value(), ("issues", 0, "body")) == LONG[:10] + note
    assert desk.handles == {handle_of(LONG): LONG}


def test_both_ends_stay_when_asked_for() -> None:
    """`to 10 characters from both ends` keeps five at each."""
    tree, desk = Tree(ISSUES), _desk(ISSUES)
    shorten(Every(("body",)), Cut(Amount(10, "characters"), "both", removes=True), tree, desk)

    cut = f"{LONG[:5]}[210 of 220 characters from the middle removed]{LONG[-5:]}"
    assert at(tree.value(), ("issues", 0, "body")) == cut
    assert not desk.handles


def test_a_string_is_cut_to_tokens() -> None:
    """What stays has no more tokens than asked for."""
    tree, desk = Tree(ISSUES), _desk(ISSUES)
    shorten(Every(("body",)), Cut(Amount(5, "tokens")), tree, desk)

    assert at(tree.value(), ("issues", 0, "body")).startswith(LONG[:20] + "[the last ")


def test_strings_in_a_list_are_cut_each() -> None:
    """A list is seen through: `shorten notes to 8 characters` cuts every note in it."""
    document = parse(dump({"notes": [LONG, "short", LONG + "!"]}))
    tree = Tree(document)
    shorten(Path(("notes",)), Cut(Amount(8, "characters"), removes=True), tree, _desk(document))

    assert at(tree.value(), ("notes",)) == [
        LONG[:8] + "[the last 212 of 220 characters removed]",
        "short",
        LONG[:8] + "[the last 213 of 221 characters removed]",
    ]


def test_rows_are_counted_in_a_note_beside_their_list() -> None:
    """A shortened list stays a list of records; the note has a key of its own."""
    document = parse(dump({"rows": ROWS, "total": Number("50")}))
    tree, desk = Tree(document), _desk(document)
    done = shorten(Everything(), Cut(Amount(3, "rows")), tree, desk)

    note = f"[the last 47 of 50 rows set aside: terse_retrieve {handle_of(dump(ROWS))}]"
    assert tree.value() == {"rows": ROWS[:3], "rows…": note, "total": Number("50")}  # type: ignore[index]
    assert done.note == "rows: the last 47 of 50 rows set aside"


def test_a_list_that_is_the_document_holds_its_note() -> None:
    """At the place of the gap, as an object among objects."""
    tree, desk = Tree(ROWS), _desk(ROWS)
    shorten(Everything(), Cut(Amount(4, "rows"), "both"), tree, desk)

    note = f"[46 of 50 rows from the middle set aside: terse_retrieve {handle_of(dump(ROWS))}]"
    assert tree.value() == [*ROWS[:2], {"…": note}, *ROWS[-2:]]  # type: ignore[misc,index]


def test_kept_parts_of_rows_that_are_cut_away_stay() -> None:
    """`keep every id` and `shorten … to last 2 rows`: every id is still there, in order."""
    tree, desk = Tree(ROWS), _desk(ROWS)
    keep(Every(("id",)), tree)
    shorten(Everything(), Cut(Amount(2, "rows"), "last"), tree, desk)

    value = tree.value()
    assert isinstance(value, list)
    assert value[:48] == [{"id": Number(str(number))} for number in range(48)]
    assert value[-2:] == ROWS[-2:]  # type: ignore[index]


def test_numbers_are_not_text() -> None:
    """`shorten` by characters leaves numbers alone, however long."""
    document = parse('{"n": 12345678901234567890123456789012345678901234567890}')
    tree = Tree(document)

    assert shorten(Path(("n",)), Cut(Amount(2, "characters")), tree, _desk(document)).note == "nothing found"
    assert not tree.edited


# ---- on any document ------------------------------------------------------------------------------


@given(document=DOCUMENTS, removed=st.lists(TARGETS, max_size=3), kept=st.lists(TARGETS, max_size=2))
def test_removing_leaves_exactly_the_rest(
    document: JsonValue, removed: list[Target], kept: list[Target]
) -> None:
    """A value is gone if and only if it, or what it stands in, is found by `remove`, and nothing keeps it."""
    gone = {way for target in removed for way in found_ways(document, target)}
    safe = {way for target in kept for way in found_ways(document, target)}
    assume(() not in gone or safe)

    def left(value: JsonValue, way: Way) -> JsonValue:
        if within(way, safe):
            return value
        if isinstance(value, dict):
            return {key: left(item, (*way, key)) for key, item in value.items() if stays((*way, key))}
        if isinstance(value, list):
            return [left(item, (*way, index)) for index, item in enumerate(value) if stays((*way, index))]
        return value

    def stays(way: Way) -> bool:
        return within(way, safe) or leads(way, safe) or not within(way, gone)

    tree, desk = Tree(document), _desk(document)
    for target in kept:
        keep(target, tree)
    for target in removed:
        remove(target, None, tree, desk)

    assert dump(tree.value()) == dump(left(document, ()))


CUTS = st.builds(
    Cut,
    st.builds(Amount, st.integers(1, 6), st.sampled_from(["characters", "tokens", "lines", "rows"])),
    st.sampled_from(["first", "last", "both"]),
    st.booleans(),
)
ACTIONS = st.one_of(
    st.tuples(st.just("remove"), TARGETS, st.just(None)),
    st.tuples(st.just("set aside"), TARGETS, st.just(None)),
    st.tuples(st.just("shorten"), TARGETS, CUTS),
)


def _act(action: tuple[str, Target, Cut | None], tree: Tree, desk: Desk) -> Done:
    name, target, cut = action
    if name == "remove":
        return remove(target, None, tree, desk)
    if name == "set aside":
        return set_aside(target, None, tree, desk)
    assert cut is not None
    return shorten(target, cut, tree, desk)


@given(
    document=DOCUMENTS, actions=st.lists(ACTIONS, max_size=4), kept=st.lists(TARGETS, min_size=1, max_size=2)
)
def test_kept_values_survive_any_actions(
    document: JsonValue, actions: list[tuple[str, Target, Cut | None]], kept: list[Target]
) -> None:
    """Whatever is done, `keep` finds the same values afterwards, in the same order."""
    tree, desk = Tree(document), _desk(document)
    for target in kept:
        keep(target, tree)
    for action in actions:
        _act(action, tree, desk)

    check_kept(document, tree.value(), kept, tree.notes)


@given(document=DOCUMENTS, actions=st.lists(ACTIONS, max_size=4))
def test_nothing_outside_the_selectors_changes(
    document: JsonValue, actions: list[tuple[str, Target, Cut | None]]
) -> None:
    """Every value that no action speaks of, nor of anything it stands in or leads to, is where it was."""
    spoken = {
        way
        for name, target, cut in actions
        for way in found_ways(document, target)
        if not (isinstance(target, Everything) and name == "shorten")
    }
    assume(not any(isinstance(target, Everything) for _, target, _ in actions))
    tree, desk = Tree(document), _desk(document)
    for action in actions:
        _act(action, tree, desk)
    value = tree.value()

    for way, original in every_way(document):
        if not within(way, spoken) and not leads(way, spoken):
            assert dump(at(value, way)) == dump(original)


@given(document=DOCUMENTS, targets=st.lists(TARGETS, min_size=1, max_size=3))
def test_what_is_set_aside_can_be_put_back(document: JsonValue, targets: list[Target]) -> None:
    """With every note replaced by what its handle holds, the document is the one received."""
    tree, desk = Tree(document), _desk(document)
    for target in targets:
        set_aside(target, None, tree, desk)
    notes = {note: note.rstrip("]").rpartition(" ")[2] for note in tree.notes}

    def put_back(value: JsonValue, original: JsonValue) -> str:
        if isinstance(value, str) and value in notes and value != original:
            return text_of(original) if desk.handles[notes[value]] == text_of(original) else "wrong"
        return "same" if dump(value) == dump(original) else "different"

    def walk(value: JsonValue, original: JsonValue) -> None:
        if isinstance(value, dict) and isinstance(original, dict):
            assert list(value) == list(original)
            for key in value:
                walk(value[key], original[key])
        elif isinstance(value, list) and isinstance(original, list):
            assert len(value) == len(original)
            for item, before in zip(value, original, strict=True):
                walk(item, before)
        else:
            assert put_back(value, original) in ("same", text_of(original))

    walk(tree.value(), document)


@given(document=DOCUMENTS, actions=st.lists(ACTIONS, max_size=3))
def test_the_document_itself_is_never_changed(
    document: JsonValue, actions: list[tuple[str, Target, Cut | None]]
) -> None:
    """Handles hold originals, so the original must stay what it was; and a copied tree goes its own way."""
    before = dump(document)
    tree, desk = Tree(document), _desk(document)
    other = tree.copy()
    for action in actions:
        _act(action, tree, desk.copy())

    assert dump(document) == before
    assert dump(other.value()) == before
    assert not desk.handles


@given(document=DOCUMENTS, actions=st.lists(ACTIONS, max_size=3))
def test_a_note_is_told_from_data_that_looks_like_one(
    document: JsonValue, actions: list[tuple[str, Target, Cut | None]]
) -> None:
    """Notes open with more brackets than anything in the data that reads like a note."""
    tree, desk = Tree(document), _desk(document)
    for action in actions:
        _act(action, tree, desk)

    for note in tree.notes:
        assert note not in dump(document)
