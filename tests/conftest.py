"""What every test may use: golden files; and how hypothesis runs."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from tests import home

# A slow machine is no failure. In CI the examples are the same ones every time: whether a change lands must
# not hang on the draw. Elsewhere they are new ones each time, and that is where new faults are found.
settings.register_profile("terse", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "terse")

# A shell runs commands in the background with interrupts ignored, and what tests start would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The proxies that tests start are not those that whoever runs them lives with.
os.environ["TERSE_LEDGER"] = "off"
home.move_away()

GOLDEN = Path(__file__).parent / "golden"


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail where a test touched files of whoever runs the tests."""
    touched = home.touched()
    # Elsewhere than in CI, a proxy that its user lives with may have written meanwhile.
    if touched and os.environ.get("CI") and not hasattr(session.config, "workerinput"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        print(f"\nthe tests touched {', '.join(touched)}")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden("explain/rule.txt", text)`: the text is what the file below tests/golden says.

    With `--update-golden` the file is written; the change is read in the diff.
    """

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        assert path.exists(), f"{path} is missing: run pytest --update-golden and read what it writes"

        assert path.read_bytes().decode() == text

    return compare
