"""What `dedup` and `diff` promise, case by case: wording, keyframes, what is never a base, faults."""

from __future__ import annotations

import json
import tracemalloc
from dataclasses import replace

import pytest

from terse.fields.selector import Every
from terse.guarantee import Guarantee
from terse.memory.history import MAX_BYTES, Base, Earlier
from terse.memory.session import Session
from terse.payload.call import Call
from terse.payload.payload import Payload
from terse.plan.model import Guard, SetAside, Step
from terse.plan.run import run, sent
from terse.plan.trace import StepStatus
from terse.tiers import BY_NAME
from terse.tiers.spec import Applied, Draft, State
from terse.tokens import vocabulary
from tests.memory.sessions import COMPACT, DEDUP, DIFF, Talk, is_delta, memory_rule
from tests.plan.plans import ALL, plan, rule, steps

FILE = "\n".join(f"line {number}: what a file says in that place" for number in range(80))
ROWS = [
    {"id": number, "state": "open", "title": f"Issue {number}", "votes": number % 5} for number in range(30)
]


def board(*rows: dict[str, object]) -> str:
    return json.dumps({"issues": rows or ROWS, "total": 30})


def with_row(at: int, **values: object) -> list[dict[str, object]]:
    return [{**row, **values} if number == at else row for number, row in enumerate(ROWS)]


# ---- wording -----------------------------------------------------------------------------------------


def test_an_identical_result_is_said_in_one_sentence() -> None:
    """It says that the tool ran again, which call gave the same, and costs no more than 40 tokens."""
    talk = Talk()
    talk.ask("another question", argument="b")
    talk.ask(FILE)
    (text,) = talk.ask(FILE)

    assert text == "Re-run now: identical to call #2 of this tool (same arguments)."
    assert vocabulary().count(text) <= 40


def test_the_retrieve_tool_is_named_only_where_the_client_can_call_it() -> None:
    """With it, the handle resolves to the full result before it is sent."""
    talk = Talk()
    talk.ask(FILE, can_retrieve=True)
    (text,) = talk.ask(FILE.replace("line 7:", "line seven:"), can_retrieve=True)
    handle = text.split("terse_retrieve ")[1].split()[0]

    assert talk.session.store.get(handle) == FILE.replace("line 7:", "line seven:")
    (without,) = talk.ask(FILE.replace("line 7:", "line 8:"))
    assert "terse_retrieve" not in without


def test_a_changed_line_is_shown_as_a_diff() -> None:
    """Old and new line, and where: no chunk numbers, nothing to compute."""
    talk = Talk()
    talk.ask(FILE)
    (text,) = talk.ask(FILE.replace("line 40: what", "line 40: whatever"))

    assert text.split("\n") == [
        "Re-run now: the text of call #1 of this tool (same arguments), but for this diff:",
        "@@ -41 +41 @@",
        "-line 40: what a file says in that place",
        "+line 40: whatever a file says in that place",
    ]


def test_a_changed_row_is_named_by_its_key() -> None:
    """The key is found in the rows, and the change is one place."""
    talk = Talk()
    talk.ask(board())
    (text,) = talk.ask(board(*with_row(12, state="closed")))

    assert text.split("\n")[1:] == ['issues[id=12].state = "closed"']


def test_rows_that_came_went_and_moved_are_named() -> None:
    """A list sorted by its latest change: what is on top is said, not the whole list again."""
    talk = Talk()
    talk.ask(board())
    new = {"id": 99, "state": "new", "title": "Issue 99", "votes": 0}
    (text,) = talk.ask(board(new, ROWS[20], *ROWS[:7], *ROWS[8:20], *ROWS[21:]))

    assert text.split("\n")[1:] == [
        "remove issues[id=7]",
        'first in issues: [{"id":99,"state":"new","title":"Issue 99","votes":0}]',
        "move issues[id=20] first in issues",
    ]


def test_a_column_that_changed_in_every_row_is_one_statement() -> None:
    """A poll in which every row has a new time."""
    first = [{**row, "at": [1700000000.5, str(row["id"])]} for row in ROWS]
    second = [{**row, "at": [1700000003.5, str(row["id"])]} for row in ROWS]
    talk = Talk()
    talk.ask(board(*first))
    (text,) = talk.ask(board(*second))

    assert text.split("\n")[1:] == ["issues[*].at[0] = 1700000003.5"]


@pytest.mark.parametrize(
    ("names", "renamed", "said"),
    [
        ("uid=1_{}", "uid=2_{}", "every uid=1_N is now uid=2_N"),
        ("[ref=f5e{}]", "[ref=f6e{}]", "every ref=f5eN is now ref=f6eN"),
        ("[ref=e{}]", "[ref=e9{}]", None),
    ],
)
def test_a_page_that_was_reloaded_costs_next_to_nothing(names: str, renamed: str, said: str | None) -> None:
    """Every element has a new name, and nothing else changed: at most 5 % of the page."""
    page = "\n".join(f'  - link "Entry {n} of the index" {names.format(n)}' for n in range(100, 400))
    again = "\n".join(f'  - link "Entry {n} of the index" {renamed.format(n)}' for n in range(100, 400))
    talk = Talk()
    talk.ask(page)
    (text,) = talk.ask(again)

    assert vocabulary().count(text) <= 0.05 * vocabulary().count(again)
    if said:
        assert text.split("\n")[1:] == [f"Renumbered: {said}"]


def test_renumbering_moves_on_after_an_element_that_is_new() -> None:
    """Names behind a new element are shifted: ranges say so, and the element itself is the diff."""
    lines = [f'[{n}]<button "Choice {n}">' for n in range(60)]
    later = [
        *lines[:20],
        '[20]<button "Brand new">',
        *(f'[{n + 1}]<button "Choice {n}">' for n in range(20, 60)),
    ]
    talk = Talk()
    talk.ask("\n".join(lines))
    (text,) = talk.ask("\n".join(later))

    assert text.split("\n")[1:] == [
        "Renumbered: [20..59] is now [21..60]",
        "@@ -20 +20,2 @@",
        ' [19]<button "Choice 19">',
        '+[20]<button "Brand new">',
    ]


def test_many_texts_that_are_all_the_same_again_are_one_sentence() -> None:
    """A linter that answers one text a file, asked twice."""
    texts = [f"file {number}\n{FILE}" for number in range(12)]
    talk = Talk()
    talk.ask(*texts)

    assert talk.ask(*texts) == [
        "Re-run now: all 12 texts identical to those of call #1 of this tool (same arguments)."
    ]


def test_texts_that_changed_places_are_known_again() -> None:
    """The first of many hits is gone: the others are where they were in the earlier result."""
    texts = [f"hit {number}\n{FILE}" for number in range(6)]
    talk = Talk()
    talk.ask(*texts)
    made = talk.ask(*texts[1:])

    assert made[0] == "Re-run now: identical to text 2 of call #1 of this tool (same arguments)."


# ---- type-strict ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("0", "false"),
        ("1", "true"),
        ("1", "1.0"),
        ("10.1", "10.10"),
        ("1", '"1"'),
        ("null", '"null"'),
        ('""', "null"),
        ("-0", "0"),
        ("1e3", "1000"),
        ('{"a":1,"b":2}', '{"b":2,"a":1}'),
        ('{"a":1,"a":2}', '{"a":2}'),
        ('{"a":1,"a":2}', '{"a":2,"a":1}'),
        ('{"a":1,"a":2,"b":[1,2,3]}', '{"a":1,"a":3,"b":[1,2,3]}'),
        ("NaN", '"NaN"'),
        ("NaN", "-Infinity"),
        ("[]", "{}"),
        ("12345678901234567890", "12345678901234567891"),
    ],
)
def test_nothing_that_differs_is_called_the_same(old: str, new: str) -> None:
    """Types, number spellings and key order are part of a value."""
    rows = [f'{{"id":{n},"done":{{}},"text":"the same words in every row, number {n}"}}' for n in range(20)]
    before, after = (
        "[" + ",".join(row.replace("{}", value if n == 7 else "5", 1) for n, row in enumerate(rows)) + "]"
        for value in (old, new)
    )
    talk = Talk()
    talk.ask(before)
    (text,) = talk.ask(after)

    assert is_delta(text)
    assert text.split("\n")[1:]


def test_rows_in_which_a_key_stands_twice_are_set_whole() -> None:
    """A path could only name the first of two keys: what holds them is given as a whole."""
    rows = [f'{{"id":{n},"of":{{"a":{n},"b":"words in row {n}","a":{{}}}},"id":"x"}}' for n in range(9)]
    before, after = ("[" + ",".join(row.replace("{}", str(value)) for row in rows) + "]" for value in (1, 2))
    one = before.replace('"a":4,', '"a":5,')
    talk = Talk()
    talk.ask(before)
    (changed,) = talk.ask(one)
    talk.ask(after)

    assert is_delta(changed)
    assert '"a":5,"b":"words in row 4","a":1' in changed


# ---- keyframes, windows, what is no base -----------------------------------------------------------


@pytest.mark.parametrize("keyframe", [2, 5, 15])
def test_the_full_text_comes_at_least_every_so_many_calls(keyframe: int) -> None:
    """However small the changes are."""
    talk = Talk(memory_rule(Step("dedup", {"window": 200}), Step("diff", {"keyframe": keyframe})))
    kinds = [is_delta(talk.ask(f"{FILE}\nturn {turn}")[0]) for turn in range(3 * keyframe)]

    assert kinds == ([False] + [True] * (keyframe - 1)) * 3


def test_an_identical_result_is_sent_in_full_again_after_the_window() -> None:
    """The model may have lost sight of it; other calls count too."""
    talk = Talk(memory_rule(Step("dedup", {"window": 4})))
    talk.ask(FILE)

    assert [is_delta(talk.ask(FILE)[0]) for _ in range(9)] == [True] * 4 + [False] + [True] * 4
    for number in range(4):
        talk.ask(FILE, tool=f"other {number}")
    assert not is_delta(talk.ask(FILE)[0])


def test_what_goes_back_to_an_earlier_state_is_known_again() -> None:
    """A file is edited and the edit taken back: the text is the one of the first call."""
    talk = Talk()
    talk.ask(FILE)
    talk.ask(FILE + "\nmore")

    assert talk.ask(FILE) == ["Re-run now: identical to call #1 of this tool (same arguments)."]


def test_an_error_is_sent_as_it_is_and_is_no_base() -> None:
    """Neither the error nor the result after it speaks of the other."""
    talk = Talk()
    talk.ask(FILE)
    talk.ask(FILE, is_error=True)

    assert talk.ask(FILE) == [FILE]


def test_small_results_are_left_alone() -> None:
    """What could be saved is not worth a word."""
    talk = Talk()
    talk.ask("ok")

    assert talk.ask("ok") == ["ok"]


@pytest.mark.parametrize(
    "guard", [Guard("g", "r.terse:1", ALL, never_store=True), Guard("g", "r.terse:1", ALL, require="exact")]
)
def test_a_guard_keeps_results_out_of_memory(guard: Guard) -> None:
    """`never store`, or a class that the steps do not have: nothing is sent as a delta, and nothing kept."""
    talk = Talk(guards=(guard,))
    talk.ask(FILE)

    assert talk.ask(FILE) == [FILE]
    assert talk.session.base_bytes == 0


def test_a_guard_can_forbid_one_of_the_steps() -> None:
    """`never use diff`: what is identical is still said, what changed is sent whole."""
    talk = Talk(guards=(Guard("g", "r.terse:1", ALL, never_use=("diff",)),))
    talk.ask(FILE)

    assert is_delta(talk.ask(FILE)[0])
    assert not is_delta(talk.ask(FILE + "\nmore")[0])


def test_results_that_share_nothing_are_sent_whole() -> None:
    """A delta as long as the result would only be harder to read."""
    talk = Talk()
    talk.ask(FILE)

    assert not is_delta(talk.ask("\n".join(f"{n} something else altogether" for n in range(80)))[0])


def test_what_the_client_may_not_have_is_no_base() -> None:
    """After a cancelled call the next result of it is sent whole, and others are not touched."""
    talk = Talk()
    talk.ask(FILE)
    talk.ask(FILE, argument="b")
    talk.session.forget(Call("server", "tool", {"of": "a"}))

    assert not is_delta(talk.ask(FILE)[0])
    assert is_delta(talk.ask(FILE, argument="b")[0])


def test_a_result_that_was_not_sent_is_no_base() -> None:
    """Only `sent` makes one."""
    session, call = Session(), Call("server", "tool")
    of = plan(memory_rule())
    run(of, Payload.of(FILE), call, session, vocabulary())

    assert run(of, Payload.of(FILE), call, session, vocabulary()).text == FILE


def test_a_call_never_rests_on_one_that_was_made_after_it() -> None:
    """Of two calls under way at once, the second is answered first."""
    session, call = Session(), Call("server", "tool")
    of = plan(memory_rule())
    second = run(of, Payload.of(FILE), call, session, vocabulary(), number=2)
    sent(of, [second], call, session, vocabulary(), number=2)

    assert run(of, Payload.of(FILE), call, session, vocabulary(), number=1).text == FILE
    assert "call #2" in run(of, Payload.of(FILE), call, session, vocabulary(), number=3).text


def test_a_delta_after_field_lines_rests_on_what_was_sent() -> None:
    """What is set aside is set aside in both, and the note in place of it stays as it is."""
    long = "words that nobody needs now, " * 40
    talk_rule = rule(fields=(SetAside((Every(("body",)),)),), chain=(DEDUP, DIFF))
    session, call, of = Session(), Call("server", "tool"), plan(talk_rule)
    texts = [
        json.dumps([{**row, "body": f"{long}{row['id']}"} for row in rows])
        for rows in (ROWS, with_row(3, votes=77))
    ]
    done = []
    for text in texts:
        done.append(run(of, Payload.of(text), call, session, vocabulary(), can_retrieve=True))
        sent(of, done[-1:], call, session, vocabulary())

    assert done[0].guarantee is Guarantee.RECOVERABLE
    assert done[1].text.split("\n")[1:] == ["[id=3].votes = 77"]


# ---- bounds, faults, determinism -------------------------------------------------------------------


def test_memory_is_bounded_and_the_oldest_is_forgotten_first() -> None:
    """A base that is gone means full text; the default is 64 MB."""
    assert MAX_BYTES == 64 * 1024 * 1024
    session = Session(max_base_bytes=50_000)
    for number in range(40):
        call = Call("server", "tool", {"n": number})
        session.record(call, 0, [Base(FILE + str(number), is_json=False, whole=True)])
        assert session.base_bytes <= 50_000

    assert session.earlier(Call("server", "tool", {"n": 0})) == ()
    assert session.earlier(Call("server", "tool", {"n": 39}))[0].text == FILE + "39"


@pytest.mark.parametrize(("results", "texts"), [(3_000, 1), (40, 100)])
def test_what_is_counted_is_no_less_than_what_is_taken(results: int, texts: int) -> None:
    """Many small results cost more than their text, and that is counted too."""
    tracemalloc.start()
    try:
        session = Session()
        for number in range(results):
            bases = [Base(f"{'x' * 60} {number} {part}", is_json=False, whole=True) for part in range(texts)]
            session.record(Call("server", "tool", {"n": number}), 0, bases)
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert taken <= session.base_bytes


def test_a_result_larger_than_the_memory_is_not_kept() -> None:
    """Nor does it make the session fail."""
    session = Session(max_base_bytes=1_000)
    session.record(Call("server", "tool"), 0, [Base(FILE, is_json=False, whole=True)])

    assert session.base_bytes == 0
    assert session.earlier(Call("server", "tool")) == ()


def test_the_same_session_gives_the_same_bytes() -> None:
    """No clock, no chance: prompt caches live on it."""

    def made() -> list[str]:
        talk = Talk(memory_rule(*COMPACT, DEDUP, DIFF))
        texts = [board(), board(*with_row(4, votes=9)), FILE, FILE + "\nmore", board(*ROWS[1:]), FILE]
        return [talk.ask(text, detail=detail)[0] for text in texts for detail in (False,)]

    assert made() == made()


@pytest.mark.parametrize(
    "lie",
    [
        "Re-run now: identical to call #1 of this tool (same arguments).",
        "Re-run now: identical to call #7 of this tool (same arguments).",
        "Re-run now: the text of call #1 of this tool (same arguments), but for this diff:\n@@ -1 +1 @@\n-x",
        "Re-run now: the text of call #1 of this tool (same arguments), but for this diff:\nnonsense",
        "Re-run now: the JSON of call #1 of this tool (same arguments), but for:\na = 1",
        "nothing of the kind",
    ],
)
def test_a_delta_that_does_not_give_the_result_is_never_sent(lie: str) -> None:
    """The gate applies it to the base: the original goes out, and is the base of what follows."""
    lying = replace(BY_NAME["diff"], run=lambda *_: Applied(Draft(State.DELTA, lie)))
    session, call, of = Session(), Call("server", "tool"), plan(memory_rule(DIFF))
    sent(of, [run(of, Payload.of(FILE), call, session, vocabulary())], call, session, vocabulary())
    changed = FILE.replace("line 7:", "line seven:")
    outcome = run(of, Payload.of(changed), call, session, vocabulary(), tiers={**BY_NAME, "diff": lying})
    sent(of, [outcome], call, session, vocabulary())

    assert outcome.text == changed
    assert outcome.trace.gate.failed
    after = run(of, Payload.of(changed + "\nmore"), call, session, vocabulary())
    assert after.text.startswith("Re-run now: the text of call #2 ")


def test_a_step_that_fails_leaves_the_result_whole() -> None:
    """It is named in the trace, and the other steps run."""

    def fail(*_: object) -> Applied:
        raise RuntimeError("a bug")

    broken = replace(BY_NAME["dedup"], run=fail)
    session, call, of = Session(), Call("server", "tool"), plan(memory_rule())
    sent(of, [run(of, Payload.of(FILE), call, session, vocabulary())], call, session, vocabulary())
    outcome = run(
        of, Payload.of(FILE + "\nmore"), call, session, vocabulary(), tiers={**BY_NAME, "dedup": broken}
    )

    assert steps(outcome)["dedup"].status is StepStatus.FAILED
    assert is_delta(outcome.text)


def test_the_trace_says_what_stayed() -> None:
    """`explain` shows why the second call cost so little."""
    talk = Talk(memory_rule(*COMPACT, DEDUP, DIFF))
    first = talk.outcomes(board(), detail=True)[0]
    second = talk.outcomes(board(*with_row(3, votes=50)), detail=True)[0]

    assert steps(first)["diff"].note == "first call of this session with these arguments"
    assert steps(second)["diff"].note == "since call #1: 29 of 30 rows unchanged"
    assert steps(second)["tabularize"].note == "not needed: what changed is far smaller"


def test_an_earlier_result_says_where_it_stands() -> None:
    """What tiers are handed is frozen data."""
    session, call = Session(), Call("server", "tool")
    session.record(call, 0, [Base("one", is_json=False, whole=True), Base("two", is_json=False, whole=True)])

    assert session.earlier(call, part=1) == (
        Earlier(1, 1, 2, 1, 0, "two", False),
        Earlier(1, 0, 2, 1, 0, "one", False),
    )
