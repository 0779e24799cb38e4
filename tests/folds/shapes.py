"""Texts as programs print them, made up: the tests fold these, and hypothesis draws from their parts."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

NAMES = (
    "api-gateway", "billing-worker", "checkout", "coredns", "etcd-main", "frontend", "inventory", "notifier",
    "orders", "payments", "redis-master", "search-indexer", "session-store", "tracing-agent", "vault-agent",
)  # fmt: skip


def _one(random: Random, *values: str) -> str:
    return random.choice(values)


def _padded(rows: list[tuple[str, ...]], gap: int) -> str:
    widths = [max(map(len, column)) + gap for column in zip(*rows, strict=True)]
    return "".join(
        "".join(cell.ljust(width) for cell, width in zip(row[:-1], widths[:-1], strict=True)) + row[-1] + "\n"
        for row in rows
    )


def _hex(random: Random, size: int) -> str:
    return "".join(random.choice("0123456789abcdef") for _ in range(size))


def grep(random: Random) -> str:
    files = [f"src/{random.choice(('core', 'web', 'cli'))}/{name}.py" for name in NAMES]
    return "".join(
        f"{file}:{line}:    return fetch_{name.replace('-', '_')}(session, timeout={line})\n"
        for file, name in zip(files, NAMES, strict=True)
        for line in sorted(random.sample(range(1, 900), random.randint(2, 6)))
    )


def grep_context(random: Random) -> str:
    groups = []
    for name in NAMES:
        at = random.randint(5, 900)
        file = f"pkg/server/{name}.go"
        groups.append(
            f"{file}-{at}-\tif err != nil {{\n"
            f"{file}:{at + 1}:\t\treturn nil, wrap(err, {at})\n"
            f"{file}-{at + 2}-\t}}\n"
        )
    return "--\n".join(groups)


def paths(random: Random) -> str:
    folders = ("packages/core/src/models", "packages/core/src/views", "packages/cli/src/commands")
    return "".join(f"{folder}/{name}{random.randint(1, 9)}.ts\n" for folder in folders for name in NAMES)


def tree(random: Random) -> str:
    lines = ["."]
    folders = NAMES[:6]
    for place, folder in enumerate(folders):
        last = place == len(folders) - 1
        lines.append(f"{'└── ' if last else '├── '}{folder}")
        files = random.sample(NAMES, 5)
        for number, file in enumerate(files):
            end = number == len(files) - 1
            lines.append(f"{'    ' if last else '│   '}{'└── ' if end else '├── '}{file}.md")
    return "\n".join(lines) + "\n\n6 directories, 30 files\n"


def ls(random: Random) -> str:
    blocks = []
    for folder in NAMES[:5]:
        sizes = [random.randint(10, 10 ** random.randint(2, 6)) for _ in range(12)]
        width = max(len(str(size)) for size in sizes)
        rows = [
            f"-rw-r--r-- 1 deploy deploy {size:>{width}} "
            f"Mar {random.randint(10, 28)} 0{random.randint(1, 9)}:14 {name}.py"
            for size, name in zip(sizes, NAMES, strict=False)
        ]
        blocks.append(f"./{folder}:\ntotal {sum(sizes)}\n" + "\n".join(rows) + "\n")
    return "\n".join(blocks)


def kubectl(random: Random) -> str:
    rows = [("NAMESPACE", "NAME", "READY", "STATUS", "RESTARTS", "AGE")]
    for _ in range(50):
        rows.append(
            (
                random.choice(("default", "kube-system", "monitoring")),
                f"{random.choice(NAMES)}-{_hex(random, 9)}-{_hex(random, 5)}",
                random.choice(("1/1", "2/2", "0/1")),
                random.choice(("Running", "Running", "CrashLoopBackOff")),
                random.choice(("0", "0", "3 (2d ago)")),
                f"{random.randint(1, 90)}d",
            )
        )
    return _padded(rows, 3)


def ps(random: Random) -> str:
    text = "USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n"
    for _ in range(60):
        text += (
            f"{_one(random, 'root', 'www-data', 'postgres'):<8} {random.randint(1, 40000):>7} "
            f"{random.random() * 3:>4.1f} {random.random():>4.1f} {random.randint(0, 900000):>6} "
            f"{random.randint(0, 90000):>5} {_one(random, '?', 'pts/0'):<8} {_one(random, 'Ss', 'R+'):<4} "
            f"{_one(random, 'Nov29', '05:21'):<5} {random.randint(0, 9):>3}:{random.randint(0, 59):02} "
            f"{_one(random, '/usr/sbin/nginx -g daemon off;', 'postgres: checkpointer', '[kworker/0:1]')}\n"
        )
    return text


def packages(random: Random) -> str:
    rows = [("Package", "Version"), ("-" * 20, "-" * 9)]
    rows += [(f"{name}-{kind}", f"{random.randint(0, 40)}.{random.randint(0, 9)}.{random.randint(0, 9)}")
             for name in NAMES for kind in ("client", "types", "core")]  # fmt: skip
    return _padded(rows, 1)


def access_log(random: Random) -> str:
    return "".join(
        f"10.2.{random.randint(0, 9)}.{random.randint(1, 254)} - - "
        f"[12/Mar/2026:10:{at // 20:02}:{at % 20 * 3:02} +0000] "
        f'"GET /api/v1/{random.choice(("orders", "users"))}/{random.randint(1, 9999)} HTTP/1.1" '
        f'{random.choice((200, 304, 404))} {random.randint(100, 9999)} "-" "kube-probe/1.29"\n'
        for at in range(120)
    )


def app_log(random: Random) -> str:
    lines = []
    for at in range(150):
        stamp = f"2026-03-01T12:{at // 40:02}:{at % 40:02}.{random.randint(100, 999)}Z"
        number = random.randint(1, 9999)
        message = _one(
            random,
            f"INFO [worker-{number % 4}] finished job {number} in {at} ms",
            f"WARN [cache] miss for key user:{number}, loading from the database",
            f"INFO [http] GET /items/{number} answered 200 in {at} ms",
        )
        lines.append(f"{stamp} {message}")
    lines[70] = "2026-03-01T12:01:30.001Z ERROR [worker-2] job 17 failed: connection refused"
    return "\n".join(lines) + "\n"


def dpkg_log(random: Random) -> str:
    lines = []
    for at in range(40):
        name = (
            f"lib{random.choice(NAMES)}{at}:amd64 {random.randint(1, 9)}.{random.randint(0, 9)}-{at}+deb12u1"
        )
        for status in ("unpacked", "half-configured", "installed"):
            lines.append(f"2026-03-01 07:29:{at:02} status {status} {name}")
    return "\n".join(lines) + "\n"


def blame(random: Random) -> str:
    commits = [f"{_hex(random, 8)} ({who:<9} 2026-0{month}-12 10:22:31 +0100"
               for who in ("Ann Lee", "Ben Okoro") for month in range(1, 6)]  # fmt: skip
    return "".join(
        f"{random.choice(commits)} {line:>3}) value_{line} = compute({line})\n" for line in range(80, 160)
    )


def git_log(random: Random) -> str:
    text = ""
    for day in range(1, 25):
        files = random.sample(NAMES, 3)
        counts = [random.randint(1, 9) for _ in files]
        author = _one(random, "Ann Lee <ann@example.org>", "Ben Okoro <ben@example.org>")
        weekday = ("Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat")[(day + 2) % 7]
        text += f"commit {_hex(random, 40)}\nAuthor: {author}\n"
        text += f"Date:   {weekday} Jul {day} 08:48:23 2026 +0200\n\n    Change {files[0]}\n\n"
        text += "".join(f" {file}.py | {n} {'+' * n}\n" for file, n in zip(files, counts, strict=True))
        text += f" 3 files changed, {sum(counts)} insertions(+)\n\n"
    return text.rstrip("\n") + "\n"


def csv(random: Random) -> str:
    return "id,name,country,created_at,url\n" + "".join(
        f'{1000 + at},"{random.choice(NAMES)}, {at}",Norway,2026-03-01T{at % 24:02}:00:00Z,'
        f"https://shop.example.org/o/{1000 + at}\n"
        for at in range(60)
    )


def tsv(random: Random) -> str:
    return "id\trate\tregion\n" + "".join(
        f"{1000 + 2 * at}\t0.{random.randint(100, 999)}\teu-north-1\n" for at in range(80)
    )


def mypy(random: Random) -> str:
    messages = (
        "Function is missing a return type annotation  [no-untyped-def]",
        "Missing type arguments for generic type  [type-arg]",
    )
    return "".join(
        f"src/app/{name}.py:{line}: error: {random.choice(messages)}\n"
        for name in NAMES[:6]
        for line in sorted(random.sample(range(1, 400), 6))
    )


def pytest_verbose(random: Random) -> str:
    lines = []
    for at in range(60):
        left = f"tests/test_{NAMES[at // 20]}.py::Test{at // 10}::test_case_{random.randint(1, 999)} PASSED"
        right = f"[{at * 100 // 60:>3}%]"
        lines.append(left + right.rjust(max(80 - len(left), len(right) + 1)))
    return "\n".join(lines) + "\n"


def traces(random: Random) -> str:
    frames = "".join(
        f'  File "/srv/app/{name}.py", line {40 + at}, in run\n    self.handle(job, {at})\n'
        for at, name in enumerate(NAMES[:6])
    )
    return "".join(
        f"Traceback (most recent call last):\n{frames}TimeoutError: job {random.randint(1, 9999)}\n\n"
        for _ in range(8)
    )


def yaml(random: Random) -> str:
    strategy = (
        "    strategy:\n      rollingUpdate:\n        maxSurge: 25%\n        maxUnavailable: 25%\n"
        "      type: RollingUpdate\n"
    )
    return "items:\n" + "".join(
        f"- kind: Deployment\n  metadata:\n    name: {name}\n    namespace: default\n"
        f"  spec:\n    replicas: {random.randint(1, 4)}\n{strategy}"
        for name in NAMES
    )


def metrics(random: Random) -> str:
    text = ""
    for name in NAMES:
        metric = f"shop_{name.replace('-', '_')}_total"
        text += f"# HELP {metric} Requests of {name} since the start.\n# TYPE {metric} counter\n"
        for code in (200, 404, 500):
            text += f'{metric}{{code="{code}"}} {random.randint(1, 99999)}\n'
    return text


def snapshot(random: Random) -> str:
    return "".join(
        f'  uid=1_{at} link "{random.choice(NAMES)} {at}" '
        f'url="http://127.0.0.1:8001/shop/orders/{random.randint(1, 999)}"\n'
        for at in range(80)
    )


def page(random: Random) -> str:
    made = ['uid=4_0 RootWebArea "Orders"\n']
    number = 0
    for at in range(120):
        number += random.choice((1, 1, 1, 2))
        text = random.choice(("Order ", " was paid by ", ", ", str(7000 + at), "\\n", random.choice(NAMES)))
        if at % 9 == 4:
            made.append(f'  uid=4_{number} link "{text}" url="http://127.0.0.1:8001/orders/{at}"\n')
        else:
            made.append(f'    uid=4_{number} "{text}"\n')
    made.append('    uid=4_999 "two\n"\n')
    return "".join(made)


def progress(random: Random) -> str:
    return "start\n" + "waiting for the database to come up\n" * 40 + "ready\nretry\nfailed\n" * 9 + "end\n"


def listed(random: Random) -> str:
    items = ", ".join(f"test/inductor/test_{NAMES[at // 27]}.py::Kernels::test_case_{at}" for at in range(80))
    return f"collected 80 items\nRunning 80 items: {items}\ndone\n"


FOLDED: dict[str, Callable[[Random], str]] = {
    "fold-hits": grep,
    "fold-hits, with context": grep_context,
    "fold-paths": paths,
    "fold-tree": tree,
    "fold-columns": ls,
    "fold-columns, kubectl": kubectl,
    "fold-columns, ps": ps,
    "fold-columns, packages": packages,
    "fold-log, access": access_log,
    "fold-log": app_log,
    "fold-log, dpkg": dpkg_log,
    "fold-blame": blame,
    "fold-history": git_log,
    "fold-csv": csv,
    "fold-csv, tabs": tsv,
    "fold-findings": mypy,
    "fold-tests": pytest_verbose,
    "fold-blocks": traces,
    "fold-blocks, yaml": yaml,
    "fold-metrics": metrics,
    "fold-snapshot": snapshot,
    "fold-snapshot, texts": page,
    "fold-repeats": progress,
    "fold-lists": listed,
}
"""Texts by the fold that is for them."""

SOURCE = '''"""Orders of the shop."""

from __future__ import annotations

import json
from dataclasses import dataclass


@dataclass
class Order:
    """What a customer wants."""

    number: int
    items: list[str]

    def total(self) -> int:
        return sum(price(item) for item in self.items)

    def as_json(self) -> str:
        return json.dumps({"number": self.number, "items": self.items})


def price(item: str) -> int:
    if item == "bread":
        return 30
    if item == "milk":
        return 20
    if item == "cheese":
        return 90
    raise KeyError(item)
'''

DIFF = """diff --git a/shop/orders.py b/shop/orders.py
index 03d1dacc..246269f3 100644
--- a/shop/orders.py
+++ b/shop/orders.py
@@ -1,5 +1,5 @@
 import json
-from typing import Union, Tuple
+from typing import Union, Tuple, Optional
 import sys
 import os
 import re
@@ -17,7 +17,7 @@ class Order:
         self.number = number
-        self.items = tuple(items or [])
+        self.items = tuple(items)
         if number:
             self.check()
"""
