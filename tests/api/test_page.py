"""docs/python.md says what happens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent.parent / "docs" / "python.md"


def test_the_examples_of_the_page_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its code blocks run one after another, as one program beside its rules, and all they assert holds."""
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    rules = re.search(r"^```terse\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert rules is not None
    (tmp_path / "rules.terse").write_text(rules[1], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}

    assert len(blocks) > 3
    for block in blocks:
        exec(block, names)
    assert "open" in capsys.readouterr().out
