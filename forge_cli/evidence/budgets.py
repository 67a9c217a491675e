"""No budget overspent at any point: a sum of its own, independent of the machine's accounts."""

from collections.abc import Mapping

from forge_cli.evidence.checks import Faults
from forge_cli.evidence.layout import EVENTS
from forge_cli.multiagent.budget import used
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.node import Node
from forge_cli.multiagent.run_state import RunState

RUN = ""
"""The holder of the run's own budget; all others are items."""


class Budgets:
    """Adds up, for the run and each item with a budget, what turns below it used and hold.

    Before any turn starts, used + held + its slice must be within every limit above it. A handler
    that says afterwards it used more than its slice has spent it all the same: then its turn must
    not have been accepted.
    """

    def __init__(self, state: RunState) -> None:
        self.faults = Faults("budgets")
        self._state = state
        self._used: dict[tuple[str, str], int] = {}
        self._held: dict[str, Mapping[str, int]] = {}

    def check(self, event: Event, line: int) -> None:
        """Add the event up; the run has just applied it."""
        if event.kind == "turn_started" and event.body["slice"]:
            self._start(event, line)
        elif event.kind == "turn_ended":
            self._end(event, line)
        elif event.kind == "turn_lost":
            self._lose(event)

    def _start(self, event: Event, line: int) -> None:
        held = self._held[event.attempt] = event.body["slice"]
        for dimension, amount in held.items():
            for holder, limit in self._limits(event.item, dimension):
                key = (holder, dimension)
                total = self._used[key] = self._used.get(key, 0) + amount
                if amount > 0 and limit is not None and total > limit:
                    self.faults.add(
                        f"{EVENTS}:{line}: with the turn of {event.item!r} {_owner(holder)} has "
                        f"spent or reserved {total} {dimension}, its budget is {limit}"
                    )

    def _end(self, event: Event, line: int) -> None:
        held = self._held.pop(event.attempt, {})
        node = self._state.nodes[event.item]
        metered = self._state.roles[node.item.role_id].handler.metered
        for dimension, amount in used(held, event.body["usage"], metered).items():
            reserved = held.get(dimension, 0)
            limited = False
            for holder, limit in self._limits(event.item, dimension):
                limited = limited or limit is not None
                key = (holder, dimension)
                self._used[key] = self._used.get(key, 0) + amount - reserved
            if amount > reserved and limited and node.status == "succeeded":
                self.faults.add(
                    f"{EVENTS}:{line}: {event.item!r} used {amount} {dimension}, its slice was "
                    f"{reserved}, and it was accepted all the same"
                )

    def _lose(self, event: Event) -> None:
        for dimension, amount in self._held.pop(event.attempt, {}).items():
            for holder, _ in self._limits(event.item, dimension):
                self._used[holder, dimension] -= amount

    def _limits(self, item: str, dimension: str) -> list[tuple[str, int | None]]:
        """Holder and limit on the way up from the item to the run."""
        found: list[tuple[str, int | None]] = []
        node: Node | None = self._state.nodes[item]
        while node is not None:
            budget = node.item.budget if node.pattern != "each" else None
            limit = budget.limits().get(dimension) if budget is not None else None
            if limit is not None:
                found.append((node.item_id, limit))
            node = node.parent
        found.append((RUN, self._state.plan.budget.limits().get(dimension)))
        return found


def _owner(holder: str) -> str:
    return "the run" if holder == RUN else f"the budget of {holder!r}"
