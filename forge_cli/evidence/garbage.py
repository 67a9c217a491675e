"""Pausing Python's search for cycles while much is built that stays."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Without the cyclic collector, as it was before afterwards.

    A plan and a run of 100,000 items are millions of objects, none of them garbage: looking for
    some doubles the time. What is not in a cycle is freed all the same.
    """
    active = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if active:
            gc.enable()
