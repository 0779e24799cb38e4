"""A process without the network: it has none, nor has what it starts, and what it writes is noted."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from terse.verification import denied

TRIES = """
import json, os, socket, subprocess, sys

def tried(call):
    try:
        call()
    except OSError as error:
        return error.strerror or str(error)
    return "done"

def connect(port, kind):
    with socket.socket(socket.AF_INET, kind) as one:
        one.connect(("127.0.0.1", port))
        one.send(b"x")

def resolve():
    # Of itself an error where there is no name server; the event is what counts.
    try:
        socket.getaddrinfo("terse.example", 80)
    except socket.gaierror as error:
        raise OSError(0, "no name server") from error

def main(arguments):
    port, folder = int(arguments[0]), arguments[1]
    with open(os.path.join(folder, "written"), "w") as file:
        file.write("x")
    os.mkdir(os.path.join(folder, "made"))
    open(os.path.join(folder, "written")).close()
    one, other = socket.socketpair()
    one.send(b"local"), other.recv(5)
    found = {
        "TCP": tried(lambda: connect(port, socket.SOCK_STREAM)),
        "UDP": tried(lambda: connect(port, socket.SOCK_DGRAM)),
        "name": tried(resolve),
    }
    if len(arguments) == 2:
        inner = [sys.executable, "-c", f"import sys; sys.path.append({folder!r}); import tries; "
                 f"tries.main([{str(port)!r}, {folder!r} + '/inner', 'inner'])"]
        os.mkdir(folder + "/inner")
        found["inner"] = json.loads(subprocess.run(inner, capture_output=True, check=True).stdout)
    print(json.dumps(found))
    return 0
"""


@pytest.fixture
def port() -> Iterator[int]:
    """One that listens, and can be reached from here."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        number = server.getsockname()[1]
        socket.create_connection(("127.0.0.1", number), timeout=5).close()
        yield number


def run(kind: str, folder: Path, port: int) -> subprocess.CompletedProcess[str]:
    (folder / "tries.py").write_text(TRIES)
    command = [sys.executable, "-P", denied.__file__, kind, str(folder / "log"), str(folder), "tries"]
    environment = {name: value for name, value in os.environ.items() if name != denied.VARIABLE}
    done = subprocess.run(
        [*command, str(port), str(folder)], capture_output=True, text=True, env=environment, check=False
    )
    if done.returncode == denied.CANNOT:
        pytest.skip(f"not on this machine: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    return done


def noted(folder: Path) -> list[tuple[str, str]]:
    return [tuple(json.loads(line)) for line in (folder / "log").read_text().splitlines()]


@pytest.mark.parametrize("kind", ["namespace", "seccomp"])
def test_the_kernel_denies_the_network_to_all_processes(kind: str, tmp_path: Path, port: int) -> None:
    """Neither TCP nor UDP reaches a port that listens: not from the process, nor from one that it starts."""
    found = json.loads(run(kind, tmp_path, port).stdout)

    for each in (found, found["inner"]):
        assert "done" not in (each["TCP"], each["UDP"], each["name"]), found


def test_python_denies_the_network_where_the_kernel_does_not(tmp_path: Path, port: int) -> None:
    """The weakest of the three holds back Python's own sockets and names."""
    found = json.loads(run("hook", tmp_path, port).stdout)

    assert {found[name] for name in ("TCP", "UDP", "name")} == {
        "the network is denied: socket.__new__",
        "the network is denied: socket.getaddrinfo",
    }


@pytest.mark.parametrize("kind", [*denied.KINDS, "auto"])
def test_what_is_tried_and_written_is_noted(kind: str, tmp_path: Path, port: int) -> None:
    """Files that are opened for writing and folders, not those that are read; tries, not local sockets."""
    run(kind, tmp_path, port)
    found = noted(tmp_path)

    assert {path for what, path in found if what == "write"} >= {
        str(tmp_path / "written"),
        str(tmp_path / "made"),
    }
    tried = [what for kind, what in found if kind == "network"]
    assert any(what.startswith("socket.__new__") for what in tried)
    assert any(what.startswith("socket.getaddrinfo ('terse.example'") for what in tried)
    assert not any("AF_UNIX" in what for what in tried)


def test_a_kind_that_is_not_to_be_had_is_said(tmp_path: Path) -> None:
    """Where the kernel does not allow it, nothing is run at all."""
    if not sys.platform.startswith("linux"):
        pytest.skip("these kinds are of Linux")
    (tmp_path / "tries.py").write_text(TRIES)
    # A kernel that knows no such call: the library has no name for it.
    code = (
        "import ctypes, runpy, sys; ctypes.CDLL = lambda *_, **__: object(); "
        f"sys.argv = ['x', 'namespace', {str(tmp_path / 'log')!r}, {str(tmp_path)!r}, 'tries', '9', 'x']; "
        f"runpy.run_path({denied.__file__!r}, run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.returncode == denied.CANNOT
    assert done.stderr == "this system has no unshare\n"
    assert not (tmp_path / "log").exists()
