"""What holding programs costs: a turn of a program at each level, and a file that is opened.

The first turn of a grant makes the sandbox; those behind it find it made.
"""

import asyncio
import os
import statistics
import tempfile
import time
from pathlib import Path

from forge_cli.app.sandbox import look
from forge_cli.gateway.files import GrantedFiles
from forge_cli.gateway.sandbox.boxes import Level, Sandbox
from forge_cli.gateway.secrets import Redactor
from forge_cli.handlers import create
from forge_cli.handlers.context import HandlerContext
from forge_cli.multiagent.grants import Grant
from forge_cli.testing import Kept, a_turn
from tests.bench.measure import report

TURNS = 20
OPENS = 10_000
GRANT = Grant(actions=frozenset({"file-read"}), scope=("files:src/**",), outputs=("result",))


def turns(workspace: Path, level: Level, bwrap: str) -> tuple[float, float]:
    """Seconds of the first turn, and of the median of those behind it."""
    context = HandlerContext(
        workspace=workspace,
        folder=workspace,
        artifacts=Kept(),
        redactor=Redactor({}),
        environment={"PATH": os.environ["PATH"]},
        sandbox=Sandbox(level, bwrap),
    )
    config = {"argv": ["true"], "stdin": "none", "result": "text"}
    turn = a_turn(handler_kind="command", handler=config, grant=GRANT)

    async def main() -> list[float]:
        handler = create(["command"], context)["command"]
        times = []
        for _ in range(TURNS):
            began = time.perf_counter()
            await handler.run(turn)
            times.append(time.perf_counter() - began)
        await handler.close()
        return times

    first, *others = asyncio.run(main())
    context.processes.close()
    return first, statistics.median(others)


def main() -> None:
    """Print the cost of each level that works here."""
    works = look()
    with tempfile.TemporaryDirectory() as name:
        workspace = Path(name)
        (workspace / "src").mkdir()
        (workspace / "src" / "a").write_text("a")
        levels: list[Level] = ["off", "landlock", "namespace"]
        for level in levels:
            if level == "off" or level in works.names:
                first, next_ = turns(workspace, level, works.bwrap)
                figure = f"{first * 1e3:.1f} ms, then {next_ * 1e3:.1f} ms"
                report(f"a program, {works.names.get(level, 'no sandbox')}", figure, "")
        files = GrantedFiles(workspace, GRANT)
        began = time.perf_counter()
        for _ in range(OPENS):
            files.read("src/a")
        report("a file of the gateway", f"{(time.perf_counter() - began) / OPENS * 1e6:.0f} us", "")


if __name__ == "__main__":
    main()
