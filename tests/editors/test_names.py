"""Go to definition, over all files of the policy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from terse.editors.names import definition, name_at
from terse.editors.positions import Position, offset_of
from terse.editors.project import Project
from tests.editors.conftest import BASE, TEAM

Write = Callable[[str], Position]


def defined(project: Project, at: Position) -> str | None:
    """The place of the definition of the name at the cursor in team.terse."""
    source = project.source("team.terse")
    assert source is not None
    name = name_at(source, offset_of(source, at))
    span = definition(project, "team.terse", name) if name is not None else None
    return f"{span.place}:{span.column}" if span is not None else None


@pytest.mark.parametrize(
    ("line", "cursor", "place"),
    [
        ("  use records", "  use rec|ords", "base.terse:4:7"),
        ("  apply noise", "  apply noi|se", "team.terse:5:9"),
        ('import "base.terse"', 'import "ba|se.terse"', "base.terse:1:1"),
        ("  expect rule issue-lists", "  expect rule |issue-lists", "team.terse:10:6"),
        ('  given "samples', '  given "sam|ples', "samples/github/list_issues/open.json:1:1"),
    ],
)
def test_names(project: Project, write: Write, line: str, cursor: str, place: str) -> None:
    """Chains, profiles, imports, rules in tests, and samples lead to where they are."""
    assert defined(project, write(TEAM.replace(line, cursor, 1))) == place


def test_an_override_leads_to_what_it_replaces_and_a_test_to_the_override(
    project: Project, workspace: Path, write: Write
) -> None:
    """The name in `override rule` is defined in the imported file; a test speaks of the rule in force."""
    text = (
        'terse 1\n\nimport "base.terse"\n\noverride rule every|thing {\n  on */*\n  use minify\n}\n\n'
        'test "a" {\n  call a/b\n  given "x.json"\n  expect rule everything\n}\n'
    )

    assert defined(project, write(text)) == "base.terse:6:6"
    plain = text.replace("|", "").replace("expect rule every", "expect rule every|")
    assert defined(project, write(plain)) == "team.terse:5:15"
    assert BASE


def test_a_tier_is_defined_nowhere(project: Project, write: Write) -> None:
    """What is no rule file's to define has no definition."""
    assert defined(project, write(TEAM.replace("use records", "use mini|fy"))) is None
    assert defined(project, write(TEAM.replace("use records", "use no|thing-such"))) is None
