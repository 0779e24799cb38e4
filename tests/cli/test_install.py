"""`terse install`, `status`, `uninstall` as a user runs them, in a home of the test's own."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.cli.conftest import Terse
from tests.clients.places import WHERE, put

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without any configuration; the project is the folder above it."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    return folder


def test_a_life_of_it(terse_here: Terse, home: Path, golden: Callable[[str, str], None]) -> None:
    """What people read from the first look to the last, for one client."""
    path = put(home.parent, "cursor")
    original = path.read_bytes()
    said = []
    for words in (
        "status",
        "install memory bare --dry-run --terse /opt/terse/bin/terse",
        "install memory bare --client cursor --terse /opt/terse/bin/terse",
        "install --client cursor --terse /opt/terse/bin/terse",
        "install --client cursor --terse /opt/terse/bin/terse",
        "status",
        "uninstall memory --dry-run",
        "uninstall memory",
        "uninstall",
        "uninstall",
    ):
        done = terse_here(*words.split())
        said.append(f"$ terse {words}\n{done.stdout.decode()}{done.stderr.decode()}({done.returncode})\n")

    golden("cli/install.txt", "\n".join(said))
    assert path.read_bytes() == original


def test_all_clients_at_once(terse_here: Terse, home: Path) -> None:
    """Without a client's name all that are found are changed after a yes, and come back as they were."""
    paths = [put(home.parent, client) for client in WHERE]
    originals = [path.read_bytes() for path in paths]

    refused = terse_here("install")
    assert refused.returncode == 2
    assert b"name the client with --client, or write --yes" in refused.stderr
    assert [path.read_bytes() for path in paths] == originals

    assert terse_here("install", "--yes").returncode in (0, 1)
    assert all(path.read_bytes() != original for path, original in zip(paths, originals, strict=True))
    rows = json.loads(terse_here("status", "--json").stdout)
    assert {row["client"] for row in rows["servers"] if row["wrapped"]} == set(WHERE)

    assert terse_here("uninstall").returncode == 0
    assert [path.read_bytes() for path in paths] == originals


def test_rules_are_absolute_and_compile(terse_here: Terse, home: Path, tmp_path: Path) -> None:
    """A client starts servers in any folder; rules that would not start are refused at once."""
    path = put(tmp_path, "gemini")
    (tmp_path / "rules.terse").write_text("terse 1\nrule a {\n  on */*\n  use compact\n}\n", encoding="utf-8")
    (tmp_path / "bad.terse").write_text("terse 1\nrule {\n", encoding="utf-8")
    original = path.read_bytes()

    assert terse_here("install", "--client", "gemini", "--rules", "bad.terse").returncode == 2
    assert terse_here("install", "--client", "gemini", "--rules", "none.terse").returncode == 2
    assert path.read_bytes() == original
    assert terse_here("install", "--client", "gemini", "--rules", "rules.terse").returncode == 0
    (row, *_) = json.loads(terse_here("status", "--json").stdout)["servers"]
    assert row["rules"] == str(tmp_path / "rules.terse")
    other = terse_here("install", "--client", "gemini")
    assert other.returncode == 1
    assert b"with other rules" in other.stdout


@pytest.mark.parametrize(
    ("client", "broken"),
    [
        ("cursor", b'{"mcpServers": {"a": {"command": "x" "args": []}}}'),
        ("cursor", b"\xff\xfe{}"),
        ("cursor", b""),
        ("cursor", b'{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}'),
        ("codex", b"[mcp_servers.a\ncommand = 1"),
        ("goose", b"extensions:\n  a: [\n"),
    ],
)
def test_broken_files_are_untouched(terse_here: Terse, home: Path, client: str, broken: bytes) -> None:
    """A file that was broken by hand is named, with the reason, and stays as it is."""
    path = put(home.parent, client)
    path.write_bytes(broken)

    for words in (("install", "--yes"), ("uninstall",)):
        done = terse_here(*words)
        assert done.returncode == 2
        assert f"~/{path.relative_to(home)} is left as it is: ".encode() in done.stderr
        assert b"Traceback" not in done.stderr
    assert terse_here("status").returncode == 1
    assert path.read_bytes() == broken
    assert [each for each in path.parent.iterdir() if each.name.startswith(path.name)] == [path]


def test_a_good_file_beside_a_broken_one(terse_here: Terse, home: Path) -> None:
    """The good one is changed, and the exit code says that it is not all."""
    good, bad = put(home.parent, "cursor"), put(home.parent, "windsurf")
    bad.write_bytes(b"{")

    assert terse_here("install", "--yes").returncode == 1
    assert b"terse" in good.read_bytes()
    assert bad.read_bytes() == b"{"


def test_a_read_only_file_is_left(terse_here: Terse, home: Path) -> None:
    """Who took the right to write from a file meant it, even though it could be replaced."""
    path = put(home.parent, "cursor")
    path.chmod(0o400)
    done = terse_here("install", "--client", "cursor")

    assert done.returncode == 2
    assert b"it is read-only" in done.stderr
    assert b"terse" not in path.read_bytes()


def test_another_users_file_is_left(terse_here: Terse, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of another user is not replaced by one of ours."""
    path = put(home.parent, "cursor")
    owner = path.stat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    done = terse_here("install", "--client", "cursor")

    assert done.returncode == 2
    assert b"it belongs to another user" in done.stderr
    assert b"terse" not in path.read_bytes()


def test_links_and_modes_stay(terse_here: Terse, home: Path, tmp_path: Path) -> None:
    """A configuration that is a link into a folder of dotfiles is edited there, and keeps its mode."""
    path = put(tmp_path, "cursor")
    real = tmp_path / "dotfiles" / "cursor.json"
    real.parent.mkdir()
    path.rename(real)
    path.symlink_to(real)
    real.chmod(0o640)
    original = real.read_bytes()

    assert terse_here("install", "--client", "cursor").returncode == 0
    assert path.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    backup = real.with_name("cursor.json.terse-backup")
    assert backup.read_bytes() == original
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert terse_here("uninstall").returncode == 0
    assert path.is_symlink()
    assert real.read_bytes() == original
    assert not backup.exists()


def test_a_link_in_a_circle_is_one_line(terse_here: Terse, home: Path) -> None:
    """No traceback for what the file system can do."""
    folder = home / ".cursor"
    folder.mkdir()
    (folder / "mcp.json").symlink_to(folder / "mcp.json")
    done = terse_here("install", "--yes")

    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


def test_a_file_that_changes_meanwhile_is_refused(
    terse_here: Terse, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a client writes between our look and our write is not lost."""
    from terse.clients import file

    path = put(home.parent, "cursor")
    write = file.write_private

    def meanwhile(new: Path, data: bytes) -> None:
        write(new, data)
        path.write_bytes(path.read_bytes() + b"\n")

    original = path.read_bytes()
    monkeypatch.setattr(file, "write_private", meanwhile)
    done = terse_here("install", "--client", "cursor")

    assert done.returncode == 2
    assert b"it was changed by another program just now" in done.stderr
    assert path.read_bytes().rstrip() == original.rstrip()
    assert sorted(each.name for each in path.parent.iterdir()) == ["mcp.json"]


def test_the_path_of_this_terse_is_written(home: Path, tmp_path: Path) -> None:
    """A client has neither a shell's PATH nor its virtual environment: it is told where terse is."""
    path = put(tmp_path, "cursor")
    terse = Path(sys.executable).parent / "terse"
    done = subprocess.run(
        [str(terse), "install", "bare", "--client", "cursor"], cwd=tmp_path, capture_output=True, check=True
    )

    assert f'"bare": {{"command": "{terse}", "args": '.encode() in path.read_bytes()
    assert f"Clients start terse as {terse}".encode() in done.stdout
    assert (b"of a virtual environment" in done.stdout) is (sys.prefix != sys.base_prefix)


def test_in_the_home_folder_itself(terse_here: Terse, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There the project's file is the user's: it is one file, changed once."""
    path = put(home.parent, "cursor")
    monkeypatch.chdir(home)
    done = terse_here("install", "--client", "cursor")

    assert done.returncode == 0
    assert done.stdout.count(b"~/.cursor/mcp.json") == 1
    assert path.with_name("mcp.json.terse-backup").exists()


def test_another_install_after_a_change_by_others(terse_here: Terse, home: Path) -> None:
    """Every backup is kept until terse is out, and then none is left; the others' change stays."""
    path = put(home.parent, "cursor")
    original = path.read_bytes()
    assert terse_here("install", "memory", "--client", "cursor").returncode == 0
    path.write_bytes(path.read_bytes() + b"// mine\n")
    assert terse_here("install", "tracker", "bare", "--client", "cursor").returncode == 0
    backups = [each for each in path.parent.iterdir() if "backup" in each.name]
    assert len(backups) == 2
    assert original in [each.read_bytes() for each in backups]

    assert terse_here("uninstall").returncode == 0
    assert path.read_bytes() == original + b"// mine\n"
    assert list(path.parent.iterdir()) == [path]


def test_a_url_that_was_edited_since_is_left(terse_here: Terse, home: Path) -> None:
    """What it was cannot be told from the entry: where it stands is said."""
    path = put(home.parent, "windsurf")
    assert terse_here("install", "remote", "--client", "windsurf").returncode == 0
    path.write_bytes(path.read_bytes().replace(b"Bearer", b"Basic"))
    done = terse_here("uninstall")

    assert done.returncode == 1
    assert b"mcp_config.json.terse-backup)" in done.stderr
    assert path.with_name("mcp_config.json.terse-backup").exists()


def test_a_header_reaches_its_server(terse_here: Terse, home: Path, tmp_path: Path) -> None:
    """What was a header of the entry is sent by terse, started as the client starts it."""
    heard: list[str | None] = []

    class Listening(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            heard.append(self.headers["Authorization"])
            self.send_error(500)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing is printed."""

    with HTTPServer(("127.0.0.1", 0), Listening) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        path = put(tmp_path, "windsurf")
        entry: dict[str, object] = {"serverUrl": f"http://127.0.0.1:{server.server_port}/mcp"}
        entry["headers"] = {"Authorization": "Bearer a b"}
        path.write_text(json.dumps({"mcpServers": {"remote": entry}}), encoding="utf-8")
        assert terse_here("install", "--client", "windsurf").returncode == 0
        written = json.loads(path.read_bytes())["mcpServers"]["remote"]
        assert not any("Bearer" in word for word in written["args"])
        ping = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n'
        subprocess.run(
            [written["command"], *written["args"]],
            cwd=tmp_path,
            env={**os.environ, **written["env"]},
            input=ping,
            capture_output=True,
            timeout=60,
            check=False,
        )
        server.shutdown()

    assert heard
    assert heard[0] == "Bearer a b"


def test_many_at_once(home: Path, tmp_path: Path) -> None:
    """Several installs at once: each server is wrapped once, and all comes out again."""
    path = put(tmp_path, "cursor")
    original = path.read_bytes()
    words = [sys.executable, "-m", "terse"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    running = [
        subprocess.Popen(
            [*words, "install", name, "--client", "cursor"],
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for name in ("memory", "bare", "empty")
    ]
    for process in running:
        _, error = process.communicate(timeout=120)
        assert process.returncode == 0 or b"changed by another program" in error
    assert path.read_bytes() != original
    subprocess.run([*words, "uninstall"], cwd=tmp_path, env=environment, check=True, capture_output=True)

    assert path.read_bytes() == original


def test_a_damaged_manifest_is_named(terse_here: Terse, home: Path) -> None:
    """Nothing is guessed where the record of what was done cannot be read."""
    path = put(home.parent, "cursor")
    assert terse_here("install", "--client", "cursor").returncode == 0
    manifest = home / ".local" / "state" / "terse" / "installed.json"
    assert stat.S_IMODE(manifest.stat().st_mode) == 0o600
    assert stat.S_IMODE(manifest.parent.stat().st_mode) == 0o700
    before = path.read_bytes()
    manifest.write_bytes(b"{")
    done = terse_here("uninstall")

    assert done.returncode == 2
    assert b"is damaged" in done.stderr
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("install", "--client", "emacs"), "--client emacs: write one of claude-code, "),
        (("install", "--scope", "all"), "--scope all: write one of user, project, local"),
        (("install", "nope"), "no server is called nope here: there is bare, empty, memory, tracker"),
        (("install", "--terse", "uvx"), "--terse uvx: write the path of a `terse`, or just terse"),
        (("uninstall", "nope"), "no server is called nope here: there is "),
        (("status", "--client", "x"), "--client x: write one of "),
        (("doctor", "--timeout", "0"), "--timeout 0: write seconds, more than 0"),
        (
            ("install", "--client", "zed"),
            "no client's configuration is here: looked at ~/.config/zed/settings.json",
        ),
    ],
)
def test_bad_arguments(terse_here: Terse, home: Path, words: tuple[str, ...], said: str) -> None:
    """One line that says what to write instead, and exit code 2."""
    put(home.parent, "cursor")
    done = terse_here(*words)

    assert done.returncode == 2
    assert said in done.stderr.decode()
