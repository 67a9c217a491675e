"""What every handler kind does with a turn, however badly the turn behaves."""

import asyncio
import os
import shutil
import sys
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from forge_cli.handlers.context import OpenHandler, Stopped
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.turn import Turn, TurnResult
from forge_cli.testing import Bench, HandlerContract, Kept, Sample, a_turn, opened

SECONDS = 30
CANARY = "canary-41f7c2"

BEHAVIOURS = Path(__file__).parent / "data" / "behaviours.py"


@dataclass(frozen=True)
class Trial:
    """An open handler that is tried with one configuration after the other."""

    bench: Bench
    kind: str

    @property
    def workspace(self) -> Path:
        return self.bench.workspace

    @property
    def kept(self) -> Kept:
        return self.bench.kept

    @property
    def handler(self) -> OpenHandler:
        return self.bench.handler

    def named(self, config: dict[str, Json]) -> Turn:
        return a_turn(handler_kind=self.kind, handler=config)

    async def run(self, config: dict[str, Json]) -> TurnResult:
        return await self.bench.run(self.named(config))

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


Scenario = Callable[[Trial], Coroutine[Any, Any, None]]
Trying = Callable[[Scenario], None]
Install = Callable[..., Path]


class BehaviourContract(HandlerContract):
    """The contract for the worst cases; a kind says how it names one of `BEHAVIOURS`."""

    def config(self, behaviour: str) -> dict[str, Json]:
        raise NotImplementedError

    def sample(self, behaviour: str) -> Sample:
        return Sample(self.config(behaviour), output={"result": "fine"})

    def works(self) -> Sample:
        return self.sample("fine")

    def fails(self) -> Sample:
        return self.sample("crashes")

    def lasts(self) -> Sample:
        return self.sample("sleeps")

    def prepare(self, workspace: Path) -> None:
        shutil.copy(BEHAVIOURS, workspace)

    @pytest.fixture
    def trying(self, tmp_path: Path) -> Trying:
        """Runs a scenario with an open handler; all that it started has ended afterwards."""
        self.prepare(tmp_path)

        def trying(scenario: Scenario) -> None:
            async def main() -> None:
                caller = {"TOKEN": CANARY, "AWS_KEY": "not for you"}
                async with opened(self.kind, tmp_path, caller) as bench:
                    await scenario(Trial(bench, self.kind))

            asyncio.run(main())

        return trying

    def result_of(self, trying: Trying, behaviour: str) -> TurnResult:
        """The behaviour's result, after which a well-behaved turn has succeeded as ever."""
        results: list[TurnResult] = []

        async def scenario(trial: Trial) -> None:
            neighbour = asyncio.ensure_future(trial.run(self.config("fine")))
            results.append(await trial.run(self.config(behaviour)))
            for healthy in (await neighbour, await trial.run(self.config("fine"))):
                assert (healthy.status, healthy.output) == ("done", {"result": "fine"})

        trying(scenario)
        return results[0]

    def test_the_output_is_the_object(self, trying: Trying) -> None:
        result = self.result_of(trying, "fine")
        assert (result.status, result.output) == ("done", {"result": "fine"})
        assert result.captured.keys() <= {"stdout"}

    @pytest.mark.parametrize("behaviour", ["crashes", "dies", "is_killed", "closes_everything"])
    def test_a_crash_is_a_failure(self, trying: Trying, behaviour: str) -> None:
        result = self.result_of(trying, behaviour)
        assert (result.status, bool(result.kind), bool(result.message)) == ("failed", True, True)

    def test_a_death_is_named(self, trying: Trying) -> None:
        assert "exit status 3" in self.result_of(trying, "dies").message
        assert "SIGKILL" in self.result_of(trying, "is_killed").message

    @pytest.mark.parametrize(
        "behaviour",
        ["returns_nan", "returns_big_integer", "returns_half_a_character", "returns_deep"],
    )
    def test_what_is_not_i_json_is_invalid_output(self, trying: Trying, behaviour: str) -> None:
        result = self.result_of(trying, behaviour)
        assert (result.status, result.kind) == ("failed", "invalid-output")

    def test_an_answer_that_is_too_long_is_invalid_output(self, trying: Trying) -> None:
        result = self.result_of(trying, "returns_20_mb")
        assert result.kind == "invalid-output"
        assert "bytes" in result.message

    def test_100_mb_are_drained_and_kept_up_to_the_cap(self, trying: Trying) -> None:
        async def scenario(trial: Trial) -> None:
            result = await trial.run(self.config("prints_100_mb"))
            assert result.status == "done"
            kept = trial.kept.get(result.captured["stderr"])
            assert len(kept) < 17_000_000
            assert b"bytes left out" in kept

        trying(scenario)

    def test_a_line_of_a_megabyte_is_kept_whole(self, trying: Trying) -> None:
        async def scenario(trial: Trial) -> None:
            result = await trial.run(self.config("prints_one_long_line"))
            assert trial.kept.get(result.captured["stderr"]) == b"x" * 1_048_576

        trying(scenario)

    def test_a_process_that_a_turn_leaves_ends_with_it(self, trying: Trying) -> None:
        async def scenario(trial: Trial) -> None:
            result = await trial.run(self.config("leaves_a_process") | {"grace": 100})
            assert result.output == {"result": "fine"}
            assert not alive(int((trial.workspace / "pid").read_text()))

        trying(scenario)

    def test_a_child_that_returns_as_well_is_not_heard(self, trying: Trying) -> None:
        assert self.result_of(trying, "forks_and_both_return").output == {"result": "fine"}

    @pytest.mark.parametrize("behaviour", ["hangs", "hangs_in_c", "ignores_term"])
    def test_a_cancelled_turn_leaves_nothing_running(self, trying: Trying, behaviour: str) -> None:
        async def scenario(trial: Trial) -> None:
            _, pid = await trial.stop(self.config(behaviour) | {"grace": 200})
            assert not alive(pid)
            assert (await trial.run(self.config("fine"))).status == "done"

        trying(scenario)

    def test_a_cancelled_turn_takes_its_children_along(self, trying: Trying) -> None:
        async def scenario(trial: Trial) -> None:
            await trial.stop(self.config("hangs_with_children") | {"grace": 200})
            assert not alive(int((trial.workspace / "pid").read_text()))

        trying(scenario)

    def test_a_cancelled_turn_may_clean_up(self, trying: Trying) -> None:
        async def scenario(trial: Trial) -> None:
            await trial.stop(self.config("cleans_up"))
            assert (trial.workspace / "clean").exists()

        trying(scenario)

    def test_what_a_cancelled_turn_had_printed_is_kept(self, trying: Trying) -> None:
        async def scenario(trial: Trial) -> None:
            stopped, _ = await trial.stop(self.config("ignores_term") | {"grace": 100})
            assert (stopped.result.status, stopped.result.kind) == ("failed", "cancelled")
            assert trial.kept.get(stopped.result.captured["stderr"]) == b"about to hang\n"

        trying(scenario)

    def test_cancelling_twice_does_not_wait_for_the_grace_period(self, trying: Trying) -> None:
        async def scenario(trial: Trial) -> None:
            os.mkfifo(trial.workspace / "fifo")
            config = self.config("ignores_term") | {"grace": 600_000}
            running = asyncio.ensure_future(trial.handler.run(trial.named(config)))
            await asyncio.to_thread((trial.workspace / "fifo").read_text)
            running.cancel()
            await asyncio.wait([running], timeout=0)
            running.cancel()
            with pytest.raises(Stopped):
                await asyncio.wait_for(running, SECONDS)

        trying(scenario)

    def test_a_secret_reaches_neither_outputs_nor_what_is_kept(self, trying: Trying) -> None:
        async def scenario(trial: Trial) -> None:
            result = await trial.run(self.config("tells_a_secret") | {"secrets": ["TOKEN"]})
            assert result.output == {"result": "it is ***"}
            assert trial.kept.get(result.captured["stderr"]) == b"***\n"

        trying(scenario)

    def test_a_secret_that_is_not_set_is_a_failure_with_its_name(self, trying: Trying) -> None:
        async def scenario(trial: Trial) -> None:
            result = await trial.run(self.config("fine") | {"secrets": ["NOT_SET"]})
            assert (result.kind, "'NOT_SET'" in result.message) == ("error", True)

        trying(scenario)

    def test_standard_input_is_empty(self, trying: Trying) -> None:
        assert self.result_of(trying, "reads").output == {"result": ""}

    def test_the_environment_is_not_the_callers(self, trying: Trying) -> None:
        async def scenario(trial: Trial) -> None:
            config = self.config("shows_environment") | {"env": {"GIVEN": "this"}}
            result = await trial.run(config)
            assert result.output
            environment = result.output["result"]
            assert environment.keys().isdisjoint({"AWS_KEY", "TOKEN"})
            assert (environment["CI"], environment["GIVEN"]) == ("1", "this")
            assert environment["TMPDIR"] != "/tmp"

        trying(scenario)


class TestCommand(BehaviourContract):
    kind = "command"

    def config(self, behaviour: str) -> dict[str, Json]:
        return {
            "argv": [sys.executable, "-I", "behaviours.py", behaviour],
            "result": "stdout-json",
        }


class TestFunction(BehaviourContract):
    kind = "function"

    def config(self, behaviour: str) -> dict[str, Json]:
        return {"call": f"behaviours.py:{behaviour}"}


class TestPlugIn(BehaviourContract):
    kind = "behaving"

    @pytest.fixture(autouse=True)
    def installed(self, install: Install) -> None:
        folder = install("acme-behaving", "behaving = acme_behaving:Behaving")
        shutil.copy(BEHAVIOURS.with_name("acme_behaving.py"), folder)
        shutil.copy(BEHAVIOURS, folder)

    def config(self, behaviour: str) -> dict[str, Json]:
        return {"settings": {"behaviour": behaviour}}

    def sample(self, behaviour: str) -> Sample:
        return Sample({"behaviour": behaviour}, output={"result": "fine"})


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
