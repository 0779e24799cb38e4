"""Findings in each format: the same facts, in the form that its readers know."""

from __future__ import annotations

import json
import re

import pytest

from terse.diagnostic import Diagnostic, Label
from terse.language.codes import BY_CODE
from terse.report import github, sarif, text
from terse.report import json as json_report
from terse.source import Source, Span
from tests.language.example import check_text

TIE = """terse 1

rule lists {
  on github/list_*
}

rule issues {
  on github/*_issues
}

rule everything {
  on */*
}
"""


def _tie() -> tuple[Diagnostic, ...]:
    return check_text(TIE).diagnostics


def _finding(line: str, start: int, length: int, label: str = "here") -> Diagnostic:
    source = Source("a.terse", f"terse 1\n{line}\n")
    span = Span(source, 8 + start, 8 + start + length)
    return Diagnostic(BY_CODE["T002"], "unexpected `x`", Label(span, label))


def test_json_has_every_fact() -> None:
    """The form that docs/diagnostics.md promises: places with lines and columns from 1, null for no help."""
    document = json.loads(json_report.render(_tie()))

    assert document["version"] == 1
    assert document["summary"] == {"error": 1, "warning": 0, "note": 0}
    (found,) = document["diagnostics"]
    assert found["code"] == "T201"
    assert found["name"] == "ambiguous-rules"
    assert found["severity"] == "error"
    assert found["primary"] == {
        "path": "main.terse",
        "line": 8,
        "column": 6,
        "end_line": 8,
        "end_column": 21,
        "text": "rule `issues`",
    }
    assert [label["line"] for label in found["secondary"]] == [4]
    assert found["notes"] == ["both take the call `github/list_issues`"]


def test_no_finding_is_an_empty_list() -> None:
    """Tools get a document whether or not something was found; people get nothing."""
    assert json.loads(json_report.render([]))["diagnostics"] == []
    assert json.loads(sarif.render([]))["runs"][0]["results"] == []
    assert text.render([]) == ""
    assert github.render([]) == ""


def test_github_annotations_are_one_line_each() -> None:
    """File, line and column, and the message with its notes, escaped as the runner expects."""
    (line,) = github.render(_tie()).splitlines()

    assert line.startswith(
        "::error file=main.terse,line=8,col=6,endLine=8,endColumn=21,title=T201 ambiguous-rules::rules "
    )
    assert "%0Anote: both take the call" in line


def test_github_escapes_what_would_end_a_property() -> None:
    """A path with a comma or a colon stays one property."""
    source = Source("a,b:c%.terse", "terse 1\n")
    finding = Diagnostic(BY_CODE["T003"], "50%\nof it", Label(Span(source, 0, 5)))

    line = github.render([finding])
    assert "file=a%2Cb%3Ac%25.terse," in line
    assert line.endswith("::50%25%0Aof it\n")


def test_sarif_has_the_shape_of_the_standard() -> None:
    """Required members of SARIF 2.1.0: version, tool with its rules, results with message and place."""
    log = json.loads(sarif.render(_tie()))

    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["T201"]
    (result,) = run["results"]
    assert (result["ruleId"], result["ruleIndex"], result["level"]) == ("T201", 0, "error")
    region = result["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 8, "startColumn": 6, "endLine": 8, "endColumn": 21}
    assert result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == 4


@pytest.mark.parametrize(
    ("line", "start", "length"),
    [
        ("x" * 300, 150, 10),
        ("x" * 300, 299, 1),
        ("é" * 70, 69, 1),
        ("\t\tkeep x", 2, 4),
        ("日本語 keep x", 4, 4),
        ("日" * 100, 60, 3),
        ("\x1b" * 100, 60, 3),
        ("", 0, 0),
        ("x" * 200, 0, 200),
        ("a\x1b[31mb", 1, 1),
    ],
)
@pytest.mark.parametrize(
    "label", ["here", "a label that is long enough to need a line of its own, or nearly so"]
)
def test_a_finding_fits_on_80_columns(line: str, start: int, length: int, label: str) -> None:
    """Long lines are cut around the mark, wide characters and tabs are counted as a terminal shows them."""
    rendered = text.render([_finding(line, start, length, label)])

    assert max(map(text.cells, rendered.splitlines())) <= 80
    assert "^" in rendered
    assert "\x1b" not in rendered


def test_a_mark_stands_under_its_word() -> None:
    """Also after wide characters."""
    lines = text.render([_finding('keep "日本", x', 11, 1)]).splitlines()
    shown = next(line for line in lines if "日本" in line)
    mark = next(line for line in lines if "^" in line)

    assert text.cells(shown[: shown.index("x")]) == mark.index("^")


def test_colours_are_added_to_the_same_text() -> None:
    """With colours the words are the same."""
    coloured = text.render(_tie(), colour=True)

    assert "\x1b[1;31merror[T201]\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == text.render(_tie())
