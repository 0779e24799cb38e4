"""What the checks find and, as much, what they leave alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from terse.language import checks
from terse.language.checks import CHECKS
from tests.language.example import check_text, codes_of

LOCK = (
    '\n=== tools.lock ===\n{"version": 1, "servers": {"github": {"tools": [\n'
    '{"name": "list_issues", "inputSchema": {"properties": '
    '{"state": {"enum": ["OPEN", "CLOSED"]}, "page": {}}}},\n'
    '{"name": "get_issue", "inputSchema": {"properties": {"number": {}}}},\n'
    '{"name": "open", "inputSchema": {"anyOf": [], "properties": {}}}\n'
    "]}}}\n"
)
SAMPLE = (
    "\n=== samples/github/list_issues/a.json ===\n"
    '{"issues": [{"id": 1, "title": "x", "body": null, "user": {"login": "y"}}]}'
    "\n=== samples/github/list_issues/b.txt ===\nan error\n"
)


def rule(*lines: str, name: str = "a") -> str:
    return f"rule {name} {{\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


def guard(*lines: str, name: str = "g") -> str:
    return f"guard {name} {{\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


CATCH_ALL = rule("on */*", name="everything")


def found(*items: str) -> list[str]:
    """The codes found in a file of these items, but for the note that there is no rule for every call."""
    return [code for code in codes_of("terse 1\n" + "".join(items)) if code != "T208"]


def test_every_check_is_listed() -> None:
    """A file in the folder that no one calls would check nothing."""
    files = {path.stem for path in Path(checks.__file__).parent.glob("*.py")} - {"__init__"}

    assert {check.__module__.rsplit(".", 1)[1] for check in CHECKS} == files


@pytest.mark.parametrize(
    ("a", "b", "codes"),
    [
        (["on x/*"], ["on x/y"], []),
        (["on x/*"], ["on */y"], ["T201"]),
        (["on x/*"], ["on y/*"], []),
        (["on x/*"], ["on x/*"], ["T202"]),
        (["on x/*", "when payload is json"], ["on x/*"], []),
        (["on x/*", "when payload is json"], ["on x/*", "when payload is text"], []),
        (["on x/*", "when payload is json"], ["on x/*", "when payload over 2 kB"], ["T201"]),
        (["on x/*", "when payload is records"], ["on x/*", "when payload is json"], []),
        (["on x/*", "when payload is json"], ["on x/*", "when payload is json"], ["T202"]),
        (["on x/*", "when payload over 2 kB"], ["on x/*", "when payload over 3 kB"], []),
        (["on x/*", "when payload over 2 kB"], ["on x/*", "when payload under 2 kB"], []),
        (["on x/*", "when argument m is a"], ["on x/*", "when argument m is b"], []),
        (["on x/*", "when argument m is a, b"], ["on x/*", "when argument m is b"], []),
        (["on x/*", "when argument m is a"], ["on x/*", "when argument m is missing"], []),
        (["on x/*", "when argument m exists"], ["on x/*", "when argument n exists"], ["T201"]),
        (["on x/*", 'when argument m matches "a*"'], ["on x/*", 'when argument m matches "b*"'], []),
        (["on x/*", "when payload has a.b"], ["on x/*", "when payload has a"], []),
        (["on x/*", "when payload has a"], ["on x/*", "when payload is text"], []),
        (["on x/a*", "except x/*b"], ["on x/*b"], []),
        (["on x/a*", "when payload is json"], ["on x/*b", "when payload is text"], []),
        (["on x/a*, y/z"], ["on x/*b, y/z"], ["T202"]),
        (["on x/*", "except x/*"], ["on x/*"], ["T203"]),
        (["on */*"], ["on x/*, y/*"], []),
        (["on a*/*"], ["on *b/*"], ["T201"]),
        (["on x/**"], ["on x/*"], ["T202"]),
        (["on x/*", "when session over 3 tokens"], ["on x/*", "when session under 5 tokens"], ["T201"]),
        (["on x/*", "when call repeats within 3 calls"], ["on x/*", "when call repeats"], []),
    ],
)
def test_two_rules(a: list[str], b: list[str], codes: list[str]) -> None:
    """The narrower pattern wins; of equal ones the stronger conditions; a tie does not compile."""
    assert found(rule(*a), rule(*b, name="b")) == codes
    assert found(rule(*b), rule(*a, name="b")) == codes


def test_a_third_rule_settles_a_tie() -> None:
    """Where a narrower rule takes every call that two match, they do not collide; nearly all is too few."""
    two = rule("on x/list_*"), rule("on x/*_issues", name="b")

    assert found(*two) == ["T201"]
    assert found(*two, rule("on x/list_*_issues, x/list_issues", name="c")) == []
    assert found(*two, rule("on x/list_issues", name="c")) == ["T201"]
    assert found(*two, rule("on x/list_*_issues, x/list_issues", "when payload is json", name="c")) == [
        "T201"
    ]


def test_the_witness_is_a_call_that_both_take() -> None:
    """With an argument where the conditions speak of one."""
    text = "terse 1\n" + rule("on x/list_*", 'when argument m is "b", "c"')
    text += rule("on x/*_issues", 'when argument m matches "c*"', name="b")
    (tie,) = [d for d in check_text(text).diagnostics if d.code.code == "T201"]

    assert tie.notes == ('both take the call `x/list_issues(m: "c")`',)


@pytest.mark.parametrize(
    "whens",
    [
        ("payload over 2k tokens", "payload under 1k tokens"),
        ("payload over 2k tokens", "payload under 1 kB"),
        ("payload is text", "payload has a"),
        ("payload is text", "field a is json"),
        ("payload is log", "payload is code"),
        ("argument m is missing", "argument m is a"),
        ("argument m is a", 'argument m matches "b*"'),
        ('argument m matches "a*"', 'argument m matches "b*"'),
        ("session over 3 tokens", "session under 4 tokens"),
        ("field a is text", "field a is json"),
        ("field a over 400 characters", "field a under 300 characters"),
        ("payload over 9 bytes", "payload under 10 bytes"),
    ],
)
def test_conditions_that_exclude_each_other(whens: tuple[str, str]) -> None:
    """Such a rule never applies, whichever line comes first."""
    lines = [f"when {when}" for when in whens]

    assert found(rule("on x/*", *lines)) == ["T204"]
    assert found(rule("on x/*", *reversed(lines))) == ["T204"]


@pytest.mark.parametrize(
    ("whens", "codes"),
    [
        (["payload is json", "payload has a"], ["T210"]),
        (["payload has a", "payload has a.b"], ["T210"]),
        (["payload over 2 kB", "payload over 3 kB"], ["T210"]),
        (["argument m exists", "argument m is a"], ["T210"]),
        (["call repeats", "call repeats within 3 calls"], ["T210"]),
        (["payload is json", "payload is json"], ["T210"]),
        (["payload is json or json"], ["T210"]),
        (["payload is json or records or text"], ["T210"]),
        (["payload has a", "payload has b"], []),
        (["payload over 2 kB", "payload under 3 kB"], []),
        (["argument m exists", "argument n exists"], []),
    ],
)
def test_conditions_that_say_nothing_new(whens: list[str], codes: list[str]) -> None:
    """Told once for each, never for both of two equal lines."""
    assert found(rule("on x/*", *(f"when {when}" for when in whens))) == codes


@pytest.mark.parametrize(
    ("lines", "codes"),
    [
        (["set aside a", "set aside b"], []),
        (["set aside a", "shorten a to 3 lines"], ["T406"]),
        (["set aside a.b", "shorten a to 3 lines"], ["T406"]),
        (["set aside a, a"], ["T406"]),
        (["set aside every *_url", "shorten html_url to 3 lines"], ["T406"]),
        (["set aside every *_url", "shorten body to 3 lines"], []),
        (["set aside every *_url, every node_id"], []),
        (["set aside every user", "shorten every user.login to 3 lines"], ["T406"]),
        (["set aside a.*", "shorten a.b to 3 lines"], ["T406"]),
        (["shorten everything to 9 rows", "set aside a"], []),
        (["shorten everything to 9 rows", "shorten everything to 3 lines"], ["T406"]),
        (["set aside code blocks", "shorten code blocks to 3 lines"], ["T406"]),
        (["set aside lines matching /a/", "shorten lines matching /b/ to 3 lines"], []),
        (["keep a", "set aside a"], ["T402"]),
        (["keep a", "set aside a.b"], ["T402"]),
        (["keep a.b", "set aside a"], []),
        (["keep every id", "set aside a.id.b"], ["T402"]),
        (["keep every id", "set aside every *"], []),
        (["keep everything", "shorten a to 3 lines"], ["T402"]),
        (["keep a", "fit in 3k tokens {\n    set aside a\n  }"], ["T402"]),
        (["set aside a", "fit in 3k tokens {\n    set aside a\n  }"], ["T409"]),
        (["set aside a over 3 kB", "fit in 3k tokens {\n    set aside a\n  }"], []),
        (["shorten a to 9 lines", "fit in 3k tokens {\n    shorten a to 9 lines\n  }"], ["T409"]),
        (["shorten a to 9 lines", "fit in 3k tokens {\n    shorten a to 3 lines\n  }"], []),
        (["keep a", "use minify"], ["T414"]),
        (["keep a"], ["T414"]),
        (["remove a"], ["T901"]),
        (["remove a", 'because "why"'], []),
        (["shorten a to 3 lines and remove the rest"], ["T901"]),
        (["shorten a to 3 lines"], []),
        (["lose at most 5%"], ["T407"]),
        (["lose at most 5%", "shorten a to 3 lines and remove the rest", 'because "why"'], []),
        (["set aside a", "require lossless"], ["T405"]),
        (["use minify", "require exact"], ["T405"]),
        (["use minify", "require lossless"], []),
        (["remove a", "require lossy", 'because "why"'], []),
        (["when payload is json", "set aside lines matching /a/"], ["T415"]),
        (["when payload is text", "set aside a"], ["T415"]),
        (["when payload is text", "shorten everything to 9 rows"], ["T415"]),
        (["when payload is text", "shorten everything to 9 lines"], []),
        (["set aside $.a"], ["T420"]),
        (["set aside a.**.b"], ["T420"]),
        (['set aside "$".a'], []),
        (["set aside $ref"], []),
        (["when payload has $.a"], ["T420"]),
        (["on y/*"], ["T006"]),
        (["use minify", "use tabularize"], ["T006"]),
        (["except y/*", "except z/*"], []),
    ],
)
def test_the_lines_of_a_rule(lines: list[str], codes: list[str]) -> None:
    """Lines that contradict each other, do nothing, or do what the rule does not say."""
    assert found(rule("on x/*", *lines)) == codes


@pytest.mark.parametrize(
    ("lines", "codes"),
    [
        (["shorten a to 3"], ["T401"]),
        (["shorten a to 3 kB"], ["T401"]),
        (["set aside a over 3 rows"], ["T401"]),
        (["fit in 3 kB {\n  }"], ["T401"]),
        (["when payload over 3 calls"], ["T401"]),
        (["when call repeats within 3 tokens"], ["T401"]),
        (["when session over 3 kB"], ["T401"]),
        (["spend at most 3 lines"], ["T401"]),
        (["spend at most 2 seconds"], []),
        (["shorten a to 1.5 lines"], ["T417"]),
        (["shorten a to 1.5k characters"], []),
        (["shorten a to 1_500 characters"], []),
        (["shorten a to 9999999999999 lines"], ["T417"]),
        (["shorten a to 0 lines"], ["T417"]),
        (["when payload over 0 bytes"], ["T417"]),
        (["shorten a to last 3 lines from both ends"], ["T418"]),
        (["shorten code blocks to 3 rows"], ["T418"]),
        (["remove a", "lose at most 101%", 'because "x"'], ["T408"]),
        (["remove a", "lose at most 0%", 'because "x"'], []),
        (["remove a", "lose at most 2.5%", 'because "x"'], []),
    ],
)
def test_quantities(lines: list[str], codes: list[str]) -> None:
    """Each in a unit of its place and within bounds; told once, whatever depends on it."""
    assert found(rule("on x/*", *lines)) == codes


@pytest.mark.parametrize(
    ("guards", "lines", "codes"),
    [
        ([guard("on x/*", "require recoverable")], ["remove a", 'because "x"'], ["T404"]),
        ([guard("on x/y", "require recoverable")], ["remove a", 'because "x"'], []),
        ([guard("on x/*", "except x/y", "require recoverable")], ["remove a", 'because "x"'], []),
        (
            [
                guard("on x/a*", "require recoverable"),
                guard("on x/*", "except x/a*", "require exact", name="h"),
            ],
            ["remove a", 'because "x"'],
            ["T404"],
        ),
        ([guard("on x/*", "require exact")], ["use minify then tabularize"], ["T404"]),
        ([guard("on x/*", "never store")], ["set aside a"], ["T310"]),
        ([guard("on x/*", "never store")], ["shorten a to 3 lines"], ["T310"]),
        ([guard("on x/*", "never store")], ["remove a", 'because "x"'], []),
        ([guard("on x/*", "never use minify")], ["use minify"], ["T312"]),
        ([guard("on x/y", "never use minify")], ["use minify"], []),
        ([guard("on x/*", "never use minfy")], [], ["T301"]),
        ([guard("on x/*", "keep every id")], ["set aside every id"], ["T403"]),
        ([guard("on x/*", "keep every id")], ["set aside a.id"], ["T403"]),
        ([guard("on x/*", "keep every id")], ["set aside a"], []),
        ([guard("on x/y", "keep every id")], ["set aside a.id"], []),
        ([guard("require exact")], [], ["T207"]),
    ],
)
def test_guards_over_a_rule(guards: list[str], lines: list[str], codes: list[str]) -> None:
    """Told where the guard holds on every call of the rule, and only there."""
    assert found(rule("on x/*", *lines), *guards) == codes


@pytest.mark.parametrize(
    ("items", "codes"),
    [
        (["chain c = minify then tabularize\n", rule("on x/*", "use c")], []),
        (["chain c = minify then c\n", rule("on x/*", "use c")], ["T309"]),
        (["chain c = d\nchain d = c\n", rule("on x/*", "use c")], ["T309"]),
        (["chain c = minify\n", rule("on x/*", "use c(n 3)")], ["T302"]),
        ([rule("on x/*", "use minify(n 3)")], ["T302"]),
        ([rule("on x/*", "use dictionary(min-uses 3, min-uses 4)")], ["T302"]),
        ([rule("on x/*", 'use dictionary(min-uses "3")')], ["T306"]),
        ([rule("on x/*", "use dictionary(min-uses 2.5)")], ["T307"]),
        ([rule("on x/*", "use compact")], []),
        (["chain compact = minify\n", rule("on x/*", "use compact")], ["T109"]),
        ([rule("on x/*", "when payload is text", "use minify")], ["T303"]),
        (["chain c = minify then tabularize\n", rule("on x/*", "when payload is text", "use c")], ["T303"]),
        (["chain c = constants then tabularize\n", rule("on x/*", "use c")], ["T303"]),
        ([rule("on x/*", "use minify then minify")], ["T308"]),
        (["chain c = minify\n", rule("on x/*", "use c then c")], ["T308"]),
        (["profile p {\n  set aside a\n}\n", rule("on x/*", "apply p", "keep a")], ["T402"]),
        (["profile p {\n  remove a\n}\n", rule("on x/*", "apply p")], ["T901"]),
        (['profile p {\n  remove a\n  because "x"\n}\n', rule("on x/*", "apply p")], []),
        (
            ['profile p {\n  remove a\n  because "x"\n}\n', rule("on x/*", "apply p", "remove b")],
            ["T901"],
        ),
    ],
)
def test_chains_and_profiles(items: list[str], codes: list[str]) -> None:
    """Told where they are defined, once, whoever uses them."""
    assert found(*items) == codes


@pytest.mark.parametrize(
    ("items", "codes"),
    [
        ([rule("on github/list_isues")], ["T205"]),
        ([rule("on github/lst_*")], ["T205"]),
        ([rule("on gitub/list_issues")], ["T205"]),
        ([rule("on other/list_issues")], []),
        ([rule("on */no_such")], []),
        ([rule("on github/*", "except github/get_isue")], ["T205"]),
        ([guard("on github/no_such", "never store")], ["T205"]),
        ([rule("on github/list_issues", "when argument stat is OPEN")], ["T206"]),
        ([rule("on github/list_issues, github/get_issue", "when argument number exists")], []),
        ([rule("on github/open", "when argument anything exists")], []),
        ([rule("on github/list_issues", "when argument state is OPEN, CLOSD")], ["T209"]),
        ([rule("on github/list_issues", "when argument page is 7")], []),
        (['test "x" {\n  call github/list_issues(sate: "OPEN")\n}\n', CATCH_ALL], ["T206"]),
        (['test "x" {\n  call github/list_issues(state: "open")\n}\n', CATCH_ALL], ["T209"]),
        (['test "x" {\n  call github/no_such()\n}\n'.replace("()", ""), CATCH_ALL], ["T205"]),
    ],
)
def test_tools_of_the_lock(items: list[str], codes: list[str]) -> None:
    """Tools, arguments and values that the servers do not have; what the lock does not know is left alone."""
    assert found(*items, LOCK) == codes


@pytest.mark.parametrize(
    ("lines", "codes"),
    [
        (["set aside issues.body"], []),
        (["set aside issues.bdy"], ["T411"]),
        (["set aside isues.body"], ["T411"]),
        (["set aside every lgin"], ["T411"]),
        (["set aside every login"], []),
        (["set aside issues.comments"], ["T410"]),
        (["set aside every zzzzz"], ["T410"]),
        (["when payload has issues.titel"], ["T411"]),
        (["set aside lines matching /error/"], []),
        (["set aside lines matching /warning/"], ["T410"]),
    ],
)
def test_selectors_and_samples(lines: list[str], codes: list[str]) -> None:
    """What no sample of the rule's tools has, with the key that was meant where one is near."""
    assert found(rule("on github/list_issues", *lines), SAMPLE) == codes
    assert found(rule("on github/get_issue", *lines), SAMPLE) == []


def test_a_guard_may_protect_what_no_sample_has() -> None:
    """Unless a key is nearly that."""
    assert found(guard("on github/*", "keep every secret"), SAMPLE) == []
    assert found(guard("on github/*", "keep every logn"), SAMPLE) == ["T411"]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("chain c = minify  # allow unused-chain\n", []),
        ("# allow unused-chain\nchain c = minify\n", []),
        ("# allow unused-chain\n\n# why not\nchain c = minify\n", []),
        ("# allow unused-chain, unused-profile\nchain c = minify\n", ["T905"]),
        ("chain c = minify\n# allow unused-chain\n", ["T304", "T905"]),
        ("# allow loss-without-reason\n" + rule("on x/*", "remove a"), []),
        (rule("on x/*", "# allow loss-without-reason", "remove a"), []),
        (rule("on x/*", "remove a  # allow loss-without-reason"), []),
        (rule("on x/*  # allow loss-without-reason", "remove a"), ["T905", "T901"]),
        ("# allow same-match\n" + rule("on x/*") + rule("on x/*", name="b"), ["T905", "T202"]),
        ("# allow unusd-chain\nchain c = minify\n", ["T905", "T304"]),
        ("# allowed\nchain c = minify\n", ["T304"]),
        ("# allow\nchain c = minify\n", ["T304"]),
    ],
)
def test_allow_silences_what_it_names_where_it_stands(text: str, codes: list[str]) -> None:
    """On its line, or on the statement or block below; errors never; one that silences nothing is told."""
    assert found(text) == codes


def test_every_finding_of_a_bad_file_is_told_at_once() -> None:
    """Faults that do not follow from each other do not wait for each other."""
    text = (
        "chain records = minify then tabularise\nchain spare = minify\n"
        + rule("on x/list_*", "use records")
        + rule("on x/*_issues", "use minify then dictionary(min-use 3)", name="b")
        + rule("on y/*", "keep amount", "remove amount, memo", name="c")
        + rule("on z/*", "shorten title to 30 seconds", name="d")
    )

    assert found(text) == ["T301", "T304", "T201", "T302", "T901", "T402", "T401"]


@pytest.mark.parametrize(
    ("expected", "codes"),
    [
        (["rule a", "lossless"], []),
        (["rule a", "exact"], []),
        (["rule a", "lossy"], ["T604"]),
        (["rule a", "recoverable"], ["T604"]),
        (["rule everything", "lossy"], []),
        (["lossy"], []),
        (["rule b"], ["T604"]),
        (["rule aa"], ["T604"]),
        (["no rule"], []),
    ],
)
def test_expectations_that_no_result_can_meet(expected: list[str], codes: list[str]) -> None:
    """A class below the rule's own, and a rule that is not there or not for the call."""
    lines = "".join(f"  expect {line}\n" for line in expected)
    text = f'test "t" {{\n  call x/y\n  given "s.json"\n{lines}}}\n'
    losing = rule("on */*", "remove z", 'because "why"', name="everything")

    assert found(rule("on x/*", "use minify"), rule("on y/*", name="b"), losing, text) == codes


def test_a_guard_raises_what_a_test_can_see() -> None:
    """Under `require lossless` nothing is lost, whatever the rule says."""
    text = 'test "t" {\n  call x/y\n  given "s.json"\n  expect lossy\n}\n'
    losing = rule("on */*", "remove z", 'because "why"', name="everything")

    assert found(losing, guard("on x/*", "require recoverable"), text) == ["T604"]


def test_what_no_one_can_review_is_refused() -> None:
    """Rules with more patterns or fields than a reviewer takes in, and patterns longer than any name."""
    many = ", ".join(f"a{number}" for number in range(501))

    assert found(rule(f"on x/{', x/'.join(many.split(', '))}")) == ["T212"]
    assert found(rule("on x/*", f"set aside {many}")) == ["T212"]
    assert found(guard("on x/*", f"keep {many}")) == ["T212"]
    assert found(rule(f"on x/{'a' * 129}")) == ["T212"]


def test_many_collisions_are_told_of_in_part() -> None:
    """Forty rules that collide with forty others have one cause, and it is not told 1,600 times."""
    rules = [rule(f"on */t{number}", name=f"a{number}") for number in range(40)]
    rules += [rule(f"on s{number}/*", name=f"b{number}") for number in range(40)]

    assert found(*rules) == ["T201"] * 100


def test_chains_that_double_end() -> None:
    """Sixteen chains of twice the next one are sixteen findings, not 65,536 steps."""
    chains = [f"chain c{number} = c{number + 1} then c{number + 1}\n" for number in range(15)]

    assert "T308" in found(*chains, "chain c15 = minify\n", rule("on x/*", "use c0"))
