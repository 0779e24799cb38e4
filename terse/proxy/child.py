"""The server as a child process: started first, in a group of its own, and never left behind.

Written on fork and exec: it must run before anything else is imported, and the import of `subprocess`
alone takes longer than the start of the child.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping

GRACE_SECONDS = 0.15
"""How long a server that is being stopped has to go by itself, then after SIGTERM. Clients that stop a
server wait two seconds at most before they kill it, and then its children are orphans."""

_PR_SET_PDEATHSIG = 1
_COERCED_LOCALES = (b"C.UTF-8", b"C.utf8", b"UTF-8")


class Child:
    """A running server, as the `Upstream` of a connection: see there for what its methods promise.

    Attributes:
        pid: its process id, which is also the id of its process group.
        stdin, stdout: the descriptors of our ends of its pipes; blocking. They stay valid until `release`:
            closing puts the null device in their place.
    """

    def __init__(self, pid: int, stdin: int, stdout: int) -> None:
        self.pid = pid
        self.stdin = stdin
        self.stdout = stdout
        self._null = os.open(os.devnull, os.O_RDWR)
        self._code: int | None = None

    @classmethod
    def spawn(
        cls, command: list[str], environment: Mapping[str, str] | None = None, directory: str | None = None
    ) -> Child:
        """Start a server: no shell; our environment, directory and stderr.

        It is to be called from the main thread: on Linux the kernel kills the server when the thread that
        started it is gone, which is what makes SIGKILL leave no orphan.

        Args:
            environment: what is added to ours.
            directory: where it is started, in place of ours.

        Raises:
            OSError: the command cannot be run.
        """
        occupy_standard_descriptors()
        die_with_parent = _die_with_parent()
        parent = os.getpid()
        # Python makes descriptors that do not survive an exec: only the copies at 0, 1 and 2 do.
        child_in, stdin = os.pipe()
        stdout, child_out = os.pipe()
        failed_read, failed_write = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                os.setpgid(0, 0)
                if die_with_parent is not None:
                    die_with_parent()
                    if os.getppid() != parent:
                        os._exit(1)
                os.dup2(child_in, 0)
                os.dup2(child_out, 1)
                # Python ignores these, and what is ignored stays so through an exec.
                signal.signal(signal.SIGPIPE, signal.SIG_DFL)
                signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
                _restore_environment()
                if environment is not None:
                    os.environ.update(environment)
                if directory is not None:
                    os.chdir(directory)
                os.execvp(command[0], command)
            except BaseException as error:
                os.write(failed_write, b"%d" % (getattr(error, "errno", None) or 0))
            finally:
                os._exit(127)
        for descriptor in (child_in, child_out, failed_write):
            os.close(descriptor)
        error_number = os.read(failed_read, 16)
        os.close(failed_read)
        if error_number:
            os.waitpid(pid, 0)
            raise OSError(int(error_number), os.strerror(int(error_number)), command[0])
        return cls(pid, stdin, stdout)

    def send(self, block: bytes) -> None:
        """Write whole messages to the server's stdin.

        Raises:
            OSError: it reads no more.
        """
        # Here and below: not imported before the server was started.
        from terse.proxy.framing import write

        write(self.stdin, block)

    def blocks(self) -> Iterator[bytes]:
        """What the server writes to its stdout."""
        from terse.proxy.framing import blocks

        return blocks(self.stdout)

    def has_output(self) -> bool:
        """Whether something waits in the pipe."""
        import select

        poll = select.poll()
        poll.register(self.stdout, select.POLLIN)
        return any(event & select.POLLIN for _, event in poll.poll(0))

    def close_input(self) -> None:
        """Let the server see the end of its input."""
        os.dup2(self._null, self.stdin)

    def close_output(self) -> None:
        """Let the server see that nobody reads what it writes."""
        os.dup2(self._null, self.stdout)

    def release(self) -> None:
        """Close the descriptors: once the server has ended, and nobody uses them."""
        for descriptor in (self.stdin, self.stdout, self._null):
            os.close(descriptor)

    def wait(self) -> int:
        """Wait for the server's end. Its exit code; 128+n if signal n ended it, as shells count."""
        while self._code is None:
            self._reap(0)
        return self._code

    def stop(self) -> int:
        """End the server and all of its group: its input ends, then SIGTERM, then SIGKILL. Under 0.5 s.

        Returns the server's exit code, as `wait` does.
        """
        self.close_input()
        self._has_ended(GRACE_SECONDS)
        # Also when it has ended: launchers (npx, uv) leave the server proper behind.
        if self._signal_group(signal.SIGTERM):
            until = time.monotonic() + GRACE_SECONDS
            while self._signal_group(0) and time.monotonic() < until:
                self._has_ended(0.01)
            self._signal_group(signal.SIGKILL)
        return self.wait()

    def _has_ended(self, within: float) -> bool:
        until = time.monotonic() + within
        while self._code is None:
            if not self._reap(os.WNOHANG):
                if time.monotonic() >= until:
                    return False
                time.sleep(0.002)
        return True

    def _reap(self, options: int) -> bool:
        """Take the exit code from the kernel, which gives it once; whether that was done."""
        try:
            pid, status = os.waitpid(self.pid, options)
        except ChildProcessError:
            # Another thread was given it, and is about to note it.
            time.sleep(0.002)
            return False
        if pid:
            self._code = _exit_code(status)
        return pid != 0

    def _signal_group(self, number: int) -> bool:
        """Send a signal to the group; False if nobody is left in it."""
        try:
            os.killpg(self.pid, number)
        except ProcessLookupError:
            return False
        except PermissionError:
            # What is left runs as another user (or, on macOS, is a zombie): nothing we could end.
            return False
        return True


def _exit_code(status: int) -> int:
    code = os.waitstatus_to_exitcode(status)
    return 128 - code if code < 0 else code


def occupy_standard_descriptors() -> None:
    """Where 0, 1 or 2 is closed, open the null device there, so that no pipe of ours takes the place."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)


def _die_with_parent() -> Callable[[], object] | None:
    """A function that asks the kernel to kill the calling process when its parent dies; Linux has that."""
    if sys.platform != "linux":
        return None
    import ctypes

    try:
        prctl = ctypes.CDLL(None).prctl
    except (OSError, AttributeError):
        return None
    return lambda: prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _restore_environment() -> None:
    """Undo the one change Python makes to the environment: LC_CTYPE, set in the C locale (PEP 538)."""
    if os.environb.get(b"LC_CTYPE") not in _COERCED_LOCALES:
        return
    try:
        with open("/proc/self/environ", "rb", buffering=0) as file:
            as_started = file.readall()
    except OSError:
        return
    if not any(entry.startswith(b"LC_CTYPE=") for entry in as_started.split(b"\0")):
        del os.environ["LC_CTYPE"]
