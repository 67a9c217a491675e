"""A workspace, handlers that are open in it, and turns for them."""

import asyncio
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from forge_cli.gateway.secrets import Redactor
from forge_cli.handlers import create
from forge_cli.handlers.context import HandlerContext
from forge_cli.multiagent.plan import Grant
from forge_cli.multiagent.turn import Turn, TurnResult
from forge_cli.testing import Kept, a_turn
from tests.handlers.agents import MODEL, READS, VERDICT


@pytest.fixture
def kept() -> Kept:
    return Kept()


@pytest.fixture
def context(tmp_path: Path, kept: Kept) -> Iterator[HandlerContext]:
    (tmp_path / "manifests").mkdir()
    context = HandlerContext(
        workspace=tmp_path,
        folder=tmp_path / "manifests",
        artifacts=kept,
        redactor=Redactor({"TOKEN": "canary-41f7c2"}),
        environment={"PATH": os.environ["PATH"], "TOKEN": "canary-41f7c2"},
    )
    yield context
    context.processes.close()


@pytest.fixture
def turn() -> Turn:
    return a_turn(handler_kind="command")


@pytest.fixture
def run(context: HandlerContext, turn: Turn) -> Callable[..., TurnResult]:
    """Run one turn: `run(kind, config, outputs=..., inputs=..., ...)`."""

    def run(
        kind: str, config: dict[str, Any], outputs: tuple[str, ...] = ("result",), **fields: Any
    ) -> TurnResult:
        made = replace(turn, handler=config, grant=Grant(outputs=outputs), **fields)

        async def main() -> TurnResult:
            handler = create([kind], context)[kind]
            try:
                return await handler.run(made)
            finally:
                await handler.close()

        return asyncio.run(main())

    return run


@pytest.fixture
def run_in_turn(context: HandlerContext, turn: Turn) -> Callable[..., list[TurnResult]]:
    """Run turns one after the other with one handler: `run_in_turn(kind, config, ...)`."""

    def run_in_turn(kind: str, *configs: dict[str, Any]) -> list[TurnResult]:
        async def main() -> list[TurnResult]:
            handler = create([kind], context)[kind]
            try:
                return [await handler.run(replace(turn, handler=config)) for config in configs]
            finally:
                await handler.close()

        return asyncio.run(main())

    return run_in_turn


@pytest.fixture
def plain() -> Turn:
    """A turn with no tools and the one output `result`."""
    return a_turn(handler_kind="agent", handler=MODEL)


@pytest.fixture
def reading(context: HandlerContext) -> Turn:
    """A turn that may read `docs`, where there is a file."""
    docs = context.workspace / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("first\nsecond\n", "utf-8")
    return a_turn(handler_kind="agent", handler=MODEL, grant=READS)


@pytest.fixture
def judging() -> Turn:
    """A turn that wants a verdict."""
    return a_turn(
        handler_kind="agent",
        handler=MODEL,
        grant=Grant(outputs=("verdict",)),
        completion=VERDICT,
    )
