"""`terse test`: inline tests, what they say when they fail, and what they cover."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from terse.cli.test import COMMAND
from tests.cli.conftest import Terse

ISSUES = json.dumps(
    {
        "total": 40,
        "issues": [
            {"number": n, "title": f"issue {n}", "state": "open", "avatar_url": f"https://x.example/{n}"}
            for n in range(40)
        ],
    }
)
RULES = """terse 1

rule issues {
  on github/list_issues
  when payload has issues.number
  use minify
  keep issues.title
  remove every *_url
  because "links can be rebuilt from the number"
}

rule everything {
  on */*
  use minify
}
"""
PASSING = """
test "issues keep their titles" {
  call github/list_issues(state: "open")
  given "samples/github/list_issues/open.json"
  expect rule issues
  expect lossy
  expect under 1k tokens
  expect saving over 20%
  expect keeps issues.number, issues.title
  expect text "issue 7"
  expect no text "avatar_url"
}

test "an error passes" {
  call github/list_issues(state: "frob")
  given "samples/github/list_issues/error.txt"
  expect rule everything
  expect exact
  expect text "no such state"
}
"""
FAILING = """
test "all of it is wrong" {
  call github/list_issues(state: "open", labels: ["a b"])
  given "samples/github/list_issues/open.json"
  expect rule everything
  expect exact
  expect over 2k tokens
  expect saving over 99%
  expect keeps issues.avatar_url, issues.body
  expect text "no such state"
  expect no text "issue 7"
  expect no rule
}

test "the sample is missing" {
  call github/list_issues
  given "samples/github/list_issues/opn.json"
}
"""


@pytest.fixture
def terse(terse_here: Terse) -> Terse:
    """The command, without the cost of a process for each run."""
    return terse_here


@pytest.fixture
def policy(tmp_path: Path) -> Callable[[str], Path]:
    """`policy(text)`: the text as policies/github.terse, beside two samples."""
    folder = tmp_path / "policies" / "samples" / "github" / "list_issues"
    folder.mkdir(parents=True)
    (folder / "open.json").write_text(ISSUES)
    (folder / "error.txt").write_text("Error: there is no such state, frob")

    def write(text: str) -> Path:
        file = tmp_path / "policies" / "github.terse"
        file.write_text(text)
        return file

    return write


def test_passing_tests(terse: Terse, policy: Callable[[str], Path]) -> None:
    """Each test is named with its verdict; the exit code is 0."""
    policy(RULES + PASSING)
    done = terse("test")

    assert done.returncode == 0, done.stdout.decode()
    assert done.stdout.decode() == (
        "policies/github.terse\n"
        "  pass  issues keep their titles\n"
        "  pass  an error passes\n"
        "\n"
        "2 tests: 2 passed, 0 failed\n"
    )


def test_failing_tests(
    terse: Terse, policy: Callable[[str], Path], golden: Callable[[str, str], None]
) -> None:
    """Each expectation that does not hold is told with what is so, and the line to run for the reason."""
    policy(RULES + FAILING)
    done = terse("test", "policies/github.terse")

    assert (done.returncode, done.stderr) == (1, b"")
    golden("test/failing.txt", done.stdout.decode())


def test_the_line_to_run_runs(terse: Terse, policy: Callable[[str], Path]) -> None:
    """What stands behind `see` explains the call and the sample of the test."""
    policy(RULES + FAILING)
    lines = terse("test").stdout.decode().splitlines()
    see = next(line.split(maxsplit=1)[1] for line in lines if line.split()[:1] == ["see"])
    done = terse(*shlex.split(see)[1:])

    assert done.returncode == 0
    assert done.stdout.decode().startswith("github/list_issues  →  rule issues")


def test_the_example_of_the_help(terse: Terse, policy: Callable[[str], Path]) -> None:
    """Coverage counts rules, `when` lines and field lines, and gives the reason of each gap."""
    policy(RULES + PASSING.replace("list_issues(state", "list_issues(state", 1))
    full = terse(*shlex.split(COMMAND.example)[1:])

    assert full.returncode == 0
    assert full.stdout.decode().endswith("coverage 100.0%: 5 of 5 lines\n")

    only_errors = "\ntest " + PASSING.split("\ntest ")[2]
    policy(RULES + only_errors)
    gaps = terse(*shlex.split(COMMAND.example)[1:]).stdout.decode()

    assert gaps.endswith(
        "coverage 20.0%: 1 of 5 lines\n"
        "  policies/github.terse:3  rule issues\n"
        "      never true: payload has issues.number; so are its 2 lines\n"
        "  policies/github.terse:5  when payload has issues.number  (rule issues)\n"
        "      never true: the payload is text\n"
    )


@pytest.mark.parametrize(
    ("rules", "says"),
    [
        ("rule a {\n  on x/*\n  use minify\n}\n", "never matched: no test calls x/*"),
        (
            "rule a {\n  on github/*\n  use minify\n}\n",
            "matched, but lost to issues",
        ),
        (
            "rule a {\n  on github/list_issues\n  when payload has issues.number\n"
            '  when argument state is "shut"\n  use minify\n}\n',
            'never true: argument state is "shut"',
        ),
    ],
)
def test_the_reasons_of_gaps(terse: Terse, policy: Callable[[str], Path], rules: str, says: str) -> None:
    """Never matched, lost to a narrower rule, or a condition that never held."""
    policy(
        RULES.replace("rule everything", rules + "\nrule everything")
        + PASSING.split("\ntest ", 2)[0]
        + "\ntest "
        + PASSING.split("\ntest ")[1]
    )

    assert says in terse("test", "--coverage").stdout.decode()


def test_a_field_line_that_finds_nothing_is_a_gap(terse: Terse, policy: Callable[[str], Path]) -> None:
    """A `keep` or `remove` counts only when a sample has what it speaks of."""
    policy(
        RULES.replace("every *_url", "every *_link").replace("keep issues.title", "keep issues.body")
        + PASSING.split("  expect")[0]
        + "}\n"
    )
    text = terse("test", "--coverage").stdout.decode()

    assert "keep issues.body  (rule issues)\n      found nothing\n" in text
    assert "remove every *_link  (rule issues)\n      found nothing\n" in text


def test_too_little_coverage_fails(terse: Terse, policy: Callable[[str], Path]) -> None:
    """--at-least makes low coverage exit 1, and says so in each output."""
    policy(RULES + PASSING.split("\ntest ")[0] + "\ntest " + PASSING.split("\ntest ")[1])
    text = terse("test", "--at-least", "90")
    xml = ElementTree.fromstring(terse("test", "--at-least", "90", "--output", "junit").stdout)

    assert text.returncode == 1
    assert "coverage 80.0%: 4 of 5 lines, at least 90% wanted: not enough" in text.stdout.decode()
    assert [case.get("name") for case in xml.iterfind(".//testcase[failure]")] == ["at least 90%"]
    assert terse("test", "--at-least", "80").returncode == 0
    assert terse("test", "--at-least", "101").returncode == 2


def test_a_session_of_several_calls(terse: Terse, policy: Callable[[str], Path]) -> None:
    """Several call/given pairs are one session, and expectations speak of the last result."""
    again = """rule again {
  on github/list_issues
  when call repeats within 2 calls
  when payload has issues.number
  use minify then tabularize
}

"""
    pair = '  call github/list_issues(state: "open")\n  given "samples/github/list_issues/open.json"\n'
    policy(
        RULES.replace("rule everything", again + "rule everything")
        + f'\ntest "first" {{\n{pair}  expect rule issues\n}}\n'
        + f'\ntest "second" {{\n{pair}{pair}  expect rule again\n  expect lossless\n}}\n'
    )
    done = terse("test")

    assert done.returncode == 0, done.stdout.decode()


def test_a_result_of_many_texts_is_one_to_rules(
    terse: Terse, policy: Callable[[str], Path], tmp_path: Path
) -> None:
    """A document in each text: the rule sees their list, as in the proxy; sizes are of all of them."""
    rules = """terse 1

rule everything {
  on */*
  when payload has number
  use compact
}
"""
    blocks = [{"type": "text", "text": json.dumps(issue)} for issue in json.loads(ISSUES)["issues"]]
    test = (
        'test "t" {\n  call other/tool\n  given "samples/many.json"\n  expect rule everything\n'
        '  expect lossless\n  expect saving over 40%\n  expect keeps number\n  expect text "40 rows"\n}\n'
    )
    file = policy(rules + test)
    (file.parent / "samples" / "many.json").write_text(json.dumps({"content": blocks}))

    done = terse("test", str(file))

    assert (done.returncode, done.stderr) == (0, b""), done.stdout


def test_what_changed_since_the_last_call(
    terse: Terse, policy: Callable[[str], Path], tmp_path: Path
) -> None:
    """A result that is sent as what changed keeps what the client then knows, and saves nearly all."""
    file = policy(
        RULES.replace("  use minify\n  keep", "  use minify then diff\n  keep")
        + """
test "asking twice sends only what changed" {
  call github/list_issues(state: "open")
  given "samples/github/list_issues/open.json"
  call github/list_issues(state: "open")
  given "samples/github/list_issues/later.json"
  expect keeps issues.number, issues.title
  expect saving over 85%
}
"""
    )
    later = json.loads(ISSUES)
    later["issues"][3]["title"] = "another title"
    (file.parent / "samples" / "github" / "list_issues" / "later.json").write_text(json.dumps(later))
    done = terse("test")

    assert done.returncode == 0, done.stdout.decode()


def test_a_call_that_no_rule_answers_fails(terse: Terse, policy: Callable[[str], Path]) -> None:
    """T601, unless the test expects no rule."""
    rules = RULES.split("rule everything")[0]
    test = 'test "t" {\n  call other/tool\n  given "samples/github/list_issues/open.json"\n}\n'
    policy(rules + test)
    failed = terse("test")
    policy(rules + test.replace("\n}", "\n  expect no rule\n}"))

    assert failed.returncode == 1
    assert "T601" in failed.stdout.decode()
    assert "no rule applies to other/tool" in failed.stdout.decode()
    assert terse("test").returncode == 0


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ("  call a/b\n", "a `given` after it"),
        ('  given "samples/github/list_issues/open.json"\n', "a `call` before it"),
        ("", "a `call` and the result it is `given`"),
        ('  call a/*\n  given "samples/github/list_issues/open.json"\n', "is a pattern"),
        ('  call a/b\n  given "samples"\n', "samples"),
    ],
)
def test_what_is_no_test_fails(terse: Terse, policy: Callable[[str], Path], lines: str, says: str) -> None:
    """A test that cannot be run is a failed test with the reason, or does not compile."""
    policy(f'{RULES}\ntest "t" {{\n{lines}}}\n')
    done = terse("test")

    assert done.returncode in (1, 2)
    assert says in (done.stdout + done.stderr).decode()
    assert b"Traceback" not in done.stderr


def test_json_and_github_say_the_same(terse: Terse, policy: Callable[[str], Path]) -> None:
    """The outputs for programs have every failure with its place."""
    policy(RULES + FAILING)
    facts = json.loads(terse("test", "--coverage", "--output", "json").stdout)
    commands = terse("test", "--output", "github").stdout.decode().splitlines()
    xml = ElementTree.fromstring(terse("test", "--output", "junit").stdout)

    failures = [failure for test in facts["tests"] for failure in test["failures"]]
    assert facts["passed"] is False
    assert failures[0]["expected"] == "rule everything"
    assert failures[0]["actual"] == "rule issues"
    assert failures[-1]["code"] == "T602"
    assert sum(line.startswith("::error file=policies/github.terse,line=") for line in commands) == len(
        failures
    )
    assert xml.find("testsuite").attrib == {"name": "policies/github.terse", "tests": "2", "failures": "2"}
    assert {line["covered"] for line in facts["coverage"]["lines"]} == {True, False}


def test_imported_tests_are_not_run(terse: Terse, policy: Callable[[str], Path], tmp_path: Path) -> None:
    """A file's tests are its own: what it imports is tested where it is a policy itself."""
    policy(RULES + PASSING)
    (tmp_path / "policies" / "team.terse").write_text(
        'terse 1\n\nimport "github.terse"\n\ntest "mine" {\n  call x/y\n'
        '  given "samples/github/list_issues/error.txt"\n  expect rule everything\n}\n'
    )

    assert "1 test: 1 passed" in terse("test", "policies/team.terse").stdout.decode()
    assert "3 tests: 3 passed" in terse("test", "policies").stdout.decode()


@pytest.mark.parametrize(
    ("arguments", "rules", "says"),
    [
        (["nowhere.terse"], RULES, "nowhere.terse: "),
        ([], RULES, "there is no test in policies"),
        ([], RULES + PASSING.replace("}\n", "", 1), "does not compile"),
        ([], RULES.replace("use minify\n", "use magnify\n"), "does not compile"),
        (["--output", "yaml"], RULES, "yaml"),
        (["--at-least", "many"], RULES, "number"),
    ],
)
def test_what_cannot_run_exits_2(
    terse: Terse, policy: Callable[[str], Path], arguments: list[str], rules: str, says: str
) -> None:
    """Nothing was run: exit code 2 and the reason on stderr, without a traceback."""
    policy(rules)
    done = terse("test", *arguments)

    assert (done.returncode, done.stdout) == (2, b"")
    assert says in done.stderr.decode()
    assert b"Traceback" not in done.stderr
