"""Whatever a command is given: it ends, with a documented exit code, and one line that says what is wrong."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from terse.cli.main import COMMANDS
from tests.cli.forked import Ended, Forks

NAMES = [command.name for command in COMMANDS]
SERVER_CODES = {7, 126, 127}
"""Of `terse proxy`: the server's own, and those of a command that cannot be run."""
CODES = {0, 1, 2, 130, 141}

OPTION = re.compile(r"(?<![\w-])(--?[A-Za-z][\w-]*)")
FOLDER_NAMES = (
    *("rules.terse", "broken.terse", "rules", "text", "empty", "binary", "x.json", "deep.json", "call.jsonl"),
    *("servers.json", "tools.lock", "ledger.sqlite", "loop", "dangling", "unreadable", "samples", "program"),
)
WORDS = (
    *("", " ", "-", "-1", "0", "1", "3", "99999999999999999999", "1e309", "nan", "-inf", "٣", "true", "null"),
    *("/", ".", "..", "../..", "/dev/null", "no/where", "a" * 300, "a" * 70_000, "~", "C:\\a", "a\0b", "\0"),
    *(
        "\udcff\udcfe",
        "\x1b[31mred\x1b[0m",
        "two\nlines",
        "\u202eback",
        "é",
        "🦊",
        "%s%n{0}$(id)`id`",
        "'",
        '"',
    ),
    *("http://127.0.0.1:1/mcp", "http://", "https://[::1", "http://127.0.0.1:99999", "file:///etc/passwd"),
    *("http://u:p@127.0.0.1:1/", "ftp://127.0.0.1", "localhost:0", "127.0.0.1:0", ":0", "127.0.0.1:x"),
    *(
        "{",
        "{}",
        "[]",
        '{"mcpServers": {}}',
        '{"a": 1, "a": 2}',
        "[" * 5000,
        "*/*",
        "a/b",
        "a/b(c: d)",
        "a/b(",
    ),
    *("T201", "T999", "main", "HEAD", "7d", "all", "10MB", "NAME=VALUE", "=", "=x", "A: b", "A:", "@x.json"),
    *(
        "o200k_base",
        "json",
        "markdown",
        "junit",
        "cursor",
        "user",
        "sse",
        "--help",
        "--version",
        "-h",
        "--x=y",
    ),
)
SERVERS = (
    ["true"],
    ["false"],
    ["nowhere"],
    ["."],
    ["./text"],
    ["./program"],
    ["sh", "-c", "exit 7"],
    [""],
    ["\udcff"],
    [],
)
STARTS_TERSE = {"cli", "doctor", "verify", "serve"}
"""Without HOME, a terse that these start would write to the home of whoever runs the tests."""
NAMED = {"bench": ["samples"], "verify": ["samples"]}
"""Without a path, these work for seconds on all of our own samples."""
STDINS = (os.devnull, os.devnull, "closed", "binary", "x.json", "rules.terse", "call.jsonl", "text")
STDOUTS = st.sampled_from(["file"] * 6 + ["closed", "full", "gone"])
ANYTHING = st.one_of(st.sampled_from(WORDS), st.sampled_from(FOLDER_NAMES), st.text(max_size=8))


@dataclass(slots=True)
class Place:
    """A folder with things that a command could be given, and how commands are run in it."""

    forks: Forks
    folder: Path
    home: Path
    options: dict[str, list[str]] = field(default_factory=dict)

    def run(self, name: str, arguments: list[str], **how: str) -> Ended:
        """`terse NAME ARGUMENT…`"""
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": how.pop("home", str(self.home)),
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
            "TERSE_LEDGER": "off",
            "COLUMNS": "80",
        }
        if not environment["HOME"]:
            del environment["HOME"]
        return self.forks.run([name, *arguments], self.folder, environment, **how)

    def options_of(self, name: str) -> list[str]:
        """Those that its help speaks of."""
        if name not in self.options:
            done = self.run(name, ["--help"])
            assert done.code == 0, done.error
            self.options[name] = sorted(set(OPTION.findall(done.out.decode())))
        return self.options[name]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Rule files that hold and that do not, results, no results, broken links, a home."""
    folder = tmp_path_factory.mktemp("folder")
    (folder / "rules.terse").write_text("terse 1\n\nrule all {\n  on */*\n  use compact\n}\n")
    (folder / "broken.terse").write_text("terse 1\n\nrule \x1b[31m {")
    (folder / "rules").mkdir()
    (folder / "rules" / "a.terse").write_text("terse 1\n\nrule one {\n  on s/t\n  use compact\n}\n")
    (folder / "text").write_text("no JSON, and no rules\n")
    (folder / "empty").write_bytes(b"")
    (folder / "binary").write_bytes(bytes(range(256)) * 16)
    (folder / "x.json").write_text(json.dumps([{"id": number, "name": "a"} for number in range(40)]))
    (folder / "deep.json").write_text("[" * 100_000)
    (folder / "program").write_text("#!/no/such/interpreter\n")
    (folder / "program").chmod(0o755)
    call = {
        "server": "s",
        "tool": "t",
        "arguments": {},
        "result": {"content": [{"type": "text", "text": "a"}]},
    }
    (folder / "call.jsonl").write_text(json.dumps(call) + "\n{\n\xff\n[]\n", encoding="latin-1")
    servers = {"mcpServers": {"one": {"command": "false"}, "two": {"url": "http://127.0.0.1:1/mcp"}}}
    (folder / "servers.json").write_text(json.dumps(servers))
    lock = {"version": 1, "servers": {"s": {"tools": [{"name": "t", "inputSchema": {"type": "object"}}]}}}
    (folder / "tools.lock").write_text(json.dumps(lock))
    (folder / "ledger.sqlite").write_bytes(b"SQLite format 3\0" + bytes(90))
    (folder / "loop").symlink_to("loop")
    (folder / "dangling").symlink_to("nothing")
    (folder / "unreadable").write_text("secret")
    (folder / "unreadable").chmod(0)
    samples = folder / "samples" / "s" / "t"
    samples.mkdir(parents=True)
    (samples / "a.json").write_text('{"a": 1}')
    home = tmp_path_factory.mktemp("home")
    (home / ".cursor").mkdir()
    (home / ".cursor" / "mcp.json").write_text(json.dumps(servers))
    forks = Forks(tmp_path_factory.mktemp("forks"))
    place = Place(forks, folder, home)
    yield place
    place.run("cli", ["--stop"])
    forks.close()


def checked(name: str, arguments: list[str], ended: Ended) -> None:
    """It ended by itself, as documented, and says in one line what is wrong."""
    error = ended.error.decode("utf-8", "replace")
    told = f"terse {name} {arguments!r}: {ended.code}\n{error[-3000:]}"
    assert ended.code is not None, f"hangs: {told}"
    assert ended.code in CODES | (SERVER_CODES if name == "proxy" else set()), told
    for fault in ("Traceback", "fault of terse", "Exception ignored", "Error: ", "Errno"):
        assert fault not in error, told
    assert all(sign.isprintable() or sign == "\n" for sign in error), told
    if ended.code == 2 and "error[T" not in error:
        lines = error.splitlines()
        if name == "cli" and lines[0].endswith(" now"):
            # A server that is known from now on is not there, and both are said.
            del lines[0]
        assert len(lines) == 1, told
        assert re.match(r"terse: \S", lines[0]), told


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_any_arguments(place: Place, name: str, data: st.DataObject) -> None:
    """Hostile, misplaced, repeated and missing ones: no traceback, no hang, one line, a documented code."""
    word = st.one_of(
        ANYTHING.map(lambda value: [value]),
        st.sampled_from(place.options_of(name)).map(lambda option: [option]),
        st.tuples(st.sampled_from(place.options_of(name)), ANYTHING).map(list),
        st.tuples(st.sampled_from(place.options_of(name)), ANYTHING).map(lambda two: [f"{two[0]}={two[1]}"]),
    )
    words = [each for part in data.draw(st.lists(word, max_size=5)) for each in part]
    words += NAMED.get(name, [])
    if data.draw(st.booleans()):
        words += ["--", *data.draw(st.sampled_from(SERVERS))]
    stdin = data.draw(st.sampled_from(STDINS))
    stdout = data.draw(STDOUTS)
    encoding = data.draw(st.sampled_from(["utf-8", "utf-8", "ascii"]))
    homes = [str(place.home)] * 5 + ["/proc/nowhere", "/dev/null"]
    home = data.draw(st.sampled_from(homes if name in STARTS_TERSE else [*homes, ""]))

    ended = place.run(name, words, stdin=stdin, stdout=stdout, encoding=encoding, home=home)
    checked(name, words, ended)
