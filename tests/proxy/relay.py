"""A relay with the rewriter of `shouting`.

    python relay.py COMMAND…

TERSE_TEST_LOAD in the environment: `refuse` (the policy is refused), `fail` (loading raises), `slow`.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from terse.proxy.child import Child

child = Child.spawn(sys.argv[1:])

from terse.proxy.complaints import Complaints  # noqa: E402 — the server is started first, as the command does
from terse.proxy.connection import Refused  # noqa: E402
from terse.proxy.stdio import Relay  # noqa: E402
from tests.proxy.shouting import Shouting  # noqa: E402


def load(complaints: Complaints) -> Shouting:
    how = os.environ.get("TERSE_TEST_LOAD")
    if how == "refuse":
        raise Refused("the policy is wrong")
    if how == "fail":
        raise ValueError("secret words")
    if how == "slow":
        time.sleep(0.5)
    return Shouting()


os._exit(Relay(child, load, must_load="TERSE_TEST_LOAD" in os.environ).run())
