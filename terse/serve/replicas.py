"""Sessions that any replica goes on with: what each has to know of them, in Redis. docs/replicas.md."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from terse.memory.redis_link import PREFIX, RedisLink
from terse.memory.redis_store import digest_of
from terse.serve.attached import Open

MAX_SAID = 64
"""Messages of one client that a server is told anew; of more, the oldest are not."""
ENDED_SECONDS = 86400
"""How long it is known of a session that its client ended it."""

_PUT = """
if redis.call('EXISTS', KEYS[3]) == 1 then return 0 end
redis.call('HSET', KEYS[1], 'caller', ARGV[2], 'version', ARGV[3], 'introduction', ARGV[4])
for _, key in ipairs({KEYS[1], KEYS[2]}) do redis.call('PEXPIRE', key, ARGV[1]) end
return 1
"""
_GET = """
if redis.call('EXISTS', KEYS[3]) == 1 then return false end
local found = redis.call('HMGET', KEYS[1], 'caller', 'version', 'introduction')
if not found[1] then return false end
for _, key in ipairs({KEYS[1], KEYS[2]}) do redis.call('PEXPIRE', key, ARGV[1]) end
return found
"""
_USE = """
if redis.call('EXISTS', KEYS[3]) == 1 then return {'ended'} end
if redis.call('EXISTS', KEYS[1]) == 0 then return {'unknown'} end
if ARGV[3] ~= '' then
  redis.call('RPUSH', KEYS[2], ARGV[3])
  redis.call('LTRIM', KEYS[2], -tonumber(ARGV[4]), -1)
  redis.call('HINCRBY', KEYS[1], 'said', 1)
end
for _, key in ipairs({KEYS[1], KEYS[2]}) do redis.call('PEXPIRE', key, ARGV[1]) end
local said = tonumber(redis.call('HGET', KEYS[1], 'said') or '0')
local first = said - redis.call('LLEN', KEYS[2])
local from = math.max(tonumber(ARGV[2]) - first, 0)
return {'known', said, redis.call('LRANGE', KEYS[2], from, -1)}
"""
_END = """
redis.call('SET', KEYS[3], '1', 'EX', ARGV[1])
return redis.call('DEL', KEYS[1], KEYS[2])
"""


class Known(NamedTuple):
    """What a session needs on another replica.

    Attributes:
        version: the protocol version that was agreed on.
        introduction: the client's `initialize`, as it came.
    """

    caller: str
    version: str
    introduction: bytes


class Said(NamedTuple):
    """What servers are to be told that did not hear it from the client.

    Attributes:
        position: where to go on.
    """

    position: int
    messages: tuple[bytes, ...]


class Ended(Exception):  # noqa: N818 — says what became of a session
    """The client has ended the session."""


class Replicas:
    """What replicas tell each other, by way of Redis. Methods wait for it, and may be called from any thread.

    Each but `state` raises `terse.memory.redis_link.Away` where Redis cannot be asked.

    Args:
        opens: starts a server for a session of this id, which is new, or was begun on another replica.
        seconds: how long a session is kept that nobody uses.
        asks_for_tools: another replica's server is to be asked for its tools, where the client has asked: of
            what it shows of several servers nothing else is known there.
        counted: what all replicas have saved today, by name. Raises nothing.
    """

    def __init__(
        self,
        link: RedisLink,
        opens: Callable[[str, bool], Open],
        seconds: float,
        *,
        asks_for_tools: bool = False,
        counted: Callable[[], Mapping[str, int]] = dict,
    ) -> None:
        self.link = link
        self.opens = opens
        self.asks_for_tools = asks_for_tools
        self.counted = counted
        self._milliseconds = max(1, int(seconds * 1000))

    def state(self) -> str:
        """`ok`, or why Redis cannot be used. Raises nothing."""
        return self.link.state

    def put(self, session: str, known: Known) -> None:
        """The session was begun."""
        caller = known.caller.encode("utf-8", "surrogatepass")
        arguments = (self._milliseconds, caller, known.version, known.introduction)
        self.link.script(_PUT, _keys(session), arguments)

    def get(self, session: str) -> Known | None:
        """What is known of a session that was begun on some replica; None: there is none."""
        found = self.link.script(_GET, _keys(session), (self._milliseconds,))
        if found is None:
            return None
        caller, version, introduction = found
        text = bytes(caller).decode("utf-8", "surrogatepass")
        return Known(text, bytes(version).decode(), bytes(introduction))

    def use(self, session: str, heard: int, message: bytes = b"") -> Said | None:
        """The session is used on this replica.

        Args:
            heard: the position that its server was told until.
            message: what the client says now, and all servers of the session are to hear.

        Returns:
            what the server is to be told, this message with it; None: the session was never `put`, or Redis
            lost it.

        Raises:
            Ended: the session is over.
        """
        arguments: Sequence[str | bytes | int] = (self._milliseconds, heard, message, MAX_SAID)
        state, *rest = self.link.script(_USE, _keys(session), arguments)
        if state == b"ended":
            raise Ended
        if state == b"unknown":
            return None
        return Said(int(rest[0]), tuple(map(bytes, rest[1])))

    def end(self, session: str) -> None:
        """The client has ended the session."""
        self.link.script(_END, _keys(session), (ENDED_SECONDS,))


def _keys(session: str) -> list[str]:
    base = f"{PREFIX}session:{{{digest_of(session)}}}"
    return [base, f"{base}:said", f"{base}:ended"]
