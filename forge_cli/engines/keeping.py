"""Keeping and restoring files beside the loop, in a thread that ends before its turn does."""

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

from forge_cli.multiagent.ports import Keeper, Kept
from forge_cli.multiagent.turn import Turn, TurnResult


async def kept(keeper: Keeper, writes: Sequence[str]) -> Kept:
    """Keep what the scopes allow to be written; when cancelled, give it up and only then end."""
    given_up = threading.Event()
    task = asyncio.ensure_future(asyncio.to_thread(keeper.keep, writes, given_up.is_set))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        given_up.set()
        await _end(task)
        raise


async def restored(keeper: Keeper, turn: Turn) -> TurnResult:
    """Restore the snapshot that the turn names, to its end: a part of it would help nobody."""
    task = asyncio.ensure_future(asyncio.to_thread(keeper.restore, turn.handler["snapshot"]))
    await _end(task)
    return TurnResult.done({"changed": task.result()})


async def synced(keeper: Keeper) -> None:
    """Make durable what a turn has written, to its end: it has ended, and cannot be stopped."""
    task = asyncio.ensure_future(asyncio.to_thread(keeper.sync))
    await _end(task)
    task.result()


async def _end(task: asyncio.Task[Any]) -> None:
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:
            continue
    task.exception()
