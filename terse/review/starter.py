"""A first rule file for a server: lossless, with a test for each sample and advice for what is large."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from terse.fields.find import longest_list_of_objects
from terse.guarantee import Guarantee
from terse.hidden import quoted
from terse.memory.session import Session
from terse.payload.call import Call
from terse.payload.exact import JsonValue, Number
from terse.payload.payload import Payload
from terse.payload.sample import Sample
from terse.plan import describe
from terse.plan.model import Pattern, Plan
from terse.review.once import result_of
from terse.tokens import Vocabulary

COMMENT_WIDTH = 96
MOST_ADVICE = 3
"""Tools that are given advice on: those with most tokens."""

WORTH_TOKENS = 1_500
"""A result under this many is not worth a rule of its own."""
LARGE_SHARE = 0.25
"""Of a result: a field with so much of it is worth a line of its own."""
LARGE_TEXT = 300
"""Characters of a field, on average: shorter ones are values to read, not texts to cut."""
MANY_ROWS = 100
MANY_LINES = 150

_Keys = tuple[str, ...]
_NOT_NAME = re.compile(r"[^a-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Start:
    """A sample to begin with.

    Attributes:
        path: the file, relative to the rule file's folder.
        call: the call that it answers; `words` is it in the language's words.
        text: what the file holds.
    """

    path: str
    call: Call
    words: str
    text: str


@dataclass(frozen=True, slots=True)
class Measured:
    """A sample and what the rule makes of it."""

    start: Start
    tokens_before: int
    tokens_after: int
    guarantee: Guarantee

    @property
    def saved(self) -> float:
        """Percent."""
        before = self.tokens_before
        return 100 * (before - self.tokens_after) / before if before else 0.0


def rule_name(server: str) -> str:
    """The server's name as a rule can have it."""
    name = _NOT_NAME.sub("-", server.lower()).strip("-_")
    return name if name[:1].isalpha() else f"server-{name}".rstrip("-")


def call_words(server: str, tool: str) -> str:
    """`server/tool` in the language's words."""
    return describe.pattern(Pattern(server, tool))


def first_rule(server: str) -> str:
    """A rule file with the one rule for all results of a server."""
    return f"terse 1\n\nrule {rule_name(server)} {{\n  on {call_words(server, '*')}\n  use compact\n}}\n"


def measure(plan: Plan, start: Start, vocabulary: Vocabulary) -> Measured:
    """A sample under the plan of `first_rule`."""
    sample = Sample.saved(start.text, start.path)
    call = Call(start.call.server, start.call.tool, start.call.arguments, sample.is_error)
    result = result_of(plan, sample, call, Session(), vocabulary)
    return Measured(start, result.tokens_in, result.tokens_out, result.guarantee)


def rule_file(server: str, measured: Sequence[Measured], lines: Sequence[str]) -> str:
    """The whole file: the rule, advice as comments, and a test for each sample. Not formatted yet.

    Args:
        lines: command lines that the file's first comment names.
    """
    parts = [_head(server, lines), first_rule(server).partition("\n\n")[2]]
    parts += _advice(server, measured)
    if measured:
        said = "What the samples become. Whoever changes a rule sees here what it does to them."
        parts.append(_comment(said))
        parts += [_test(server, each) for each in measured]
    return "terse 1\n\n" + "\n".join(parts)


def _head(server: str, lines: Iterable[str]) -> str:
    said = (
        f"What an agent gets of the results of {server}. The chain `compact` writes the same data in fewer "
        "tokens and loses nothing: each result is decoded and compared with the original before it is sent."
    )
    return _comment(said) + "#\n" + "".join(f"#   {line}\n" for line in lines)


def _comment(text: str) -> str:
    return "".join(f"# {line}\n" for line in textwrap.wrap(text, COMMENT_WIDTH - 2, break_on_hyphens=False))


def _test(server: str, measured: Measured) -> str:
    start = measured.start
    name = start.path.rpartition("/")[2]
    title = f"{start.call.tool}, {name}: {'the same in fewer tokens' if measured.saved else 'as it came'}"
    lines = [
        f"call {start.words}",
        f"given {quoted(start.path)}",
        f"expect rule {rule_name(server)}",
        f"expect {measured.guarantee.word}",
    ]
    # A little less than it is: a newer terse may write the same data in another way.
    floor = int(measured.saved * 0.8) // 5 * 5
    if floor:
        lines.append(f"expect saving over {floor}%")
    body = "".join(f"  {line}\n" for line in lines)
    return f"\ntest {quoted(title)} {{\n{body}}}\n"


# ---- advice ------------------------------------------------------------------------------------------------


def _advice(server: str, measured: Sequence[Measured]) -> Iterator[str]:
    """For the largest tools a narrower rule, as a comment that holds a rule."""
    told: set[str] = set()
    for each in sorted(measured, key=lambda one: -one.tokens_after):
        if len(told) == MOST_ADVICE:
            return
        tool = each.start.call.tool
        sample = Sample.saved(each.start.text, each.start.path)
        if each.tokens_after < WORTH_TOKENS or tool in told or sample.is_error or len(sample.texts) != 1:
            continue
        found = _large(Payload.of(sample.texts[0]))
        if found is None:
            continue
        told.add(tool)
        what, when, line, because = found
        said = (
            f"{tool} still has {each.tokens_after:,} tokens ({each.start.path}): {what}. "
            "This rule, without the marks before its lines, would send a part, and the rest would be one "
            "fetch away. It would win, as it is narrower."
        )
        rule = [
            f"rule {rule_name(f'{server}-{tool}')} {{",
            f"  on {call_words(server, tool)}",
            f"  when {when}",
            "  use compact",
            f"  {line}",
            f'  because "{because}"',
            "}",
        ]
        yield "\n" + _comment(said) + "#\n" + "".join(f"# {each}\n" for each in rule)


def _large(payload: Payload) -> tuple[str, str, str, str] | None:
    """What is large in a result, when a rule about it applies, the line for it, and a reason."""
    document = payload.json
    if document is None:
        if payload.lines > MANY_LINES:
            what = f"it is {payload.lines:,} lines long"
            line = f"shorten everything to {MANY_LINES} lines from both ends"
            return what, "payload is text", line, "the beginning and the end say most"
        return None
    sizes: Counter[_Keys] = Counter()
    counts: Counter[_Keys] = Counter()
    _measure(document, sizes, counts)
    for keys, size in sizes.most_common(1):
        if size >= LARGE_SHARE * len(payload.text) and size >= LARGE_TEXT * counts[keys]:
            path = describe.path(keys)
            what = f"{path} is {100 * size // len(payload.text)}% of it"
            return (
                what,
                f"payload has {path}",
                f"shorten {path} to {LARGE_TEXT} characters",
                ("the beginning of a text says what it is about"),
            )
    rows = longest_list_of_objects(document)
    if rows is not None and isinstance(rows.value, list) and len(rows.value) > MANY_ROWS:
        what = f"it has {len(rows.value):,} rows"
        line = f"shorten everything to {MANY_ROWS} rows"
        return what, "payload is json", line, "whoever needs more rows asks for a narrower list"
    return None


def _measure(document: JsonValue, sizes: Counter[_Keys], counts: Counter[_Keys]) -> None:
    """Characters, and number, of all texts by their path; lists are see-through."""
    waiting: list[tuple[JsonValue, _Keys]] = [(document, ())]
    while waiting:
        value, keys = waiting.pop()
        if isinstance(value, dict):
            # Of a key that stands twice, a path means both.
            waiting += [(member, (*keys, str(key))) for key, member in value.items()]
        elif isinstance(value, list):
            waiting += [(item, keys) for item in value]
        elif isinstance(value, str) and not isinstance(value, Number) and keys and _speakable(keys):
            sizes[keys] += len(value)
            counts[keys] += 1


def _speakable(keys: _Keys) -> bool:
    """Whether a rule file can name the path: a key with a star would be a wildcard."""
    return len(keys) <= 8 and all(key and key.isprintable() and "*" not in key for key in keys)
