"""`make bench [BENCH=NAME…]`: every measurement, or those that are named.

`--corpus FOLDER` is where `listings` finds lists of tools.
"""

from __future__ import annotations

import os
import sys
import tempfile
from functools import partial

from tests.benchmarks import (
    command_line,
    commands,
    engine,
    folds,
    generated,
    handles,
    language,
    layouts,
    listings,
    load,
    many,
    proxy,
    remote,
    schemas,
    serving,
    sessions,
    sessions_soak,
    tokens,
    transparency,
)

MEASUREMENTS = {
    "command-line": command_line.measure,
    "commands": commands.measure,
    "engine": engine.measure,
    "folds": folds.measure,
    "generated": generated.measure,
    "handles": handles.measure,
    "language": language.measure,
    "layouts": layouts.measure,
    "load": load.measure,
    "many": many.measure,
    "proxy": proxy.measure,
    "remote": remote.measure,
    "schemas": schemas.measure,
    "serving": serving.measure,
    "sessions": sessions.measure,
    "soak": sessions_soak.measure,
    "tokens": tokens.measure,
    "transparency": transparency.measure,
}


def main(names: list[str]) -> int:
    corpus = None
    if "--corpus" in names:
        at = names.index("--corpus")
        corpus = names[at + 1] if len(names) > at + 1 else None
        names = names[:at] + names[at + 2 :]
    measurements = {**MEASUREMENTS, "listings": partial(listings.measure, corpus)}
    unknown = [name for name in names if name not in measurements]
    if unknown:
        print(f"no measurement {unknown[0]}: there are {', '.join(measurements)}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        # As for a user, whose proxies note what they send; but not in the ledger of whoever measures.
        os.environ["TERSE_LEDGER"] = os.path.join(folder, "ledger.sqlite")
        for name in names or measurements:
            print(f"## {name}\n", flush=True)
            for line in measurements[name]():
                print(line, flush=True)
            print()
    return 0


sys.exit(main(sys.argv[1:]))
