"""Limits on a calculation that nothing else can interrupt."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

PATIENCE = 10
"""Seconds that a verdict may take: a pattern may need longer than anybody waits."""

UNDECIDED = "could not be decided"
"""What a verdict says of a value that took longer."""

_LEAST = 0.001
"""No time at all would be no limit."""

_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

Handler = Callable[[int, FrameType | None], object]


class OvertimeError(Exception):
    """The calculation took longer than it may; the text begins as `UNDECIDED`."""


class StoppedError(BaseException):
    """Forge is told to stop, so nobody waits for the calculation: it has no verdict at all."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """End the calculation inside with `OvertimeError` after so many seconds.

    By signals, because `re` looks for signals while it matches and for nothing else. One that is
    to stop forge reaches its own handler and ends it with `StoppedError`. Only the main thread gets
    signals: in another one there is no limit.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    seconds = max(seconds, _LEAST)
    before = {number: signal.getsignal(number) for number in (signal.SIGALRM, *_STOPPING)}
    signal.signal(signal.SIGALRM, _ending(OvertimeError(f"{UNDECIDED} within {seconds:.2g} s")))
    for number in _STOPPING:
        if callable(handler := before[number]):
            signal.signal(number, _ending(StoppedError(), handler))
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


def _ending(end: BaseException, first: Handler | None = None) -> Handler:
    def handle(number: int, frame: FrameType | None) -> None:
        if first is not None:
            first(number, frame)
        raise end

    return handle
