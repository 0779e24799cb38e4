"""One payload through a plan: what is sent, and what is said about it."""

from __future__ import annotations

import dataclasses

import pytest

from terse.fields.selector import CodeBlocks, Every, Everything, LinesMatching, Path, TerminalCodes
from terse.guarantee import Guarantee
from terse.memory.session import Session
from terse.memory.store import Store, handle_of
from terse.payload.exact import Number, dump, parse
from terse.payload.payload import Payload
from terse.plan import field_lines
from terse.plan.model import (
    FitIn,
    Guard,
    Keep,
    Pattern,
    PayloadIs,
    Quantity,
    Remove,
    SessionSize,
    SetAside,
    Shorten,
    Step,
)
from terse.plan.run import run, sent
from terse.plan.trace import NOT_COUNTED, Outcome, StepStatus
from terse.tiers import BY_NAME
from terse.tiers.expand import expand
from terse.tiers.spec import Context, Draft, Skip
from terse.tokens import vocabulary
from tests.plan.plans import (
    ALL,
    CALL,
    RECORDS,
    characters,
    issues,
    outcome,
    plan,
    rule,
    same_document,
    steps,
    tier,
    told,
)

ISSUES = issues()
BODY = Path(("issues", "body"))
LOG = "".join(
    f"2026-11-30 {'DEBUG' if number % 3 else 'INFO'} worker {number} did what workers do all day\n"
    for number in range(120)
)


def test_a_chain_makes_a_result_smaller_and_loses_nothing() -> None:
    """Records come out as a table that decodes to the same document."""
    done = outcome(rule(chain=RECORDS), ISSUES)

    assert done.guarantee is Guarantee.LOSSLESS
    assert done.trace.tokens_out < 0.8 * done.trace.tokens_in
    assert same_document(expand(done.text), ISSUES)
    assert done.trace.gate.sent == "emitted"
    assert done.trace.gate.verdict == "decoded and compared with the original: equal"


def test_a_call_without_a_rule_passes_untouched() -> None:
    """No rule, no change, and nothing is counted for it."""
    done = outcome(rule(on=(Pattern("jira", "*"),), chain=RECORDS), ISSUES, detail=False)

    assert done.text == ISSUES
    assert done.guarantee is Guarantee.EXACT
    assert done.trace.rule is None
    assert done.trace.tokens_in == NOT_COUNTED


def test_a_small_result_is_left_alone() -> None:
    """Under 200 tokens no step runs, however much it would save."""
    small = '[{"id": 1, "name": "x"}, {"id": 2, "name": "x"}]'
    done = outcome(rule(chain=RECORDS), small)

    assert done.text == small
    assert steps(done)["tabularize"].note == "under 200 tokens: left alone"
    assert done.trace.gate.verdict == "nothing changed"


def test_a_step_that_does_not_fit_is_skipped() -> None:
    """`tabularize` on a text is skipped, and the trace says why."""
    done = outcome(rule(chain=RECORDS), LOG)

    assert done.text == LOG
    assert steps(done)["tabularize"].status is StepStatus.SKIPPED
    assert steps(done)["minify"].note == "it takes json, this is text"


def test_the_order_of_field_lines_is_the_languages() -> None:
    """keep, remove, set aside, shorten, whatever the order in the file."""
    lines = (
        Shorten((Path(("issues", "title")),), characters(3), remove_rest=True),
        SetAside((BODY,)),
        Remove((Every(("*_url",)),)),
        Keep((Every(("id",)),)),
    )
    one = outcome(rule(fields=lines, chain=RECORDS), ISSUES)
    other = outcome(rule(fields=lines[::-1], chain=RECORDS), ISSUES)

    assert one.text == other.text
    assert [step.label.split()[0] for step in told(one)[:3]] == ["remove", "set", "shorten"]


def test_a_lossy_run_says_what_is_gone() -> None:
    """What was removed is listed, with its share; what is kept is listed and was compared."""
    fields = (Keep((Every(("id",)),)), Remove((Every(("*_url",)), Every(("nowhere",)))))
    done = outcome(rule(fields=fields), ISSUES)

    assert done.guarantee is Guarantee.LOSSY
    assert done.trace.lost == ("every *_url",)
    assert 0 < done.trace.lost_percent < 100
    assert done.trace.kept == ("every id",)
    assert "example.com" not in done.text
    assert done.trace.gate.verdict == (
        "decoded and compared with the original: equal but for what is listed above"
    )


def test_what_is_set_aside_resolves_when_the_result_is_sent() -> None:
    """Every handle in the emitted text is in the session's store, and holds the value as received."""
    session = Session()
    done = outcome(rule(fields=(SetAside((BODY,)),), chain=RECORDS), ISSUES, session=session)

    assert done.guarantee is Guarantee.RECOVERABLE
    document = parse(ISSUES)
    for issue in document["issues"]:  # type: ignore[call-overload,index]
        assert handle_of(issue["body"]) in done.text
        assert session.store.get(handle_of(issue["body"])) == issue["body"]
    assert done.trace.aside[0] == "issues.body (30)"


def test_a_client_that_cannot_fetch_gets_everything() -> None:
    """Without the retrieve tool, `set aside` and `shorten` are not done; `and remove the rest` is."""
    fields = (
        SetAside((BODY,)),
        Shorten((Path(("issues", "title")),), characters(3)),
        Shorten((Path(("issues", "state")),), characters(1), remove_rest=True),
    )
    session = Session()
    done = outcome(rule(fields=fields), ISSUES, session=session, can_retrieve=False)

    statuses = [step.status for step in told(done)]
    assert statuses == [StepStatus.FORBIDDEN, StepStatus.FORBIDDEN, StepStatus.SKIPPED]
    assert told(done)[0].note == "this client cannot fetch what is set aside"
    assert done.text == ISSUES
    assert session.store.free_bytes == Store().free_bytes


def test_a_result_with_a_full_store_is_sent_whole() -> None:
    """The store never drops what it promised: when it is full, nothing more is set aside."""
    session = Session()
    session.store = Store(max_bytes=100)
    done = outcome(rule(fields=(SetAside((BODY,)),)), ISSUES, session=session)

    assert done.text == ISSUES
    assert told(done)[0].note == "the store is full"


def test_an_error_result_loses_nothing() -> None:
    """A lossy line is not done to a result that says it is an error."""
    call = dataclasses.replace(CALL, is_error=True)
    done = outcome(rule(fields=(Remove((BODY,)),), chain=RECORDS), ISSUES, call=call)

    assert told(done)[0].status is StepStatus.FORBIDDEN
    assert told(done)[0].note == "an error result loses nothing"
    assert same_document(expand(done.text), ISSUES)


# ---- guards -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("require", "expected"),
    [
        ("recoverable", Guarantee.RECOVERABLE),
        ("lossless", Guarantee.LOSSLESS),
        ("exact", Guarantee.EXACT),
    ],
)
def test_a_guard_lowers_the_plan(require: str, expected: Guarantee) -> None:
    """`require CLASS` in a guard drops the steps below it; the rest of the rule runs."""
    fields = (Remove((Every(("*_url",)),)), SetAside((BODY,)))
    guard = Guard("floor", "r.terse:1", ALL, require=require)  # type: ignore[arg-type]
    done = outcome(rule(fields=fields, chain=RECORDS), ISSUES, guards=(guard,))

    assert done.guarantee is expected
    forbidden = [step for step in told(done) if step.status is StepStatus.FORBIDDEN]
    assert all(step.note == f"guard floor requires {require}" for step in forbidden)
    assert len(forbidden) == {"recoverable": 1, "lossless": 2, "exact": 5}[require]


def test_a_guard_keeps_what_a_rule_removes() -> None:
    """`keep` in a guard wins over `remove` in a rule."""
    guard = Guard("ids", "r.terse:1", ALL, keep=(Keep((Every(("id",)),)),))
    done = outcome(rule(fields=(Remove((Path(("issues",)),)),)), ISSUES, guards=(guard,))

    left = parse(done.text)
    assert left["issues"][4] == {"id": Number("1004"), "user": {"id": Number("1")}}  # type: ignore[call-overload,index]


def test_a_guard_forbids_a_tier() -> None:
    """`never use dictionary`: the other steps run."""
    guard = Guard("plain", "r.terse:1", ALL, never_use=("dictionary",))
    done = outcome(rule(chain=RECORDS), issues(30, "the same every time "), guards=(guard,))

    assert steps(done)["dictionary"].status is StepStatus.FORBIDDEN
    assert steps(done)["dictionary"].note == "guard plain never uses dictionary"
    assert steps(done)["tabularize"].status is StepStatus.APPLIED


def test_a_guard_forbids_storing() -> None:
    """`never store`: no handle is made."""
    session = Session()
    guard = Guard("secret", "r.terse:1", ALL, never_store=True)
    done = outcome(rule(fields=(SetAside((BODY,)),)), ISSUES, guards=(guard,), session=session)

    assert done.text == ISSUES
    assert told(done)[0].note == "guard secret never stores"
    assert session.store.free_bytes == Store().free_bytes


def test_a_guard_that_excepts_the_call_does_not_apply() -> None:
    """`except github/*` takes the call out of the guard, and the trace says so."""
    guard = Guard("floor", "r.terse:1", ALL, except_=(Pattern("github", "*"),), require="exact")
    done = outcome(rule(chain=RECORDS), ISSUES, guards=(guard,))

    assert done.guarantee is Guarantee.LOSSLESS
    assert not done.trace.guards[0].applies
    assert done.trace.guards[0].text == "it excepts github/*"


# ---- bounds -----------------------------------------------------------------------------------------


def test_beyond_lose_at_most_the_largest_removals_are_set_aside() -> None:
    """Bodies are most of the payload: they become handles, the links are lost as asked for."""
    session = Session()
    fields = (Remove((BODY, Every(("*_url",)))),)
    done = outcome(rule(fields=fields, lose=25), ISSUES, session=session)

    assert done.trace.lost == ("every *_url",)
    assert done.trace.lost_percent <= 25
    assert told(done)[0].label == "remove every *_url"
    assert told(done)[1].label == "set aside issues.body"
    assert told(done)[1].note.startswith("instead of losing it: at most 25% may be lost")
    assert told(done)[1].guarantee is Guarantee.RECOVERABLE


def test_beyond_lose_at_most_nothing_goes_where_it_cannot_be_set_aside() -> None:
    """Without a way to fetch them, the largest removals are not done."""
    fields = (Remove((BODY, Every(("*_url",)))),)
    done = outcome(rule(fields=fields, lose=25), ISSUES, can_retrieve=False)

    assert done.trace.lost == ("every *_url",)
    assert told(done)[1].status is StepStatus.FORBIDDEN
    assert "a body with enough words" in done.text


def test_lines_of_fit_count_towards_what_may_be_lost() -> None:
    """`fit in` cannot lose more than `lose at most` allows."""
    fields = (FitIn(100, (Remove((BODY,)),)),)
    done = outcome(rule(fields=fields, lose=10), ISSUES)

    assert done.trace.lost == ()
    assert done.guarantee is Guarantee.RECOVERABLE


def test_fit_does_no_more_than_it_needs() -> None:
    """Lines are done one after another until the result, with its chain, fits."""
    small = outcome(rule(fields=(SetAside((BODY,)),), chain=RECORDS), ISSUES).trace.tokens_out
    lines = (SetAside((BODY,)), Shorten((Everything(),), Quantity(3, "rows")))
    done = outcome(rule(fields=(FitIn(small, lines),), chain=RECORDS), ISSUES)

    assert done.trace.tokens_out <= small
    assert [step.label.split()[0] for step in told(done)[:2]] == ["fit", "set"]
    assert not any(step.label.startswith("shorten") for step in done.trace.steps)
    assert told(done)[0].note == f"{small:,} tokens with the chain: it fits"


def test_fit_leaves_alone_what_fits() -> None:
    """A result that is small enough has none of its lines done."""
    done = outcome(rule(fields=(FitIn(100_000, (Remove((BODY,)),)),)), ISSUES)

    assert done.text == ISSUES
    assert told(done)[0].status is StepStatus.SKIPPED


def test_fit_that_cannot_says_so() -> None:
    """The result is sent as it is, and the trace says that no line is left."""
    done = outcome(rule(fields=(FitIn(10, (Remove((Every(("*_url",)),)),)),)), ISSUES)

    assert done.trace.lost == ("every *_url",)
    assert told(done)[0].note.endswith("no line is left")


# ---- texts ------------------------------------------------------------------------------------------


def test_a_log_policy() -> None:
    """The example of the guide: debug lines go, both ends stay, errors stay where they are."""
    text = LOG.replace("INFO worker 60 did", "ERROR worker 60 failed:")
    fields = (
        Keep((LinesMatching("ERROR|failed"),)),
        Remove((TerminalCodes(), LinesMatching(r"\bDEBUG\b"))),
        Shorten((Everything(),), Quantity(10, "lines"), "both"),
    )
    session = Session()
    done = outcome(rule(fields=fields), text, session=session)

    error = next(line for line in text.splitlines() if "failed" in line)
    assert error in done.text.splitlines()
    assert "DEBUG" not in done.text
    assert session.store.get(handle_of(text)) == text
    assert done.trace.tokens_out < done.trace.tokens_in / 4


def test_json_is_cut_as_text_when_the_rule_counts_lines() -> None:
    """`shorten everything to 5 lines` of a JSON file shows its first lines, and a handle for the whole."""
    session = Session()
    done = outcome(rule(fields=(Shorten((Everything(),), Quantity(5, "lines")),)), ISSUES, session=session)

    assert done.text.splitlines()[:5] == ISSUES.splitlines()[:5]
    assert session.store.get(handle_of(ISSUES)) == ISSUES


def test_json_with_kept_fields_is_not_cut_as_text() -> None:
    """A cut through the text could go through a kept value."""
    fields = (Keep((Every(("id",)),)), Shorten((Everything(),), Quantity(5, "lines")))
    done = outcome(rule(fields=fields), ISSUES)

    assert done.text == ISSUES
    assert told(done)[0].note == "fields are kept: not cut as text"


def test_selectors_of_the_other_kind_find_nothing() -> None:
    """Paths in a text, lines in a document: nothing found is nothing done, and it is said why."""
    for line, text, said in (
        (Remove((Every(("id",)),)), LOG, "no fields to look for: not JSON"),
        (Remove((LinesMatching("id"), CodeBlocks())), ISSUES, "nothing found"),
    ):
        done = outcome(rule(fields=(line,)), text)

        assert done.text == text
        assert told(done)[0].note == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (dump({"result": ISSUES}), "nothing found; JSON in a string names it, and is not looked into"),
        (
            dump([{"id": 5}, {"id": ISSUES}]),
            "nothing found; JSON in a string names it, and is not looked into",
        ),
        (dump({"result": "no body here"}), "nothing found"),
        (
            f"Found some:\n{ISSUES}",
            "no fields to look for: not JSON; data in it names them, and is not looked into",
        ),
    ],
)
def test_data_that_no_line_looks_into_is_said(text: str, said: str) -> None:
    """JSON inside a string, or after words: the line does nothing there, and explain tells it apart."""
    done = outcome(rule(fields=(Remove((Every(("body",)),)),)), text, detail=True)

    assert done.text == text
    assert told(done)[0].note == said


HELD = '{"id": 7, "note": "' + 80 * "words " + '"}'


@pytest.mark.parametrize(
    "text",
    [
        HELD[:-1] + ",}",
        HELD.replace("id", "\\u0069d")[:-1] + ",}",
        f"{HELD}\n{HELD}",
        f"Found 1:\n{HELD}",
        dump([HELD])[1:-1],
        HELD.replace('"', "'"),
        HELD.replace('"id"', "id"),
        "[" * 201 + HELD + "]" * 201,
    ],
    ids=["comma", "escaped", "lines", "prose", "string", "python", "bare", "deep"],
)
@pytest.mark.parametrize(
    "line",
    [
        Shorten((Everything(),), Quantity(5, "characters"), remove_rest=True),
        Remove((LinesMatching("id"),)),
        SetAside((Everything(),)),
    ],
    ids=["shorten", "remove", "set-aside"],
)
def test_a_field_that_is_kept_is_kept_where_it_cannot_be_found(
    text: str, line: Shorten | Remove | SetAside
) -> None:
    """A text that names the kept field, and is no JSON document, loses nothing at all: a guard holds."""
    guard = Guard("ids", "r.terse:1", ALL, keep=(Keep((Every(("id",)),)),))

    done = outcome(rule(fields=(line,)), text, guards=(guard,), can_retrieve=True)

    assert done.text == text
    assert told(done)[0].status is StepStatus.FORBIDDEN
    assert "every id must be kept" in told(done)[0].note


@pytest.mark.parametrize(
    "line",
    [
        Shorten((Path(("result",)),), Quantity(5, "characters"), remove_rest=True),
        Remove((Path(("result",)),)),
        SetAside((Every(("result",)),)),
        Remove((Everything(),)),
    ],
    ids=["shorten", "remove", "set-aside", "everything"],
)
def test_json_in_a_string_that_names_a_kept_field_stays_whole(line: Shorten | Remove | SetAside) -> None:
    """A string cannot be cut around a field that stands in it: it is left, and that is said."""
    guard = Guard("ids", "r.terse:1", ALL, keep=(Keep((Every(("id",)),)),))
    text = dump({"result": HELD, "more": Number("1")})

    done = outcome(rule(fields=(line,)), text, guards=(guard,))

    assert '"result":' + dump([HELD])[1:-1] in done.text
    if not isinstance(line.targets[0], Everything):
        assert done.text == text
        assert "a string of JSON stays" in told(done)[0].note


def test_kept_fields_do_not_hold_up_a_text_without_them() -> None:
    """A log has no fields, also where it has colons and brackets, and data that names others."""
    guard = Guard("ids", "r.terse:1", ALL, keep=(Keep((Every(("id",)),)),))
    line = Shorten((Everything(),), Quantity(2, "lines"), remove_rest=True)

    for text in (40 * "[INFO] id: 7\n", 40 * '{"name": "the id is 7"}\n'):
        done = outcome(rule(fields=(line,)), text, guards=(guard,))

        assert done.text.count("\n") == 3


# ---- the session ------------------------------------------------------------------------------------


def test_what_was_sent_is_counted_only_where_a_rule_asks() -> None:
    """`session over` needs the tokens of every result; other plans need no count of what they leave alone."""
    for when, expected in (((), 0), ((SessionSize("over", 10),), 5)):
        of, session = plan(rule(when=when)), Session()
        done = run(of, Payload.of("one two three four five"), CALL, session, vocabulary())
        sent(of, [done], CALL, session, vocabulary())

        assert session.tokens_sent == expected
        assert session.calls_since(CALL) == 1


def test_running_does_not_change_the_session() -> None:
    """A run that is not sent leaves no trace in `call repeats` and `session over`."""
    session = Session()
    outcome(rule(chain=RECORDS), ISSUES, session=session)

    assert session.calls_since(CALL) is None
    assert session.tokens_sent == 0


def test_the_trace_of_a_rule_has_its_conditions() -> None:
    """With detail, every line of the rule says whether it held, and the payload is described."""
    done = outcome(rule(when=(PayloadIs(("json",)),), chain=RECORDS), ISSUES)

    assert done.trace.rule is not None
    assert [each.text for each in done.trace.rule.conditions] == ["on */*", "when payload is json"]
    assert done.trace.summary == "object, 30 issues"
    assert done.trace.call == "github/list_issues"
    assert done.trace.why == "the only rule that matches"


def test_white_space_between_tokens_is_all_that_json_loses_without_fields() -> None:
    """A document that only `minify` worked on is the same document, in fewer tokens."""
    done = outcome(rule(chain=RECORDS[:1]), ISSUES)

    assert done.text == dump(parse(ISSUES))
    assert done.guarantee is Guarantee.LOSSLESS


def test_a_key_that_stands_twice_is_a_column_twice() -> None:
    """Records that hold a key twice come out as a table with both values of each."""
    text = "[\n" + ",\n".join(f'  {{"id": {number}, "id": 1e{number}}}' for number in range(60)) + "\n]"
    done = outcome(rule(chain=RECORDS), text)

    assert done.text.split("\n")[:3] == ["JSON outline: 60 rows of id,id", "0,1e0", "1,1e1"]
    assert expand(done.text) == text.replace("\n", "").replace(" ", "")
    assert done.guarantee is Guarantee.LOSSLESS


TWICE = '{"id":1,"n":{"id":2,"id":{"id":3}},"id":[{"id":4,"m":5}],"end":NaN}'


@pytest.mark.parametrize(
    ("target", "left"),
    [
        (Every(("id",)), '{"n":{},"end":NaN}'),
        (Every(("i*",)), '{"n":{},"end":NaN}'),
        (Path(("id",)), '{"n":{"id":2,"id":{"id":3}},"end":NaN}'),
        (Path(("n", "id")), '{"id":1,"n":{},"id":[{"id":4,"m":5}],"end":NaN}'),
        (Path(("id", "m")), '{"id":1,"n":{"id":2,"id":{"id":3}},"id":[{"id":4}],"end":NaN}'),
        (Every(("id", "id")), '{"id":1,"n":{"id":2,"id":{}},"id":[{"m":5}],"end":NaN}'),
    ],
)
def test_a_selector_finds_every_one_of_a_key_that_stands_twice(target: Every | Path, left: str) -> None:
    """What is to be removed is gone wherever it stands, under the first of two keys or the second."""
    done = outcome(rule(fields=(Remove((target,)),)), TWICE)

    assert done.text == left
    assert done.trace.gate.sent == "emitted"


def test_what_is_kept_under_a_key_that_stands_twice_stays() -> None:
    """A guard holds for both, and one of two keys may go where only it is too large."""
    one, other = dump([HELD[10:]] * 4), dump([HELD[20:]] * 4)
    text = f'{{"a":"{40 * "words "}","a":{{"id":1,"b":2}},"c":{one},"c":{other}}}'
    guard = Guard("ids", "r.terse:1", ALL, keep=(Keep((Every(("id",)),)),))
    cut = Shorten((Path(("c",)),), Quantity(1, "rows"), remove_rest=True)
    done = outcome(rule(fields=(Remove((Path(("a",)),)), cut)), text, guards=(guard,))

    assert done.trace.gate.sent == "emitted"
    assert done.text.startswith(f'{{"a":{{"id":1}},"c":{dump([HELD[10:]])},"c…":"[')
    assert f',"c":{dump([HELD[20:]])},"c……":"[' in done.text

    over = outcome(
        rule(fields=(Remove((Path(("a",)),), Quantity(100, "characters")),)), text, guards=(guard,)
    )
    assert over.text == f'{{"a":{{"id":1,"b":2}},"c":{one},"c":{other}}}'


def test_white_space_is_no_saving_of_a_field_line() -> None:
    """A changed document is written anew: what that saves has a row of its own, before the line's."""
    done = outcome(rule(fields=(Remove((Path(("total",)),)),)), ISSUES)
    anew, removal = done.trace.steps
    compact = vocabulary().count(dump(parse(ISSUES)))

    assert (anew.label, anew.guarantee) == ("(JSON written anew)", Guarantee.LOSSLESS)
    assert (anew.tokens_before, anew.tokens_after) == (done.trace.tokens_in, compact)
    assert (removal.tokens_before, removal.tokens_after) == (compact, done.trace.tokens_out)


@pytest.mark.parametrize("text", [ISSUES, dump(parse(ISSUES))], ids=["indented", "compact"])
def test_the_document_of_a_large_result_is_forgotten_once_it_is_laid_out(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes several times the memory of its text; later steps, the gate and the result are the same."""
    at_hand: list[bool] = []
    payload = Payload.of(text)

    def looks(draft: Draft, options: object, context: Context) -> Skip:
        at_hand.append("json" in vars(payload))
        return Skip("it only looks")

    def made() -> Outcome:
        policy = plan(rule(chain=(*RECORDS[:2], Step("looks", {}, "r.terse:9"), *RECORDS[2:])))
        tiers = BY_NAME | {"looks": tier("looks", looks)}
        return run(policy, payload, CALL, Session(), vocabulary(), tiers=tiers)

    whole = made()
    monkeypatch.setattr(field_lines, "LARGE", 1_000)
    forgotten = made()

    assert at_hand == [True, False]
    assert forgotten.text == whole.text
    assert same_document(expand(forgotten.text), text)
    assert forgotten.trace.gate == whole.trace.gate
