"""What the proxy says on stderr: one line per kind of failure, so that a log stays readable."""

from __future__ import annotations

import os
from contextlib import suppress

_REFUSED = "refused"


class Complaints:
    """Lines for stderr. Nothing of a result is ever in one."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def say(self, kind: str, message: str) -> None:
        """Print `terse: message`, unless something of this kind was said before."""
        if kind in self._said:
            return
        self._said.add(kind)
        self.tell(message)

    def tell(self, message: str) -> None:
        """Print `terse: message`, whatever was said before: for news, of which there are few."""
        # One write, so that it does not end up in the middle of a line of the server's. Nobody reading
        # stderr is no reason to stop.
        with suppress(OSError):
            os.write(2, f"terse: {message}\n".encode("utf-8", "backslashreplace"))

    def of(self, server: str) -> Complaints:
        """The same, about one of several servers: its name stands before each message, and what was said of
        another one may be said of it."""
        return _Complaints(self, server)

    def say_failed(self, what: str, error: BaseException) -> None:
        """Say that `what` failed and that originals are sent; as `say_fault`."""
        self.say_fault(what, error, "the original was sent")

    def say_fault(self, what: str, error: BaseException, instead: str) -> None:
        """Say that `what` failed, and what was done instead; the error by its type and place only.

        An error's own words may quote the result, so they are left out.
        """
        name, place = type(error).__name__, place_of(error)
        self.say(f"{name} {place}", f"{what} failed ({name} at {place}): {instead}")


class _Complaints(Complaints):
    def __init__(self, all_of_them: Complaints, server: str) -> None:
        super().__init__()
        self._all = all_of_them
        self._server = server

    def say(self, kind: str, message: str) -> None:
        if kind in self._said:
            return
        self._said.add(kind)
        if kind == _REFUSED:
            # Of the rules, which are the same for all.
            self._all.say(kind, message)
        else:
            self._all.say(f"{self._server}: {kind}", f"{self._server}: {message}")


def place_of(error: BaseException) -> str:
    """`run.py:120`: the last line of ours that the error went through."""
    place = "an unknown place"
    traceback = error.__traceback__
    while traceback is not None:
        path = traceback.tb_frame.f_code.co_filename.replace(os.sep, "/")
        if "/terse/" in path:
            place = f"terse/{path.rpartition('/terse/')[2]}:{traceback.tb_lineno}"
        traceback = traceback.tb_next
    return place
