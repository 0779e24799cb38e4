"""The help of every command: an example that the tests run, exit codes, JSON where a program reads it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from terse.cli.command import Command
from terse.cli.entry import main
from terse.cli.main import COMMANDS

PAGE = (Path(__file__).parent.parent.parent / "docs" / "commands.md").read_text(encoding="utf-8")
FOR_PEOPLE = {
    "init": "writes rule files",
    "fmt": "writes rule files",
    "install": "changes files; terse status --json tells what is there",
    "uninstall": "changes files; terse status --json tells what is there",
    "snapshot": "writes tools.lock, which is JSON",
    "expand": "prints what a tool had sent, as it was",
    "lsp": "speaks a protocol",
    "proxy": "speaks a protocol",
    "serve": "speaks a protocol; its figures are at /metrics",
    "hook": "answers Claude Code in its own JSON",
    "logout": "says what became of a login",
}
"""Commands that print nothing a program would read, each with the reason."""


@pytest.fixture
def page_of(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Callable[[str], str]:
    """What `terse NAME --help` prints, with all white space as one."""
    monkeypatch.setenv("COLUMNS", "80")

    def ask(name: str) -> str:
        assert main([name, "--help"]) == 0
        return " ".join(capfdbinary.readouterr().out.decode().split())

    return ask


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_help_has_the_example_that_is_run(command: Command, page_of: Callable[[str], str]) -> None:
    """tests/cli/test_examples.py runs it, and `terse --help` has it as well."""
    assert " ".join(command.example.split()) in page_of(command.name)
    assert command.example.startswith(f"terse {command.name}")


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_exit_codes_are_documented(command: Command, page_of: Callable[[str], str]) -> None:
    """In the help, and in docs/commands.md."""
    assert "Exit codes: " in page_of(command.name)
    section = PAGE.partition(f"\n## terse {command.name}\n")[2].partition("\n## ")[0]
    assert "Exit codes: " in section


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_programs_get_json(command: Command, page_of: Callable[[str], str]) -> None:
    """`--json`, or `--output json`; or it is said why there is nothing to read."""
    page = page_of(command.name)
    has_json = "--json" in page or ("--output" in page and "json" in page.partition("--output")[2][:60])

    assert has_json != (command.name in FOR_PEOPLE)
