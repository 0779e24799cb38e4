"""Whatever a rule file that parses says, checking it ends with findings or a plan."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from terse.diagnostic import Severity
from terse.language import check
from terse.plan.stored import decode, encode
from terse.report import github, json, sarif, text
from tests.language.example import MAIN, Files
from tests.language.rule_files import rule_files

SAMPLE = b'{"issues": [{"id": 1, "title": "x", "keep": {"a": "b"}}], "a": {"b": ["c"]}}'
LOCK = (
    b'{"version": 1, "servers": {"a": {"tools": [{"name": "b", "inputSchema": {"properties": {"a": {}}}}]}}}'
)


@settings(max_examples=150)
@given(rule_files(), st.booleans())
def test_any_rule_file_is_checked(rules: str, beside: bool) -> None:
    """There is a plan exactly when no finding is an error; findings can be printed, and plans stored."""
    files = {MAIN: rules.encode("utf-8", "replace")}
    if beside:
        files |= {"samples/a/b/x.json": SAMPLE, "tools.lock": LOCK}
    checked = check([MAIN], reader=Files(files))

    errors = [d for d in checked.diagnostics if d.severity is Severity.ERROR]
    assert (checked.plan is None) == bool(errors)
    for render in (text.render, json.render, github.render, sarif.render):
        render(checked.diagnostics)
    if checked.plan is not None:
        assert decode(encode(checked.plan)) == checked.plan


@settings(max_examples=50)
@given(rule_files())
def test_checking_twice_finds_the_same(rules: str) -> None:
    """The same files give the same findings and the same plan, byte for byte."""
    files = Files({MAIN: rules.encode("utf-8", "replace")})
    one, other = check([MAIN], reader=files), check([MAIN], reader=files)

    assert text.render(one.diagnostics) == text.render(other.diagnostics)
    assert one.plan == other.plan
