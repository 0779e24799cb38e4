"""What the documentation says is what the program does, and all of it is in the documentation."""

from __future__ import annotations

import re
import runpy
import shutil
import sys
from enum import Enum
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.main import get_command

from terse.cli.main import COMMANDS, application

ROOT = Path(__file__).parent.parent.parent
PAGES = sorted([ROOT / "README.md", ROOT / "SECURITY.md", *(ROOT / "docs").glob("*.md")])
GENERATE = SimpleNamespace(**runpy.run_path(str(ROOT / "docs" / "generate.py")))

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"^```.*?^```$|`[^`\n]+`(?!\])", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#]+?)(?:#[^)]*)?\)")


def _name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def _blocks(page: Path, kind: str) -> list[str]:
    return [text for name, text in BLOCK.findall(page.read_text(encoding="utf-8")) if name == kind]


@pytest.mark.parametrize("page", GENERATE.GENERATED, ids=_name)
def test_every_generated_part_is_fresh(page: Path) -> None:
    """Each command of a `console` block prints what stands below it; pages from the code are the code's."""
    text = GENERATE.GENERATED[page]()

    assert page.read_text(encoding="utf-8") == text, "run `make docs` and read what it changes"


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_every_console_block_is_generated(page: Path) -> None:
    """No page has a `console` block that nothing keeps fresh."""
    assert page in GENERATE.PAGES or not _blocks(page, "console")


RULE_FILES = [
    pytest.param(text, id=f"{_name(page)}-{number}")
    for page in PAGES
    for number, text in enumerate(_blocks(page, "terse"), 1)
]


@pytest.mark.parametrize("text", RULE_FILES)
def test_every_rule_file_of_the_docs_parses(text: str, tmp_path: Path) -> None:
    """Whoever copies a rule file from the docs has one that terse reads; only the tie is meant to fail."""
    from terse.language import check

    (tmp_path / "rules.terse").write_text(text, encoding="utf-8")
    shutil.copytree(ROOT / "docs" / "examples" / "samples", tmp_path / "samples")
    found = [diagnostic.code.code for diagnostic in check([str(tmp_path / "rules.terse")]).diagnostics]

    expected = ["T201"] if text == (ROOT / "docs/examples/tie.terse").read_text(encoding="utf-8") else []
    assert [code for code in found if code != "T208"] == expected


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_every_link_leads_somewhere(page: Path) -> None:
    """Links between the pages name files that exist."""
    prose = re.sub(
        r"^```.*?^```$|`[^`\n]+`(?!\])", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    targets = [target for target in LINK.findall(prose) if "://" not in target]

    assert [target for target in targets if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_and_option_is_documented(command) -> None:
    """docs/commands.md has each command, and a sentence for each of its arguments and options."""
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8").replace("\\|", "|")

    assert f"## terse {command.name}\n" in page
    for parameter in get_command(application()).commands[command.name].params:
        assert getattr(parameter, "help", None), f"{command.name}: {parameter.name} has no help"
        assert all(f"`{option}" in page for option in parameter.opts if option.startswith("--"))
        # What an option can be, too: `--output text|json|github|sarif`.
        values = type(parameter.default) if isinstance(parameter.default, Enum) else ()
        assert "|".join(values) in page


def test_every_dependency_has_a_line() -> None:
    """docs/design.md says what each dependency is for."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    page = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")

    named = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    names = [re.match(r"[A-Za-z0-9-]+", requirement)[0] for requirement in named]
    assert [name for name in names if name not in page] == []


def test_every_room_has_a_line() -> None:
    """docs/design.md says what each room of the house holds."""
    page = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    rooms = {path.name for path in (ROOT / "terse").iterdir() if (path / "__init__.py").exists()}

    assert [room for room in sorted(rooms) if f"`{room}`" not in page] == []


def test_changelog_fragments_are_named_by_their_type() -> None:
    """changelog.d holds NAME.TYPE.md with one of the types that its README names."""
    folder = ROOT / "changelog.d"
    types = re.findall(r"`(added|changed|fixed|removed|security)`", (folder / "README.md").read_text())
    names = [path.name for path in folder.iterdir() if path.name != "README.md"]

    assert [name for name in names if name.split(".")[1:-1] == [] or name.split(".")[1] not in types] == []


def test_the_pages_name_no_machine() -> None:
    """No page has a path of the machine it was written on."""
    here = str(ROOT)

    assert [_name(page) for page in PAGES if here in page.read_text(encoding="utf-8")] == []
    assert sys.prefix not in "".join(page.read_text(encoding="utf-8") for page in PAGES)
