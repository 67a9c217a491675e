"""What every handler of a run is given once, and how one says what a stopped turn left."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from forge_cli.errors import ForgeError
from forge_cli.gateway.artifacts import opened
from forge_cli.gateway.pins import Pins
from forge_cli.gateway.processes import Processes
from forge_cli.gateway.sandbox.boxes import NO_SANDBOX, Level, Sandbox, Surroundings
from forge_cli.gateway.secrets import Redactor
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.ports import Artifacts, Handler
from forge_cli.multiagent.turn import Turn, TurnResult

Teller = Callable[[str, str], None]
"""Takes an item's id and what its turn is doing, in a few words."""


@dataclass(frozen=True, slots=True)
class HandlerContext:
    """The surroundings of a run's handlers.

    `workspace` is where programs run, `folder` the manifest's, `libraries` are those of the files
    that it includes, whose handlers lie below them; all absolute. `environment` is the caller's
    whole environment, from which handlers pass on what is allowed. `redactor` knows the values of
    all secrets that the manifest names. All handlers start programs through `processes`, so
    whoever made the context closes it once they all are closed. The names of their
    temporary folders begin with `mark`, so that those of a run that was killed can be told.
    `tell` shows whoever watches what the turn of an item is doing; nothing of it is recorded.
    `own` are paths from the workspace that no turn may write: forge's files, evidence, manifest.
    `programs` are those that arguments of handlers name. `sandbox` is what holds programs of which
    their handler does not say otherwise. `pins` hold for the servers of all handlers. `leave` are
    called with the id of each item that has ended or paused, for which nothing is kept any longer.
    """

    workspace: Path
    folder: Path
    artifacts: Artifacts
    redactor: Redactor
    environment: Mapping[str, str]
    libraries: tuple[Path, ...] = ()
    processes: Processes = field(default_factory=Processes)
    mark: str = "forge-"
    tell: Teller = lambda item, words: None  # noqa: ARG005
    own: tuple[str, ...] = ()
    programs: frozenset[str] = frozenset()
    sandbox: Sandbox = NO_SANDBOX
    pins: Pins = field(default_factory=Pins)
    leave: list[Callable[[str], None]] = field(default_factory=list)

    @property
    def around(self) -> Surroundings:
        """Where sandboxes of handlers are made."""
        own = self.own
        return Surroundings(self.workspace, self.environment, own, self.mark, self.sandbox)

    def level(self, config: Mapping[str, Json]) -> Level:
        """The level of the sandbox in which a handler of this configuration works."""
        level: Level = config.get("sandbox") or self.sandbox.level
        return level


class InputsError(Exception):
    """An input cannot be handed over; the text is a sentence for the attempt's failure."""


def with_inputs_opened(turn: Turn, context: HandlerContext) -> Turn:
    """The turn as its handler gets it: what is kept as artifacts of inputs and answers is whole.

    Raises `InputsError` for an artifact that cannot be read.
    """
    try:
        inputs = opened(turn.inputs, context.artifacts)
        answers = opened(turn.answers, context.artifacts)
    except (ForgeError, TypeError) as fault:
        raise InputsError(f"its inputs cannot be handed over: {fault}") from None
    if inputs is turn.inputs and answers is turn.answers:
        return turn
    return replace(turn, inputs=inputs, answers=tuple(answers))


class OpenHandler(Handler, Protocol):
    """A handler that a run has opened and will close."""

    async def close(self) -> None:
        """End everything that is kept between turns. Nothing of it is left afterwards."""
        ...


class Stopped(asyncio.CancelledError):
    """The turn was cancelled and nothing of it runs any more.

    `result` is a failed `TurnResult` of kind `cancelled` with what had been captured; its message
    also names what outlived KILL. An engine that does not look at it sees a cancelled call.
    """

    def __init__(self, result: TurnResult) -> None:
        super().__init__(result.message)
        self.result = result
