"""`terse explain --html`: one page, safe whatever the payload holds, the same facts as the text."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from terse.plan.trace import Touched
from terse.report.explain_html import render
from terse.report.explanation import Explanation
from tests.report.traces import ERROR, ISSUES, NO_RULE, explanation, outcome

TAGS = frozenset(
    re.findall(
        r"\w+",
        "html head meta title style body header p main section div h1 h2 h3 span b dl dt dd ul li "
        "table thead tbody tr th td button details summary template script",
    )
)


class _Read(HTMLParser):
    """The elements of a page, and its text without style and script."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.names: set[str] = set()
        self.words: list[str] = []
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.names.update(name for name, _ in attrs)
        self._inside = tag

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside not in ("style", "script"):
            self.words.append(data)


def _read(page: str) -> _Read:
    read = _Read()
    read.feed(page)
    read.close()
    return read


def _explained(original: str, emitted: str) -> Explanation:
    made = explanation(outcome(ISSUES, emitted))
    return replace(made, originals=(original,))


HOSTILE = st.text("<>&\"'/=!-` \n\tscripte\x00\x1b\u202e\ud800", max_size=60)


@given(HOSTILE, HOSTILE, HOSTILE)
def test_nothing_becomes_markup(original: str, emitted: str, name: str) -> None:
    """Whatever texts, labels, notes and names hold, the page has our elements and no others."""
    made = _explained(original, emitted)
    steps = tuple(
        replace(
            step, label=name, note=name, at=name, after=emitted, action="removed", touched=Touched((name,))
        )
        for step in ISSUES.steps
    )
    trace = replace(
        ISSUES, steps=steps, call=name, why=name, summary=name, lost=(name,), kept=(name,), aside=(name,)
    )
    page = render(replace(made, outcomes=(replace(made.outcomes[0], trace=trace),), file=name, notes=(name,)))
    read = _read(page)

    assert set(read.tags) <= TAGS
    assert read.tags.count("script") == 1
    assert not any(found.startswith("on") for found in read.names)
    assert not read.names & {"src", "href", "style", "action", "srcdoc"}
    assert not re.search("[\x00\x1b\u202e\ud800]", page)


def test_tags_in_a_payload_are_read_back_as_text() -> None:
    """What ends an element elsewhere ends none here."""
    hostile = "</pre></div></template></script><script>alert(1)</script>"

    assert "".join(_read(render(_explained(hostile, hostile))).words).count(hostile) == 2


def test_only_our_own_script_and_style_may_run() -> None:
    """The policy names their hashes and allows nothing else, from nowhere."""
    page = render(_explained("x", "y"))
    found = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert found is not None
    allowed = set(re.findall(r"'(sha256-[^']+)'", found[1]))
    parts = [re.search(f"<{tag}>(.*?)</{tag}>", page, re.S) for tag in ("style", "script")]
    hashes = {
        "sha256-" + base64.b64encode(hashlib.sha256(part[1].encode()).digest()).decode()
        for part in parts
        if part is not None
    }

    assert found[1].startswith("default-src 'none'; ")
    assert "unsafe" not in found[1]
    assert allowed == hashes
    assert "url(" not in page
    assert "@import" not in page


def test_the_facts_of_the_text_page_are_there() -> None:
    """Rule, why, when, because, guards, near misses, steps, losses and the verdict; also of several texts."""
    made = explanation(outcome(ISSUES, "a\n"), outcome(ERROR, "x"), outcome(NO_RULE, "y"), notes=("a note",))
    words = " ".join(_read(render(replace(made, originals=("a", "x", "y")))).words)

    for trace in (ISSUES, ERROR, NO_RULE):
        facts = [trace.why, trace.gate.verdict, *(step.label for step in trace.steps)]
        facts += [condition.text for rule in trace.nearest for condition in rule.conditions]
        facts += [condition.reason for rule in trace.nearest for condition in rule.conditions]
        facts += [guard.text for guard in trace.guards if not guard.elsewhere]
        facts += [*trace.lost, *trace.kept, *trace.aside]
        assert [fact for fact in facts if fact not in words] == []
    assert "a note" in words
    assert "text 3 of 3" in words


def test_a_page_is_bounded() -> None:
    """A result of any size makes a page that a browser can hold, and the page says what it leaves out."""
    lines = "\n".join(f"line {n} " + "<" * 40 for n in range(300_000))
    page = render(_explained(lines, lines))
    one_line = render(_explained("x" * 5_000_000, "<" * 5_000_000))

    assert len(page) < 2_000_000
    assert "lines not shown" in page
    assert len(one_line) < 2_000_000
    assert "4,980,000 characters not shown" in one_line


def test_same_input_same_page() -> None:
    """The page has no time and no place of the machine in it."""
    assert render(_explained("a", "b")) == render(_explained("a", "b"))
