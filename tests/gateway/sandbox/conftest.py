"""Programs and functions in a sandbox of each level that works here."""

import asyncio
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest

from forge_cli.app.sandbox import look
from forge_cli.gateway.sandbox.boxes import Level, Sandbox
from forge_cli.gateway.secrets import Redactor
from forge_cli.handlers import create
from forge_cli.handlers.context import HandlerContext
from forge_cli.multiagent.grants import Grant
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.turn import TurnResult
from forge_cli.testing import Kept, a_turn

OUTSIDE = "of nobody's business"


@dataclass(frozen=True, slots=True)
class Held:
    """A workspace and how to have a turn made in it."""

    level: Level
    workspace: Path
    context: HandlerContext

    def run(self, kind: str, *configs: dict[str, Json], grant: Grant) -> list[TurnResult]:
        """One turn after the other, of one handler."""

        async def main() -> list[TurnResult]:
            handler = create([kind], self.context)[kind]
            turns = [a_turn(handler_kind=kind, handler=config, grant=grant) for config in configs]
            try:
                return [await handler.run(turn) for turn in turns]
            finally:
                await handler.close()

        return asyncio.run(main())

    def script(self, text: str, grant: Grant) -> TurnResult:
        """A turn that is a bash text."""
        config: dict[str, Json] = {"argv": ["bash", "-c", text], "stdin": "none", "result": "text"}
        return self.run("command", config, grant=grant)[0]


@pytest.fixture(params=["namespace", "landlock"])
def level(request: pytest.FixtureRequest) -> Level:
    works = look()
    if request.param not in works.names:
        pytest.skip(works.faults[request.param])
    return cast(Level, request.param)


@pytest.fixture
def make_held(tmp_path: Path) -> Iterator[Callable[[Level], Held]]:
    workspace = tmp_path / "workspace"
    for name in ("src/a.py", "src/deep/b.py", "src/.env", "README", ".git/hooks/old", "m.yaml"):
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_text(name)
    (tmp_path / "outside").write_text(OUTSIDE)
    contexts = []

    def make(level: Level) -> Held:
        environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home")}
        context = HandlerContext(
            workspace=workspace,
            folder=workspace,
            artifacts=Kept(),
            redactor=Redactor({}),
            environment=environment,
            own=(".forge", "evidence", "m.yaml"),
            sandbox=Sandbox(level, look().bwrap),
        )
        contexts.append(context)
        return Held(level, workspace, context)

    yield make
    for context in contexts:
        context.processes.close()


@pytest.fixture
def held(make_held: Callable[[Level], Held], level: Level) -> Held:
    return make_held(level)


def granting(*actions: str, writes: tuple[str, ...] = (), **terms: tuple[str, ...]) -> Grant:
    """A grant of `src`, and of the outputs of these tests."""
    scope = terms.get("scope", ("files:src/**",))
    return Grant(actions=frozenset(actions), scope=scope, writes=writes, outputs=("result",))


@pytest.fixture
def nothing() -> Grant:
    return granting()


@pytest.fixture
def reading() -> Grant:
    return granting("file-read")


@pytest.fixture
def writing() -> Grant:
    return granting("file-read", "file-write", writes=("files:src/**",))
