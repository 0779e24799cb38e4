"""A Python program without the network, and with each file it opens for writing noted.

    python -P denied.py KIND LOG FOLDER MODULE [ARGUMENT]…

runs `main` of MODULE in this process once the network is denied: to it, and to every process that it starts.
KIND is one of `KINDS`, or `auto`, the first of them that this machine allows. LOG is a file that gets a line
of JSON for each event; FOLDER is where the package is, if nothing else says so.

Run as a file and on the standard library alone: the package is imported once the network is gone.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import platform
import socket
import sys
from collections.abc import Callable
from importlib import import_module

KINDS = ("namespace", "seccomp", "hook")
"""From the strongest to the weakest:

- `namespace`: a network namespace of Linux with nothing in it but a loopback interface that is down.
- `seccomp`: a filter in the kernel of Linux that refuses every socket but those between local processes.
- `hook`: Python itself refuses. Programs that are no Python are not held back.
"""
VARIABLE = "TERSE_VERIFICATION_DENIED"
"""The environment variable with the kind that is in force, for the processes that are started in it."""
CANNOT = 71
"""The exit code where the kind that was asked for is not to be had."""

_NEW_USER, _NEW_NET = 0x10000000, 0x40000000
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2
# Of the kernel's audit.h and of each machine's own table of system calls.
_MACHINES = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}
_IO_URING_SETUP = 425
_FIRST_X32 = 0x40000000

_ATTEMPTS = frozenset(
    (
        "socket.bind",
        "socket.connect",
        "socket.getaddrinfo",
        "socket.gethostbyaddr",
        "socket.gethostbyname",
        "socket.getnameinfo",
        "socket.sendmsg",
        "socket.sendto",
    )
)
_PATHS = {
    "os.mkdir": 0,
    "os.link": 1,
    "os.rename": 1,
    "os.symlink": 1,
    "os.truncate": 0,
    "sqlite3.connect": 0,
}
"""Events by which something comes to be on disk, and which of their arguments is its path."""
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def deny(kind: str) -> str:
    """Deny this process the network, and all that it starts. Gives the kind that is in force.

    Raises:
        OSError: this machine does not allow it.
    """
    if kind == "auto":
        for each in KINDS[:2]:
            if _is_allowed(each):
                return deny(each)
        kind = "hook"
    if kind == "namespace":
        _enter_namespace()
    elif kind == "seccomp":
        _filter_system_calls()
    return kind


def watch(log: int, *, refuse: bool) -> None:
    """Note what this process opens for writing and whom it tries to reach; with `refuse`, hold it back."""

    def note(kind: str, what: str) -> None:
        os.write(log, json.dumps([kind, what]).encode() + b"\n")

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if isinstance(flags, int) and flags & _WRITES and not isinstance(path, int):
                note("write", _absolute(path))
            return
        at = _PATHS.get(event)
        if at is not None:
            note("database" if event == "sqlite3.connect" else "write", _absolute(arguments[at]))
            return
        if event == "socket.__new__":
            # What a socket is made from by its descriptor has no family yet; it was made before.
            tried = None if arguments[1] in (socket.AF_UNIX, -1) else arguments[1:3]
        elif event not in _ATTEMPTS:
            return
        elif isinstance(arguments[0], socket.socket):
            tried = None if arguments[0].family == socket.AF_UNIX else arguments[1:]
        else:
            tried = arguments
        if tried is None:
            return
        note("network", f"{event} {tried!r}")
        if refuse:
            raise PermissionError(errno.EACCES, f"the network is denied: {event}")

    sys.addaudithook(hook)


def _absolute(path: object) -> str:
    return os.path.abspath(os.fsdecode(path)) if isinstance(path, (str, bytes, os.PathLike)) else str(path)


def _is_allowed(kind: str) -> bool:
    """Tried in a process of its own, as a failure may leave things half done."""
    if not sys.platform.startswith("linux"):
        return False
    child = os.fork()
    if child == 0:
        try:
            deny(kind)
            os._exit(0)
        except BaseException:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def _enter_namespace() -> None:
    unshare = _library("unshare")
    user, group = os.getuid(), os.getgid()
    # Where the right to it is there already: files of other users stay theirs in a namespace of users.
    if unshare(_NEW_NET) == 0:
        return
    if unshare(_NEW_USER | _NEW_NET) != 0:
        raise _failed("a network namespace")
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)


def _filter_system_calls() -> None:
    if platform.machine() not in _MACHINES or sys.maxsize < 2**32:
        raise OSError(errno.ENOSYS, f"no filter is known for {platform.machine()}")
    machine, socket_call = _MACHINES[platform.machine()]
    load, equal, at_least, give = 0x20, 0x15, 0x35, 0x06
    allow, refuse = 0x7FFF0000, 0x00050000 | errno.EACCES
    # Each is code, steps if so, steps if not, value. Offsets are those of `struct seccomp_data`.
    program = (
        (load, 0, 0, 4),
        (equal, 0, 7, machine),
        (load, 0, 0, 0),
        (at_least, 5, 0, _FIRST_X32),
        (equal, 4, 0, _IO_URING_SETUP),
        (equal, 0, 2, socket_call),
        (load, 0, 0, 16),
        (equal, 0, 1, int(socket.AF_UNIX)),
        (give, 0, 0, allow),
        (give, 0, 0, refuse),
    )
    instructions = (_Instruction * len(program))(*(_Instruction(*each) for each in program))
    whole = _Program(len(program), instructions)
    control = _library("prctl")
    if control(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        raise _failed("a filter of system calls")
    if control(_SECCOMP, _FILTER, ctypes.byref(whole), 0, 0) != 0:
        raise _failed("a filter of system calls")


class _Instruction(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_uint16),
        ("so", ctypes.c_uint8),
        ("otherwise", ctypes.c_uint8),
        ("value", ctypes.c_uint32),
    )


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("instructions", ctypes.POINTER(_Instruction)))


def _library(name: str) -> Callable[..., int]:
    found: Callable[..., int] | None = getattr(ctypes.CDLL(None, use_errno=True), name, None)
    if found is None:
        raise OSError(errno.ENOSYS, f"this system has no {name}")
    return found


def _failed(what: str) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, f"{what} is not allowed here: {os.strerror(number)}")


def _run(kind: str, log: str, folder: str, module: str, *arguments: str) -> int:
    if (given := os.environ.get(VARIABLE)) is None:
        try:
            given = deny(kind)
        except OSError as error:
            sys.stderr.write(f"{error.strerror or error}\n")
            return CANNOT
        os.environ[VARIABLE] = given
    if folder not in sys.path:
        sys.path.append(folder)
    watch(os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), refuse=given == "hook")
    code: int = import_module(module).main(list(arguments))
    return code


if __name__ == "__main__":
    sys.exit(_run(*sys.argv[1:]))
