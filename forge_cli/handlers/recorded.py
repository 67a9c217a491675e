"""Results that were recorded, in the place of handlers of every kind: nothing is called."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from forge_cli.handlers.wire import decode_result
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.saving import restored
from forge_cli.multiagent.turn import Turn, TurnResult


class Place(NamedTuple):
    """Which call a result is of. `attempt` is the last part of the attempt's id, `turn` is from 1.

    A compensation is an attempt of its own, `compensation-1`.
    """

    item: str
    attempt: str
    turn: int

    def __str__(self) -> str:
        return f"turn {self.turn} of attempt {self.attempt} of item '{self.item}'"


def place_of(turn: Turn) -> Place:
    """The place of a turn."""
    return Place(turn.item_id, turn.attempt_id.rpartition("/")[2], turn.number)


class RecordedHandler:
    """Answers each turn with the result of its place; `unused` and `missing` tell what differs."""

    def __init__(self, results: Mapping[Place, Mapping[str, Json]]) -> None:
        self._results = results
        self._used: set[Place] = set()
        self.missing: list[Place] = []

    async def run(self, turn: Turn) -> TurnResult:
        """The recorded result; a failure where there is none."""
        place = place_of(turn)
        words = self._results.get(place)
        if words is None:
            self.missing.append(place)
            reason = f"no result is recorded for {place}; record the run again"
            return TurnResult.failed("error", reason, usage={})
        self._used.add(place)
        result = decode_result(words)
        return replace(result, state=restored(turn.state, words))

    async def close(self) -> None:
        """There is nothing to end."""

    @property
    def unused(self) -> list[Place]:
        """The results that no turn has asked for."""
        return [place for place in self._results if place not in self._used]
