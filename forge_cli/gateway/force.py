"""The last resort against a guard that does not answer: what it should have ended is ended here."""

import signal

from forge_cli.gateway import tree


def end(guard: tree.Member) -> None:
    """Send KILL to everything below the guard, and then to itself; returns at once.

    The warden above it may have been stopped as well: it is woken, and kills what it adopts.
    """
    seen = tree.look(guard.pid)
    if seen is None or seen.started != guard.started:
        return
    warden = tree.look(seen.parent)
    if warden is not None:
        tree.send(warden, signal.SIGCONT, warden.parent)
    for member in (*tree.members(guard.pid), seen):
        tree.send(member, signal.SIGKILL, seen.parent)


def end_below(root: int) -> None:
    """Send KILL to everything below the process; returns at once."""
    for member in tree.members(root):
        tree.send(member, signal.SIGKILL, root)
