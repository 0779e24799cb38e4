"""Whatever stands in a file, and wherever the cursor is: an answer or none, never an error."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from terse.editors.completion import completion
from terse.editors.hover import hover
from terse.editors.names import definition, name_at
from terse.editors.positions import position_of
from terse.editors.project import Project
from terse.language.cursor import place
from terse.source import Source
from tests.editors.conftest import BASE, TEAM

PIECES = st.sampled_from(
    [*TEAM.split(" "), *BASE.split(" "), '"', "/", "{", "}", "(", ",\n", "then\n", "#", "\0", "🦊"]
)


@st.composite
def files(draw: st.DrawFn) -> str:
    """A rule file with pieces put in and stretches taken out, or pieces alone."""
    text = draw(st.sampled_from([TEAM, BASE, "terse 1\n", ""]))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(text)))
        gone = draw(st.integers(0, 30))
        text = text[:at] + draw(PIECES) + text[at + gone :]
    return text


@settings(max_examples=150, deadline=None)
@given(files(), st.data())
def test_what_could_stand_here(text: str, data: st.DataObject) -> None:
    """The words at any place are words of the language, and what is typed ends at the cursor."""
    offset = data.draw(st.integers(0, len(text)))

    found = place(text, offset)

    assert text[:offset].endswith(found.typed)
    assert all(word and word[0].isalpha() for word in found.words)


@settings(max_examples=60, deadline=None)
@given(files(), st.data())
def test_every_question_has_an_answer(text: str, data: st.DataObject) -> None:
    """Hover, completion and definition answer for a file that is on no disk."""
    project = Project.at(str(Path(__file__).parent))
    project.buffers.open["new.terse"] = text
    source = Source("new.terse", text)
    offset = data.draw(st.integers(0, len(text)))
    at = position_of(source, offset)

    hover(project, "new.terse", at)
    offered = completion(project, "new.terse", at)
    name = name_at(source, offset)
    if name is not None:
        definition(project, "new.terse", name)

    assert offered.range.end == at
