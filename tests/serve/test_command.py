"""The command: what it says, and what it refuses, each in one line."""

from __future__ import annotations

import os
import re
import socket
import subprocess
from pathlib import Path

import httpx2
import pytest

from tests.serve.served import TERSE, Client, Served, call, metric, refused, served, until


def test_help_has_an_example() -> None:
    """It goes to stdout; the example itself is run by the tests of examples."""
    done = subprocess.run([*TERSE, "serve", "--help"], capture_output=True, timeout=60, check=False)

    assert done.returncode == 0
    assert b"terse serve --listen 127.0.0.1:8000 -- npx -y" in done.stdout
    assert done.stderr == b""


def test_where_it_listens(service: Served) -> None:
    """Port 0 is any that is free, and it is said on stderr which one that is."""
    assert re.fullmatch(r"http://127\.0\.0\.1:[1-9]\d*/mcp", service.url)
    assert service.said[0] == f"terse: listening on {service.url}"


def test_version_6_of_the_internet() -> None:
    """`[::1]` is a loopback address like another, where there is one."""
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no ::1")
    with served("--listen", "[::1]:0") as service, Client(service.url) as client:
        assert service.url.startswith("http://[::1]:")
        assert client.begin().call("say", text="a") == "a"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "the server's command is missing"),
        (["true"], "write `--` before the server's command: terse serve -- true"),
        (["--listen", "8000", "--", "true"], "--listen '8000' is no address: write HOST:PORT"),
        (["--listen", "127.0.0.1:x", "--", "true"], "--listen '127.0.0.1:x' is no address"),
        (["--listen", "127.0.0.1:70000", "--", "true"], "is no address"),
        (["--listen", ":8000", "--", "true"], "is no address"),
        (["--listen", "192.0.2.1:0", "--token-env", "T", "--", "true"], "cannot listen on 192.0.2.1:0"),
        (["--listen"], "--listen needs a value"),
        (["--listen", "127.0.0.1:0", "--listen", "127.0.0.1:0", "--", "true"], "--listen is given twice"),
        (["--no-such", "--", "true"], "there is no option --no-such"),
        (["--rules", "/no/such", "--", "true"], "no such file or folder: /no/such"),
        (["--config", "/no/such"], "cannot read /no/such"),
        (["http://"], "write a URL"),
        (["http://127.0.0.1/mcp", "--", "true"], "a URL and a command are two servers"),
        (["-H", "a: b", "--", "true"], "-H is for a server behind a URL"),
        (["--allow-origin", "example.com", "--", "true"], "is no origin"),
        (["--token-env", "NO_SUCH", "--", "true"], "the environment has no NO_SUCH"),
        (["--token-file", "/no/such", "--", "true"], "/no/such: no such file"),
    ],
)
def test_arguments_that_make_no_sense(arguments: list[str], complaint: str) -> None:
    """Exit code 2, one line that says what to write, and no traceback."""
    code, said = refused(*arguments, T="0123456789abcdef")

    assert code == 2
    assert said.startswith("terse: ")
    assert complaint in said
    assert said.count("\n") == 1


def test_an_address_that_is_in_use() -> None:
    """It is said, with what to do."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        code, said = refused("--listen", f"127.0.0.1:{taken.getsockname()[1]}", "--", "true")

    assert code == 2
    assert "the address is in use: take another port, or 0" in said


def test_rules_that_do_not_compile(tmp_path: Path) -> None:
    """Nothing is served under rules that were refused."""
    rules = tmp_path / "wrong.terse"
    rules.write_text("terse 1\n\nrule x {\n  on */*\n  use nothing\n}\n")
    code, said = refused("--rules", str(rules), "--listen", "127.0.0.1:0", "--", "true")

    assert code == 2
    assert "the rules do not compile" in said
    assert "wrong.terse:5" in said


def test_rules_that_name_a_server(tmp_path: Path) -> None:
    """They need to know which one this is."""
    rules = tmp_path / "named.terse"
    rules.write_text("terse 1\n\nrule x {\n  on github/*\n  use compact\n}\n")
    code, said = refused("--rules", str(rules), "--listen", "127.0.0.1:0", "--", "true")

    assert code == 2
    assert "--server-name NAME" in said
    with served("--rules", str(rules), "--server-name", "github") as service, Client(service.url) as client:
        assert client.begin().call("records", size=40).startswith("JSON outline")


def test_a_store_that_cannot_be(tmp_path: Path) -> None:
    """It is found before anything is served."""
    code, said = refused("--store", str(tmp_path), "--listen", "127.0.0.1:0", "--", "true")

    assert code == 2
    assert f"--store {tmp_path}" in said


def test_environment_and_folder_of_the_server(tmp_path: Path) -> None:
    """`-e` and `--cwd`, as for `terse proxy`."""
    with served("-e", "MINE=a b", "--cwd", str(tmp_path)) as service, Client(service.url) as client:
        environment = client.begin().call("environment")

    assert "a b" in environment
    assert os.path.realpath(tmp_path)


def test_metrics(service: Served, client: Client) -> None:
    """Sessions, and requests by method and status, as Prometheus reads them; made-up methods are one."""
    before = metric(service, 'terse_http_requests_total{method="POST",status="400"}')
    client.post(b"{")
    for method in ("PUT", "BREW", "FOO"):
        client.http.request(method, service.url)
    response = httpx2.get(f"{service.base}/metrics", trust_env=False)

    assert response.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert metric(service, 'terse_http_requests_total{method="POST",status="400"}') == before + 1
    assert metric(service, 'terse_http_requests_total{method="other",status="405"}') >= 3
    assert metric(service, "terse_sessions") >= 1
    assert "BREW" not in response.text


def test_metrics_of_what_was_saved() -> None:
    """Messages, bytes and tokens before and after, also where nothing else notes them; and no names."""
    with served("--no-ledger") as service, Client(service.url) as client:
        client.begin()
        for _ in range(2):
            client.call("records", size=60)
        client.post(call(9, "no such tool"))
        until(lambda: metric(service, 'terse_messages_total{what="error"}') == 1, "the last one is counted")
        page = httpx2.get(f"{service.base}/metrics", trust_env=False).text

        assert 0 < metric(service, "terse_tokens_out_total") < 0.8 * metric(service, "terse_tokens_in_total")
        assert 0 < metric(service, "terse_bytes_out_total") < metric(service, "terse_bytes_in_total")
        assert metric(service, 'terse_messages_total{what="result"}') == 2
        # An error has no result to count.
        assert metric(service, "terse_not_counted_total") == 1
        assert "records" not in page


def test_without_metrics() -> None:
    """`--no-metrics`: there are none."""
    with served("--no-metrics") as service:
        assert httpx2.get(f"{service.base}/metrics", trust_env=False).status_code == 404
        assert httpx2.get(f"{service.base}/healthz", trust_env=False).json()["status"] == "ok"


def test_nothing_is_said_of_calls(service: Served, client: Client) -> None:
    """Neither arguments nor results are in what it says."""
    client.post(call(1, "say", text="a secret word"))

    assert not any("secret" in line for line in service.said)
