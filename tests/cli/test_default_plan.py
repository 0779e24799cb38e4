"""The default policy travels compiled: the proxy starts without the grammar."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

import terse
from terse.cli.policy import default_plan
from terse.language import check
from terse.plan.stored import encode

ROOT = Path(__file__).parent.parent.parent
SHIPPED = Path(terse.__file__).parent / "plan" / "default_plan.json"


def test_the_shipped_plan_is_the_default_policy(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """terse/plan/default_plan.json is what policies/default.terse compiles to; --update-golden writes it."""
    monkeypatch.chdir(ROOT)
    checked = check(["policies/default.terse"])
    assert checked.plan is not None, [finding.message for finding in checked.diagnostics]
    if request.config.getoption("--update-golden"):
        SHIPPED.write_bytes(msgspec.json.format(encode(checked.plan), indent=2) + b"\n")

    assert default_plan() == checked.plan
