"""T0: the text of a file, before anything in it has a meaning."""

from __future__ import annotations

from terse.diagnostic import Code, Severity

UNCLOSED_STRING = Code(
    "T001",
    "unclosed-string",
    Severity.ERROR,
    "a text in quotes or a regex does not end on its line",
    'A text ends at the next `"`, a regex at the next `/`, on the same line. '
    'Inside, `\\"` and `\\/` stand for the characters themselves.',
    """
terse 1

rule notes {
  on docs/*
  shorten body to 400 characters
  because "a body is long
}
""",
    """
terse 1

rule notes {
  on docs/*
  shorten body to 400 characters
  because "a body is long"
}
""",
)

UNEXPECTED_WORD = Code(
    "T002",
    "unexpected-word",
    Severity.ERROR,
    "a word stands where the language has no place for it",
    "The message lists what can stand there, and the word that was most likely meant. "
    "terse never skips what it does not know: a misspelt line would be a rule that does less than it says.",
    """
terse 1

rule lists {
  on github/list_*
  kepe title
}
""",
    """
terse 1

rule lists {
  on github/list_*
  use minify
  keep title
  remove body
  because "titles are enough"
}
""",
)

UNKNOWN_EDITION = Code(
    "T003",
    "unknown-edition",
    Severity.ERROR,
    "the file does not say which edition of the language it is written in, or one this terse does not know",
    "The first line of every file is `terse 1`. A file keeps its meaning for ever: a newer terse reads "
    "all older editions, an older terse refuses a newer one instead of guessing.",
    """
rule lists {
  on github/list_*
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

NOT_UTF_8 = Code(
    "T004",
    "not-utf-8",
    Severity.ERROR,
    "the file is not UTF-8 text",
    "Rule files are UTF-8. Another encoding would make names and texts mean something else on another "
    "machine.",
    """
terse 1

# caf\udce9
rule lists {
  on github/list_*
  use minify
}
""",
    """
terse 1

# café
rule lists {
  on github/list_*
  use minify
}
""",
)

FILE_TOO_LARGE = Code(
    "T005",
    "file-too-large",
    Severity.ERROR,
    "the file is larger than a rule file can be",
    "A rule file has at most 4 MB: about 9,000 rules. What is larger is another file by mistake, "
    "and reading it would only take memory.",
    """
terse 1

# ⟨x × 4000000⟩
""",
    """
terse 1

# Large policies are several files, put together by `import`.
rule lists {
  on github/list_*
  use minify
}
""",
)

STATEMENT_TWICE = Code(
    "T006",
    "statement-twice",
    Severity.ERROR,
    "a line that can stand once in a block stands there twice",
    'Two `on` lines could mean "both" to one reader and "one of them" to another. What can be a list '
    "is written as one; `when`, `except`, `because` and field lines may stand as often as needed.",
    """
terse 1

rule lists {
  on github/list_*
  on jira/search
  use minify
}
""",
    """
terse 1

rule lists {
  on github/list_*, jira/search
  use minify
}
""",
)

HIDDEN_CHARACTER = Code(
    "T007",
    "hidden-character",
    Severity.ERROR,
    "a character stands in the file that a reader does not see, or that turns the text around it",
    "What a rule file looks like is what it does. Marks of direction, controls, characters without width and "
    "blanks other than the space are written as escapes in a text or a regex: `\\u200b` is U+200B, and one "
    "beyond U+FFFF is two of these. In a comment, characters without width and blanks may stand: words and "
    "signs are made of them, and a comment does nothing.",
    """
terse 1

rule issues {
  on github/list_*
  remove "body⟨U+202E⟩"
  because "the title says it"
}
""",
    r"""
terse 1

rule issues {
  on github/list_*
  remove "body\u202e"
  because "the title says it"
}
""",
)

UNKNOWN_ESCAPE = Code(
    "T008",
    "unknown-escape",
    Severity.ERROR,
    "a backslash in a text stands before what is no escape",
    'The escapes are `\\"`, `\\\\` and `\\uXXXX`, a character by its number. A backslash that is meant is '
    "written twice; a line end is `\\u000a`, a tab `\\u0009`. So a text does not depend on which escapes its "
    "reader knows. In a regex, escapes are those of regexes.",
    r"""
terse 1

rule notes {
  on disk/read_file
  when argument path is "C:\notes"
  use minify
}
""",
    r"""
terse 1

rule notes {
  on disk/read_file
  when argument path is "C:\\notes"
  use minify
}
""",
)

CODES = (
    UNCLOSED_STRING,
    UNEXPECTED_WORD,
    UNKNOWN_EDITION,
    NOT_UTF_8,
    FILE_TOO_LARGE,
    STATEMENT_TWICE,
    HIDDEN_CHARACTER,
    UNKNOWN_ESCAPE,
)
