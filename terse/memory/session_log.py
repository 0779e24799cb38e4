"""What a session's client was sent, as a log in Redis that every replica reads and adds to. docs/replicas.md.

Nothing in the log is ever changed, so that two replicas may serve one session at once: what one of them has
read stays true for the client. What stands in it the client has; what it may not have does not stand in it.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

from terse.memory.redis_link import PREFIX, Away, RedisLink
from terse.memory.redis_store import digest_of

MAX_TOOLS = 4096
"""Tools whose calls are counted."""
MAX_PAGES = 64
MAX_PAGE_BYTES = 4 * 1024 * 1024
"""Of the list of tools as the server gave it last, for replicas that did not see it."""

# INVARIANT: numbers of calls are right, or nothing speaks of them. A Redis that was started anew, or took
# another one's place, may have lost the newest ones: a log is believed in the run of Redis that it was begun
# in, and in no other. And while one call of a tool is not answered, nobody can say whether its client counts
# it: results of later calls of the tool have no number that could be spoken of (`answered` is how many, from
# the first on, are known to be with the client).
_SOUND = """
local meta = KEYS[1]
local function run() return string.match(redis.call('INFO', 'server'), 'run_id:(%w+)') end
local function is_sound()
  local begun = redis.call('HGET', meta, 'run')
  if not begun or redis.call('HEXISTS', meta, 'doubt') == 1 then return false end
  if begun == run() then return true end
  redis.call('HSET', meta, 'doubt', '1')
  return false
end
"""
_BEGIN = (
    _SOUND
    + """
if redis.call('EXISTS', meta) == 0 then redis.call('HSET', meta, 'run', run()) end
redis.call('PEXPIRE', meta, ARGV[1])
return is_sound() and 1 or 0
"""
)
_COUNT = (
    _SOUND
    + """
if not is_sound() then return 0 end
local field = 'asked ' .. ARGV[2]
local is_new = redis.call('HEXISTS', meta, field) == 0
if is_new and redis.call('HLEN', meta) > tonumber(ARGV[3]) then return -1 end
redis.call('PEXPIRE', meta, ARGV[1])
return redis.call('HINCRBY', meta, field, 1)
"""
)
_ADD = (
    _SOUND
    + """
if not is_sound() then return 0 end
local event, tokens, most, tool, number = ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5], tonumber(ARGV[6])
redis.call('PEXPIRE', meta, ARGV[1])
if number > 0 then
  local field = 'answered ' .. tool
  local answered = tonumber(redis.call('HGET', meta, field) or '0')
  if number == answered + 1 then
    repeat answered = answered + 1 until redis.call('HDEL', meta, field .. ' ' .. (answered + 1)) == 0
    redis.call('HSET', meta, field, answered)
  elseif number > answered and number <= answered + 256 then
    redis.call('HSET', meta, field .. ' ' .. number, '1')
  end
end
if event == '' then return 1 end
local calls = redis.call('HINCRBY', meta, 'calls', number > 0 and 1 or 0)
redis.call('HINCRBY', meta, 'tokens', tokens)
redis.call('HINCRBY', meta, 'events', 1)
redis.call('RPUSH', KEYS[2], calls .. ' ' .. event)
local bytes = redis.call('HINCRBY', meta, 'bytes', #event)
while bytes > most do
  local oldest = redis.call('LPOP', KEYS[2])
  if not oldest then break end
  bytes = redis.call('HINCRBY', meta, 'bytes', string.find(oldest, ' ', 1, true) - #oldest)
end
redis.call('PEXPIRE', KEYS[2], ARGV[1])
return 1
"""
)
_READ = (
    _SOUND
    + """
if not is_sound() then return {} end
redis.call('PEXPIRE', meta, ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[1])
local events = tonumber(redis.call('HGET', meta, 'events') or '0')
local first = events - redis.call('LLEN', KEYS[2])
local from = math.max(tonumber(ARGV[2]) - first, 0)
local tokens = tonumber(redis.call('HGET', meta, 'tokens') or '0')
local answered = tonumber(redis.call('HGET', meta, 'answered ' .. ARGV[3]) or '0')
return {events, tokens, answered, redis.call('LRANGE', KEYS[2], from, -1)}
"""
)
_DOUBT = "if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('HSET', KEYS[1], 'doubt', '1') end return 1"
_SHOW = """
local meta, pages, bare, typed = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local is_first, is_last, own, page, limit = ARGV[2], ARGV[3], ARGV[4], ARGV[5], tonumber(ARGV[6])
if is_first == '1' then redis.call('DEL', pages) end
if page == '' or redis.call('LLEN', pages) >= limit then
  redis.call('DEL', pages)
  redis.call('HSET', meta, 'any schema', '1', 'can retrieve', '0')
else
  redis.call('RPUSH', pages, page)
  if is_last == '1' then
    redis.call('HSET', meta, 'can retrieve', own == '' and '0' or '1')
    if own ~= '' then redis.call('HSET', meta, 'own tool', own) end
  end
end
local bares = tonumber(ARGV[7])
for place = 8, #ARGV do redis.call('SADD', place < 8 + bares and bare or typed, ARGV[place]) end
redis.call('HINCRBY', meta, 'shown', 1)
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ARGV[1]) end
return 1
"""
_SHOWN = (
    _SOUND
    + """
if redis.call('HGET', meta, 'run') ~= run() then return {} end
local shown = tonumber(redis.call('HGET', meta, 'shown') or '0')
if shown == tonumber(ARGV[2]) then return {shown} end
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ARGV[1]) end
return {shown, redis.call('HGET', meta, 'any schema') or '0', redis.call('HGET', meta, 'can retrieve') or '0',
  redis.call('HGET', meta, 'own tool') or '', redis.call('LRANGE', KEYS[2], 0, -1),
  redis.call('SMEMBERS', KEYS[3]), redis.call('SMEMBERS', KEYS[4])}
"""
)


class Event(NamedTuple):
    """An entry of the log.

    Attributes:
        calls: of the session, that were answered by then, this one counted.
    """

    calls: int
    data: bytes


class News(NamedTuple):
    """What came to the log since it was read.

    Attributes:
        position: where to read on.
        tokens: sent in the session, in all.
        answered: calls of the tool, from the first on, whose answers the client has.
    """

    position: int
    tokens: int
    answered: int
    events: tuple[Event, ...]


class Shown(NamedTuple):
    """What the client was shown of the tools.

    Attributes:
        version: another one, whenever it was shown something.
        any_schema: it may have seen an `outputSchema` of any tool.
        own_tool: the name that it knows our tool by, if it does.
        pages: of the list that it had last, as entries that the replica made which showed them.
        bare, typed: tools that it was shown without and with an `outputSchema`.
    """

    version: int
    any_schema: bool
    can_retrieve: bool
    own_tool: str | None
    pages: tuple[bytes, ...]
    bare: frozenset[str]
    typed: frozenset[str]


class Page(NamedTuple):
    """A page of the tools that the client was shown; `data` is for whoever reads it."""

    data: bytes
    is_first: bool
    is_last: bool
    own_tool: str | None
    bare: frozenset[str]
    typed: frozenset[str]


class SessionLog:
    """The log of one session with one server. Safe to use from any thread.

    Args:
        session: its id, which nobody can guess.
        server: the name that rules know the server by.
        max_bytes: of the results in it; the oldest are dropped.
        seconds: how long it is kept after it was last used.

    Attributes:
        is_in_doubt: a call was made that may not have been counted: nothing may speak of earlier calls any
            more, here or on another replica.
    """

    def __init__(self, link: RedisLink, session: str, server: str, max_bytes: int, seconds: float) -> None:
        self.is_in_doubt = False
        self.max_bytes = max_bytes
        self._link = link
        self._milliseconds = max(1, int(seconds * 1000))
        self._base = f"{PREFIX}log:{{{digest_of(session)}}}:{digest_of(server)}"
        self._lock = threading.Lock()

    def begin(self) -> None:
        """The session is new: its client has nothing. Where Redis is away, it stays in doubt."""
        try:
            if not self._ask(_BEGIN, ()):
                self.is_in_doubt = True
        except Away:
            self.doubt()

    def count(self, tool: str) -> int | None:
        """The number of a call that is being made, among the calls of its tool; None: nobody knows it."""
        if self.is_in_doubt:
            return None
        try:
            number = int(self._ask(_COUNT, (digest_of(tool), MAX_TOOLS)))
        except Away:
            self.doubt()
            return None
        if number == 0:
            self.is_in_doubt = True
        return number if number > 0 else None

    def doubt(self) -> None:
        """A call could not be counted. Other replicas are told as soon as Redis is there."""
        self.is_in_doubt = True
        self._link.owe(f"doubt {self._base}", lambda: self._ask(_DOUBT, ()))

    def add(self, event: bytes, *, tokens: int = 0, tool: str = "", number: int = 0) -> None:
        """Note something; of a call that was answered, its tool and number, and an event or b"".

        Raises:
            Away: it may not stand in the log.
        """
        self._ask(_ADD, (event, tokens, self.max_bytes, digest_of(tool), number), "events")

    def read(self, position: int, tool: str) -> News | None:
        """What came since a position; None: the log says nothing that could be relied on.

        Raises:
            Away: Redis cannot be asked.
        """
        if self.is_in_doubt:
            return None
        found = self._ask(_READ, (position, digest_of(tool)), "events")
        if not found:
            self.is_in_doubt = True
            return None
        read, tokens, answered, entries = found
        split = (bytes(each).split(b" ", 1) for each in entries)
        events = tuple(Event(int(calls), data) for calls, data in split)
        return News(int(read), int(tokens), int(answered), events)

    def show(self, page: Page | None) -> None:
        """The client has a page of the tools; None: one that nobody looked at.

        Raises:
            Away: other replicas may not know of it.
        """
        arguments: list[str | bytes | int] = ["0", "0", "", "", MAX_PAGES, 0]
        if page is not None:
            data = page.data if len(page.data) <= MAX_PAGE_BYTES else b""
            own = page.own_tool or ""
            arguments = [str(int(page.is_first)), str(int(page.is_last)), own, data, MAX_PAGES]
            arguments += [len(page.bare), *map(_raw, sorted(page.bare)), *map(_raw, sorted(page.typed))]
        self._ask(_SHOW, arguments, *_LISTS)

    def show_later(self) -> None:
        """The client was shown tools, and nobody could be told of what: that is told as soon as possible."""
        self._link.owe(f"show {self._base}", lambda: self.show(None))

    def shown(self, version: int) -> Shown | None:
        """What the client was shown, if that is not of this version; None: nobody knows.

        Raises:
            Away: Redis cannot be asked.
        """
        found = self._ask(_SHOWN, (version,), *_LISTS)
        if not found:
            return None
        if len(found) == 1:
            return Shown(int(found[0]), False, False, None, (), frozenset(), frozenset())
        _, schema, retrieves, own, pages, bare, typed = found
        return Shown(
            int(found[0]),
            schema == b"1",
            retrieves == b"1",
            _text(own) or None,
            tuple(map(bytes, pages)),
            frozenset(map(_text, bare)),
            frozenset(map(_text, typed)),
        )

    def _ask(self, script: str, arguments: Sequence[str | bytes | int], *more: str) -> Any:
        keys = [self._base, *(f"{self._base}:{name}" for name in more)]
        return self._link.script(script, keys, (self._milliseconds, *arguments))


_LISTS = ("pages", "bare", "typed")


def _raw(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")


def _text(raw: bytes) -> str:
    return bytes(raw).decode("utf-8", "surrogatepass")
