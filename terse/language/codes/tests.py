"""T6: inline tests."""

from __future__ import annotations

from terse.diagnostic import Code, Severity

TEST_MATCHED_NOTHING = Code(
    "T601",
    "test-matched-nothing",
    Severity.ERROR,
    "no rule applies to the call of a test",
    "A test that no rule answers proves nothing about the rules: most often a name is misspelt, or a `when` "
    "line does not hold for the sample. Where nothing is meant to apply, `expect no rule` says so.",
    """
terse 1

rule lists {
  on github/list_*
  use minify
}

test "issues get smaller" {
  call github/search_issues(q: "bug")
  given "samples/github/list_issues/open.json"
}
""",
    """
terse 1

rule lists {
  on github/list_*
  use minify
}

test "issues get smaller" {
  call github/list_issues(state: "OPEN")
  given "samples/github/list_issues/open.json"
  expect rule lists
}
""",
    found_by="test",
)

MISSING_SAMPLE = Code(
    "T602",
    "missing-sample",
    Severity.ERROR,
    "the file that a test is given cannot be read",
    "`given` names a saved result, relative to the rule file. `terse snapshot --call` saves one.",
    """
terse 1

rule lists {
  on github/list_*
  use minify
}

test "issues get smaller" {
  call github/list_issues(state: "OPEN")
  given "samples/github/list_issues/opn.json"
}
""",
    """
terse 1

rule lists {
  on github/list_*
  use minify
}

test "issues get smaller" {
  call github/list_issues(state: "OPEN")
  given "samples/github/list_issues/open.json"
}
""",
    found_by="test",
)

UNTESTED_RULE = Code(
    "T603",
    "untested-rule",
    Severity.WARNING,
    "no test makes a rule, one of its `when` lines or one of its field lines act",
    "`terse test --coverage` tells it, with the reason: no test calls it, a narrower rule took the call, a "
    "`when` line never held, or nothing was found. `--at-least 100` makes it a failure.",
    """
terse 1

rule lists {
  on github/list_*
  use minify
}

rule searches {
  on github/search_*
  use minify
}

test "issues get smaller" {
  call github/list_issues(state: "OPEN")
  given "samples/github/list_issues/open.json"
}
""",
    """
terse 1

rule lists {
  on github/list_*
  use minify
}

rule searches {
  on github/search_*
  use minify
}

test "issues get smaller" {
  call github/list_issues(state: "OPEN")
  given "samples/github/list_issues/open.json"
}

test "what is found gets smaller, too" {
  call github/search_issues(q: "bug")
  given "samples/github/list_issues/open.json"
}
""",
    found_by="test --coverage",
)

EXPECTATION_CANNOT_HOLD = Code(
    "T604",
    "expectation-cannot-hold",
    Severity.ERROR,
    "a test expects a rule or a class that its call can never get",
    "A result is never below the class of what its rule could do, nor below what a guard enforces. A test "
    "that expects otherwise can only fail.",
    """
terse 1

rule lists {
  on github/list_*
  use minify
}

test "a list" {
  call github/list_issues
  given "samples/list.json"
  expect rule lists
  expect lossy
}
""",
    """
terse 1

rule lists {
  on github/list_*
  use minify
}

test "a list" {
  call github/list_issues
  given "samples/list.json"
  expect rule lists
  expect lossless
}
""",
)

CODES = (TEST_MATCHED_NOTHING, MISSING_SAMPLE, UNTESTED_RULE, EXPECTATION_CANNOT_HOLD)
