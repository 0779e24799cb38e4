"""`make bench [BENCH=NAME…]`: every measurement, or those that are named."""

from __future__ import annotations

import sys

from tests.benchmarks import (
    commands,
    engine,
    folds,
    generated,
    handles,
    language,
    layouts,
    proxy,
    schemas,
    sessions,
    sessions_soak,
    tokens,
    transparency,
)

MEASUREMENTS = {
    "commands": commands.measure,
    "engine": engine.measure,
    "folds": folds.measure,
    "generated": generated.measure,
    "handles": handles.measure,
    "language": language.measure,
    "layouts": layouts.measure,
    "proxy": proxy.measure,
    "schemas": schemas.measure,
    "sessions": sessions.measure,
    "soak": sessions_soak.measure,
    "tokens": tokens.measure,
    "transparency": transparency.measure,
}


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in MEASUREMENTS]
    if unknown:
        print(f"no measurement {unknown[0]}: there are {', '.join(MEASUREMENTS)}", file=sys.stderr)
        return 2
    for name in names or MEASUREMENTS:
        print(f"## {name}\n", flush=True)
        for line in MEASUREMENTS[name]():
            print(line, flush=True)
        print()
    return 0


sys.exit(main(sys.argv[1:]))
