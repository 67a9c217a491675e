"""Stand-ins that print what the programs of presets printed, and keep what they are asked.

`data/` holds what the programs of the versions that the presets name wrote when they talked
to a model on loopback; ids and paths are replaced, and lists that say nothing here left out.
"""

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from forge_cli.gateway.secrets import Redactor
from forge_cli.handlers import create
from forge_cli.handlers.context import HandlerContext
from forge_cli.handlers.presets import preset
from forge_cli.manifest.compilation.handlers import Handlers
from forge_cli.manifest.files import Files
from forge_cli.manifest.meaning.actions import Vocabulary
from forge_cli.manifest.meaning.nodes import Agent
from forge_cli.multiagent.plan import Grant, Handler
from forge_cli.multiagent.turn import TurnResult
from forge_cli.testing import Kept, a_turn

DATA = Path(__file__).parent / "data"
Compiled = Callable[..., Handler]
Call = Callable[..., TurnResult]


@pytest.fixture
def compiled(tmp_path: Path) -> Compiled:
    """The handler that a preset is in a plan, with the keys that are written beside its kind."""

    def compiled(kind: str, **written: Any) -> Handler:
        handler = {"kind": kind, **written}
        role = Agent("r", (), {"handler": handler}, 1, frozenset(), ("verdict",), ())
        return Handlers(Files(tmp_path)).of_role(role, Vocabulary({}))

    return compiled


@pytest.fixture
def told() -> list[tuple[str, str]]:
    """What was told of the turn while it was made."""
    return []


@pytest.fixture
def call(tmp_path: Path, compiled: Compiled, told: list[tuple[str, str]]) -> Call:
    """Make one turn of a preset whose program prints the given text and exits with a status."""
    programs = tmp_path / "bin"
    programs.mkdir()

    def call(
        kind: str,
        printed: str = "",
        status: int = 0,
        actions: frozenset[str] = frozenset(),
        **more: Any,
    ) -> TurnResult:
        (tmp_path / "printed").write_text(printed)
        program = programs / preset(kind)["argv"][0]
        program.write_text(
            f"#!/bin/sh\ncat > {tmp_path}/asked\n"
            f'for token; do printf "%s\\0" "$token"; done > {tmp_path}/argv\n'
            f"env -0 > {tmp_path}/environment\n"
            f"cat {tmp_path}/printed; exit {status}\n"
        )
        program.chmod(0o755)
        handler = compiled(kind, **more.pop("written", {}))
        grant = Grant(actions=actions, outputs=more.pop("outputs", ("verdict",)))
        turn = a_turn(handler_kind=handler.kind, handler=handler.config, grant=grant, **more)
        context = HandlerContext(
            tmp_path,
            tmp_path,
            Kept(),
            Redactor({"KEY": "canary-41f7c2"}),
            {"PATH": f"{programs}:{os.environ['PATH']}"},
            tell=lambda item, words: told.append((item, words)),
        )

        async def main() -> TurnResult:
            opened = create([handler.kind], context)[handler.kind]
            return await opened.run(turn)

        try:
            return asyncio.run(main())
        finally:
            context.processes.close()

    return call


@pytest.fixture
def argv(tmp_path: Path) -> Callable[[], list[str]]:
    """What the stand-in was called with, without its own name."""
    return lambda: (tmp_path / "argv").read_text().split("\0")[:-1]


@pytest.fixture
def environment(tmp_path: Path) -> Callable[[], dict[str, str]]:
    """What the stand-in had in its environment."""

    def environment() -> dict[str, str]:
        lines = (tmp_path / "environment").read_text().split("\0")[:-1]
        return dict(line.split("=", 1) for line in lines)

    return environment


@pytest.fixture
def recorded() -> Callable[[str], str]:
    """What a program printed, by the name of the recording."""
    return lambda name: (DATA / f"{name}.jsonl").read_text()


@pytest.fixture
def says() -> Callable[[str], str]:
    """What codex prints where its last answer is the text."""

    def says(text: str) -> str:
        item = {"type": "item.completed", "item": {"type": "agent_message", "text": text}}
        return f'{json.dumps(item)}\n{{"type": "turn.completed"}}\n'

    return says
