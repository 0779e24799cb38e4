"""Which files are one policy: folders, imports, overrides, and the folder that nothing leads out of."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from terse.language import Unreadable, check
from terse.language.check import root_of
from terse.language.disk import Disk
from tests.language.example import Files, check_text, codes_of, split

BASE = """
=== org/base.terse ===
terse 1

rule everything {
  on */*
  use minify
}
"""


def test_a_file_is_loaded_with_what_it_imports() -> None:
    """Directly and over other files; each file once, however often it is imported."""
    files = Files(
        split(
            'terse 1\nimport "a.terse"\nimport "b.terse"\n'
            '=== a.terse ===\nterse 1\nimport "org/base.terse"\n'
            '=== b.terse ===\nterse 1\nimport "org/base.terse"\nimport "a.terse"\n' + BASE
        )
    )
    checked = check(["main.terse"], reader=files)

    assert checked.plan is not None
    assert [rule.name for rule in checked.plan.rules] == ["everything"]
    rule_files = [path for path in files.reads if path.endswith(".terse")]
    assert sorted(rule_files) == ["a.terse", "b.terse", "main.terse", "org/base.terse"]


def test_paths_are_relative_to_the_importing_file() -> None:
    """`../` leads up from the file's own folder, not from where the command runs."""
    text = (
        'terse 1\nimport "teams/x/team.terse"\n'
        '=== teams/x/team.terse ===\nterse 1\nimport "../../org/base.terse"\n' + BASE
    )

    assert codes_of(text) == []


def test_a_folder_is_one_policy() -> None:
    """Every .terse file below it, and nothing else; a name in two of them is a collision."""
    files = Files(
        {
            "p/a.terse": b"terse 1\nrule a {\n  on a/*\n}\n",
            "p/deep/er/b.terse": b"terse 1\nrule b {\n  on b/*\n}\n",
            "p/notes.md": b"no rules",
            "q/c.terse": b"nonsense",
        }
    )
    checked = check(["p"], reader=files)

    assert checked.plan is not None
    assert [rule.name for rule in checked.plan.rules] == ["a", "b"]
    assert checked.root == "p"


@pytest.mark.parametrize("path", ["/etc/passwd", "../x.terse", "a/../../x.terse", "../main.terse/../../y"])
def test_no_import_leads_out_of_the_folder(path: str) -> None:
    """Whatever way it is written, and nothing outside is read."""
    files = Files(split(f'terse 1\nimport "{path}"\n'))
    checked = check(["main.terse"], reader=files)

    assert [d.code.code for d in checked.diagnostics] == ["T102"]
    assert files.reads == ["main.terse"]


def test_a_file_imports_itself() -> None:
    """The shortest loop."""
    assert codes_of('terse 1\nimport "main.terse"\n') == ["T103"]


def test_a_loop_is_told_once_whatever_leads_into_it() -> None:
    """Files outside the loop are no part of it, and two loops are two findings."""
    text = (
        'terse 1\nimport "a.terse"\n'
        '=== a.terse ===\nterse 1\nimport "b.terse"\nimport "c.terse"\n'
        '=== b.terse ===\nterse 1\nimport "a.terse"\n'
        '=== c.terse ===\nterse 1\nimport "d.terse"\n'
        '=== d.terse ===\nterse 1\nimport "c.terse"\n'
    )
    found = check_text(text).diagnostics

    assert [d.code.code for d in found] == ["T103", "T103"]
    assert [d.primary.span.source.path for d in found] == ["a.terse", "c.terse"]


def test_errors_of_imported_files_are_told_where_they_are() -> None:
    """Each file's errors of syntax, and none that follows from them."""
    text = (
        'terse 1\nimport "a.terse"\nrule x {\n  on a/*\n  apply missing\n}\n'
        "=== a.terse ===\nterse 1\nrule y {\n  nonsense\n}\n"
    )
    found = check_text(text).diagnostics

    assert [(d.code.code, d.primary.span.place) for d in found] == [("T002", "a.terse:3")]


def test_an_override_replaces_the_rule_whole() -> None:
    """Nothing of the imported rule is left, its `when` neither."""
    checked = check_text(
        'terse 1\nimport "org/base.terse"\noverride rule everything {\n  on */*\n  use tabularize\n}\n' + BASE
    )

    assert checked.plan is not None
    (rule,) = checked.plan.rules
    assert rule.at == "main.terse:3"
    assert [step.tier for step in rule.chain] == ["tabularize"]


def test_an_override_reaches_over_several_files() -> None:
    """The rule may be imported by a file that is imported."""
    text = (
        'terse 1\nimport "a.terse"\noverride rule everything {\n  on */*\n}\n'
        '=== a.terse ===\nterse 1\nimport "org/base.terse"\n' + BASE
    )

    assert codes_of(text) == []


def test_a_rule_beside_is_not_imported() -> None:
    """A rule of the same file, or of one that is not imported, cannot be overridden."""
    beside = "terse 1\nrule a {\n  on a/*\n}\noverride rule a {\n  on a/*\n}\n"

    assert codes_of(beside) == ["T208", "T105"]


def test_guards_chains_and_profiles_have_names_of_their_own() -> None:
    """A rule and a guard may share a name; two guards may not."""
    text = (
        "terse 1\nrule a {\n  on */*\n  use b\n  apply b\n}\nguard a {\n  on */*\n  never store\n}\n"
        "chain b = minify\nprofile b {\n  keep x\n}\n"
    )

    assert "T104" not in codes_of(text)
    assert "T104" in codes_of(text + "guard a {\n  on x/*\n  never store\n}\n")


@pytest.mark.parametrize("path", ["missing.terse", "empty"])
def test_what_was_asked_for_must_be_there(path: str) -> None:
    """A path that does not exist, or a folder without rules, is not an empty policy."""
    with pytest.raises(Unreadable) as error:
        check([path], reader=Files({"empty/readme.md": b""}))

    assert error.value.path == path


def test_the_nearest_file_is_suggested() -> None:
    """By name, and by place where the name is right."""
    wrong_name = check_text('terse 1\nimport "org/bas.terse"\n' + BASE).diagnostics
    wrong_place = check_text('terse 1\nimport "base.terse"\n' + BASE).diagnostics

    assert [d.help for d in (*wrong_name, *wrong_place)] == ["did you mean `org/base.terse`?"] * 2


@pytest.mark.parametrize(
    ("files", "paths", "root"),
    [
        (["p/a.terse"], ["p"], "p"),
        (["p/a.terse"], ["p/a.terse"], "."),
        (["p/q/a.terse", "p/samples/s/t/x.json"], ["p/q/a.terse"], "p"),
        (["p/q/a.terse", "p/tools.lock"], ["p/q/a.terse"], "p"),
        (["a.terse"], ["a.terse"], "."),
        (["p/a.terse", "q/b.terse"], ["p", "q"], "."),
        (["p/a.terse", "p/b.terse"], ["p/a.terse", "p/b.terse"], "."),
        (["/x/a.terse"], ["/x/a.terse"], "/x"),
        (["/x/a.terse", "/x/y/b.terse"], ["/x/a.terse", "/x/y/b.terse"], "/x"),
        (["../p/a.terse"], ["../p/a.terse"], "../p"),
    ],
)
def test_the_folder_of_a_policy(files: list[str], paths: list[str], root: str) -> None:
    """A folder is its own; a file's is the nearest with samples or a lock, else where the command runs."""
    assert root_of(paths, Files(dict.fromkeys(files, b""))) == root


def test_real_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hidden folders are left out, and a link out of the folder is not followed."""
    (tmp_path / "p" / ".git").mkdir(parents=True)
    (tmp_path / "p" / ".git" / "x.terse").write_text("nonsense")
    (tmp_path / "p" / "a.terse").write_text("terse 1\n")
    (tmp_path / "out.terse").write_text("terse 1\n")
    os.symlink(tmp_path / "out.terse", tmp_path / "p" / "link.terse")
    monkeypatch.chdir(tmp_path)
    disk = Disk()

    assert disk.files("p") == ["p/a.terse", "p/link.terse"]
    assert disk.is_inside("p/a.terse", "p")
    assert not disk.is_inside("p/link.terse", "p")
    with pytest.raises(Unreadable) as error:
        check(["p"])
    assert error.value.path == "p/link.terse"


def test_a_folder_that_cannot_be_read_is_not_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There may be a guard in it: a policy without it would not be the one that was written."""
    (tmp_path / "closed").mkdir()
    (tmp_path / "open.terse").write_text("terse 1\n")
    listed = os.scandir

    def refused(path: str) -> object:
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", path)
        return listed(path)

    monkeypatch.setattr(os, "scandir", refused)
    with pytest.raises(Unreadable) as error:
        check([str(tmp_path)])
    assert (error.value.path, error.value.reason) == (str(tmp_path / "closed"), "Permission denied")


def test_an_empty_name_is_not_the_working_directory() -> None:
    """`--rules "$RULES"` with a variable that is not set."""
    with pytest.raises(Unreadable, match="the name of the file is empty"):
        check([""])
