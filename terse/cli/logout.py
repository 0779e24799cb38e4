"""`terse logout [SERVER]`: forget the tokens of logins."""

from __future__ import annotations

import typer

from terse.cli import console
from terse.cli.command import Command


def _logout(
    server: str = typer.Argument(
        None, metavar="[SERVER]", help="The server's URL; all servers, if not given."
    ),
) -> None:
    from terse.proxy.remote.tokens import TokenFile, kept_logins
    from terse.proxy.servers import url_problem

    if server is not None and (problem := url_problem(server)):
        raise console.CommandError(f"{server}: {problem}")
    files = [TokenFile(server)] if server is not None else list(kept_logins())
    for file in files:
        try:
            was_kept = file.forget()
        except OSError as error:
            raise console.CommandError(f"cannot delete {file.path}: {error.strerror}") from None
        if was_kept:
            typer.echo(f"logged out of {file.server}")
        else:
            raise console.CommandError(f"there is no login to {file.server}")
    if not files:
        typer.echo("there is no login")


COMMAND = Command(
    name="logout",
    sentence="Forget the tokens of servers that `terse proxy` logged in to.",
    run=_logout,
    example="terse logout",
    example_does="every server that wants a login asks for it again",
)
