"""T4: field lines, bounds and promises."""

from __future__ import annotations

from terse.diagnostic import Code, Severity

WRONG_UNIT = Code(
    "T401",
    "wrong-unit",
    Severity.ERROR,
    "a quantity is given in a unit that its place does not take, or in none",
    "`2k tokens`, `400 characters`, `25%`: a number without its unit could be read in two ways.",
    """
terse 1

rule notes {
  on docs/*
  shorten body to 30 seconds
}
""",
    """
terse 1

rule notes {
  on docs/*
  shorten body to 30 lines
}
""",
)

LOSS_ON_KEPT_FIELD = Code(
    "T402",
    "loss-on-kept-field",
    Severity.ERROR,
    "a line of a rule takes away only what another line of it keeps",
    "`keep` wins over every other line, so this one could never do anything.",
    """
terse 1

rule entries {
  on ledger/*
  keep amount
  set aside amount, memo
}
""",
    """
terse 1

rule entries {
  on ledger/*
  keep amount
  set aside memo
}
""",
)

LOSS_ON_GUARDED_FIELD = Code(
    "T403",
    "loss-on-guarded-field",
    Severity.ERROR,
    "a rule takes away what a guard keeps on every call of the rule",
    "A guard can never be undone: the line could never do anything.",
    """
terse 1

guard identifiers {
  on github/*
  keep every id
}

rule issues {
  on github/list_issues
  set aside issues.id
}
""",
    """
terse 1

guard identifiers {
  on github/*
  keep every id
}

rule issues {
  on github/list_issues
  set aside issues.body
}
""",
)

BELOW_GUARD = Code(
    "T404",
    "below-guard",
    Severity.ERROR,
    "a rule does what a guard forbids on every call of the rule",
    "On a call where a guard requires more, a step below it is dropped. Here that is every call of "
    "the rule, so the line could never do anything.",
    """
terse 1

guard no-silent-loss {
  on */*
  require recoverable
}

rule tickets {
  on jira/search
  remove fields.avatar
  because "nobody looks at avatars"
}
""",
    """
terse 1

guard no-silent-loss {
  on */*
  require recoverable
}

rule tickets {
  on jira/search
  set aside fields.avatar
}
""",
)

BELOW_OWN_REQUIRE = Code(
    "T405",
    "below-own-require",
    Severity.ERROR,
    "a rule has a step below the class that it requires itself",
    "`require` in a rule is a promise to its readers, and it is checked.",
    """
terse 1

rule tickets {
  on jira/search
  set aside fields.avatar
  require lossless
}
""",
    """
terse 1

rule tickets {
  on jira/search
  set aside fields.avatar
  require recoverable
}
""",
)

OVERLAPPING_FIELDS = Code(
    "T406",
    "overlapping-fields",
    Severity.ERROR,
    "two lines of a rule act on one value, or on a value and its parent",
    "Which one wins would depend on an order that nobody sees. `keep` may overlap anything.",
    """
terse 1

rule tickets {
  on jira/search
  shorten fields.description to 300 characters
  set aside fields
}
""",
    """
terse 1

rule tickets {
  on jira/search
  shorten fields.description to 300 characters
  set aside fields.comment
}
""",
)

LOSE_WITHOUT_LOSS = Code(
    "T407",
    "lose-without-loss",
    Severity.WARNING,
    "`lose at most` in a rule that loses nothing",
    "It makes a reviewer look for a loss that is not there.",
    """
terse 1

rule tickets {
  on jira/search
  set aside fields.avatar
  lose at most 25%
}
""",
    """
terse 1

rule tickets {
  on jira/search
  set aside fields.avatar
}
""",
)

PERCENT_OUT_OF_RANGE = Code(
    "T408",
    "percent-out-of-range",
    Severity.ERROR,
    "a share is not between 0% and 100%",
    "A result cannot lose or save more than all of itself.",
    """
terse 1

rule tickets {
  on jira/search
  remove fields.avatar
  lose at most 250%
  because "nobody looks at avatars"
}
""",
    """
terse 1

rule tickets {
  on jira/search
  remove fields.avatar
  lose at most 25%
  because "nobody looks at avatars"
}
""",
)

FIT_CANNOT_SHRINK = Code(
    "T409",
    "fit-cannot-shrink",
    Severity.WARNING,
    "a line of `fit` does what the rule does already",
    "The lines of `fit` are tried when the result is still too large. One that always ran before "
    "finds nothing to do.",
    """
terse 1

rule files {
  on github/pull_request_read
  set aside patch
  fit in 6k tokens {
    set aside patch
  }
}
""",
    """
terse 1

rule files {
  on github/pull_request_read
  set aside patch over 2k characters
  fit in 6k tokens {
    set aside patch
  }
}
""",
)

SELECTOR_FINDS_NOTHING = Code(
    "T410",
    "selector-finds-nothing",
    Severity.WARNING,
    "a selector finds nothing in any sample of the tools it is for",
    "What is not found is left alone, so a line with a wrong selector does nothing, and no call fails "
    "because of it. Samples are saved results in `samples/SERVER/TOOL/`.",
    """
terse 1

rule issues {
  on github/list_issues
  set aside issues.attachments
}

=== samples/github/list_issues/open.json ===
{"issues": [{"title": "A button does nothing", "body": "Press it."}]}
""",
    """
terse 1

rule issues {
  on github/list_issues
  set aside issues.body
}

=== samples/github/list_issues/open.json ===
{"issues": [{"title": "A button does nothing", "body": "Press it."}]}
""",
)

SELECTOR_NEAR_MISS = Code(
    "T411",
    "selector-near-miss",
    Severity.WARNING,
    "a selector finds nothing in any sample, and a key there is nearly the one it names",
    "What is not found is left alone, so a misspelt `keep` keeps nothing and a misspelt `set aside` "
    "does nothing.",
    """
terse 1

rule issues {
  on github/list_issues
  set aside issues.bodi
}

=== samples/github/list_issues/open.json ===
{"issues": [{"title": "A button does nothing", "body": "Press it."}]}
""",
    """
terse 1

rule issues {
  on github/list_issues
  set aside issues.body
}

=== samples/github/list_issues/open.json ===
{"issues": [{"title": "A button does nothing", "body": "Press it."}]}
""",
)

SLOW_REGEX = Code(
    "T412",
    "slow-regex",
    Severity.ERROR,
    "a regex cannot be looked for in linear time",
    "Regexes run on every line of results that may have megabytes. terse looks for them in time linear in "
    "the line, so repetition may nest and overlap as it likes. Back-references, look-around, and "
    "atomic or possessive groups cannot be looked for so, and are refused; so is a regex that is too large.",
    """
terse 1

rule logs {
  on ci/*
  keep lines matching /failed(?! gracefully)/
  shorten everything to 400 lines
}
""",
    """
terse 1

rule logs {
  on ci/*
  keep lines matching /failed($|\\W)/
  shorten everything to 400 lines
}
""",
)

REGEX_MATCHES_EMPTY = Code(
    "T413",
    "regex-matches-empty",
    Severity.WARNING,
    "a regex matches the empty text, and so every line",
    "`lines matching` takes the lines in which the regex is found somewhere.",
    """
terse 1

rule logs {
  on ci/*
  keep lines matching /error|/
  shorten everything to 400 lines
}
""",
    """
terse 1

rule logs {
  on ci/*
  keep lines matching /error/
  shorten everything to 400 lines
}
""",
)

KEEP_WITHOUT_EFFECT = Code(
    "T414",
    "keep-without-effect",
    Severity.WARNING,
    "`keep` in a rule that could not change what it keeps",
    "Tiers are lossless, so only field lines need a `keep`. Without any, it says that there is a "
    "danger where there is none.",
    """
terse 1

rule tickets {
  on jira/search
  use minify
  keep fields.summary
}
""",
    """
terse 1

rule tickets {
  on jira/search
  use minify
  keep fields.summary
  set aside every avatar
}
""",
)

TEXT_LINE_ON_JSON = Code(
    "T415",
    "text-line-on-json",
    Severity.WARNING,
    "a line speaks of a part that the rule's `when` excludes",
    "`lines matching`, `code blocks` and `terminal codes` are parts of text; keys are parts of JSON.",
    """
terse 1

rule tickets {
  on jira/search
  when payload is json
  set aside code blocks
}
""",
    """
terse 1

rule tickets {
  on jira/search
  when payload is markdown
  set aside code blocks
}
""",
)

BUDGET_OUT_OF_REACH = Code(
    "T416",
    "budget-out-of-reach",
    Severity.WARNING,
    "what a rule keeps of a sample is more than the result is to fit in",
    "A result that does not fit is sent as it is. Found by `terse check --samples`, which runs the policy "
    "on the samples in its folder.",
    """
terse 1

rule pages {
  on docs/read
  keep title
  fit in 50 tokens {
    set aside body
  }
}

=== samples/docs/read/one.json ===
{"title": "⟨A long title × 60⟩", "body": "⟨text × 300⟩"}
""",
    """
terse 1

rule pages {
  on docs/read
  keep title
  fit in 500 tokens {
    set aside body
  }
}

=== samples/docs/read/one.json ===
{"title": "⟨A long title × 60⟩", "body": "⟨text × 300⟩"}
""",
    found_by="check --samples",
)

SIZE_OUT_OF_RANGE = Code(
    "T417",
    "size-out-of-range",
    Severity.ERROR,
    "a size, count or time is zero, not whole, or larger than anything real",
    "Sizes are whole numbers of their unit, at least 1.",
    """
terse 1

rule notes {
  on docs/*
  shorten body to 0 characters
}
""",
    """
terse 1

rule notes {
  on docs/*
  set aside body
}
""",
)

MIXED_SHORTEN = Code(
    "T418",
    "mixed-shorten",
    Severity.ERROR,
    "`shorten` says two ends at once, or a unit that its target does not have",
    "`first` or `last` names one end, `from both ends` two. Rows are parts of lists: text is shortened by "
    "characters, tokens or lines.",
    """
terse 1

rule logs {
  on ci/*
  shorten everything to last 400 lines from both ends
}
""",
    """
terse 1

rule logs {
  on ci/*
  shorten everything to 400 lines from both ends
}
""",
)

NOT_A_REGEX = Code(
    "T419",
    "not-a-regex",
    Severity.ERROR,
    "the text between the slashes is no regex",
    "Regexes are those of Python's `re`. A `/` is written `\\/`, a bracket that stands for itself `\\(` or "
    "`\\[`.",
    """
terse 1

rule logs {
  on ci/*
  keep lines matching /error (/
  shorten everything to 400 lines
}
""",
    """
terse 1

rule logs {
  on ci/*
  keep lines matching /error \\(/
  shorten everything to 400 lines
}
""",
)

FOREIGN_PATH = Code(
    "T420",
    "foreign-path",
    Severity.WARNING,
    "a path is written as in JSONPath or in shell patterns",
    "Paths begin at the root and go through all items of lists by themselves: `issues.title`. `every id` is "
    "that key at any depth. A key that is called `$` stands in quotes.",
    """
terse 1

rule issues {
  on github/list_issues
  set aside $.issues.body
}
""",
    """
terse 1

rule issues {
  on github/list_issues
  set aside issues.body
}
""",
)

GUARD_WITHOUT_EFFECT = Code(
    "T421",
    "guard-without-effect",
    Severity.WARNING,
    "a guard restricts nothing",
    "A guard restricts by `require`, `keep`, `never store` and `never use`. One without any of them looks "
    "like a protection and is none.",
    """
terse 1

guard secrets {
  on vault/*
  because "credentials are never rewritten"
}
""",
    """
terse 1

guard secrets {
  on vault/*
  require exact
  because "credentials are never rewritten"
}
""",
)

CODES = (
    WRONG_UNIT,
    LOSS_ON_KEPT_FIELD,
    LOSS_ON_GUARDED_FIELD,
    BELOW_GUARD,
    BELOW_OWN_REQUIRE,
    OVERLAPPING_FIELDS,
    LOSE_WITHOUT_LOSS,
    PERCENT_OUT_OF_RANGE,
    FIT_CANNOT_SHRINK,
    SELECTOR_FINDS_NOTHING,
    SELECTOR_NEAR_MISS,
    SLOW_REGEX,
    REGEX_MATCHES_EMPTY,
    KEEP_WITHOUT_EFFECT,
    TEXT_LINE_ON_JSON,
    BUDGET_OUT_OF_REACH,
    SIZE_OUT_OF_RANGE,
    MIXED_SHORTEN,
    NOT_A_REGEX,
    FOREIGN_PATH,
    GUARD_WITHOUT_EFFECT,
)
