"""What holds for every handler kind, as a class to subclass."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest

from forge_cli.gateway.acceptance import usage_fault
from forge_cli.handlers import KINDS
from forge_cli.handlers.context import Stopped
from forge_cli.handlers.examination import examine
from forge_cli.handlers.installed import named
from forge_cli.handlers.settings import parted
from forge_cli.multiagent.plan import Grant
from forge_cli.multiagent.turn import Turn, TurnResult
from forge_cli.testing.bench import SECONDS, Bench, a_turn, opened

UNDER_WAY = 0.5
"""Seconds after which a turn that is to be stopped is under way."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One turn to try: `handler` as a manifest has it below `handler`, but without `kind`.

    Durations are in milliseconds there. `output` is what must come of a turn that works, and its
    keys are the outputs that the item declares.
    """

    handler: Mapping[str, Any]
    inputs: Mapping[str, Any] = field(default_factory=dict)
    output: Mapping[str, Any] = field(default_factory=lambda: {"result": None})


Scenario = Callable[[Bench], Coroutine[Any, Any, None]]
Use = Callable[[Scenario], None]


class HandlerContract:
    """Subclass it, say the `kind`, and give the three samples; pytest does the rest.

    The subclass's name begins with `Test`. Each test has a workspace of its own, `tmp_path`, in
    which `prepare` may put files.
    """

    kind: ClassVar[str]

    def works(self) -> Sample:
        """A turn that succeeds with the sample's `output`."""
        raise NotImplementedError

    def fails(self) -> Sample:
        """A turn that the handler cannot make, and says so."""
        raise NotImplementedError

    def lasts(self) -> Sample:
        """A turn that takes longer than any test has patience."""
        raise NotImplementedError

    def prepare(self, workspace: Path) -> None:
        """Put what the turns need into the workspace: nothing, unless it is overridden."""

    @pytest.fixture
    def use(self, tmp_path: Path) -> Use:
        """Runs a scenario with an open handler; all that it started has ended afterwards."""
        self.prepare(tmp_path)

        def use(scenario: Scenario) -> None:
            async def main() -> None:
                async with opened(self.kind, tmp_path) as bench:
                    await scenario(bench)

            asyncio.run(main())

        return use

    def turn(self, sample: Sample) -> Turn:
        """The turn that a run would give to the handler."""
        return a_turn(
            handler_kind=self.kind,
            handler=_configuration(self.kind, sample.handler),
            inputs=sample.inputs,
            grant=Grant(outputs=tuple(sample.output)),
        )

    async def check_it_works(self, bench: Bench) -> None:
        """The working sample still works."""
        sample = self.works()
        result = await bench.run(self.turn(sample))
        assert result.status == "done", result.message
        assert result.output == sample.output

    def test_it_is_there_and_takes_the_settings_of_the_samples(self) -> None:
        assert problems(self.kind, [self.works(), self.fails(), self.lasts()]) == []

    def test_a_turn_that_works_is_done_with_its_output(self, use: Use) -> None:
        async def scenario(bench: Bench) -> None:
            await self.check_it_works(bench)
            result = await bench.run(self.turn(self.works()))
            assert usage_fault(result.usage) == ""

        use(scenario)

    def test_turns_side_by_side_do_not_disturb_each_other(self, use: Use) -> None:
        async def scenario(bench: Bench) -> None:
            await asyncio.gather(*(self.check_it_works(bench) for _ in range(3)))

        use(scenario)

    def test_a_turn_that_cannot_be_made_is_a_failed_result(self, use: Use) -> None:
        async def scenario(bench: Bench) -> None:
            result: TurnResult = await bench.run(self.turn(self.fails()))
            assert result.status == "failed"
            assert result.kind
            assert result.message.strip()
            await self.check_it_works(bench)

        use(scenario)

    def test_a_turn_that_is_stopped_ends_and_the_next_one_works(self, use: Use) -> None:
        async def scenario(bench: Bench) -> None:
            running = asyncio.ensure_future(bench.handler.run(self.turn(self.lasts())))
            await asyncio.wait([running], timeout=UNDER_WAY)
            assert not running.done(), "the turn of lasts() is over too soon"
            running.cancel()
            with pytest.raises(Stopped) as raised:
                await asyncio.wait_for(running, SECONDS)
            assert raised.value.result.message.startswith("stopped")
            await self.check_it_works(bench)

        use(scenario)


def problems(kind: str, samples: list[Sample]) -> list[str]:
    """Why forge would not let a manifest have handlers of that kind like these; else nothing."""
    if kind in KINDS:
        return []
    plug_in = named(kind)
    if plug_in is None:
        return [f"no installed distribution offers the handler kind '{kind}'"]
    examined = examine(plug_in, [parted(sample.handler)[1] for sample in samples])
    faults = [fault for each in examined.faults for fault in each]
    told = [f"{'.'.join(map(str, fault.path))}: {fault.message}" for fault in faults]
    return [examined.problem, *told] if examined.problem else told


def _configuration(kind: str, handler: Mapping[str, Any]) -> Mapping[str, Any]:
    """The configuration that becomes of what a manifest says."""
    if kind in KINDS:
        return handler
    own, settings = parted(handler)
    return {**own, "settings": settings}
