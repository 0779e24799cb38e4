"""T2: which calls a rule applies to."""

from __future__ import annotations

from terse.diagnostic import Code, Severity

AMBIGUOUS_RULES = Code(
    "T201",
    "ambiguous-rules",
    Severity.ERROR,
    "two rules match one call and neither is narrower",
    "Exactly one rule applies to a call: the narrower one. Where neither is, the order of lines or "
    "files would decide, and no reviewer sees that. Narrow one of them, take calls out with `except`, "
    "or write a third rule for the calls that both match.",
    """
terse 1

rule lists {
  on github/list_*
  use minify
}

rule issues {
  on github/*_issues
  use minify then tabularize
}
""",
    """
terse 1

rule lists {
  on github/list_*
  except github/*_issues
  use minify
}

rule issues {
  on github/*_issues
  use minify then tabularize
}
""",
)

SAME_MATCH = Code(
    "T202",
    "same-match",
    Severity.ERROR,
    "two rules match exactly the same calls",
    "Neither could ever be told from the other. Join them, or give one a `when` that the other has not.",
    """
terse 1

rule lists {
  on github/list_issues
  use minify
}

rule issues {
  on github/list_issues
  use minify then tabularize
}
""",
    """
terse 1

rule issues {
  on github/list_issues
  use minify then tabularize
}
""",
)

UNREACHABLE_RULE = Code(
    "T203",
    "unreachable-rule",
    Severity.WARNING,
    "a rule never applies: narrower rules take all its calls, or `except` does",
    "Who reads the rule thinks that it does something.",
    """
terse 1

rule issues {
  on github/list_issues
  except github/list_*
  use minify
}
""",
    """
terse 1

rule issues {
  on github/list_issues
  use minify
}
""",
)

CONTRADICTORY_WHEN = Code(
    "T204",
    "contradictory-when",
    Severity.ERROR,
    "the `when` lines of a rule can never hold together",
    'Every `when` line must hold, so such a rule never applies. For "or", write two rules.',
    """
terse 1

rule issues {
  on github/list_issues
  when payload over 2k tokens
  when payload under 1k tokens
  use minify
}
""",
    """
terse 1

rule issues {
  on github/list_issues
  when payload over 1k tokens
  when payload under 2k tokens
  use minify
}
""",
)

NO_SUCH_TOOL = Code(
    "T205",
    "no-such-tool",
    Severity.WARNING,
    "a pattern matches no tool of the server's list",
    "`tools.lock` has the tools that the servers listed when `terse snapshot` was run. A pattern that "
    "matches none of them is misspelt, or the server has changed.",
    """
terse 1

rule issues {
  on github/list_isues
  use minify
}

=== tools.lock ===
{"version": 1, "servers": {"github": {"tools": [{"name": "list_issues"}, {"name": "get_issue"}]}}}
""",
    """
terse 1

rule issues {
  on github/list_issues
  use minify
}

=== tools.lock ===
{"version": 1, "servers": {"github": {"tools": [{"name": "list_issues"}, {"name": "get_issue"}]}}}
""",
)

NO_SUCH_ARGUMENT = Code(
    "T206",
    "no-such-argument",
    Severity.WARNING,
    "no tool of the rule has an argument of that name",
    "`tools.lock` has the input schema of every tool. A condition on an argument that none of them "
    "has never holds.",
    """
terse 1

rule issues {
  on github/list_issues
  when argument stat is "OPEN"
  use minify
}

=== tools.lock ===
{"version": 1, "servers": {"github": {"tools": [
  {"name": "list_issues", "inputSchema": {"properties": {"state": {"type": "string"}}}}
]}}}
""",
    """
terse 1

rule issues {
  on github/list_issues
  when argument state is "OPEN"
  use minify
}

=== tools.lock ===
{"version": 1, "servers": {"github": {"tools": [
  {"name": "list_issues", "inputSchema": {"properties": {"state": {"type": "string"}}}}
]}}}
""",
)

RULE_WITHOUT_ON = Code(
    "T207",
    "rule-without-on",
    Severity.ERROR,
    "a rule or guard does not say which calls it is for",
    "`on server/tool` is what a rule is chosen by. For every call of every server, write `on */*`.",
    """
terse 1

rule everything {
  use minify
}
""",
    """
terse 1

rule everything {
  on */*
  use minify
}
""",
)

NO_CATCH_ALL = Code(
    "T208",
    "no-catch-all",
    Severity.NOTE,
    "calls that no rule matches pass untouched",
    "That is a good choice for a policy about one server. Where every result should get smaller, add a rule "
    "`on */*`.",
    """
terse 1

rule issues {
  on github/list_issues
  use minify
}
""",
    """
terse 1

rule issues {
  on github/list_issues
  use minify then tabularize
}

rule everything {
  on */*
  use minify
}
""",
)

VALUE_NOT_IN_ENUM = Code(
    "T209",
    "value-not-in-enum",
    Severity.WARNING,
    "an argument never has that value",
    "The tool's schema in `tools.lock` lists the values that it takes.",
    """
terse 1

rule issues {
  on github/list_issues
  when argument state is "OPENED"
  use minify
}

=== tools.lock ===
{"version": 1, "servers": {"github": {"tools": [
  {"name": "list_issues", "inputSchema": {"properties": {"state": {"enum": ["OPEN", "CLOSED"]}}}}
]}}}
""",
    """
terse 1

rule issues {
  on github/list_issues
  when argument state is "OPEN"
  use minify
}

=== tools.lock ===
{"version": 1, "servers": {"github": {"tools": [
  {"name": "list_issues", "inputSchema": {"properties": {"state": {"enum": ["OPEN", "CLOSED"]}}}}
]}}}
""",
)

REDUNDANT_CONDITION = Code(
    "T210",
    "redundant-condition",
    Severity.WARNING,
    "a condition says nothing that another does not say already",
    "It makes the rule look narrower than it is.",
    """
terse 1

rule pages {
  on docs/*
  when payload is log or text
  shorten everything to 100 lines
}
""",
    """
terse 1

rule pages {
  on docs/*
  when payload is text
  shorten everything to 100 lines
}
""",
)

CONDITION_COSTS_TOKENS = Code(
    "T211",
    "condition-costs-tokens",
    Severity.NOTE,
    "a `when` counts the tokens of results that are over 1 MB in the samples",
    "Most token tests are decided by the size in bytes. A limit of many tokens on a large result is "
    "not: its tokens are counted on every call.",
    """
terse 1

rule pages {
  on docs/read
  when payload over 100k tokens
  shorten everything to 100k tokens
}

=== samples/docs/read/large.txt ===
⟨lorem ipsum × 120000⟩
""",
    """
terse 1

rule pages {
  on docs/read
  when payload over 400 kB
  shorten everything to 100k tokens
}

=== samples/docs/read/large.txt ===
⟨lorem ipsum × 120000⟩
""",
)

RULE_TOO_LARGE = Code(
    "T212",
    "rule-too-large",
    Severity.ERROR,
    "a rule or guard has more patterns or fields than anyone can review, or a pattern is too long",
    "A rule or guard has at most 500 patterns and 500 fields, those of its profiles included, and a half of "
    "a pattern at most 128 characters, as the names of tools have.",
    """
terse 1

rule lists {
  on github/⟨list_ × 30⟩
  use minify
}
""",
    """
terse 1

rule lists {
  on github/list_*
  use minify
}
""",
)

UNUSABLE_LOCK = Code(
    "T213",
    "unusable-lock",
    Severity.WARNING,
    "`tools.lock` cannot be read as the servers' tool lists",
    "Without it, misspelt tools, arguments and values are not found.",
    """
terse 1

rule issues {
  on github/list_issues
  use minify
}

=== tools.lock ===
{"github": ["list_issues"]}
""",
    """
terse 1

rule issues {
  on github/list_issues
  use minify
}

=== tools.lock ===
{"version": 1, "servers": {"github": {"tools": [{"name": "list_issues"}]}}}
""",
)

CODES = (
    AMBIGUOUS_RULES,
    SAME_MATCH,
    UNREACHABLE_RULE,
    CONTRADICTORY_WHEN,
    NO_SUCH_TOOL,
    NO_SUCH_ARGUMENT,
    RULE_WITHOUT_ON,
    NO_CATCH_ALL,
    VALUE_NOT_IN_ENUM,
    REDUNDANT_CONDITION,
    CONDITION_COSTS_TOKENS,
    RULE_TOO_LARGE,
    UNUSABLE_LOCK,
)
