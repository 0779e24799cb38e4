"""What an index and an installer are told of the package: all of it true."""

from __future__ import annotations

import re
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

from tests.packaging.pythons import ROOT, versions

NOT_FOR_USERS = {"dev", "docs"}


@pytest.fixture(scope="module")
def metadata(wheel: Path) -> Message:
    """The wheel's METADATA."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return Parser().parsestr(archive.read(name).decode())


def test_it_names_no_address_that_is_not_there(metadata: Message) -> None:
    """No home page, no documentation, no place for bugs: none is public."""
    assert metadata.get_all("Home-page", []) + metadata.get_all("Project-URL", []) == []


def test_it_says_where_it_runs(metadata: Message) -> None:
    """The Pythons that it is tested on, on the systems that the proxy runs on; no newer one is kept out."""
    classifiers = metadata.get_all("Classifier", [])

    assert versions() == ("3.11", "3.12", "3.13", "3.14")
    assert metadata["Requires-Python"] == ">=3.11"
    assert {each for each in classifiers if each.startswith("Operating System")} == {
        "Operating System :: MacOS",
        "Operating System :: POSIX :: Linux",
    }
    assert metadata["License-Expression"] == "MIT"
    assert metadata["Description-Content-Type"] == "text/markdown"


def test_each_extra_is_documented(metadata: Message) -> None:
    """docs/python.md has a row for each of them, and for no other."""
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8").partition("| extra |")[2]
    rows = [row.split("|")[1].strip().strip("`") for row in page.split("\n\n")[0].splitlines()[2:]]

    assert set(rows) == set(metadata.get_all("Provides-Extra", [])) - NOT_FOR_USERS


def test_it_has_one_command(wheel: Path) -> None:
    """`terse`, and no other name on the PATH."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/entry_points.txt")]
        lines = archive.read(name).decode().split()

    assert lines == ["[console_scripts]", "terse", "=", "terse.cli.entry:main"]


def test_no_page_installs_a_package_of_this_name_from_an_index() -> None:
    """None is published there: what has that name may be somebody else's. Adding extras to terse is fine."""
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "deploy").iterdir()]
    asks = re.compile(r"(?:pip|pipx|uv tool|uvx)\s+(?:install\s+)?(?:--?[\w-]+\s+)*['\"]?terse\b(?!\[)")

    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert asks.findall(text) == [], page.name
        for line in text.splitlines():
            if "install 'terse[" in line or 'install "terse[' in line:
                assert "where terse is installed" in line or page.name in ("commands.md", "serve.md"), line
