"""What holds of proposals for any captures and any rules."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from terse.guarantee import Guarantee
from terse.language import check
from terse.language.format import formatted
from terse.language.parse import parse
from terse.plan.model import Plan, Remove
from terse.report.tuned import Tuned
from terse.tuning.kinds.kind import Allowed
from tests.tuning.captured import line, prose
from tests.tuning.conftest import tuned

HOSTILE = (
    'say "hi"',
    "back\\slash",
    "new\nline",
    "turned \u202e around",
    "bell \x07",
    "*",
    "a*b",
    "rule x {\n  on */*\n}\n",
    "} rule everything { on */* }",
    "--- a/policies/rules.terse +++ b/policies/rules.terse @@ -1 +1 @@",
    "名前",
    "with space",
    "lone \ud83d",
    "",
)
NAMES = st.sampled_from(("list", "read_file", "get-status", *HOSTILE))
SECRET = "s3cr3t-in-a-result"

RULES = st.sampled_from(
    (
        "",
        "rule everything {\n  on */*\n  use minify\n}\n",
        "rule everything {\n  on */*\n  use compact\n  set aside items.text over 100 characters\n}\n",
        'rule everything {\n  on */*\n  remove every note\n  because "no one reads them"\n}\n',
        "rule few {\n  on */list\n  use minify\n}\n\nguard none {\n  on */*\n  require lossless\n}\n",
        "guard kept {\n  on */*\n  keep every text\n  never store\n}\n\nrule json {\n  on */*\n"
        "  when payload is json\n  use tabularize\n}\n",
    )
)
ALLOWED = st.lists(st.sampled_from(("set-aside", "shorten", "remove")), unique=True, max_size=3)


@st.composite
def captures(draw: st.DrawFn) -> list[str]:
    """Calls of a few tools in a few sessions, some of them again and again, with members of hostile names."""
    random = Random(draw(st.integers(0, 10**6)))
    server = draw(NAMES)
    keys = draw(st.lists(NAMES, min_size=1, max_size=3))
    lines = []
    for tool in draw(st.lists(NAMES, min_size=1, max_size=2, unique=True)):
        words = draw(st.sampled_from((3, 120)))
        changes = draw(st.booleans())
        for session in range(4):
            for number in range(6):
                items = [
                    {"id": random.randrange(10**6), "text": prose(random, words), "note": SECRET}
                    | dict.fromkeys(keys, SECRET)
                    for _ in range(4)
                ]
                arguments: dict[str, object] = {"n": number if changes else 0}
                facts = {"session": str(session), "server": server, "arguments": arguments}
                lines.append(line(tool, {"items": items}, **facts))  # type: ignore[arg-type]
    return lines


@contextmanager
def folder() -> Iterator[None]:
    """A working directory of this example's own."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as path:
        os.chdir(path)
        try:
            yield
        finally:
            os.chdir(before)


def found_for(rules: str, lines: list[str], allow: list[Allowed]) -> Tuned:
    files = {"policies/rules.terse": f"terse 1\n\n{rules}"} if rules else {}
    return tuned(files, lines, allow, least_results=5)


def removed(plan: Plan | None) -> set[object]:
    """What the rules of a plan take away for good."""
    assert plan is not None
    return {
        target
        for rule in plan.rules
        for each in rule.fields
        if isinstance(each, Remove)
        for target in each.targets
    }


@settings(max_examples=15)
@given(RULES, captures(), ALLOWED)
def test_every_proposal_is_sound(rules: str, lines: list[str], allow: list[Allowed]) -> None:
    """Whatever is proposed parses, checks, is formatted, holds no content, and loses what it may."""
    with folder():
        before = check(["policies"]).plan if _written(rules) else None
        found = found_for(rules, lines, allow)
        for path, (_, text) in found.files.items():
            Path(path).parent.mkdir(exist_ok=True)
            Path(path).write_text(text, encoding="utf-8")
        checked = check(["policies"]) if found.files else None

    floor = Guarantee.LOSSLESS
    if {"set-aside", "shorten"} & set(allow):
        floor = Guarantee.RECOVERABLE
    if "remove" in allow:
        floor = Guarantee.LOSSY
    for proposal in found.proposals:
        was, now = map(Guarantee.from_word, (proposal.guarantee_before, proposal.guarantee_after))
        assert now >= min(was, floor)
        assert "remove" in allow or not proposal.lost
        assert proposal.held_out is None or proposal.held_out.net >= 0
    for text in (each for _, each in found.files.values()):
        parsed = parse("x.terse", text.encode())
        assert not parsed.diagnostics
        assert formatted(parsed.file) == text
        assert SECRET not in text
        assert all(char.isprintable() or char == "\n" for char in text)
    if checked is not None:
        assert [each.code.code for each in checked.diagnostics if each.code.code != "T208"] == []
        if "remove" not in allow:
            assert removed(checked.plan) <= (removed(before) if before is not None else set())


def _written(rules: str) -> bool:
    if rules:
        Path("policies").mkdir()
        Path("policies/rules.terse").write_text(f"terse 1\n\n{rules}", encoding="utf-8")
    return bool(rules)


TOOLS = [
    pytest.param(
        command, marks=pytest.mark.skipif(shutil.which(command[0]) is None, reason=f"no {command[0]} here")
    )
    for command in (("git", "apply"), ("patch", "-p1", "--batch"))
]


@pytest.mark.parametrize("command", TOOLS, ids=lambda command: command[0])
@settings(max_examples=6)
@given(RULES, captures())
def test_applying_the_patch_gives_the_files(command: tuple[str, ...], rules: str, lines: list[str]) -> None:
    """What `terse tune` prints is taken as a patch, and makes exactly the files that it means."""
    from terse.report.tuned_text import render

    with folder():
        found = found_for(rules, lines, ["set-aside", "shorten", "remove"])
        if not found.files:
            return
        printed = render(found).encode("utf-8", "backslashreplace")
        done = subprocess.run(command, input=printed, capture_output=True, check=False)
        assert done.returncode == 0, (done.stderr, printed)
        made = {str(path): path.read_bytes().decode() for path in Path("policies").rglob("*.terse")}

    kept = {} if not rules else {"policies/rules.terse": f"terse 1\n\n{rules}"}
    assert made == kept | {path: text for path, (_, text) in found.files.items()}


@given(
    st.dictionaries(
        st.text(st.sampled_from("ab\n\r\"' \\\x0c\u2028é"), max_size=6), st.integers(), max_size=3
    )
)
@settings(max_examples=8)
def test_a_member_that_is_data_is_never_said(members: dict[str, int]) -> None:
    """Keys that do not look like names are passed over, whatever they hold."""
    lines = [
        line(
            "get",
            {**members, "user@example.org": "x" * 800 + str(number), "n": number},
            session=str(number % 4),
        )
        for number in range(24)
    ]
    with folder():
        found = found_for("", lines, ["set-aside", "shorten", "remove"])

    assert "example.org" not in json.dumps([text for _, text in found.files.values()])
