"""A limit on the time of a calculation that nothing else can interrupt."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 10
"""Seconds that a verdict may take: a pattern may need longer than anybody waits."""

UNDECIDED = "could not be decided within"
"""What a verdict says of a value that took longer."""


class OvertimeError(Exception):
    """The calculation took longer than it may."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """End the calculation inside with `OvertimeError` after so many seconds.

    By a timer signal, because `re` looks for signals while it matches and for nothing else. Only
    the main thread gets signals: in another one there is no limit.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, _end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _end(*_: object) -> None:
    raise OvertimeError
