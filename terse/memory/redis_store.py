"""What was set aside, in Redis: every replica of a service gives back what another one took in."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b

from terse.memory.redis_link import PREFIX, Away, RedisLink
from terse.memory.store import MAX_BYTES, Store, size_of

SECONDS = 24 * 3600.0
"""How long a text is kept after it was last set aside or fetched."""

# Keys: the times at which texts expire, their sizes (and, under "", the sum). The clock is that of Redis, as
# those of replicas may differ. What has expired is taken out by whoever comes next, a thousand at a time.
_NOW = """
local told = redis.call('TIME')
local now = told[1] * 1000 + math.floor(told[2] / 1000)
local used = tonumber(redis.call('HGET', KEYS[2], '') or '0')
for _, handle in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, 1000)) do
  used = redis.call('HINCRBY', KEYS[2], '', -tonumber(redis.call('HGET', KEYS[2], handle) or '0'))
  redis.call('HDEL', KEYS[2], handle)
  redis.call('ZREM', KEYS[1], handle)
end
local function renew(handle, key, milliseconds)
  redis.call('ZADD', KEYS[1], now + milliseconds, handle)
  redis.call('PEXPIRE', key, milliseconds)
  redis.call('PEXPIRE', KEYS[1], milliseconds)
  redis.call('PEXPIRE', KEYS[2], milliseconds)
end
"""
_KEEP = (
    _NOW
    + """
local most, milliseconds = tonumber(ARGV[1]), tonumber(ARGV[2])
local needed = 0
for place = 3, #KEYS do
  local handle, text, size = ARGV[3 * place - 6], ARGV[3 * place - 5], tonumber(ARGV[3 * place - 4])
  local kept = redis.call('GET', KEYS[place])
  if not kept then
    needed = needed + size - tonumber(redis.call('HGET', KEYS[2], handle) or '0')
  elseif kept ~= text then
    return 0
  end
end
if used + needed > most then return 0 end
for place = 3, #KEYS do
  local handle, text, size = ARGV[3 * place - 6], ARGV[3 * place - 5], tonumber(ARGV[3 * place - 4])
  if redis.call('EXISTS', KEYS[place]) == 0 then
    local before = tonumber(redis.call('HGET', KEYS[2], handle) or '0')
    redis.call('SET', KEYS[place], text)
    redis.call('HSET', KEYS[2], handle, size)
    redis.call('HINCRBY', KEYS[2], '', size - before)
  end
  renew(handle, KEYS[place], milliseconds)
end
return 1
"""
)
_GET = (
    _NOW
    + """
local text = redis.call('GET', KEYS[3])
if text and redis.call('ZSCORE', KEYS[1], ARGV[1]) then
  renew(ARGV[1], KEYS[3], tonumber(ARGV[2]))
  return text
end
return false
"""
)
_USED = _NOW + "return used"


class RedisStore(Store):
    """The set-aside texts of one principal. Safe to use from any thread, process and machine.

    INVARIANT: what was once taken in is given back, unchanged, until it expires; to nobody else.

    Args:
        principal: whose they are: nobody reads or fills what is another one's.
        max_bytes: what the principal may set aside.
        seconds: see `SECONDS`.
    """

    def __init__(
        self,
        link: RedisLink,
        principal: str = "",
        max_bytes: int = MAX_BYTES,
        *,
        seconds: float = SECONDS,
    ) -> None:
        super().__init__(max_bytes)
        self._link = link
        self._milliseconds = max(1, int(seconds * 1000))
        self._base = f"{PREFIX}aside:{{{digest_of(principal)}}}:"
        self._index = [f"{self._base}until", f"{self._base}sizes"]

    @property
    def free_bytes(self) -> int:
        """How much more can be taken in; nothing while Redis is away."""
        try:
            used = self._link.script(_USED, self._index, ())
        except Away:
            return 0
        return max(0, self._max_bytes - int(used))

    def keep(self, texts: Mapping[str, str]) -> bool:
        """Take all of the texts in (handle → text), or none.

        Returns:
            whether they were taken: False when there is no room for all, a handle stands for another text
            already, or Redis is away.
        """
        if not texts:
            return True
        arguments: list[str | bytes | int] = [self._max_bytes, self._milliseconds]
        for handle, text in texts.items():
            arguments += (handle, text.encode("utf-8", "surrogatepass"), size_of(text))
        try:
            return bool(self._link.script(_KEEP, [*self._index, *map(self._key, texts)], arguments))
        except Away:
            return False

    def get(self, handle: str) -> str | None:
        """The text of a handle, None if it was never made or has expired.

        Raises:
            Away: Redis cannot be asked.
        """
        keys = [*self._index, self._key(handle)]
        found = self._link.script(_GET, keys, (handle, self._milliseconds))
        return None if found is None else bytes(found).decode("utf-8", "surrogatepass")

    def _key(self, handle: str) -> str:
        return f"{self._base}{handle}"


def digest_of(name: str) -> str:
    """A name as part of a key: of one length, and telling nothing of whose it is."""
    return blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
