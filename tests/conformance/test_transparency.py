"""Generated traffic of every method and version through a real proxy; the whole run is a benchmark."""

from __future__ import annotations

import sys
from collections.abc import Callable
from random import Random

import pytest
from mcp_types.version import KNOWN_PROTOCOL_VERSIONS

from tests.conformance.messages import Line, Traffic, is_plain
from tests.conformance.methods import methods
from tests.conformance.transparent import NotTransparent, check

MESSAGES = 500
CARELESS = """
import json, subprocess, sys, threading
server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

def changed(line):
    if sys.argv[1] == "line ends":
        return line.replace(b"\\r\\n", b"\\n")
    try:
        return json.dumps(json.loads(line)).encode() + b"\\n"
    except ValueError:
        return line

def move(source, target):
    for line in source:
        target.write(changed(line))
        target.flush()
    target.close()

threading.Thread(target=move, args=(sys.stdin.buffer, server.stdin)).start()
move(server.stdout, sys.stdout.buffer)
"""


@pytest.mark.parametrize("retrieves", [False, True], ids=["lists-pass", "lists-get-a-tool"])
def test_what_no_rule_names_passes_byte_for_byte(retrieves: bool) -> None:
    """Both ways, in order, to the last message without an end; what rules name means the same."""
    passed = check(MESSAGES, 7, retrieves=retrieves)

    assert passed.lines == MESSAGES
    assert passed.changed
    assert bool(passed.lists) is retrieves


@pytest.mark.parametrize("fault", ["line ends", "parsed and written again"])
def test_a_careless_proxy_is_found_out(fault: str) -> None:
    """The traffic tells a relay from a proxy that changes what it does not need to."""
    with pytest.raises(NotTransparent):
        check(MESSAGES, 7, retrieves=False, proxy=[sys.executable, "-c", CARELESS, fault])


def test_the_traffic_has_every_method_of_every_version() -> None:
    """The list is the spec's, and each method comes by in a conversation of its version."""
    random = Random(1)
    for version in KNOWN_PROTOCOL_VERSIONS:
        text = b"".join(line.data for line in Traffic(random).lines(version, 1500)).replace(b"\\/", b"/")
        for method in methods()[version]:
            assert f'"{method.name}"'.encode() in text


@pytest.mark.parametrize(
    "is_there",
    [
        lambda line: line.must_shrink,
        lambda line: b'"result"' in line.data and not line.may_change,
        lambda line: b'"error"' in line.data,
        lambda line: line.data.startswith(b"[{"),
        lambda line: line.data in (b"\n", b"\r\n", b"\xff\xfe not utf-8\n"),
        lambda line: not is_plain(line.data),
        lambda line: line.data.endswith(b"\r\n"),
        lambda line: "\u2028".encode() in line.data,
        lambda line: len(line.data) > 60_000,
        lambda line: b"[" * 300 in line.data,
    ],
    ids=[
        "answers that must shrink",
        "answers that must not change",
        "errors",
        "batches",
        "what is no message",
        "doubled keys, NaN, halves of characters",
        "lines that end with CR LF",
        "line separators inside a line",
        "long lines",
        "deep nesting",
    ],
)
def test_the_traffic_has_what_breaks_proxies(is_there: Callable[[Line], bool]) -> None:
    """A run in which nothing odd came by would prove nothing."""
    traffic = Traffic(Random(2))
    lines = [line for version in KNOWN_PROTOCOL_VERSIONS for line in traffic.lines(version, 400)]

    assert any(is_there(line) for line in lines)
