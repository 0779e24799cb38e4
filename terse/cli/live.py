"""Rules that are followed while they are edited: valid ones take effect, others leave the old ones."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Lock, Thread
from weakref import WeakSet

from terse.cli.policy import DoesNotCompile, Follower, load
from terse.cli.watch import Stamps, stamps
from terse.plan.model import Plan
from terse.proxy.complaints import Complaints

INTERVAL = 1.0
"""Seconds between two looks at the files: a look takes some microseconds for each of them."""
SETTLED = 0.2
"""Files that have not changed for so long are not being written."""


class LivePolicy:
    """The rules of one process, and everybody in it who runs them. Safe to use from any thread.

    Args:
        rules: the rule file, or a folder of them.
        refusal: why a plan that compiles cannot be run here, or None.

    Attributes:
        plan: the newest one that is valid.

    Raises:
        DoesNotCompile: the rules have errors, or cannot be read.
    """

    def __init__(
        self, rules: str, complaints: Complaints, refusal: Callable[[Plan], str | None] = lambda plan: None
    ) -> None:
        self._rules = rules
        self._complaints = complaints
        self._refusal = refusal
        self._followers: WeakSet[Follower] = WeakSet()
        self._lock = Lock()
        self._over = Event()
        self._seen: Stamps = {}
        self._changes = 0
        before = stamps([rules])
        self.plan, paths = load(rules)
        # What is written while it is read is seen as a change.
        self._seen = {**stamps(paths), **before}

    def start(self) -> None:
        """Look at the files from now on."""
        Thread(target=self._watch, daemon=True).start()

    def stop(self) -> None:
        """Look at them no more."""
        self._over.set()

    def follow(self, follower: Follower) -> None:
        """Tell it of every other plan from now on; of one that came since it was given `plan`, at once."""
        with self._lock:
            self._followers.add(follower)
            if self._changes:
                follower.follow(self.plan)

    def _watch(self) -> None:
        while not self._over.wait(INTERVAL):
            try:
                if stamps(self._seen) != self._seen:
                    self._read()
            except Exception as error:
                self._complaints.say_fault("reading the rules again", error, "the old ones stay")

    def _read(self) -> None:
        now = stamps(self._seen)
        while not self._over.wait(SETTLED) and (later := stamps(self._seen)) != now:
            # Still being written, or replaced.
            now = later
        # Before they are read: whatever goes wrong with this change, it is not read again and again.
        self._seen = now
        try:
            plan, paths = load(self._rules)
        except DoesNotCompile as reason:
            self._seen = {**stamps(reason.paths), **now}
            self._refuse(str(reason))
            return
        # Files that are imported no more are let go.
        self._seen = {**stamps(paths), **{path: now[path] for path in paths if path in now}}
        if plan == self.plan:
            return
        if (why := self._refusal(plan)) is not None:
            self._refuse(why)
            return
        with self._lock:
            self.plan = plan
            self._changes += 1
            for follower in list(self._followers):
                follower.follow(plan)
        self._say(f"{self._rules} has changed: its rules hold from the next result on")

    def _refuse(self, why: str) -> None:
        self._say(f"{self._rules} has changed, and the old rules stay: {why}")

    def _say(self, message: str) -> None:
        # Each change is news, also where the same was said of another one before.
        self._complaints.tell(message)
