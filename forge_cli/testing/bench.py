"""A workspace with one open handler, and turns for it."""

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from forge_cli.errors import ForgeError
from forge_cli.gateway.secrets import Redactor
from forge_cli.handlers import create
from forge_cli.handlers.context import HandlerContext, OpenHandler
from forge_cli.multiagent.plan import Grant
from forge_cli.multiagent.turn import Turn, TurnResult

SECONDS = 30
"""How long a turn may take before its test has failed."""


def a_turn(**fields: Any) -> Turn:
    """A turn whose item declares the one output `result`; every field can be given instead."""
    turn = Turn(
        run_id="run-1",
        item_id="item",
        attempt_id="attempt-1",
        key="item/1",
        number=1,
        role_id="role",
        role_version=1,
        purpose="Look at it",
        inputs={},
        grant=Grant(outputs=("result",)),
        handler_kind="",
        handler={},
        budget={},
        timeout=60_000,
        deadline=0,
    )
    return replace(turn, **fields)


class Kept:
    """Artifacts in memory."""

    def __init__(self) -> None:
        self._bodies: dict[str, bytes] = {}

    def put(self, data: bytes) -> str:
        """Keep the bytes; returns their `sha256:<hex>`."""
        digest = "sha256:" + hashlib.sha256(data).hexdigest()
        self._bodies[digest] = data
        return digest

    def get(self, digest: str) -> bytes:
        """The bytes of a digest; `ForgeError` if they are not there."""
        if digest not in self._bodies:
            raise ForgeError(f"nothing is kept as {digest}")
        return self._bodies[digest]


@dataclass(frozen=True, slots=True)
class Bench:
    """One open handler, where it works, and what is kept of what it prints."""

    workspace: Path
    kept: Kept
    handler: OpenHandler

    async def run(self, turn: Turn) -> TurnResult:
        """The turn's result; `TimeoutError` after half a minute."""
        return await asyncio.wait_for(self.handler.run(turn), SECONDS)


@asynccontextmanager
async def opened(
    kind: str, workspace: Path, secrets: Mapping[str, str] | None = None
) -> AsyncIterator[Bench]:
    """A handler of that kind as a run opens it; all that it started has ended afterwards.

    `secrets` are variables of the caller, whose values are redacted.
    """
    kept, secret = Kept(), dict(secrets or {})
    context = HandlerContext(
        workspace=workspace,
        folder=workspace,
        artifacts=kept,
        redactor=Redactor(secret),
        environment={"PATH": os.environ.get("PATH", os.defpath), **secret},
    )
    try:
        handler = create([kind], context)[kind]
        try:
            yield Bench(workspace, kept, handler)
        finally:
            await handler.close()
    finally:
        context.processes.close()
