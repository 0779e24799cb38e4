"""The captured results that changes are tried on: a sample that fits in memory, in two halves."""

from __future__ import annotations

import heapq
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Literal

from terse.capture.recorded import RecordedCall
from terse.memory.session import call_key
from terse.payload.call import Call
from terse.payload.exact import parse

Side = Literal["learned", "held out"]
"""Changes are found on the learned half, and what they come to is told of the other."""

MAX_PER_TOOL = 120
"""Results of a tool that are run: enough to tell 2% from chance, and a change of it is tried in seconds."""
MAX_BYTES_PER_TOOL = 4_000_000
MAX_BYTES = 64_000_000
"""What all results together may take, as they are kept in memory and run again for each change."""
MAX_RESULT = 1_000_000
"""Bytes of a result; a longer one takes seconds for each change that is tried."""
MAX_REPEATS = 8
"""Calls of one session with the same arguments that are kept: more of them say the same."""
MAX_TOOLS = 400
MAX_SESSIONS = 100_000
MAX_FETCHED = 200_000

_RETRIEVE = re.compile(r"terse_retrieve(_[0-9]+)?")
_HANDLE = re.compile(r"h[0-9]{9}")
_UNKNOWN = "(arguments were left out)"
_Tool = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Taken:
    """One result of the sample.

    Attributes:
        order: its place among all calls that were read.
        gap: how many calls of its session stand between it and the one of the sample before it.
    """

    order: int
    session: str
    gap: int
    call: Call
    texts: tuple[str, ...]
    is_texts_alone: bool
    side: Side

    @property
    def tool(self) -> _Tool:
        return self.call.server, self.call.tool


@dataclass(frozen=True, slots=True)
class Material:
    """The sample.

    Attributes:
        calls: by session, and of each in the order in which they were made.
        read: results of each tool in the captures, those that are not in the sample, too.
        sessions: how many there were, as far as they were counted (`MAX_SESSIONS`).
        fetched: the handles that were fetched in each session, where captures tell.
        notes: what is left out.
    """

    calls: tuple[Taken, ...]
    read: dict[_Tool, int]
    sessions: int
    fetched: dict[str, frozenset[str]]
    notes: tuple[str, ...] = ()

    @property
    def tools(self) -> tuple[_Tool, ...]:
        return tuple(sorted(self.read))

    def of(self, tool: _Tool, side: Side | None = None) -> list[Taken]:
        """The results of a tool, of one half or of both."""
        return [each for each in self.calls if each.tool == tool and side in (None, each.side)]


@dataclass(slots=True)
class _Kept:
    order: int
    ordinal: int
    call: Call
    texts: tuple[str, ...]
    is_texts_alone: bool
    size: int


@dataclass(slots=True)
class _Group:
    """The calls of one session with the same arguments: they stay together, as later speak of earlier."""

    rank: int
    session: str
    calls: list[_Kept] = field(default_factory=list)


class Sampler:
    """Takes calls one after another, and keeps of each tool as many as fit.

    What is kept goes by digests of session and call: the same captures give the same sample, whatever
    the order of a tool's calls, and each call has the same chance.
    """

    def __init__(self, most: int = MAX_PER_TOOL) -> None:
        """
        Args:
            most: results of a tool that are kept, about.
        """
        self._most = most
        self._tools: dict[_Tool, dict[int, _Group]] = {}
        self._ranks: dict[_Tool, list[int]] = {}
        self._limits: dict[_Tool, int] = {}
        self._sizes: dict[_Tool, list[int]] = {}
        self._bytes = 0
        self._read: dict[_Tool, int] = {}
        self._ordinals: dict[str, int] = {}
        self._fetched: dict[str, set[str]] = {}
        self._handles = 0
        self._order = 0
        self._passed = {"too large": 0, "of a tool too many": 0, "no MCP result": 0}

    def add(self, line: RecordedCall, file: str = "") -> None:
        """Take one more call in.

        Args:
            file: where it stands: calls that name no session are one session for each file.
        """
        self._order += 1
        named = f"file {file}" if line.session == "null" else line.session
        session = blake2b(named.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        if session in self._ordinals or len(self._ordinals) < MAX_SESSIONS:
            self._ordinals[session] = self._ordinals.get(session, 0) + 1
        if _RETRIEVE.fullmatch(line.tool):
            self._note_fetch(session, line)
            return
        tool = (line.server, line.tool)
        if tool not in self._read and len(self._read) >= MAX_TOOLS:
            self._passed["of a tool too many"] += 1
            return
        self._read[tool] = self._read.get(tool, 0) + 1
        if len(line.result) > MAX_RESULT:
            self._passed["too large"] += 1
            return
        self._keep(tool, session, line)

    def _note_fetch(self, session: str, line: RecordedCall) -> None:
        found = _HANDLE.search(line.arguments)
        if found is not None and self._handles < MAX_FETCHED:
            self._handles += 1
            self._fetched.setdefault(session, set()).add(found[0])

    def _keep(self, tool: _Tool, session: str, line: RecordedCall) -> None:
        arguments = parse(line.arguments)
        assert isinstance(arguments, dict), "INVARIANT: arguments were written from an object"
        if not line.has_arguments:
            # Two calls whose arguments nobody knows must not count as the same.
            arguments = {_UNKNOWN: str(self._order)}
        call = Call(*tool, {str(key): value for key, value in arguments.items()})
        digest = blake2b(session.encode() + call_key(call), digest_size=8).digest()
        rank = int.from_bytes(digest, "big")
        groups = self._tools.setdefault(tool, {})
        ranks = self._ranks.setdefault(tool, [])
        if rank not in groups:
            if rank >= self._limits.get(tool, rank + 1):
                return
            groups[rank] = _Group(rank, session)
            heapq.heappush(ranks, -rank)
        group = groups[rank]
        if len(group.calls) >= MAX_REPEATS:
            return
        sample = line.sample
        if not sample.is_result:
            self._passed["no MCP result"] += 1
            return
        call = Call(call.server, call.tool, call.arguments, sample.is_error)
        size = sum(map(len, sample.texts))
        group.calls.append(
            _Kept(
                self._order, self._ordinals.get(session, 0), call, sample.texts, sample.is_texts_alone, size
            )
        )
        counted = self._sizes.setdefault(tool, [0, 0])
        counted[0] += 1
        counted[1] += size
        self._bytes += size
        while len(groups) > 1 and (counted[0] > self._most or counted[1] > MAX_BYTES_PER_TOOL):
            self._drop(tool)
        while self._bytes > MAX_BYTES:
            self._drop(max(self._sizes, key=lambda each: (self._sizes[each][1], each)))

    def _drop(self, tool: _Tool) -> None:
        """Let the group of the highest rank go: later calls of it, and of higher ranks, are not taken."""
        rank = -heapq.heappop(self._ranks[tool])
        self._limits[tool] = rank
        group = self._tools[tool].pop(rank)
        counted = self._sizes[tool]
        for each in group.calls:
            counted[0] -= 1
            counted[1] -= each.size
            self._bytes -= each.size

    def material(self) -> Material:
        """The sample of all that was taken in."""
        taken: list[tuple[str, _Kept, Side]] = []
        for groups in self._tools.values():
            sides = _sides([group for group in groups.values() if group.calls])
            taken += [
                (group.session, kept, sides[rank]) for rank, group in groups.items() for kept in group.calls
            ]
        taken.sort(key=lambda each: (each[0], each[1].order))
        calls: list[Taken] = []
        last: tuple[str, int] | None = None
        for session, kept, side in taken:
            before = last[1] if last is not None and last[0] == session else 0
            gap = max(kept.ordinal - before - 1, 0)
            last = (session, kept.ordinal)
            calls.append(Taken(kept.order, session, gap, kept.call, kept.texts, kept.is_texts_alone, side))
        notes = [f"{number:,} results were left out: {why}" for why, number in self._passed.items() if number]
        fetched = {session: frozenset(handles) for session, handles in self._fetched.items()}
        return Material(tuple(calls), self._read, len(self._ordinals), fetched, tuple(notes))


def _sides(groups: Sequence[_Group]) -> dict[int, Side]:
    """The half that each group of a tool is in: by session, or by call where all are of one session."""
    by_session = len({group.session for group in groups}) > 1
    keys = sorted({group.session if by_session else f"{group.rank:020d}" for group in groups}, key=_digest)
    halves: dict[str, Side] = {key: "held out" if at % 2 else "learned" for at, key in enumerate(keys)}
    return {group.rank: halves[group.session if by_session else f"{group.rank:020d}"] for group in groups}


def _digest(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=8).digest()
