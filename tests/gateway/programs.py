"""What tests of started programs have in common: who starts them, and what is waited for."""

import asyncio
import os
import select
from collections.abc import Awaitable, Callable
from pathlib import Path

from forge_cli.gateway.processes import Processes

SECONDS = 20
"""How long anything may take before the test has failed."""


def use(scenario: Callable[[Processes], Awaitable[None]], found: Processes | None = None) -> None:
    """Play it with what starts programs, which is closed at the end."""

    async def main() -> None:
        made = found or Processes()
        try:
            await scenario(made)
        finally:
            made.close()

    asyncio.run(main())


async def told(fifo: Path) -> str:
    """What the program writes into the pipe file: the fact that the test waits for."""
    return await asyncio.wait_for(asyncio.to_thread(fifo.read_text), SECONDS)


def wait_for_the_end_of(pid: int) -> None:
    """Wait until the process is gone; an error if it stays."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    ended = poll.poll(SECONDS * 1000)
    os.close(handle)
    assert ended, f"{pid} is still there"
