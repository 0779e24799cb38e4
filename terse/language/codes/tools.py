"""T5: `tools` blocks, what the agent is shown of the tools."""

from __future__ import annotations

from terse.diagnostic import Code, Severity

HIDDEN_AND_SHOWN = Code(
    "T501",
    "hidden-and-shown",
    Severity.ERROR,
    "what a `show` names is all hidden",
    "`hide` wins over `show`, so the `show` does nothing.",
    """
terse 1

tools github/* {
  show list_issues
  hide list_*
}
""",
    """
terse 1

tools github/* {
  show list_*
  hide list_issues
}
""",
)

RENAME_COLLIDES = Code(
    "T502",
    "rename-collides",
    Severity.ERROR,
    "two tools would have one name, or one tool two",
    "A call by the name could not be mapped back to its tool.",
    """
terse 1

tools github/* {
  rename search_issues to find
  rename search_code to find
}
""",
    """
terse 1

tools github/* {
  rename search_issues to find_issues
  rename search_code to find_code
}
""",
)

BAD_TOOL_NAME = Code(
    "T503",
    "bad-tool-name",
    Severity.ERROR,
    "a tool would get a name that clients refuse, or a pattern is renamed",
    "MCP tools are called by 1 to 128 of A-Z, a-z, 0-9, `.`, `_` and `-`. A `rename` is of one tool.",
    """
terse 1

tools github/* {
  rename search_issues to "find issues"
}
""",
    """
terse 1

tools github/* {
  rename search_issues to find_issues
}
""",
)

TWO_LEVELS = Code(
    "T504",
    "two-levels",
    Severity.ERROR,
    "a tool would be compressed to two levels, and neither is narrower",
    "The narrowest pattern wins, as for rules. Where neither is, the order of lines would decide.",
    """
terse 1

tools github/* {
  compress high for list_*
  compress low for *_issues
}
""",
    """
terse 1

tools github/* {
  compress high for list_*
  compress low for list_issues
}
""",
)

RULE_FOR_HIDDEN_TOOL = Code(
    "T505",
    "rule-for-hidden-tool",
    Severity.WARNING,
    "a rule is for tools that are all hidden",
    "A hidden tool cannot be called, so the rule never applies.",
    """
terse 1

tools github/* {
  hide delete_*
}

rule deletions {
  on github/delete_file
  use minify
}
""",
    """
terse 1

tools github/* {
  hide delete_*
}

rule files {
  on github/get_file
  use minify
}
""",
)

NOT_OF_THE_BLOCK = Code(
    "T506",
    "not-of-the-block",
    Severity.ERROR,
    "a line of a `tools` block names tools that its block does not speak of",
    "A block speaks of the tools of its patterns only. A name that reaches beyond them would be read as if "
    "it meant all tools of that name.",
    """
terse 1

tools github/list_* {
  hide delete_file
}
""",
    """
terse 1

tools github/* {
  hide delete_file
}
""",
)

RENAME_OF_HIDDEN = Code(
    "T507",
    "rename-of-hidden",
    Severity.WARNING,
    "a tool is renamed and hidden",
    "A hidden tool is not shown under any name, so the rename does nothing.",
    """
terse 1

tools github/* {
  hide delete_*
  rename delete_file to remove_file
}
""",
    """
terse 1

tools github/* {
  hide delete_*
  rename list_issues to issues
}
""",
)

TWO_PRESENTATIONS = Code(
    "T508",
    "two-presentations",
    Severity.ERROR,
    "a tool would be presented in place and wrapped, and neither is narrower",
    "The narrowest pattern wins, as for rules. Where neither is, the order of blocks would decide.",
    """
terse 1

tools github/list_* {
  present in place
}

tools github/*_issues {
  present wrapped
}
""",
    """
terse 1

tools github/list_* {
  present in place
}

tools github/* {
  present wrapped
}
""",
)

TWO_SHOWS = Code(
    "T509",
    "two-shows",
    Severity.ERROR,
    "two blocks say which tools are shown, and neither is narrower",
    "`show` says that only these tools of the block are shown. The narrowest block wins, as for rules. Where "
    "neither is, a tool would be shown by one of them and not by the other.",
    """
terse 1

tools github/list_* {
  show list_issues
}

tools github/*_issues {
  show search_issues
}
""",
    """
terse 1

tools github/list_* {
  show list_issues
}

tools github/search_* {
  show search_issues
}
""",
)

CODES = (
    HIDDEN_AND_SHOWN,
    RENAME_COLLIDES,
    BAD_TOOL_NAME,
    TWO_LEVELS,
    RULE_FOR_HIDDEN_TOOL,
    NOT_OF_THE_BLOCK,
    RENAME_OF_HIDDEN,
    TWO_PRESENTATIONS,
    TWO_SHOWS,
)
