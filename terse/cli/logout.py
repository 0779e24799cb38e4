"""`terse logout [SERVER]`: forget the tokens of logins, and have them revoked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from terse.cli import console
from terse.cli.command import Command

if TYPE_CHECKING:
    from terse.proxy.remote.tokens import Stored


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
    findings = False
    for file in files:
        stored = file.read()
        try:
            was_kept = file.forget()
        except OSError as error:
            raise console.CommandError(f"cannot delete {file.path}: {error.strerror}") from None
        if was_kept:
            typer.echo(f"logged out of {file.server}")
            findings |= _is_left(file.server, stored)
        else:
            raise console.CommandError(f"there is no login to {file.server}")
    if not files:
        typer.echo("there is no login")
    if findings:
        raise typer.Exit(1)


def _is_left(server: str, stored: Stored) -> bool:
    """Whether the tokens, now forgotten, could not be revoked; that is said."""
    from terse.proxy.remote.revocation import revoke

    # After they are forgotten: a server that is away, or slow, is no reason to keep them.
    problem = revoke(stored)
    if problem is not None:
        console.write_error(f"terse: the tokens of {server} are forgotten, but were not revoked: {problem}\n")
    return problem is not None


COMMAND = Command(
    name="logout",
    sentence="Forget the tokens of servers that `terse proxy` logged in to, and have them revoked.",
    run=_logout,
    example="terse logout",
    example_does="every server that wants a login asks for it again",
    notes=("Exit codes: 0 done; 1 done, but tokens could not be revoked; 2 there is no such login.",),
)
