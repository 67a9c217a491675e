"""A hostile handler achieves nothing outside its contract, at any level, in whatever kind."""

import asyncio
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from forge_cli.gateway.sandbox.boxes import Level
from forge_cli.handlers import create
from forge_cli.handlers.tool import ToolHandler
from forge_cli.multiagent.grants import Grant
from forge_cli.multiagent.turn import TurnResult
from forge_cli.testing import a_turn
from tests.gateway.sandbox import hostile
from tests.gateway.sandbox.conftest import OUTSIDE, Held
from tests.handlers.agents import MODEL, Script, calls, run_turns, says

CANARY = "canary-of-somebody-else"
FUNCTION = {"call": "hostile.py:function"}
TRY = {"tool": "try", "capability": "try", "actions": ["file-write"], "scope_args": []}
SERVER = {"server": {"argv": [sys.executable, "hostile.py", "serve"]}, "tools": [TRY]}
NAME = f"forge-hostile-{os.getpid()}"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[dict[str, Any]]:
    key = tmp_path / "home" / ".ssh" / "key"
    key.parent.mkdir(parents=True)
    key.write_text("secret")
    stranger = subprocess.Popen(["sleep", "600"], env={"TOKEN": CANARY})
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket(socket.AF_UNIX) as hidden,
    ):
        hidden.bind("\0" + NAME)
        hidden.listen()
        yield {
            "outside": str(tmp_path / "outside"),
            "folder": str(tmp_path),
            "secret": str(key),
            "canary": CANARY,
            "stranger": stranger.pid,
            "port": server.getsockname()[1],
            "name": NAME,
        }
    assert stranger.poll() is None
    stranger.kill()
    stranger.wait()


def furnish(held: Held) -> Held:
    workspace = held.workspace
    shutil.copy(Path(hostile.__file__), workspace / "hostile.py")
    for name in ("evidence/run.json", ".forge/runs/ledger.db", "src-evil/y"):
        (workspace / name).parent.mkdir(parents=True)
        (workspace / name).write_text(name)
    return replace(held, context=replace(held.context, programs=frozenset({"hostile.py"})))


def run_of_agent(held: Held, grant: Grant, world: dict[str, Any]) -> TurnResult:
    """What a server of an agent achieves, asked for a tool that only reads, as a result."""
    servers = {"small": {**SERVER, "tools": [{**TRY, "actions": ["file-read"]}]}}
    turn = a_turn(handler_kind="agent", handler={**MODEL, "servers": servers}, grant=grant)
    script = Script((calls(("small__try", world)), says("fine")))
    *_, last = run_turns(held.context, script, turn)
    return replace(last, output=json.loads(script.told()))


def run(held: Held, kind: str, grant: Grant, world: dict[str, Any]) -> TurnResult:
    program = {"argv": [sys.executable, "hostile.py"], "stdin": "json", "result": "stdout-json"}
    config = {"command": program, "function": FUNCTION, "mcp": SERVER, "tool": SERVER}.get(kind, {})
    context = held.context
    if kind == "agent":
        return run_of_agent(held, grant, world)
    if kind == "tool":  # as the engine asks for what a server of an agent may change
        world = {"tool": "small/try", "arguments": world}

    async def main() -> TurnResult:
        handler = ToolHandler(context) if kind == "tool" else create([kind], context)[kind]
        made = a_turn(handler_kind=kind, handler=config, grant=grant, inputs=world)
        try:
            return await handler.run(made)
        finally:
            await handler.close()

    return asyncio.run(main())


@pytest.mark.parametrize("kind", ["command", "function", "evil", "mcp", "agent", "tool"])
def test_nothing_outside_the_contract_is_achieved(
    held: Held, writing: Grant, world: dict[str, Any], kind: str, install: Callable[..., Path]
) -> None:
    install("evil", "evil = evil:PlugIn", evil=Path(hostile.__file__).read_text())
    held = furnish(held)
    done = run(held, kind, replace(writing, capabilities=frozenset({"try"})), world)
    assert (done.status, done.output) == ("done", {"result": []}), (done.message, done.partial)
    workspace = held.workspace
    assert (workspace.parent / "outside").read_text() == OUTSIDE
    for name in ("README", "m.yaml", ".git/hooks/old", "evidence/run.json", "src-evil/y"):
        assert (workspace / name).read_text() == name
    assert sorted(path.name for path in (workspace / ".git" / "hooks").iterdir()) == ["old"]
    assert not (workspace / "new").exists()
    time.sleep(2.2)
    assert not (workspace / "src" / "late").exists()


def test_without_a_sandbox_it_would_achieve_much(
    make_held: Callable[[Level], Held], writing: Grant, world: dict[str, Any]
) -> None:
    held = furnish(make_held("off"))
    with subprocess.Popen(["sleep", "600"]) as victim:
        done = run(held, "command", writing, {**world, "stranger": victim.pid})
    assert done.output is not None
    assert {"read above by ..", "write a hook of git", "reach a port", "kill a stranger"} <= set(
        done.output["result"]
    )


def test_it_does_not_answer_for_another_turn_of_its_grant(held: Held, writing: Grant) -> None:
    """The sender is the channel: a result comes by the descriptor of the turn that was asked."""
    victim = {"argv": ["bash", "-c", "sleep 1; echo honest"], "stdin": "none", "result": "text"}
    script = "import hostile; print(any(map(hostile.speaks_for, hostile.others())))"
    forger = {
        "argv": [sys.executable, "-c", f"import time; time.sleep(.5); {script}"],
        "stdin": "none",
        "result": "text",
        "env": {"PYTHONPATH": str(held.workspace / "src")},
    }
    shutil.copy(Path(hostile.__file__), held.workspace / "src" / "hostile.py")

    async def main() -> list[TurnResult]:
        handler = create(["command"], held.context)["command"]
        turns = [
            a_turn(handler_kind="command", handler=config, grant=writing)
            for config in (victim, forger)
        ]
        try:
            return await asyncio.gather(*map(handler.run, turns))
        finally:
            await handler.close()

    honest, forged = asyncio.run(main())
    assert honest.output == {"result": "honest"}
    assert forged.output == {"result": "False"}, forged.partial
