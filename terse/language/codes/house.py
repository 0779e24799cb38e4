"""T9: what concerns a file as a whole, and how it is kept in order.

T903 is kept for `deprecated`: edition 1 has nothing that a later one drops. T906 said that a part of the
language could not be run yet; all of it can.
"""

from __future__ import annotations

from terse.diagnostic import Code, Severity

LOSS_WITHOUT_REASON = Code(
    "T901",
    "loss-without-reason",
    Severity.WARNING,
    "a rule loses something and does not say why",
    "`because` is shown by explain, in the ledger and to whoever reviews the next change. Where "
    "something is gone for good, the reason is what the reviewer has to judge.",
    """
terse 1

rule tickets {
  on jira/search
  remove fields.avatar
}
""",
    """
terse 1

rule tickets {
  on jira/search
  remove fields.avatar
  because "nobody looks at avatars"
}
""",
)

NOT_FORMATTED = Code(
    "T902",
    "not-formatted",
    Severity.WARNING,
    "a file is not in the one style of rule files",
    "`terse fmt --check` finds it and `terse fmt` puts it right: only white space changes. With one style, "
    "what a pull request shows is what its author changed.",
    """
terse 1

rule lists {
  on   github/list_*,
       github/search_*
  use minify
}
""",
    """
terse 1

rule lists {
  on github/list_*, github/search_*
  use minify
}
""",
    found_by="fmt",
)

OVERRIDE_WIDENS = Code(
    "T904",
    "override-widens",
    Severity.WARNING,
    "an override matches calls that the rule it replaces did not",
    "Who reads the imported file expects the rule to be about the calls it names there.",
    """
terse 1

import "base.terse"

override rule lists {
  on github/*
  use minify then tabularize
}

=== base.terse ===
terse 1

rule lists {
  on github/list_*
  use minify
}
""",
    """
terse 1

import "base.terse"

override rule lists {
  on github/list_*
  use minify then tabularize
}

=== base.terse ===
terse 1

rule lists {
  on github/list_*
  use minify
}
""",
)

UNUSED_ALLOW = Code(
    "T905",
    "unused-allow",
    Severity.WARNING,
    "an `# allow` silences nothing",
    "`# allow NAME` at the end of a line silences that warning or note on the line; on a line of its "
    "own, on the statement or block below it. One that has nothing to silence would hide the next "
    "finding. Errors cannot be silenced.",
    """
terse 1

# allow unused-chain
rule lists {
  on github/list_*
  use minify
}
""",
    """
terse 1

# allow unused-chain
chain records = minify then tabularize

rule lists {
  on github/list_*
  use minify
}
""",
)

CODES = (LOSS_WITHOUT_REASON, NOT_FORMATTED, OVERRIDE_WIDENS, UNUSED_ALLOW)
