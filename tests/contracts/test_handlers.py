"""What every handler kind does with a turn, however badly the turn behaves."""

import asyncio
import hashlib
import os
import shutil
import sys
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from forge_cli.gateway.secrets import Redactor
from forge_cli.handlers import create
from forge_cli.handlers.context import HandlerContext, OpenHandler, Stopped
from forge_cli.multiagent.plan import Grant, Json
from forge_cli.multiagent.turn import Turn, TurnResult

SECONDS = 30
CANARY = "canary-41f7c2"

BEHAVIOURS = Path(__file__).parent / "data" / "behaviours.py"


class Kept:
    """Artifacts in memory."""

    def __init__(self) -> None:
        self._bodies: dict[str, bytes] = {}

    def put(self, data: bytes) -> str:
        digest = "sha256:" + hashlib.sha256(data).hexdigest()
        self._bodies[digest] = data
        return digest

    def get(self, digest: str) -> bytes:
        return self._bodies[digest]


@dataclass
class Bench:
    """One handler and what it works with."""

    workspace: Path
    kept: Kept
    handler: OpenHandler
    turn: Turn

    def named(self, config: dict[str, Json]) -> Turn:
        return replace(self.turn, handler=config)

    async def run(self, config: dict[str, Json]) -> TurnResult:
        return await asyncio.wait_for(self.handler.run(self.named(config)), SECONDS)

    async def stop(self, config: dict[str, Json]) -> tuple[Stopped, int]:
        """Cancel the turn once it says that it hangs: what it raised, and the pid it told."""
        fifo = self.workspace / "fifo"
        if not fifo.exists():
            os.mkfifo(fifo)
        running = asyncio.ensure_future(self.handler.run(self.named(config)))
        pid = await asyncio.wait_for(asyncio.to_thread(fifo.read_text), SECONDS)
        running.cancel()
        with pytest.raises(asyncio.CancelledError) as raised:
            await asyncio.wait_for(running, SECONDS)
        assert isinstance(raised.value, Stopped)
        return raised.value, int(pid)


Scenario = Callable[[Bench], Coroutine[Any, Any, None]]


class HandlerContract:
    """The contract; a kind says how its configuration names one of `BEHAVIOURS`."""

    kind: ClassVar[str]

    def config(self, behaviour: str) -> dict[str, Json]:
        raise NotImplementedError

    @pytest.fixture
    def use(self, tmp_path: Path) -> Callable[[Scenario], None]:
        """Runs a scenario with an open handler; all that it started has ended afterwards."""
        shutil.copy(BEHAVIOURS, tmp_path)
        kept = Kept()
        context = HandlerContext(
            workspace=tmp_path,
            folder=tmp_path,
            artifacts=kept,
            redactor=Redactor({"TOKEN": CANARY}),
            environment={"PATH": os.environ["PATH"], "TOKEN": CANARY, "AWS_KEY": "not for you"},
        )
        turn = Turn(
            run_id="run",
            item_id="item",
            attempt_id="attempt-1",
            key="item/1",
            number=1,
            role_id="role",
            role_version=1,
            purpose="to see",
            inputs={},
            grant=Grant(outputs=("result",)),
            handler_kind=self.kind,
            handler={},
            budget={},
            timeout=60_000,
            deadline=0,
        )

        def use(scenario: Scenario) -> None:
            async def main() -> None:
                handler = create([self.kind], context)[self.kind]
                try:
                    await scenario(Bench(tmp_path, kept, handler, turn))
                finally:
                    await handler.close()
                    context.processes.close()

            asyncio.run(main())

        return use

    def result_of(self, use: Callable[[Scenario], None], behaviour: str) -> TurnResult:
        """The behaviour's result, after which a well-behaved turn has succeeded as ever."""
        results: list[TurnResult] = []

        async def scenario(bench: Bench) -> None:
            neighbour = asyncio.ensure_future(bench.run(self.config("fine")))
            results.append(await bench.run(self.config(behaviour)))
            for healthy in (await neighbour, await bench.run(self.config("fine"))):
                assert (healthy.status, healthy.output) == ("done", {"result": "fine"})

        use(scenario)
        return results[0]

    def test_the_output_is_the_object(self, use: Callable[[Scenario], None]) -> None:
        result = self.result_of(use, "fine")
        assert (result.status, result.output) == ("done", {"result": "fine"})
        assert result.captured.keys() <= {"stdout"}

    @pytest.mark.parametrize("behaviour", ["crashes", "dies", "is_killed", "closes_everything"])
    def test_a_crash_is_a_failure(self, use: Callable[[Scenario], None], behaviour: str) -> None:
        result = self.result_of(use, behaviour)
        assert (result.status, bool(result.kind), bool(result.message)) == ("failed", True, True)

    def test_a_death_is_named(self, use: Callable[[Scenario], None]) -> None:
        assert "exit status 3" in self.result_of(use, "dies").message
        assert "SIGKILL" in self.result_of(use, "is_killed").message

    @pytest.mark.parametrize(
        "behaviour",
        ["returns_nan", "returns_big_integer", "returns_half_a_character", "returns_deep"],
    )
    def test_what_is_not_i_json_is_invalid_output(
        self, use: Callable[[Scenario], None], behaviour: str
    ) -> None:
        result = self.result_of(use, behaviour)
        assert (result.status, result.kind) == ("failed", "invalid-output")

    def test_an_answer_that_is_too_long_is_invalid_output(
        self, use: Callable[[Scenario], None]
    ) -> None:
        result = self.result_of(use, "returns_20_mb")
        assert result.kind == "invalid-output"
        assert "bytes" in result.message

    def test_100_mb_are_drained_and_kept_up_to_the_cap(
        self, use: Callable[[Scenario], None]
    ) -> None:
        async def scenario(bench: Bench) -> None:
            result = await bench.run(self.config("prints_100_mb"))
            assert result.status == "done"
            kept = bench.kept.get(result.captured["stderr"])
            assert len(kept) < 17_000_000
            assert b"bytes left out" in kept

        use(scenario)

    def test_a_line_of_a_megabyte_is_kept_whole(self, use: Callable[[Scenario], None]) -> None:
        async def scenario(bench: Bench) -> None:
            result = await bench.run(self.config("prints_one_long_line"))
            assert bench.kept.get(result.captured["stderr"]) == b"x" * 1_048_576

        use(scenario)

    def test_a_process_that_a_turn_leaves_ends_with_it(
        self, use: Callable[[Scenario], None]
    ) -> None:
        async def scenario(bench: Bench) -> None:
            result = await bench.run(self.config("leaves_a_process") | {"grace": 100})
            assert result.output == {"result": "fine"}
            assert not alive(int((bench.workspace / "pid").read_text()))

        use(scenario)

    def test_a_child_that_returns_as_well_is_not_heard(
        self, use: Callable[[Scenario], None]
    ) -> None:
        assert self.result_of(use, "forks_and_both_return").output == {"result": "fine"}

    @pytest.mark.parametrize("behaviour", ["hangs", "hangs_in_c", "ignores_term"])
    def test_a_cancelled_turn_leaves_nothing_running(
        self, use: Callable[[Scenario], None], behaviour: str
    ) -> None:
        async def scenario(bench: Bench) -> None:
            _, pid = await bench.stop(self.config(behaviour) | {"grace": 200})
            assert not alive(pid)
            assert (await bench.run(self.config("fine"))).status == "done"

        use(scenario)

    def test_a_cancelled_turn_takes_its_children_along(
        self, use: Callable[[Scenario], None]
    ) -> None:
        async def scenario(bench: Bench) -> None:
            await bench.stop(self.config("hangs_with_children") | {"grace": 200})
            assert not alive(int((bench.workspace / "pid").read_text()))

        use(scenario)

    def test_a_cancelled_turn_may_clean_up(self, use: Callable[[Scenario], None]) -> None:
        async def scenario(bench: Bench) -> None:
            await bench.stop(self.config("cleans_up"))
            assert (bench.workspace / "clean").exists()

        use(scenario)

    def test_what_a_cancelled_turn_had_printed_is_kept(
        self, use: Callable[[Scenario], None]
    ) -> None:
        async def scenario(bench: Bench) -> None:
            stopped, _ = await bench.stop(self.config("ignores_term") | {"grace": 100})
            assert (stopped.result.status, stopped.result.kind) == ("failed", "cancelled")
            assert bench.kept.get(stopped.result.captured["stderr"]) == b"about to hang\n"

        use(scenario)

    def test_cancelling_twice_does_not_wait_for_the_grace_period(
        self, use: Callable[[Scenario], None]
    ) -> None:
        async def scenario(bench: Bench) -> None:
            os.mkfifo(bench.workspace / "fifo")
            config = self.config("ignores_term") | {"grace": 600_000}
            running = asyncio.ensure_future(bench.handler.run(bench.named(config)))
            await asyncio.to_thread((bench.workspace / "fifo").read_text)
            running.cancel()
            await asyncio.wait([running], timeout=0)
            running.cancel()
            with pytest.raises(Stopped):
                await asyncio.wait_for(running, SECONDS)

        use(scenario)

    def test_a_secret_reaches_neither_outputs_nor_what_is_kept(
        self, use: Callable[[Scenario], None]
    ) -> None:
        async def scenario(bench: Bench) -> None:
            result = await bench.run(self.config("tells_a_secret") | {"secrets": ["TOKEN"]})
            assert result.output == {"result": "it is ***"}
            assert bench.kept.get(result.captured["stderr"]) == b"***\n"

        use(scenario)

    def test_a_secret_that_is_not_set_is_a_failure_with_its_name(
        self, use: Callable[[Scenario], None]
    ) -> None:
        async def scenario(bench: Bench) -> None:
            result = await bench.run(self.config("fine") | {"secrets": ["NOT_SET"]})
            assert (result.kind, "'NOT_SET'" in result.message) == ("error", True)

        use(scenario)

    def test_standard_input_is_empty(self, use: Callable[[Scenario], None]) -> None:
        assert self.result_of(use, "reads").output == {"result": ""}

    def test_the_environment_is_not_the_callers(self, use: Callable[[Scenario], None]) -> None:
        async def scenario(bench: Bench) -> None:
            config = self.config("shows_environment") | {"env": {"GIVEN": "this"}}
            result = await bench.run(config)
            assert result.output
            environment = result.output["result"]
            assert environment.keys().isdisjoint({"AWS_KEY", "TOKEN"})
            assert (environment["CI"], environment["GIVEN"]) == ("1", "this")
            assert environment["TMPDIR"] != "/tmp"

        use(scenario)


class TestCommand(HandlerContract):
    kind = "command"

    def config(self, behaviour: str) -> dict[str, Json]:
        return {
            "argv": [sys.executable, "-I", "behaviours.py", behaviour],
            "result": "stdout-json",
        }


class TestFunction(HandlerContract):
    kind = "function"

    def config(self, behaviour: str) -> dict[str, Json]:
        return {"call": f"behaviours.py:{behaviour}"}


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
