"""Reading rule files: exact trees, every error once, and an answer to any bytes."""

from __future__ import annotations

import re
import time
from pathlib import Path

import lark
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from terse.fields.selector import Every
from terse.fields.selector import Path as Selector
from terse.hidden import HIDDEN, escaped, quoted
from terse.language import syntax, table
from terse.language.build import Builder
from terse.language.parse import MAX_BYTES, MAX_ERRORS, grammar, parse
from terse.language.unexpected import DESCRIPTIONS, WORDS

POLICIES = sorted((Path(__file__).parent.parent.parent / "policies").rglob("*.terse"))

WHOLE = """terse 1

# A comment of its own.
import "base.terse"

chain records = minify then  # behind
  # between
  dictionary(min-uses 3)

profile noise {
  remove every *_url
  because "links can be rebuilt"
}

guard secrets {
  on vault/*, */*credential*
  except vault/"list all"
  require exact
  never store
  never use dedup, diff
  keep every id
  because "credentials are never rewritten"
}

override rule issues {
  on github/list_issues
  except github/list_secret_*
  when payload is json or text
  when payload has issues.key, every "x-rate limit"
  when payload over 2k tokens
  when field a.b is text
  when field a.b under 400 characters
  when argument method is "get_files", get_diff
  when argument path matches "*.lock"
  when argument q exists
  when argument r is missing
  when call repeats within 10 calls
  when session over 120k tokens
  use records then diff(keyframe 5 calls)
  apply noise
  keep to, keep, on.over
  shorten everything to last 400 lines and remove the rest
  shorten issues.body to 40 lines from both ends
  set aside patch over 2 kB
  remove terminal codes, lines matching /^a\\/b/, code blocks
  fit in 6k tokens {
    set aside patch
  }
  lose at most 25%
  spend at most 15 ms
  require lossy
  because "triage"
}

tools github/*, jira/* {
  compress high
  compress low for create_*, get_file
  present  in   place
  show list_*
  hide delete_*
  rename search_issues to find_issues
  because "short"
}

test "a board" {
  call jira/search(jql: "a = b", limit: 50, deep: {a: [1, true, "x"]})
  given "x.json"
  expect rule issues
  expect no rule
  expect exact
  expect under 4k tokens
  expect saving over 60%
  expect keeps issues.key
  expect text "Error"
  expect no text "secret"
}
"""


def _parse(text: str) -> syntax.File:
    parsed = parse("x.terse", text.encode())
    assert parsed.diagnostics == ()
    return parsed.file


def test_the_grammar_has_no_conflict_and_no_collision() -> None:
    """What a text means never depends on which of two rules or terminals is tried first."""
    lark.Lark(grammar(), parser="lalr", lexer="contextual", strict=True)


def test_the_table_of_the_parser_is_fresh() -> None:
    """The table is made from this grammar by this lark; terse/language/table.py says how to write it anew."""
    assert table.load(grammar(), Builder(), {}) is not None


def test_a_stale_table_is_not_used() -> None:
    """A table of another grammar is no table: the parser is then built from the grammar."""
    assert table.load(grammar() + "\n", Builder(), {}) is None


def test_every_terminal_has_a_name_for_readers() -> None:
    """Whatever can stand somewhere is named in words in messages, not by the grammar's own name."""
    unnamed = {
        terminal.name
        for terminal in lark.Lark(grammar(), parser="lalr").terminals
        if terminal.name not in {*WORDS, *DESCRIPTIONS, "COMMENT"} and not terminal.name.startswith("__")
        # A keyword is named by itself.
        if re.search(rf"\b{terminal.name.strip('_').lower()}\b", terminal.pattern.value) is None
    }

    assert unnamed == set()


@pytest.mark.parametrize(
    "line", ["onward/x", "keeptitle", "usenet", "on.x/y", "whenpayload is json", "shorten a to40 lines"]
)
def test_words_end_where_they_end(line: str) -> None:
    """A word that only begins like one of the language is none: `onward/x` is not `on ward/x`."""
    parsed = parse("x.terse", f"terse 1\nrule a {{\n  {line}\n}}\n".encode())

    assert [d.code.code for d in parsed.diagnostics] == ["T002"]


def test_every_construct_is_read() -> None:
    """The whole language in one file: every item, every line."""
    file = _parse(WHOLE)

    kinds = [type(item).__name__ for item in file.items]
    assert kinds == ["Import", "Chain", "Profile", "Guard", "Rule", "Tools", "Test"]
    rule = file.items[4]
    assert isinstance(rule, syntax.Rule)
    assert len(rule.lines) == 25
    assert rule.override is not None


def test_spans_are_exact() -> None:
    """A node's span is its text in the file, from its first word to its last character."""
    file = _parse(WHOLE)
    rule = file.items[4]
    assert isinstance(rule, syntax.Rule)

    assert rule.span.text.startswith("override rule issues {")
    assert rule.span.text.endswith("}")
    assert rule.lines[0].span.text == "on github/list_issues"
    texts = [line.span.text for line in rule.lines]
    assert 'when payload has issues.key, every "x-rate limit"' in texts
    assert "shorten everything to last 400 lines and remove the rest" in texts
    when = rule.lines[3]
    assert isinstance(when, syntax.When)
    assert isinstance(when.condition, syntax.PayloadHas)
    assert [part.span.text for part in when.condition.parts] == ["issues.key", 'every "x-rate limit"']
    assert [part.target for part in when.condition.parts] == [
        Selector(("issues", "key")),
        Every(("x-rate limit",)),
    ]
    steps = next(line for line in rule.lines if isinstance(line, syntax.Use)).steps
    assert [step.span.text for step in steps] == ["records", "diff(keyframe 5 calls)"]


def test_comments_are_kept() -> None:
    """Every comment is in the tree, those inside a list that goes on in the next line too."""
    file = _parse(WHOLE)

    assert [comment.text for comment in file.comments] == ["# A comment of its own.", "# behind", "# between"]


def test_keywords_are_names_where_names_stand() -> None:
    """Fields called like words of the language need no quotes."""
    file = _parse(
        "terse 1\nrule a {\n  on x/*\n  keep to, keep, on, over, lines, code, set, use, rule\n"
        "  set aside over over 3 kB\n  shorten to to 40 lines\n}\n"
    )

    rule = file.items[0]
    assert isinstance(rule, syntax.Rule)
    keep = rule.lines[1]
    assert isinstance(keep, syntax.Keep)
    assert [p.span.text for p in keep.parts][:4] == ["to", "keep", "on", "over"]


@pytest.mark.parametrize("path", POLICIES, ids=lambda path: path.name)
def test_the_shipped_policies_are_read(path: Path) -> None:
    """What people start from has no fault of syntax."""
    assert parse(path.name, path.read_bytes()).diagnostics == ()


def test_several_errors_are_each_told_once() -> None:
    """Reading goes on at the next item: three broken rules are three findings, a good one between is none."""
    text = (
        "terse 1\n\nrule a {\n  kepe title\n  wehn x\n}\n\nrule b {\n  on x/*\n}\n\n"
        'rule c {\n  on y/*\n  because "open\n}\n\nchain d = \n\nrule e {\n  on z/*\n}\n'
    )
    parsed = parse("x.terse", text.encode())

    assert [(d.code.code, d.primary.span.line) for d in parsed.diagnostics] == [
        ("T002", 4),
        ("T001", 14),
        ("T002", 17),
    ]
    assert [item.span.text.split()[1] for item in parsed.file.items] == ["b", "e"]


def test_a_block_that_is_not_closed_is_told_at_the_next_item() -> None:
    """The rule after it is read all the same."""
    parsed = parse("x.terse", b"terse 1\nrule a {\n  on x/*\n\nrule b {\n  on y/*\n}\n")

    assert len(parsed.diagnostics) == 1
    assert parsed.diagnostics[0].help == "close the block before it with `}`"
    assert len(parsed.file.items) == 1


@pytest.mark.parametrize(
    ("line", "help"),
    [
        ("when payload is json and payload over 3 kB", "every `when` line must hold"),
        ("when payload has a or payload has b", "write two rules"),
        ("when not payload is json", "there is no `not`"),
        ("on github", "write `github/*`"),
        ("shorten body to 400 chars", "did you mean `characters`?"),
        ("because 'single'", "double quotes"),
        ("use minify;", "without `;`"),
        ("drop body", "did you mean `remove`?"),
        ("Keep body", "did you mean `keep`?"),
        ("use minify, tabularize", "put together with `then`"),
        ("keep issues[0].title", "there are no indices"),
        ("use dictionary(min-uses=3)", "without `=`"),
        ("remove body if large", "`when` lines"),
        ("priority 10", "the narrower rule wins"),
        ("on gïthub/x", "stand in quotes"),
        ("set aside x above 3 kB", "did you mean `over`?"),
        ("apply MyProfile", "a name is lower-case letters"),
    ],
)
def test_words_of_other_languages_are_understood(line: str, help: str) -> None:
    """Whoever writes what other tools write is told what to write here."""
    parsed = parse("x.terse", f"terse 1\nrule a {{\n  {line}\n}}\n".encode())

    (found,) = parsed.diagnostics
    assert help in (found.help or "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "does not begin with the edition"),
        ("rule a {\n}\n", "does not begin with the edition"),
        ("terse 2\nrule §§§\n", "edition 2 is not known"),
        ("terse 0\n", "edition 0 is not known"),
        (f"terse {'9' * 5000}\n", "is not known"),
        ("\x00\x01\x02", "does not begin with the edition"),
        ('{"a": 1}', "does not begin with the edition"),
    ],
)
def test_a_file_without_a_known_edition_is_one_finding(text: str, message: str) -> None:
    """A newer file, an empty one and one that is no rule file: one line says so."""
    (found,) = parse("x.terse", text.encode()).diagnostics

    assert found.code.code == "T003"
    assert message in found.message


@pytest.mark.parametrize(
    "text", ["terse 1", "terse 1\n", "\ufeffterse 1\r\n\r\n", "# first\n\nterse 1 # here"]
)
def test_an_empty_policy_is_a_policy(text: str) -> None:
    """Comments, a byte order mark, Windows line ends and a missing last line end change nothing."""
    parsed = parse("x.terse", text.encode())

    assert parsed.diagnostics == ()
    assert parsed.file.items == ()


def test_windows_line_ends_mean_the_same() -> None:
    """Every construct is read with \\r\\n as with \\n."""
    assert len(_parse(WHOLE.replace("\n", "\r\n")).items) == len(_parse(WHOLE).items)


def test_a_file_that_is_too_large_is_refused_unread() -> None:
    """Over 4 MB: one finding, and none of its text is kept."""
    parsed = parse("x.terse", b"x" * (MAX_BYTES + 1))

    assert [d.code.code for d in parsed.diagnostics] == ["T005"]
    assert parsed.file.source.text == ""


@pytest.mark.parametrize(
    "data",
    [
        b"terse 1\n" + b"rule a {\n" * 20_000,
        b"terse 1\n" + b'test "x" {\n  call a/b(c: ' + b"[" * 20_000 + b"]" * 20_000 + b")\n}\n",
        b"terse 1\nrule a {\n  shorten b to " + b"9" * 1_000_000 + b" lines\n}\n",
        b"terse 1\nrule a {\n  shorten b to 0." + b"0" * 1_000_000 + b"1k lines\n}\n",
        b"terse 1\n" + b"#" * 1_000_000,
        b"terse 1\nrule " + b"a" * 1_000_000 + b" {\n",
        b"terse 1\nrule a {\n  keep " + b"b, " * 30_000 + b"\n}\n",
        b"terse 1\nrule a {\n  keep " + b"," * 200_000 + b"\n}\n",
        b'terse 1\nimport "' + b"../" * 100_000 + b'x"\n',
        b"terse 1" + b"\n" * 100_000,
    ],
    ids=["unclosed", "nested", "digits", "fraction", "comment", "name", "list", "commas", "path", "lines"],
)
def test_files_made_to_hurt_are_read_in_bounds(data: bytes) -> None:
    """Large nonsense is answered like small nonsense: findings, in seconds, and not too many."""
    started = time.monotonic()
    parsed = parse("x.terse", data)

    assert len(parsed.diagnostics) <= MAX_ERRORS + 1
    # No measurement: a parser that is not linear would take hours.
    assert time.monotonic() - started < 120


PIECES = st.sampled_from(
    ["terse 1\n", "rule a {\n", "}\n", "on a/*\n", "keep ", "x", ",", "\n", '"', "/", "(", ")", "[", "{", "#",
     "to ", "400 ", "lines ", "when payload ", "is json", "then ", "use ", "\\", "\x00", "é", "\r", "\t", "*",
     "."]
)  # fmt: skip


@settings(max_examples=300)
@given(st.one_of(st.binary(max_size=300), st.lists(PIECES, max_size=40).map(lambda p: "".join(p).encode())))
def test_any_bytes_are_a_tree_or_findings(data: bytes) -> None:
    """Whatever a file holds, the answer is its tree and its findings, each with a place in it."""
    parsed = parse("x.terse", data)

    for diagnostic in parsed.diagnostics:
        span = diagnostic.primary.span
        assert 0 <= span.start <= span.end <= max(len(span.source.text), span.start)
        assert span.line >= 1


@settings(max_examples=200)
@given(st.data())
def test_a_damaged_file_is_a_tree_or_findings(data: st.DataObject) -> None:
    """A file with a stretch cut out, doubled or overwritten is read like any other."""
    start = data.draw(st.integers(0, len(WHOLE)))
    end = data.draw(st.integers(start, min(len(WHOLE), start + 60)))
    put = data.draw(st.one_of(st.text(max_size=10), PIECES, st.just(WHOLE[start:end] * 2)))

    parse("x.terse", (WHOLE[:start] + put + WHOLE[end:]).encode("utf-8", "replace"))


# ---- what a reader does not see ----------------------------------------------------------------------


BODY = 'rule a {{\n  on x/*\n  remove "k{0}"{1}\n  because "b{2}"\n}}\n'


def _codes(text: str) -> list[str]:
    return [found.code.code for found in parse("x.terse", text.encode()).diagnostics]


@pytest.mark.parametrize(
    "sign",
    "\u202e\u2066\u200f\u061c\u200b\u200d\u2060\ufeff\u00ad\u034f\u3164\ufe0f\u00a0\u3000\u2028\x1b\x08\x0c\x85\r\U000e0041",
    ids=lambda sign: f"U+{ord(sign):04X}",
)
@pytest.mark.parametrize("place", ["name", "pattern", "reason", "beside", "first"])
def test_what_a_reader_does_not_see_does_not_compile(sign: str, place: str) -> None:
    """One finding, whatever it is and wherever it stands; and none where it is written as an escape."""
    texts = {
        "name": "terse 1\n" + BODY.format(sign, "", ""),
        "pattern": "terse 1\n" + BODY.format("", "", "").replace("x/*", f'x/"a{sign}*"'),
        "reason": "terse 1\n" + BODY.format("", "", sign),
        "beside": "terse 1\n" + BODY.format("", f" {sign} ", ""),
        "first": f"terse{sign} 1\n" + BODY.format("", "", ""),
    }
    assert _codes(texts[place]) == ["T007"]
    if place in ("name", "pattern", "reason"):
        assert _codes(texts[place].replace(sign, escaped(sign))) == []


@pytest.mark.parametrize("sign", "\u202e\u2069\u200e\u2028\x1b\r", ids=lambda sign: f"U+{ord(sign):04X}")
def test_a_comment_cannot_be_shown_as_what_it_is_not(sign: str) -> None:
    """Marks of direction and controls do not compile in a comment either."""
    text = f"terse 1\n# a{sign}comment\n" + BODY.format("", f"  # more{sign}still", "")
    assert _codes(text) == ["T007", "T007"]


@pytest.mark.parametrize("comment", ["⚠️ careful", "می‌خواهم", "family 👨‍👩‍👧", "soit\u00a0: cela"])
def test_words_and_signs_in_comments_are_what_they_are_made_of(comment: str) -> None:
    """Joiners, variation selectors and blanks in a comment are no finding, beside an error neither."""
    text = f"terse 1\n# {comment}\n" + BODY.format("", f"  # {comment}", "")
    assert _codes(text) == []
    assert _codes(text + f"rule\nrule # {comment}\n") == ["T002", "T002"]


@given(st.text(st.characters(codec="utf-8"), max_size=20))
def test_any_text_can_be_written_so_that_all_of_it_is_seen(key: str) -> None:
    """What `terse show`, `terse init` and the language server write in quotes is read back as it was."""
    written = quoted(key)
    text = "terse 1\n\nrule a {\n  on x/*\n  when argument a is " + written + "\n  use minify\n}\n"
    parsed = parse("x.terse", text.encode())
    (rule,) = (item for item in parsed.file.items if isinstance(item, syntax.Rule))
    (said,) = (line.condition for line in rule.lines if isinstance(line, syntax.When))

    assert parsed.diagnostics == ()
    assert not HIDDEN.search(written)
    assert isinstance(said, syntax.ArgumentIs)
    assert [value.text for value in said.values] == [key]


@pytest.mark.parametrize(
    "text", ["\\n", "\\t", "\\x41", "\\u12", "\\U0001F600", "\\ud83d", "\\ude00\\ud83d", "\\/"]
)
def test_a_backslash_means_one_thing(text: str) -> None:
    """What other languages read as an escape is neither guessed nor dropped."""
    assert _codes("terse 1\n" + BODY.format(text, "", "")) == ["T008"]


def test_the_escapes() -> None:
    """A quote, a backslash, a character by its number; beyond U+FFFF two numbers."""
    text = "terse 1\n" + BODY.format('\\"\\\\\\u00e9\\ud83d\\ude00', "", "")
    parsed = parse("x.terse", text.encode())

    assert parsed.diagnostics == ()
    assert 'k"\\é😀' in repr(parsed.file).replace("\\\\", "\\")
