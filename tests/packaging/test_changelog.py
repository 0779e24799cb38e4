"""CHANGELOG.md: what a release makes of the fragments in changelog.d."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def test_a_release_collects_every_fragment(tmp_path: Path) -> None:
    """Each under its type, below the version and the date; what earlier releases said stays below."""
    for name in ("pyproject.toml", ".ci", "changelog.d"):
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tmp_path / name)
    (tmp_path / "changelog.d" / "odd.security.md").write_text("Nobody reads what is another one's.\n")
    before = "# Changelog\n\nBy release.\n\n<!-- towncrier release notes start -->\n"
    (tmp_path / "CHANGELOG.md").write_text(f"{before}\n## 0.0.1\n")
    command = [sys.executable, "-m", "towncrier", "build", "--keep"]
    done = subprocess.run(
        [*command, "--version", "1.2.3", "--date", "2027-01-02"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr

    text = (tmp_path / "CHANGELOG.md").read_text(encoding="utf-8")
    words = " ".join(text.split())
    assert text.startswith(f"{before}\n## 1.2.3 (2027-01-02)\n")
    assert text.rstrip().endswith("## 0.0.1")
    security = text.partition("### Security\n")[2].partition("\n## ")[0].partition("\n### ")[0]
    assert "\n- Nobody reads what is another one's.\n" in security
    assert "\n==" not in text
    for fragment in (tmp_path / "changelog.d").glob("*.*.md"):
        assert " ".join(fragment.read_text(encoding="utf-8").split()) in words, fragment.name


def test_the_changelog_says_where_releases_go() -> None:
    """Below the line that a release looks for, so that the title stays on top."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert text.startswith("# Changelog\n")
    assert text.count("<!-- towncrier release notes start -->") == 1
