"""What signals do to a run: the first stops it cleanly, the second ends forge at once."""

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Signals:
    """The signals of one run, taken from the start to `restore`.

    What still runs after a second signal is ended by its guards, which notice that forge is gone.
    When the run has ended, a first signal changes nothing any more, and evidence is written to its
    end. Who was started with SIGHUP ignored, as `nohup` does, goes on ignoring it.
    """

    def __init__(self, run_id: str) -> None:
        self._run_id = run_id
        self._stop: Callable[[str], object] | None = None
        found = {number: signal.getsignal(number) for number in SIGNALS}
        ignored = found[signal.SIGHUP] is signal.SIG_IGN
        self._before = {n: was for n, was in found.items() if not (ignored and n == signal.SIGHUP)}
        self._seen = False

    @contextmanager
    def stopping(self, stop: Callable[[str], None]) -> Iterator[None]:
        """While the running loop lasts, the first signal calls `stop` with its name, within it.

        These are no signal handlers of the loop's: one that is stuck would never run them, and
        the second signal has to end forge then, too.
        """
        loop = asyncio.get_running_loop()
        self._stop = lambda name: loop.call_soon_threadsafe(stop, name)
        for number in self._before:
            signal.signal(number, self._take)
        try:
            yield
        finally:
            self._stop = None

    def restore(self) -> None:
        """Signals mean again what they did before."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _take(self, number: int, _frame: FrameType | None) -> None:
        name = signal.Signals(number).name
        if self._seen:
            self._leave(number, name)
        self._seen = True
        if self._stop is not None:
            self._stop(name)

    def _leave(self, number: int, name: str) -> None:
        """Never returns; nothing is used that the interrupted code may have locked."""
        sentence = (
            f"\nforge: ended at once by a second signal, {name}: what was running is killed, no "
            f"evidence is written; look  forge show {self._run_id}\n"
        )
        with suppress(OSError):
            os.write(2, sentence.encode())
        os._exit(128 + number)
