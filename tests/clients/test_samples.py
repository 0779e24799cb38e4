"""Every client: in, looked at, out, and the file is what it was."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from terse.clients.changes import Planned, carry_out, planned_install, planned_uninstall
from terse.clients.client import Client, Machine
from terse.clients.entry import Front
from terse.clients.look import Opened, Seen, files, servers
from terse.clients.manifest import held, place
from terse.clients.registry import CLIENTS
from tests.clients.places import machine, put

FRONT = Front(("/opt/terse/bin/terse",), "/home/a/rules.terse")
everyone = pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)


def opened(client: Client, here: Machine) -> Opened:
    """The one file of a client that is there."""
    (found,) = files([client], here)
    assert found.problem is None
    return found


def seen(found: Opened, here: Machine, *, wrapped: bool) -> list[Seen]:
    return [
        each
        for each in servers(found, here)
        if each.server is not None and (each.server.wrapped is not None) is wrapped
    ]


def installed(client: Client, here: Machine) -> Planned:
    """terse in front of all servers of a client, written."""
    found = opened(client, here)
    plan = planned_install(found, seen(found, here, wrapped=False), FRONT)
    with held(place(here.home, here.environment)) as manifest:
        carry_out(plan, manifest)
    return plan


def uninstalled(client: Client, here: Machine) -> Planned:
    found = opened(client, here)
    with held(place(here.home, here.environment)) as manifest:
        assert found.found is not None
        record = manifest.records.get(str(found.found.target))
        plan = planned_uninstall(found, seen(found, here, wrapped=True), record)
        carry_out(plan, manifest)
    return plan


@everyone
def test_in_and_out_gives_the_original_bytes(client: Client, tmp_path: Path) -> None:
    """After install and uninstall the file is what it was, and nothing is left beside it."""
    path, here = put(tmp_path, client.name), machine(tmp_path)
    original = path.read_bytes()

    plan = installed(client, here)

    assert not plan.left
    assert path.read_bytes() != original
    found = opened(client, here)
    assert not seen(found, here, wrapped=False)
    for each in seen(found, here, wrapped=True):
        assert each.server is not None
        assert each.server.wrapped is not None
        assert each.server.wrapped.rules == FRONT.rules
        assert each.server.wrapped.terse == FRONT.terse

    assert uninstalled(client, here).restores
    assert path.read_bytes() == original
    assert [each.name for each in path.parent.iterdir() if "terse" in each.name] == []


@everyone
def test_what_is_put_in_is_what_people_expect(
    client: Client, tmp_path: Path, golden: Callable[[str, str], None]
) -> None:
    """The file with terse in it, read by people in the golden files: comments and formatting stand."""
    path, here = put(tmp_path, client.name), machine(tmp_path)
    installed(client, here)

    text = path.read_text(encoding="utf-8").replace(str(tmp_path / "project"), "@FOLDER@")
    golden(f"clients/{client.name}{path.suffix}", text)


@everyone
def test_a_file_changed_since_keeps_the_change(client: Client, tmp_path: Path) -> None:
    """Another program's line stays, and what terse put in goes, exactly."""
    path, here = put(tmp_path, client.name), machine(tmp_path)
    original = path.read_bytes()
    installed(client, here)
    mark = b"// later\n" if path.suffix.startswith(".json") else b"# later\n"
    path.write_bytes(mark + path.read_bytes())

    plan = uninstalled(client, here)

    assert not plan.left
    assert not plan.restores
    assert path.read_bytes() == mark + original


@everyone
def test_without_the_manifest_processes_are_unwrapped(client: Client, tmp_path: Path) -> None:
    """What was put in front of a process can be told from the entry alone; what was a URL is left."""
    put(tmp_path, client.name)
    here = machine(tmp_path)
    before = {each.keys: each.server for each in servers(opened(client, here), here)}
    installed(client, here)
    place(here.home, here.environment).unlink()

    plan = uninstalled(client, here)

    after = {each.keys: each.server for each in servers(opened(client, here), here)}
    left = {each.keys for each, _ in plan.left}
    for keys, server in before.items():
        if server is None:
            continue
        if server.url is not None:
            assert keys in left
        else:
            assert after[keys] == server


@everyone
def test_one_server_of_several(client: Client, tmp_path: Path) -> None:
    """One in, then the rest, then all out in another order: the original bytes."""
    path, here = put(tmp_path, client.name), machine(tmp_path)
    original = path.read_bytes()
    state = place(here.home, here.environment)
    found = opened(client, here)
    first = seen(found, here, wrapped=False)[:1]
    with held(state) as manifest:
        carry_out(planned_install(found, first, FRONT), manifest)
    installed(client, here) if len(seen(found, here, wrapped=False)) > 1 else None
    found = opened(client, here)
    assert found.found is not None
    with held(state) as manifest:
        record = manifest.records[str(found.found.target)]
        last = seen(found, here, wrapped=True)[-1:]
        carry_out(planned_uninstall(found, last, record), manifest)
    if seen(opened(client, here), here, wrapped=True):
        uninstalled(client, here)

    assert path.read_bytes() == original


def test_headers_move_to_the_environment(tmp_path: Path) -> None:
    """A token never becomes an argument, which every user of the machine could read."""
    path, here = put(tmp_path, "zed"), machine(tmp_path)
    installed(next(each for each in CLIENTS if each.name == "zed"), here)

    text = path.read_text(encoding="utf-8")
    assert '"Authorization: ${TERSE_HEADER_1}"' in text
    assert '"env": {"TERSE_HEADER_1": "Bearer token"}' in text


def test_other_projects_of_claude_code_are_left(tmp_path: Path) -> None:
    """Local servers are those of the folder that one is in."""
    put(tmp_path, "claude-code")
    here = machine(tmp_path)
    found = opened(CLIENTS[0], here)

    assert [each.name for each in servers(found, here)] == ["memory", "docs", "files"]
