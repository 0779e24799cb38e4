"""Where `terse` starts. The quick ways out first: `--version` and `proxy` load neither typer nor lark."""

from __future__ import annotations

import sys


def main(arguments: list[str] | None = None) -> int:
    """Run one command line and return its exit code: see `terse.cli.codes`.

    Args:
        arguments: what follows `terse`; the process's own when None.
    """
    given = sys.argv[1:] if arguments is None else arguments
    if given in (["--version"], ["-V"]):
        from terse import __version__

        print(f"terse {__version__}")
        return 0
    if given[:1] == ["proxy"]:
        from terse.cli.proxy import main as proxy

        return proxy(given[1:])
    from terse.cli.main import run

    return run(given)
