"""T3: chains and their steps."""

from __future__ import annotations

from terse.diagnostic import Code, Severity

UNKNOWN_TIER = Code(
    "T301",
    "unknown-tier",
    Severity.ERROR,
    "a step is neither a tier nor a chain of this policy",
    "A step that does not exist would be a rule that does less than it says.",
    """
terse 1

rule lists {
  on github/list_*
  use minify then tabularise
}
""",
    """
terse 1

rule lists {
  on github/list_*
  use minify then tabularize
}
""",
)

UNKNOWN_OPTION = Code(
    "T302",
    "unknown-option",
    Severity.ERROR,
    "a step has no option of that name",
    "Each tier lists its options, with units and bounds; a chain has none.",
    """
terse 1

rule lists {
  on github/list_*
  use minify then dictionary(min-use 3)
}
""",
    """
terse 1

rule lists {
  on github/list_*
  use minify then dictionary(min-uses 3)
}
""",
)

CHAIN_ORDER = Code(
    "T303",
    "chain-order",
    Severity.ERROR,
    "a step can never fit what it gets",
    "Steps run from left to right, and each takes some forms only. A step that can fit nothing its "
    "chain, or the rule's `when`, leaves to it would be skipped every time.",
    """
terse 1

rule lists {
  on github/list_*
  use constants then tabularize
}
""",
    """
terse 1

rule lists {
  on github/list_*
  use tabularize then constants
}
""",
)

UNUSED_CHAIN = Code(
    "T304",
    "unused-chain",
    Severity.WARNING,
    "no rule uses this chain",
    "Imported files may have chains that this policy does not need; they are not told of.",
    """
terse 1

chain records = minify then tabularize

rule lists {
  on github/list_*
  use minify
}
""",
    """
terse 1

chain records = minify then tabularize

rule lists {
  on github/list_*
  use records
}
""",
)

UNUSED_PROFILE = Code(
    "T305",
    "unused-profile",
    Severity.WARNING,
    "no rule applies this profile",
    "Imported files may have profiles that this policy does not need; they are not told of.",
    """
terse 1

profile github-noise {
  set aside every *_url
}

rule lists {
  on github/list_*
  use minify
}
""",
    """
terse 1

profile github-noise {
  set aside every *_url
}

rule lists {
  on github/list_*
  apply github-noise
  use minify
}
""",
)

OPTION_UNIT = Code(
    "T306",
    "option-unit",
    Severity.ERROR,
    "an option is given in the wrong unit, or has one too many or too few",
    "A number is read with the unit that the option counts in, so that nobody has to guess it.",
    """
terse 1

rule lists {
  on github/list_*
  use minify then dictionary(min-uses 3 calls)
}
""",
    """
terse 1

rule lists {
  on github/list_*
  use minify then dictionary(min-uses 3)
}
""",
)

OPTION_OUT_OF_RANGE = Code(
    "T307",
    "option-out-of-range",
    Severity.ERROR,
    "an option is below its least or above its greatest value",
    "Beyond its bounds an option would make the tier pointless or slow.",
    """
terse 1

rule lists {
  on github/list_*
  use minify then dictionary(min-uses 0)
}
""",
    """
terse 1

rule lists {
  on github/list_*
  use minify then dictionary(min-uses 2)
}
""",
)

STEP_TWICE = Code(
    "T308",
    "step-twice",
    Severity.WARNING,
    "a chain has the same step twice",
    "The second one finds nothing left to do, or was meant to be another.",
    """
terse 1

chain records = minify then tabularize

rule lists {
  on github/list_*
  use minify then records
}
""",
    """
terse 1

chain records = minify then tabularize

rule lists {
  on github/list_*
  use records
}
""",
)

CHAIN_IN_ITSELF = Code(
    "T309",
    "chain-in-itself",
    Severity.ERROR,
    "a chain contains itself, or chains nest too deep",
    "It would never end.",
    """
terse 1

chain records = minify then rows
chain rows    = tabularize then records

rule lists {
  on github/list_*
  use records
}
""",
    """
terse 1

chain records = minify then rows
chain rows    = tabularize

rule lists {
  on github/list_*
  use records
}
""",
)

MEMORY_UNDER_NEVER_STORE = Code(
    "T310",
    "memory-under-never-store",
    Severity.ERROR,
    "a rule that applies only where a guard says `never store` needs memory",
    "`set aside`, `shorten`, `dedup` and `diff` keep something of a result for later. Where nothing "
    "may be kept they never run, so the rule does not do what it says.",
    """
terse 1

guard secrets {
  on vault/*
  never store
}

rule secret-lists {
  on vault/list_*
  set aside notes
}
""",
    """
terse 1

guard secrets {
  on vault/*
  never store
}

rule secret-lists {
  on vault/list_*
  use minify
}
""",
)

STEP_HAS_NO_EFFECT = Code(
    "T311",
    "step-has-no-effect",
    Severity.WARNING,
    "a step does nothing to any sample of its rule",
    "It costs time on every call. Found by `terse check --samples`, which runs the policy on the samples "
    "in its folder.",
    """
terse 1

rule lists {
  on github/list_issues
  use minify then tabularize
}

=== samples/github/list_issues/one.json ===
{
    "title": "⟨A long title × 100⟩",
    "state": "open",
    "author": "someone",
    "milestone": null
}
""",
    """
terse 1

rule lists {
  on github/list_issues
  use minify
}

=== samples/github/list_issues/one.json ===
{
    "title": "⟨A long title × 100⟩",
    "state": "open",
    "author": "someone",
    "milestone": null
}
""",
    found_by="check --samples",
)

FORBIDDEN_STEP = Code(
    "T312",
    "forbidden-step",
    Severity.ERROR,
    "a rule that applies only where a guard forbids a tier uses that tier",
    "`never use` drops the step from every call of this rule, so the rule does not do what it says.",
    """
terse 1

guard ledger {
  on ledger/*
  never use dictionary
}

rule entries {
  on ledger/list_entries
  use minify then dictionary
}
""",
    """
terse 1

guard ledger {
  on ledger/*
  never use dictionary
}

rule entries {
  on ledger/list_entries
  use minify then tabularize
}
""",
)

CODES = (
    UNKNOWN_TIER,
    UNKNOWN_OPTION,
    CHAIN_ORDER,
    UNUSED_CHAIN,
    UNUSED_PROFILE,
    OPTION_UNIT,
    OPTION_OUT_OF_RANGE,
    STEP_TWICE,
    CHAIN_IN_ITSELF,
    MEMORY_UNDER_NEVER_STORE,
    STEP_HAS_NO_EFFECT,
    FORBIDDEN_STEP,
)
