"""Servers that the stores of this folder keep things in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.redis_server import BINARIES, binary, running


def _url(name: str, factory: pytest.TempPathFactory) -> Iterator[str]:
    if name not in BINARIES:
        # One of the two has to be there: the other one's tests say the same.
        binary()
        pytest.skip(f"no {name}-server here")
    with running(BINARIES[name], factory.mktemp(name)) as server:
        yield server.url


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Redis that lasts as long as the tests."""
    yield from _url("redis", tmp_path_factory)


@pytest.fixture(scope="session")
def valkey_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Valkey."""
    yield from _url("valkey", tmp_path_factory)
