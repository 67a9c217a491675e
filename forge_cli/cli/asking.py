"""Asking the person at the terminal for an approval that a run awaits."""

import sys

from forge_cli.app.decisions import Decision
from forge_cli.cli.board import Board
from forge_cli.cli.header import short_digest


def approved(board: Board) -> Decision | None:
    """The approval that the person gives now, if one is awaited; anything but yes is none."""
    awaited = next((problem for problem in board.problems if problem.digest), None)
    if board.status != "paused" or awaited is None:
        return None
    digest = short_digest(awaited.digest)
    sys.stderr.write(f"approve '{awaited.item_id}' with these inputs, {digest}, now? [y/N] ")
    sys.stderr.flush()
    try:
        answer = sys.stdin.readline()
    except KeyboardInterrupt:
        answer = ""
    yes = answer.strip().lower() in ("y", "yes")
    return Decision("approve", awaited.item_id, digest) if yes else None
