"""`terse proxy` as a client starts it: arguments, rules, the cache of plans, what it says when it fails."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import terse.rules
from terse.cli.policy import DoesNotCompile, load_plan
from terse.payload.exact import parse
from terse.tiers.expand import expand
from tests.proxy.process import SERVER, call, started, text_of

TERSE = [sys.executable, "-m", "terse"]
PROXY = [*TERSE, "proxy"]

RULES = """terse 1

rule everything {
  on */*
  use minify then tabularize
}
"""
BROKEN = """terse 1

rule everything {
  on */*
  use no-such-tier
}
"""


@pytest.fixture(autouse=True)
def cache_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROXY, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


# ---- arguments ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "the server's command is missing"),
        (["--"], "the server's command is missing"),
        (["npx", "-y", "x"], "write `--` before the server's command"),
        (["--rules"], "--rules needs a value"),
        (["--rules", "--", "cat"], "--rules needs a value"),
        (["--server-name=", "--", "cat"], "--server-name needs a value"),
        (["--rules", "a", "--rules", "b", "--", "cat"], "--rules is given twice"),
        (["--verbose", "--", "cat"], "there is no option --verbose"),
        (["--rules", "no/such.terse", "--", "cat"], "no such file or folder: no/such.terse"),
        (["--rules", "a\nb", "--", "cat"], "no such file or folder: a\\nb"),
        (["--memory", "--", "cat"], "--memory needs a value"),
        *[
            (["--memory", size, "--", "cat"], f"--memory {size!r} is no size: write a whole number of KB, MB")
            for size in ("64", "MB", "-1MB", "1.5GB", "64 TB", "9999999GB", "٣MB")
        ],
    ],
)
def test_wrong_arguments_get_one_line(arguments: list[str], said: str) -> None:
    """What is wrong and what to write instead; exit code 2; no traceback."""
    done = run(*arguments)

    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"terse: {said}")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("no-such-command-anywhere", 127, "No such file or directory"),
        ("/etc", 126, "Permission denied"),
        (os.devnull, 126, "Permission denied"),
    ],
)
def test_a_server_that_does_not_start_gets_one_line(command: str, code: int, said: str) -> None:
    """The exit codes are those of shells."""
    done = run("--", command)

    assert done.returncode == code
    assert done.stderr == f"terse: cannot run '{command}': {said}\n"


def test_help_names_every_option() -> None:
    """`terse proxy --help` is for people; it goes to stdout."""
    done = run("--help")

    assert done.returncode == 0
    assert "--rules PATH" in done.stdout
    assert "--server-name NAME" in done.stdout
    assert "--memory SIZE" in done.stdout


def test_options_after_the_dashes_are_the_servers() -> None:
    """`--help` behind `--` is an argument of the server's."""
    done = run("--", "echo", "--help", "--rules")

    assert done.stdout == "--help --rules\n"


def test_the_start_imports_neither_grammar_nor_option_parser() -> None:
    """The way to the server's start is short: no lark, typer, argparse, asyncio, mcp, subprocess, msgspec."""
    start = "from terse.cli.entry import main; main(['proxy', '--', 'true'])"
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", start],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    imported = [line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if "|" in line]

    before_start = set(imported[: imported.index("terse.cli.proxy")])
    slow = {"lark", "typer", "argparse", "asyncio", "mcp", "subprocess"}
    assert not slow & set(imported)
    assert not {"msgspec", "json", "re", "typing", "pathlib", "threading"} & before_start


# ---- rules -------------------------------------------------------------------------------------------


def test_results_get_smaller_and_expand_to_what_they_were() -> None:
    """The default policy, no configuration."""
    with started([*PROXY, "--", *SERVER]) as client, started(SERVER) as direct:
        for end in (client, direct):
            end.send(call(1, "records", size=50))
        before, after = text_of(direct.receive()), text_of(client.receive())

        assert len(after) < len(before)
        assert parse(expand(after)) == parse(before)


def test_a_rule_file_decides(tmp_path: Path) -> None:
    """With --rules, what no rule of it matches passes as it came."""
    rules = tmp_path / "rules.terse"
    rules.write_text(RULES.replace("*/*", "*/other"))
    with started([*PROXY, "--rules", str(rules), "--", *SERVER]) as client, started(SERVER) as direct:
        for end in (client, direct):
            end.send(call(1, "records", size=50))

        assert client.receive() == direct.receive()


def test_rules_that_do_not_compile_are_an_error_at_start(tmp_path: Path) -> None:
    """Exit code 2, the findings on stderr, nothing on stdout; also when nothing is ever called."""
    rules = tmp_path / "rules.terse"
    rules.write_text(BROKEN)
    with started([*PROXY, "--rules", str(rules), "--", *SERVER]) as client:
        assert client.rest() == b""
        assert client.wait() == 2
        errors = client.errors()

    assert f"{rules}:5:" in errors
    assert "error T301 unknown-tier" in errors
    assert "Traceback" not in errors


def test_many_errors_fit_on_a_screen(tmp_path: Path) -> None:
    """The first dozen, and how many more there are."""
    rules = tmp_path / "rules.terse"
    broken = "".join(BROKEN.partition("\n")[2].replace("everything", f"rule-{n}") for n in range(40))
    rules.write_text("terse 1\n" + broken)

    with pytest.raises(DoesNotCompile, match=r"… and \d+ more$") as raised:
        load_plan(str(rules))
    assert str(raised.value).count("\n") == 13


@pytest.mark.parametrize(
    "content",
    [b"", b"\0\1\2\xff", b"\xff\xfe", b"x" * 10_000_000, b'terse 1\nimport "rules.terse"\n', b"terse 99\n"],
    ids=["empty", "binary", "not-utf-8", "10-MB", "cycle", "edition"],
)
def test_a_bad_rule_file_is_an_error_at_start(content: bytes, tmp_path: Path) -> None:
    """Whatever stands in the file: a clear error on one screen, the server ended, no traceback."""
    rules = tmp_path / "rules.terse"
    rules.write_bytes(content)
    done = run("--rules", str(rules), "--", "cat")

    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert 0 < done.stderr.count("\n") <= 24
    assert len(done.stderr) < 4000


BROKEN_LOADER = """
import sys, terse.rules as rules
def fail(*arguments): raise MemoryError("secret")
rules.load = rules.default_plan = fail
from terse.cli.entry import main
main(sys.argv[1:])
"""


def test_rules_that_cannot_be_loaded_by_our_own_fault_end_the_proxy(tmp_path: Path) -> None:
    """What was asked for holds (a guard, a `remove`, a hidden tool), or nothing is sent: exit code 2."""
    rules = tmp_path / "rules.terse"
    rules.write_text(RULES)
    command = [sys.executable, "-c", BROKEN_LOADER, "proxy", "--rules", str(rules), "--", *SERVER]
    with started(command) as client:
        client.send(call(1, "records", size=50))
        assert client.rest() == b""
        assert client.wait() == 2
        errors = client.errors()

    assert errors.startswith("terse: the rules could not be loaded: a fault of terse's own (MemoryError at ")
    assert errors.count("\n") == 1
    assert "secret" not in errors


def test_without_rules_a_fault_in_loading_passes_everything() -> None:
    """The default policy takes nothing away, so nothing depends on it but tokens."""
    with started([sys.executable, "-c", BROKEN_LOADER, "proxy", "--", *SERVER]) as client:
        with started(SERVER) as direct:
            for end in (client, direct):
                end.send(call(1, "records", size=50))
            assert client.receive() == direct.receive()
        client.close()
        assert client.wait() == 0
        assert "loading the rules failed" in client.errors()


def test_rules_that_name_a_server_need_its_name(tmp_path: Path) -> None:
    """Fails closed: otherwise a guard for that server would silently not hold."""
    rules = tmp_path / "rules.terse"
    rules.write_text(RULES + '\nguard secrets {\n  on vault/*\n  require exact\n  because "secrets"\n}\n')
    done = run("--rules", str(rules), "--", "cat")

    assert done.returncode == 2
    assert "the rules name the server vault" in done.stderr
    assert "--server-name NAME" in done.stderr

    with started([*PROXY, "--rules", str(rules), "--server-name", "vault", "--", *SERVER]) as client:
        client.send(call(1, "records", size=50))
        assert len(parse(text_of(client.receive()))) == 50


@pytest.mark.parametrize(("size", "is_remembered"), [("1MB", True), ("1 mb", True), ("1KB", False)])
def test_memory_bounds_what_results_are_remembered(size: str, is_remembered: bool, tmp_path: Path) -> None:
    """A result that does not fit is sent in full again."""
    rules = tmp_path / "rules.terse"
    rules.write_text(RULES.replace("use minify then tabularize", "use dedup"))
    with started([*PROXY, "--rules", str(rules), "--memory", size, "--", *SERVER]) as client:
        for _ in range(2):
            client.send(call(1, "records", size=50))
            given = text_of(client.receive())

    assert given.startswith("Re-run now: identical") is is_remembered


# ---- the cache ---------------------------------------------------------------------------------------


def plans(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "cache" / "terse" / "plans").glob("*.json"))


def test_an_unchanged_policy_is_not_compiled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second start reads the plan that the first one left, in a folder that is the user's alone."""
    rules = tmp_path / "rules.terse"
    rules.write_text(RULES)
    first = load_plan(str(rules))
    (entry,) = plans(tmp_path)

    monkeypatch.setattr("terse.rules._compile", None)
    assert load_plan(str(rules)) == first
    assert entry.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("change", ["edit", "import", "new file"])
def test_a_changed_policy_is_compiled_again(change: str, tmp_path: Path) -> None:
    """The rule file, a file that it imports, a file that appears in the folder: each is noticed."""
    folder = tmp_path / "policies"
    (folder / "org").mkdir(parents=True)
    (folder / "org" / "base.terse").write_text("terse 1\n\nchain records = minify\n")
    (folder / "rules.terse").write_text(
        'terse 1\n\nimport "org/base.terse"\n\nrule everything {\n  on */*\n  use records\n}\n'
    )
    first = load_plan(str(folder))

    if change == "edit":
        path = folder / "rules.terse"
        path.write_text(path.read_text().replace("use records", "use records then tabularize"))
    elif change == "import":
        (folder / "org" / "base.terse").write_text("terse 1\n\nchain records = minify then tabularize\n")
    else:
        (folder / "more.terse").write_text("terse 1\n\nrule more {\n  on */more\n  use minify\n}\n")

    assert load_plan(str(folder)).hash != first.hash


@pytest.mark.parametrize("damage", [b"", b"{}", b"\xff", b'{"files": {}, "folders": {}}\n{"edition": 1}'])
def test_a_damaged_cache_is_ignored(damage: bytes, tmp_path: Path) -> None:
    """Half-written, foreign or tampered with: the policy is compiled anew."""
    rules = tmp_path / "rules.terse"
    rules.write_text(RULES)
    first = load_plan(str(rules))
    (entry,) = plans(tmp_path)
    entry.write_bytes(damage)

    assert load_plan(str(rules)) == first


def test_a_tampered_plan_is_not_used(tmp_path: Path) -> None:
    """A plan is what its hash says, or it is compiled anew."""
    rules = tmp_path / "rules.terse"
    rules.write_text(RULES)
    first = load_plan(str(rules))
    (entry,) = plans(tmp_path)
    entry.write_bytes(entry.read_bytes().replace(b"tabularize", b"dictionary"))

    assert load_plan(str(rules)) == first


def test_a_cache_that_others_can_write_is_not_used(tmp_path: Path) -> None:
    """A plan decides what an agent gets to see."""
    rules = tmp_path / "rules.terse"
    rules.write_text(RULES)
    folder = tmp_path / "cache" / "terse" / "plans"
    folder.mkdir(parents=True)
    folder.chmod(0o777)

    load_plan(str(rules))

    assert plans(tmp_path) == []


@pytest.mark.parametrize("way", ["writable", "link", "another owner"])
def test_a_cached_plan_of_somebody_else_is_not_used(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever lies in the cache, only what this user wrote, and nobody else can write to, is read."""
    rules = tmp_path / "rules.terse"
    rules.write_text(RULES)
    first = load_plan(str(rules))
    (entry,) = plans(tmp_path)
    assert entry.stat().st_mode & 0o777 == 0o600

    if way == "writable":
        entry.chmod(0o666)
    elif way == "link":
        entry.rename(tmp_path / "elsewhere.json")
        entry.symlink_to(tmp_path / "elsewhere.json")
    elif os.getuid() == 0:
        os.chown(entry, 65534, 65534)
    else:
        pytest.skip("only root can give a file away")

    compiled: list[str] = []
    compile_anew = terse.rules._compile
    monkeypatch.setattr("terse.rules._compile", lambda path: (compiled.append(path), compile_anew(path))[1])
    assert load_plan(str(rules)) == first
    assert compiled == [str(rules)]


def test_the_cache_is_private_whatever_the_umask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a group may write new files by default, a cached plan is written and read all the same."""
    rules = tmp_path / "rules.terse"
    rules.write_text(RULES)
    before = os.umask(0)
    try:
        first = load_plan(str(rules))
    finally:
        os.umask(before)

    monkeypatch.setattr("terse.rules._compile", None)
    assert load_plan(str(rules)) == first


def test_errors_are_not_cached(tmp_path: Path) -> None:
    """A policy that does not compile is told every time."""
    rules = tmp_path / "rules.terse"
    rules.write_text(BROKEN)
    for _ in range(2):
        with pytest.raises(DoesNotCompile, match="no-such-tier"):
            load_plan(str(rules))


def test_a_result_in_json_text_keeps_its_envelope() -> None:
    """The other members of the message are the server's bytes."""
    line = '{"x":1.10,"id":IDENT,"result":{"_meta":{"v":1E400},"content":[{"text":"TEXT","type":"text"}]}}\n'
    records = json.dumps(json.dumps([{"id": n, "name": "a name"} for n in range(40)]))[1:-1]
    with started([*PROXY, "--", *SERVER]) as client:
        client.send(call(7, "raw", line=line.replace("TEXT", records)))
        received = client.receive()

    assert received.startswith(b'{"x":1.10,"id":7,"result":{"_meta":{"v":1E400},"content":[{"text":"')
    assert received.endswith(b'","type":"text"}]}}\n')
    assert len(received) < len(line) + len(records)
