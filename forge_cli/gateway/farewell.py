"""How a tree of processes is seen off: time to end by itself, TERM, a grace period, KILL."""

import os
import signal
import time

from forge_cli.gateway import tree

LINGER = 0.2
"""Seconds that what a program left behind gets to end by itself, as a `tee` at its pipe does."""

INSISTENCE = 5.0
"""Seconds of KILL after which a process counts as one that cannot be killed."""

WAVE = 0.01
"""Seconds between two rounds of KILL: what was forked between look and signal is in the next."""


class Farewell:
    """The steps to the end of everything below the calling process, which adopts orphans.

    Times are seconds of the monotonic clock. `step` is `rests` until one of the three verbs is
    called; `advance` does what is due. Whether the tree is gone is for `tree.reap` to say.
    """

    def __init__(self, grace: float) -> None:
        self.step = "rests"
        self._grace = grace
        self._due: float | None = None
        self._asked: set[tuple[int, int]] = set()

    def linger(self) -> None:
        """The program itself has ended: wait a moment for the others."""
        if self.step == "rests":
            self._enter("lingers", LINGER)

    def ask(self) -> None:
        """Send TERM to all of them once, and give them the grace period.

        Once, because what a handler starts in order to clean up must not be stopped by it. Who
        is orphaned later (it was forked between look and signal) gets its TERM then.
        """
        if self.step in ("rests", "lingers"):
            self._ask(tree.members(os.getpid()))
            self._enter("asked", self._grace)

    def kill(self) -> None:
        """Send KILL to all of them, again and again until nobody is left."""
        if self.step != "killed":
            self._enter("killed", 0.0)
            self._last = time.monotonic() + INSISTENCE

    def advance(self) -> float | None:
        """Do what is due. Seconds until more is due; None: nothing is; raises when given up."""
        now = time.monotonic()
        if self._due is None:
            return None
        if now >= self._due:
            self._move(now)
        elif self.step == "asked":
            root = os.getpid()
            self._ask([member for member in tree.members(root) if member.parent == root])
        return max(0.0, self._due - now)

    def _move(self, now: float) -> None:
        if self.step == "lingers":
            self.ask()
        elif self.step == "asked":
            self.kill()
        elif now >= self._last:
            raise TimeoutError("some processes outlive KILL")
        else:
            for member in tree.members(os.getpid()):
                tree.send(member, signal.SIGKILL, os.getpid())
            self._due = now + WAVE

    def _enter(self, step: str, seconds: float) -> None:
        self.step = step
        self._due = time.monotonic() + seconds

    def _ask(self, members: list[tree.Member]) -> None:
        for member in members:
            if (member.pid, member.started) not in self._asked:
                self._asked.add((member.pid, member.started))
                tree.send(member, signal.SIGTERM, os.getpid())


def see_off(grace: float) -> list[tree.Member]:
    """Bring everything below this process to its end; returns what outlives even KILL."""
    farewell = Farewell(grace)
    farewell.linger()
    while tree.reap()[1]:
        try:
            pause = farewell.advance()
        except TimeoutError:
            return tree.members(os.getpid())
        time.sleep(min(pause or 0.0, WAVE))
    return []
