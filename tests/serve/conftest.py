"""A service that the tests of a file share: each has its own session."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.serve.served import Alone, Client, Served, served


@pytest.fixture(scope="module")
def service() -> Iterator[Served]:
    """`terse serve` in front of a server that talks, with no options."""
    with served() as running:
        yield running


@pytest.fixture
def client(service: Served) -> Iterator[Client]:
    """A client with a session of its own."""
    with Client(service.url) as begun:
        yield begun.begin()


@pytest.fixture
def alone(service: Served) -> Iterator[Alone]:
    """A client of 2026-07-28."""
    with Alone(service.url) as client:
        yield client
