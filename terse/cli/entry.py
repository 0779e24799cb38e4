"""Where `terse` starts. Quick ways first: `--version`, `proxy`, `serve`, `cli`, `hook` import no typer."""

from __future__ import annotations

import os
import sys


def main(arguments: list[str] | None = None) -> int:
    """Run one command line and return its exit code: see `terse.cli.console`.

    Args:
        arguments: what follows `terse`; the process's own when None.
    """
    given = sys.argv[1:] if arguments is None else arguments
    try:
        return _run(given)
    except KeyboardInterrupt:
        # Also while a command is still being loaded.
        return 130
    except Exception as error:
        from terse.cli.console import failed

        return failed(error)


def _run(arguments: list[str]) -> int:
    if asked := os.environ.get("_TERSE_COMPLETE"):
        from terse.shell.completion import answer

        # typer knows all commands but those that read their arguments themselves.
        code = answer(asked, {"proxy": _help_of_proxy, "serve": _help_of_serve})
        if code is not None:
            return code
    if arguments in (["--version"], ["-V"]):
        from terse import __version__
        from terse.cli.console import write

        write(f"terse {__version__}\n")
        return 0
    if arguments[:1] == ["proxy"]:
        from terse.cli.proxy import main as proxy

        return proxy(arguments[1:])
    if arguments[:1] == ["serve"]:
        from terse.cli.serve import main as serve

        return serve(arguments[1:])
    if arguments[:1] == ["cli"]:
        from terse.cli.cli import main as cli

        return cli(arguments[1:])
    if arguments[:1] in (["check"], ["hook"]):
        if arguments[0] == "check":
            from terse.cli.checking import quick
        else:
            from terse.cli.hooking import quick
        code = quick(arguments[1:])
        if code is not None:
            return code
    from terse.cli.main import run

    return run(arguments)


def _help_of_proxy() -> str:
    from terse.cli.proxy import HELP

    return HELP


def _help_of_serve() -> str:
    from terse.cli.serve import HELP

    return HELP
