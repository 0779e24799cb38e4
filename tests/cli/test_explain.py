"""`terse explain`: the command around the report."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.cli.conftest import Terse

ROWS = json.dumps([{"number": n, "state": "open", "title": f"issue {n}", "user": "octo"} for n in range(80)])
RULES = """
terse 1

rule issues {
  on github/list_issues
  when argument state is "open"
  use minify then tabularize
  because "triage reads titles"
}

rule everything {
  on */*
  use minify
}
"""
SCHEMA = json.loads(
    (Path(__file__).parent.parent.parent / "docs" / "explain.schema.json").read_text(encoding="utf-8")
)


@pytest.fixture
def sample(tmp_path: Path) -> str:
    """A saved result where server and tool can be read from its place, and a rule file beside it."""
    path = Path("samples", "github", "list_issues", "open.json")
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_text(ROWS)
    (tmp_path / "rules.terse").write_text(RULES)
    return str(path)


def test_server_and_tool_come_from_the_place(terse: Terse, sample: str) -> None:
    """A sample under samples/SERVER/TOOL needs no --call."""
    done = terse("explain", sample)

    assert done.returncode == 0
    assert done.stdout.decode().startswith("github/list_issues  →  rule everything")
    assert "the embedded default" in done.stdout.decode()


def test_a_call_chooses_the_rule(terse: Terse, sample: str) -> None:
    """--call gives the arguments that `when argument` asks about."""
    open_issues = terse(
        "explain", sample, "--rules", "rules.terse", "--call", 'github/list_issues(state: "open")'
    ).stdout.decode()
    closed = terse(
        "explain", sample, "--rules", "rules.terse", "--call", 'github/list_issues(state: "closed")'
    ).stdout.decode()

    assert "→  rule issues" in open_issues
    assert "triage reads titles" in open_issues
    assert "→  rule everything" in closed
    assert "nearest" in closed
    assert "argument state" in closed


def test_without_a_call_it_says_so(terse: Terse, tmp_path: Path) -> None:
    """A file elsewhere is explained for a call of no name, with a note."""
    (tmp_path / "x.json").write_text(ROWS)
    text = terse("explain", "x.json").stdout.decode()

    assert text.startswith("note: no --call, and x.json is not in samples/SERVER/TOOL/")
    assert "any call  →  rule everything" in text


def test_stdin_is_read(terse: Terse) -> None:
    """PAYLOAD may be -."""
    done = terse("explain", "-", "--call", "a/b", stdin=ROWS.encode())

    assert done.returncode == 0
    assert done.stdout.decode().startswith("a/b  →  rule everything")


def test_the_texts_of_a_saved_result_are_explained(terse: Terse, tmp_path: Path) -> None:
    """A whole MCP result is taken apart, and the page says so."""
    result = {
        "content": [{"type": "text", "text": ROWS}, {"type": "image", "data": "", "mimeType": "image/png"}],
        "structuredContent": {"rows": 80},
    }
    (tmp_path / "bare.json").write_text(json.dumps(result))
    (tmp_path / "answer.json").write_text(json.dumps({"jsonrpc": "2.0", "id": 1, "result": result}))

    for name in ("bare.json", "answer.json"):
        text = terse("explain", name, "--call", "a/b").stdout.decode()
        assert f"{name} is a saved MCP result: its text is explained" in text
        assert "structuredContent" in text
        assert "records" in text


def test_a_result_without_text_is_said(terse: Terse, tmp_path: Path) -> None:
    """A result that has nothing to rewrite is no failure: the note says it."""
    (tmp_path / "x.json").write_text('{"content": []}')
    done = terse("explain", "x.json", "--call", "a/b")

    assert done.returncode == 0
    assert "has no text" in done.stdout.decode()


def test_an_error_result_is_named(terse: Terse, tmp_path: Path) -> None:
    """`isError: true` is part of the explanation."""
    (tmp_path / "x.json").write_text(
        json.dumps({"isError": True, "content": [{"type": "text", "text": "no such repository"}]})
    )
    done = terse("explain", "x.json", "--call", "a/b", "--json")

    assert json.loads(done.stdout)["error_result"] is True


def test_json_is_what_the_schema_says(terse: Terse, sample: str) -> None:
    """--json gives the documented format, the same bytes every time."""
    arguments = ("explain", sample, "--rules", "rules.terse", "--json")
    first, second = terse(*arguments), terse(*arguments, PYTHONHASHSEED="7")

    Draft202012Validator(SCHEMA).validate(json.loads(first.stdout))
    assert first.stdout == second.stdout


def test_what_a_client_can_fetch_is_an_option(terse: Terse, sample: str, tmp_path: Path) -> None:
    """`set aside` runs for a client that can fetch it, and is shown as forbidden for one that cannot."""
    (tmp_path / "aside.terse").write_text("terse 1\n\nrule x {\n  on github/*\n  set aside body\n}\n")
    (tmp_path / sample).write_text(json.dumps([{"number": n, "body": f"{n} words " * 90} for n in range(9)]))
    arguments = ("explain", sample, "--rules", "aside.terse", "--json")
    without = json.loads(terse(*arguments).stdout)["texts"][0]
    with_it = json.loads(terse(*arguments, "--can-retrieve").stdout)["texts"][0]

    assert [step["status"] for step in without["steps"]] == ["forbidden"]
    assert without["class"] == "exact"
    assert [step["status"] for step in with_it["steps"]][-1] == "applied"
    assert with_it["class"] == "recoverable"


def test_a_large_result_is_explained_whole(terse: Terse, tmp_path: Path) -> None:
    """Without --budget no step runs out of time, so that every machine explains a file alike."""
    rows = [{"number": n, "title": f"issue {n} of many", "labels": ["a", "b"]} for n in range(20_000)]
    (tmp_path / "x.json").write_text(json.dumps(rows))
    whole = json.loads(terse("explain", "x.json", "--json").stdout)["texts"][0]
    hurried = json.loads(terse("explain", "x.json", "--json", "--budget").stdout)["texts"][0]

    assert "out of time" not in {step["status"] for step in whole["steps"]}
    assert whole["tokens"] <= hurried["tokens"]


def test_emitted_is_the_emitted_text_alone(terse: Terse, sample: str) -> None:
    """--emitted prints what --json calls `emitted`, byte for byte."""
    emitted = terse("explain", sample, "--emitted").stdout
    facts = json.loads(terse("explain", sample, "--json").stdout)

    assert emitted == facts["texts"][0]["emitted"].encode()


def test_every_vocabulary_counts(terse: Terse, sample: str) -> None:
    """Both vocabularies are there; another is refused with their names."""
    other = json.loads(terse("explain", sample, "--json", "--vocabulary", "cl100k_base").stdout)
    unknown = terse("explain", sample, "--vocabulary", "p50k_base")

    assert other["vocabulary"] == "cl100k_base"
    assert unknown.returncode == 2
    assert b"o200k_base" in unknown.stderr
    assert b"cl100k_base" in unknown.stderr


def test_no_colours_ever(terse: Terse, sample: str) -> None:
    """No escape sequence is printed, whatever the environment asks for."""
    for environment in ({}, {"NO_COLOR": "1"}, {"FORCE_COLOR": "1"}):
        assert b"\x1b" not in terse("explain", sample, **environment).stdout


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "x.json is empty"),
        (b"\x89PNG\0", "x.json is binary: not UTF-8 (byte 0)"),
        (b"\xff\xfea", "x.json is not UTF-8 text (byte 0)"),
    ],
)
def test_an_unusable_file_is_one_line(terse: Terse, tmp_path: Path, data: bytes, says: str) -> None:
    """Empty, binary and undecodable files are told apart, in one line."""
    (tmp_path / "x.json").write_bytes(data)
    done = terse("explain", "x.json")

    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().startswith(f"terse: {says}")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["missing.json"], "no such file: missing.json"),
        (["."], ". is a folder: name a file in it"),
        (["rules.terse", "--call", "github"], "--call github: unexpected end of the line"),
        (["rules.terse", "--call", "github/*"], "is a pattern"),
        (["rules.terse", "--call", ""], "--call '': it is empty: write server/tool"),
        (["rules.terse", "--call", " "], "--call ' ': it is empty: write server/tool"),
        (["rules.terse", "--to", ""], "--to '': the name of the file is empty"),
        (["rules.terse", "--json", "--whole"], "exclude each other"),
        (["T999"], "no code T999"),
    ],
)
def test_a_wrong_argument_is_one_line(terse: Terse, sample: str, arguments: list[str], says: str) -> None:
    """What is wrong and what to write instead, in one line."""
    done = terse("explain", *arguments)

    assert (done.returncode, done.stdout) == (2, b"")
    assert says in done.stderr.decode()
    assert len(done.stderr.splitlines()) == 1


def test_a_file_that_is_too_large_is_refused(terse: Terse, tmp_path: Path) -> None:
    """A disk image given by mistake is refused before it fills the memory."""
    with open(tmp_path / "disk.img", "wb") as file:
        file.truncate(300 * 1024 * 1024)
    done = terse("explain", "disk.img")

    assert done.returncode == 2
    assert done.stderr.decode() == "terse: disk.img is over 256 MiB: no tool result is that long\n"


def test_rules_that_do_not_check_are_findings(terse: Terse, sample: str, tmp_path: Path) -> None:
    """A policy with errors is not run: the findings are printed, and the exit code is 1."""
    (tmp_path / "bad.terse").write_text("terse 1\n\nrule x {\n  on a/b\n  ues minify\n}\n")
    done = terse("explain", sample, "--rules", "bad.terse")

    assert (done.returncode, done.stdout) == (1, b"")
    assert b"T002" in done.stderr
    assert b"bad.terse:5" in done.stderr


@pytest.mark.parametrize(
    ("rules", "says"),
    [
        ("nowhere.terse", "--rules nowhere.terse: no such file or folder"),
        ("", "--rules '': no such file or folder"),
        ("empty", "empty: there is no .terse file below this folder"),
        ("pipe.terse", "pipe.terse: is not a regular file"),
    ],
)
@pytest.mark.parametrize("command", [("explain", "x.json"), ("show", "a/b")])
def test_rules_that_cannot_be_read_end_the_command(
    terse: Terse, tmp_path: Path, command: tuple[str, ...], rules: str, says: str
) -> None:
    """They are named in one line, with the exit code of what could not be done; nothing is waited for."""
    (tmp_path / "x.json").write_text("[]")
    (tmp_path / "empty").mkdir()
    os.mkfifo(tmp_path / "pipe.terse")
    done = terse(*command, "--rules", rules)

    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == f"terse: {says}\n"


def test_a_text_with_a_nul_is_explained(terse: Terse, tmp_path: Path) -> None:
    """A result may hold one, and the proxy takes it: it is shown as an escape."""
    (tmp_path / "x.txt").write_bytes(b"one\0two\n" * 40)
    done = terse("explain", "x.txt")

    assert done.returncode == 0
    assert "one\\x00two" in done.stdout.decode()


@pytest.mark.parametrize("code", ["T201", "t201"])
def test_a_code_prints_its_page(terse: Terse, code: str) -> None:
    """`terse explain T201` is the page of docs/codes/T201.md."""
    done = terse("explain", code)

    assert done.returncode == 0
    assert "ambiguous-rules" in done.stdout.decode()


def test_a_sample_can_be_yaml(terse: Terse, tmp_path: Path) -> None:
    """YAML under samples/ is explained, tested and checked as the JSON that it stands for."""
    folder = tmp_path / "samples" / "shop" / "list"
    folder.mkdir(parents=True)
    rows = "".join(f"- price: 1.{n:02}0\n  on: 2024-01-31\n  name: item {n}\n" for n in range(60))
    (folder / "x.yaml").write_text(rows)
    (folder / "twice.yml").write_text("a: 1\na: 2\n")
    (tmp_path / "rules.terse").write_text(
        "terse 1\n\nrule all {\n  on shop/*\n  remove name\n  use minify then tabularize\n"
        '  because "the test says so"\n}\n\n'
        'test "yaml" {\n  call shop/list\n  given "samples/shop/list/x.yaml"\n  expect rule all\n'
        "  expect saving over 10%\n}\n"
    )

    explained = terse("explain", "samples/shop/list/x.yaml", "--rules", "rules.terse", "--whole")
    tested = terse("test", "rules.terse")
    (tmp_path / "wrong.terse").write_text(
        'terse 1\n\nrule all {\n  on shop/list\n  keep prise\n  use minify\n  because "a typo"\n}\n'
    )
    checked = terse("check", "wrong.terse")
    measured = terse("bench", "samples/shop/list/x.yaml", "--rules", "rules.terse", "--output", "json")
    twice = terse("explain", "samples/shop/list/twice.yml")

    assert "1.000" in explained.stdout.decode()
    assert "60 values" in explained.stdout.decode()
    assert tested.returncode == 0, tested.stdout.decode()
    assert "prise" in checked.stdout.decode()
    assert "price" in checked.stdout.decode()
    assert measured.returncode == 0, measured.stderr.decode()
    assert twice.returncode == 2
    assert twice.stderr.decode() == (
        "terse: samples/shop/list/twice.yml, line 2: the key 'a' stands here a second time\n"
    )
