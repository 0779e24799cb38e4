"""What `terse proxy` runs: a URL, an entry of a client's configuration; and `terse logout`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.proxy.process import SERVER, call, request, started, text_of
from tests.proxy.web import serving
from tests.servers.remote import RemoteApp

TERSE = [sys.executable, "-m", "terse"]
PROXY = [*TERSE, "proxy"]


def run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, **environment},
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["https://h/", "--", "cat"], "a URL and a command are two servers"),
        (["https://h/", "https://i/"], "one server at a time: leave out https://i/"),
        (["https://h/", "-e", "A=1"], "-e is for a server that is a process"),
        (["https://h/", "--cwd", "/"], "--cwd is for a server that is a process"),
        (["-H", "A: b", "--", "cat"], "-H is for a server behind a URL"),
        (["--timeout", "3", "--", "cat"], "--timeout is for a server behind a URL"),
        (["--timeout", "soon", "https://h/"], "--timeout 'soon' is no time"),
        (["--timeout", "-1", "https://h/"], "--timeout '-1' is no time"),
        (["--transport", "ws", "https://h/"], "--transport 'ws': write http or sse"),
        (["-H", "token", "https://h/"], "-H: write 'NAME: VALUE'"),
        (["-H", "A: ${TERSE_NO_SUCH}", "https://h/"], "-H: headers.A: the environment has no TERSE_NO_SUCH"),
        (["-H", "A b: c", "https://h/"], "-H: headers.A b: this is no name of a header"),
        (["-e", "=1", "--", "cat"], "-e : write NAME=VALUE"),
        (["-e", "A=${TERSE_NO_SUCH}", "--", "cat"], "-e A: the environment has no TERSE_NO_SUCH"),
        (["--cwd", "/no/such", "--", "cat"], "--cwd: no such folder: /no/such"),
        (["https://"], "the server: url: write a URL that begins with https://"),
        (["--config", "x.json", "--", "cat"], "--config says which server to run"),
        (["--config", "no/such.json"], "cannot read no/such.json: No such file or directory"),
        (["--config", "{}"], '--config: there is no "mcpServers" at the top'),
        (["--config", '{"mcpServers":{"a":{"command":"x"}}}', "b"], "there is no server b; there is a"),
        (
            ["--config", '{"mcpServers":{"a":{"command":"x","disabled":true}}}'],
            "there is no server that is not disabled",
        ),
        (
            ["--config", '{"mcpServers":{"a":{"command":"x","disabled":true}}}', "a"],
            "the server a is disabled",
        ),
        (["--config", '{"mcpServers":{"a":{"command":"${TERSE_NO_SUCH}"}}}'], "a: command: the environment"),
    ],
)
def test_wrong_arguments_get_one_line(arguments: list[str], said: str) -> None:
    """What is wrong and what to write instead; exit code 2; no traceback; nothing is started."""
    done = run(*PROXY, *arguments)

    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"terse: {said}")
    assert done.stderr.count("\n") == 1


def test_the_environment_and_folder_of_a_command(tmp_path: Path) -> None:
    """`-e` adds to our environment, `--cwd` is where it starts."""
    rules = tmp_path / "rules.terse"
    rules.write_text("terse 1\n\nrule everything {\n  on */*\n  use minify\n}\n")
    options = [
        "--rules",
        str(rules),
        "-e",
        "TERSE_A=b=c",
        "--env=TERSE_B=${TERSE_TEST_WORD}",
        "--cwd",
        str(tmp_path),
    ]
    with started([*PROXY, *options, "--", *SERVER], TERSE_TEST_WORD="w", TERSE_KEPT="k") as client:
        client.send(call(1, "environment"))
        facts = json.loads(text_of(client.receive()))

    assert facts["cwd"] == str(tmp_path)
    environment = facts["env"]
    assert (environment["TERSE_A"], environment["TERSE_B"], environment["TERSE_KEPT"]) == ("b=c", "w", "k")


def test_a_command_from_a_clients_configuration(tmp_path: Path) -> None:
    """The file as the client has it; its name is what rules call the server by."""
    entry = {"command": SERVER[0], "args": SERVER[1:], "env": {"TERSE_A": "${TERSE_TEST_WORD:-w}"}}
    config = tmp_path / "mcp.json"
    config.write_text(json.dumps({"mcpServers": {"echo": entry, "other": {"command": "${NO_SUCH}"}}}))
    rules = tmp_path / "rules.terse"
    rules.write_text("terse 1\n\nrule everything {\n  on echo/*\n  use minify\n}\n")
    with started([*PROXY, "--rules", str(rules), "--config", str(config), "echo"]) as client:
        client.send(call(1, "environment"))
        assert json.loads(text_of(client.receive()))["env"]["TERSE_A"] == "w"
        client.close()
        assert client.wait() == 0
        assert client.errors() == ""


@pytest.mark.parametrize("given", ["inline", "yaml"])
def test_a_url_from_a_clients_configuration(given: str, tmp_path: Path) -> None:
    """Inline JSON or a YAML file; headers of the document and of `-H` are both sent."""
    app = RemoteApp()
    with serving(app) as address:
        if given == "inline":
            entry = {"url": f"{address}/mcp", "headers": {"X-One": "1", "X-Two": "2"}}
            config = json.dumps({"mcpServers": {"remote": entry}})
        else:
            config = str(tmp_path / "servers.yaml")
            Path(config).write_text(
                f'mcpServers:\n  remote:\n    url: {address}/mcp\n    headers: {{X-One: "1", X-Two: "2"}}\n'
            )
        with started([*PROXY, "--config", config, "-H", "X-Two: two"]) as client:
            client.send(request(0, "initialize"))
            client.receive()

    assert (app.seen[0].headers["x-one"], app.seen[0].headers["x-two"]) == ("1", "two")


def test_a_command_starts_without_what_is_for_urls() -> None:
    """No HTTP, no reader of configurations, no event loop on the way of a server that is a process."""
    start = "from terse.cli.entry import main; main(['proxy', '--', 'true'])"
    done = run(sys.executable, "-X", "importtime", "-c", start)
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if "|" in line}

    assert "terse.proxy.stdio" in imported
    assert not {"httpx2", "asyncio", "urllib.parse", "terse.proxy.servers", "terse.cli.proxied"} & imported
