"""Several servers behind one relay, each with the rewriter of `shouting`.

python router.py '{"one": ["COMMAND", …], "two": […]}' [LIMIT]
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from terse.proxy.child import Child
from terse.proxy.complaints import Complaints
from terse.proxy.connection import Connection, Upstream
from terse.proxy.many.router import Router
from terse.proxy.stdio import Relay
from tests.proxy.shouting import Shouting

complaints = Complaints()


def connect(
    name: str,
    upstream: Upstream,
    send: Callable[[bytes], None],
    ended: Callable[[BaseException | None], None],
) -> Connection:
    return Connection(upstream, send, Shouting, ended=ended, refused=lambda: None, complaints=complaints)


commands = json.loads(sys.argv[1])
starts = {name: partial(Child.spawn, command) for name, command in commands.items()}
router = Router(starts, connect, complaints, limit=float(sys.argv[2]) if len(sys.argv) > 2 else 10.0)
os._exit(Relay(router, lambda _: None).run())
