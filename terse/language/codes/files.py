"""T1: files, imports and names."""

from __future__ import annotations

from terse.diagnostic import Code, Severity

MISSING_IMPORT = Code(
    "T101",
    "missing-import",
    Severity.ERROR,
    "an imported file does not exist or cannot be read",
    "The path is relative to the file that imports it. A policy without one of its files would lack rules "
    "and guards, so it does not load.",
    """
terse 1

import "org/bsae.terse"

=== org/base.terse ===
terse 1

rule everything {
  on */*
  use minify
}
""",
    """
terse 1

import "org/base.terse"

=== org/base.terse ===
terse 1

rule everything {
  on */*
  use minify
}
""",
)

IMPORT_OUTSIDE_ROOT = Code(
    "T102",
    "import-outside-root",
    Severity.ERROR,
    "an import leads out of the policy's folder",
    "A reviewer sees the files below one folder. What lies outside could change without review, "
    "so nothing is read from there, through links neither.",
    """
terse 1

import "../other/base.terse"
""",
    """
terse 1

import "base.terse"

=== base.terse ===
terse 1

rule everything {
  on */*
  use minify
}
""",
)

IMPORT_CYCLE = Code(
    "T103",
    "import-cycle",
    Severity.ERROR,
    "files import each other in a loop",
    "`override` replaces what an imported file says. In a loop each file would be below the other.",
    """
terse 1

import "b.terse"

=== b.terse ===
terse 1

import "main.terse"
""",
    """
terse 1

import "b.terse"

=== b.terse ===
terse 1

rule everything {
  on */*
  use minify
}
""",
)

DUPLICATE_NAME = Code(
    "T104",
    "duplicate-name",
    Severity.ERROR,
    "two rules, guards, chains or profiles have the same name",
    "Names of one kind share one space over all files of a policy. To replace an imported rule, "
    "say so: `override rule`.",
    """
terse 1

rule lists {
  on github/list_*
  use minify
}

rule lists {
  on jira/search
  use minify
}
""",
    """
terse 1

rule lists {
  on github/list_*
  use minify
}

rule searches {
  on jira/search
  use minify
}
""",
)

OVERRIDE_OF_NOTHING = Code(
    "T105",
    "override-of-nothing",
    Severity.ERROR,
    "an override replaces no imported rule",
    "`override rule NAME` replaces the rule NAME of a file that this file imports, whole. If there is "
    "none, the name is misspelt or the imported rule is gone: either way the rule would not do what "
    "its author thinks.",
    """
terse 1

import "base.terse"

override rule everthing {
  on */*
  use minify
}

=== base.terse ===
terse 1

rule everything {
  on */*
  use minify
}
""",
    """
terse 1

import "base.terse"

override rule everything {
  on */*
  use minify then tabularize
}

=== base.terse ===
terse 1

rule everything {
  on */*
  use minify
}
""",
)

UNKNOWN_PROFILE = Code(
    "T106",
    "unknown-profile",
    Severity.ERROR,
    "`apply` names a profile that no file of the policy has",
    "A profile is a named bundle of field lines. Without it the rule would do less than it says.",
    """
terse 1

rule lists {
  on github/list_*
  apply github-noise
}
""",
    """
terse 1

profile github-noise {
  remove every *_url
  because "links can be rebuilt"
}

rule lists {
  on github/list_*
  apply github-noise
}
""",
)

OVERRIDDEN_TWICE = Code(
    "T107",
    "overridden-twice",
    Severity.ERROR,
    "two rules override the same rule",
    "One of them would win by the order of files, which no reviewer sees. Keep one, or give the "
    "narrower case a rule of its own.",
    """
terse 1

import "base.terse"
import "team.terse"

override rule everything {
  on */*
  use minify then tabularize
}

=== base.terse ===
terse 1

rule everything {
  on */*
  use minify
}

=== team.terse ===
terse 1

import "base.terse"

override rule everything {
  on */*
  use minify then dictionary
}
""",
    """
terse 1

import "base.terse"

override rule everything {
  on */*
  use minify then tabularize
}

=== base.terse ===
terse 1

rule everything {
  on */*
  use minify
}
""",
)

UNUSED_IMPORT = Code(
    "T108",
    "unused-import",
    Severity.WARNING,
    "nothing of an imported file is used",
    "The file has no rule and no guard, and none of its chains and profiles is used. "
    "Who reads the import expects it to do something.",
    """
terse 1

import "chains.terse"

rule everything {
  on */*
  use minify
}

=== chains.terse ===
terse 1

chain records = minify then tabularize
""",
    """
terse 1

import "chains.terse"

rule everything {
  on */*
  use records
}

=== chains.terse ===
terse 1

chain records = minify then tabularize
""",
)

NAME_TAKEN_BY_TIER = Code(
    "T109",
    "name-taken-by-tier",
    Severity.ERROR,
    "a chain is called like a tier or a built-in chain",
    "`use minify` would mean one thing in this policy and another in every other one.",
    """
terse 1

chain minify = tabularize then dictionary

rule everything {
  on */*
  use minify
}
""",
    """
terse 1

chain records = tabularize then dictionary

rule everything {
  on */*
  use records
}
""",
)

CODES = (
    MISSING_IMPORT,
    IMPORT_OUTSIDE_ROOT,
    IMPORT_CYCLE,
    DUPLICATE_NAME,
    OVERRIDE_OF_NOTHING,
    UNKNOWN_PROFILE,
    OVERRIDDEN_TWICE,
    UNUSED_IMPORT,
    NAME_TAKEN_BY_TIER,
)
