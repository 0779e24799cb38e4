"""Bearer tokens with names: whoever has one is the user of that name."""

from __future__ import annotations

import os
import re
import stat
from hashlib import blake2b

from terse.serve.access import Refusal

LEAST_CHARACTERS = 16
"""A token is no password: it is to be made by a program (`openssl rand -hex 32`)."""
MAX_BYTES = 1_000_000
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
_TOKEN = re.compile(r"[A-Za-z0-9._~+/=-]+")


class Unusable(ValueError):  # noqa: N818 — says what the tokens are
    """The tokens cannot be used. The message is one line, and has no token in it."""


class NamedTokens:
    """See `terse.serve.access.Keys`."""

    def __init__(self, names: dict[str, str]) -> None:
        """
        Args:
            names: the user of each token.
        """
        # Looked up by their digests, so that how long it takes tells nothing of a token.
        self._callers = {_digest(token): f"token:{name}" for token, name in names.items()}

    @property
    def callers(self) -> list[str]:
        """All that have a token."""
        return list(dict.fromkeys(self._callers.values()))

    async def caller(self, token: str | None) -> str | Refusal:
        """See `Keys.caller`."""
        found = None if token is None else self._callers.get(_digest(token))
        if found is not None:
            return found
        error = "" if token is None else ', error="invalid_token"'
        return Refusal(401, "a valid bearer token is needed", f'Bearer realm="terse"{error}')


def tokens_in_file(path: str) -> dict[str, str]:
    """The names of the tokens in a file: `NAME TOKEN` a line, or a token alone; `#` begins a comment.

    Raises:
        Unusable: it cannot be read, others can read it, or a line is none.
    """
    try:
        with open(path, "rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            content = file.read(MAX_BYTES + 1)
        text = content.decode("utf-8-sig")
    except OSError as error:
        raise Unusable(f"{path}: {(error.strerror or 'it cannot be read').lower()}") from None
    except UnicodeDecodeError:
        raise Unusable(f"{path}: it is no text in UTF-8") from None
    if stat.S_IMODE(mode) & 0o004:
        raise Unusable(f"{path}: everybody on this machine can read it: chmod o-r {path}")
    if len(content) > MAX_BYTES:
        raise Unusable(f"{path}: it has over {MAX_BYTES:,} bytes")
    return _tokens(text, path)


def tokens_in_variable(name: str) -> dict[str, str]:
    """As `tokens_in_file`, from a variable of the environment.

    Raises:
        Unusable: there is none, or a line is none.
    """
    value = os.environ.get(name)
    if not value:
        raise Unusable(f"the environment has no {name}")
    return _tokens(value, name)


def _tokens(text: str, where: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        place = f"{where}, line {number}"
        if len(words) > 2:
            raise Unusable(f"{place}: write NAME TOKEN, or a token alone")
        name, token = ("user", words[0]) if len(words) == 1 else words
        if not _NAME.fullmatch(name):
            raise Unusable(f"{place}: a name has letters, digits and . _ @ - only")
        if not _TOKEN.fullmatch(token):
            raise Unusable(f"{place}: a token has letters, digits and . _ ~ + / = - only")
        if len(token) < LEAST_CHARACTERS:
            raise Unusable(f"{place}: the token has under {LEAST_CHARACTERS} characters: make it at random")
        if token in found:
            raise Unusable(f"{place}: this token stands there twice")
        found[token] = name
    if not found:
        raise Unusable(f"{where}: there is no token in it")
    return found


def _digest(token: str) -> bytes:
    return blake2b(token.encode("utf-8", "surrogatepass"), digest_size=32).digest()
