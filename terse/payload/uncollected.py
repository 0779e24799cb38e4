"""Work that makes many objects and no cycles, without the collector looking for cycles all the while."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

LARGE = 500_000
"""Characters of a text that is worth it."""


@contextmanager
def uncollected(size: int) -> Iterator[None]:
    """Pause the cyclic collector, if the text at work is large.

    A parsed document of 10 MB is a few hundred thousand objects: looking through all of them again
    and again took a third of the time. Memory is freed by reference counts as always.
    """
    if size < LARGE or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
