"""G4: spent and reserved never exceed a grant, kept in books of their own from the events alone."""

from collections import Counter
from collections.abc import Mapping

from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Plan
from forge_cli.multiagent.run_state import RunState
from tests.simulation.broken import BrokenError, hold
from tests.simulation.made import Items

DIMENSIONS = ("model_calls", "cost_usd", "tokens", "tool_calls")


class Purse:
    """What one contract was granted, and what became of it; `excess` was used beyond slices."""

    def __init__(self, limits: Mapping[str, int], above: "Purse | None") -> None:
        self.limits = limits
        self.above = above
        self.reserved: Counter[str] = Counter()
        self.spent: Counter[str] = Counter()
        self.excess: Counter[str] = Counter()

    def paying(self, dimension: str) -> "Purse":
        """The purse that pays for a dimension: the nearest that limits it, or the outermost."""
        if dimension in self.limits or self.above is None:
            return self
        return self.above.paying(dimension)


class Books:
    """The purses of one run."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._items = Items(plan)
        self.purses = {"": Purse(plan.budget.limits(), None)}
        self._slices: dict[str, tuple[Purse, Mapping[str, int]]] = {}
        self._lost: Counter[str] = Counter()

    def fold(self, event: Event, state: RunState) -> None:
        """Book an event that the machine has applied, and hold its accounts against the books."""
        body = event.body
        self._items.note(event)
        if event.kind == "request_admitted":
            self._open(body["child"], state)
        elif event.kind == "item_opened":
            self._open(event.item, state)
        elif event.kind == "turn_started":
            self._open(event.item, state)
            purse = self._purse(event.item, state)
            self._reserve(purse, body["slice"], event.item)
            self._slices[event.attempt] = purse, body["slice"]
        elif event.kind == "turn_ended":
            self._settle(event, state)
        elif event.kind == "turn_lost":
            purse, held = self._slices.pop(event.attempt)
            self._give_back(purse, held)
            self._lost.update(held)
        for name in [name for name in self.purses if name and state.nodes[name].ended]:
            self._close(name)
        self._compare(state)

    def _open(self, name: str, state: RunState) -> None:
        item = self._items.find(name)
        # A `for_each` reserves element by element.
        elements = item.pattern == "each" and name in self._plan.items
        if item.budget is None or name in self.purses or elements:
            return
        above = self._purse(name, state)
        limits = item.budget.limits()
        self._reserve(above, limits, name)
        self.purses[name] = Purse(limits, above)

    def _purse(self, name: str, state: RunState) -> Purse:
        while name:
            if name in self.purses:
                return self.purses[name]
            parent = state.nodes[name].parent
            name = parent.item_id if parent else ""
        return self.purses[""]

    def _reserve(self, purse: Purse, amounts: Mapping[str, int], name: str) -> None:
        for dimension, amount in amounts.items():
            payer = purse.paying(dimension)
            payer.reserved[dimension] += amount
            limit = payer.limits.get(dimension)
            used = payer.spent[dimension] + payer.reserved[dimension]
            allowed = limit is None or used <= limit + payer.excess[dimension]
            # What was used in excess may leave less than nothing, from which nothing is drawn.
            hold(
                "G4",
                allowed or not amount,
                f"{name!r} reserves {amount} {dimension} of {limit}, {used} are used",
            )

    def _settle(self, event: Event, state: RunState) -> None:
        purse, held = self._slices.pop(event.attempt)
        handler = state.roles[state.nodes[event.item].item.role_id].handler
        usage = event.body["usage"] or {}
        known = {d: amount if d in handler.metered else 0 for d, amount in held.items()}
        self._give_back(purse, held)
        for dimension, amount in {**known, **usage}.items():
            payer = purse.paying(dimension)
            payer.spent[dimension] += amount
            beyond = amount - held.get(dimension, 0)
            if beyond > 0 and dimension in payer.limits:
                payer.excess[dimension] += beyond
                node = state.nodes[event.item]
                hold(
                    "G4",
                    node.status != "succeeded",
                    f"{event.item!r} used {beyond} {dimension} too much and succeeds",
                )
                hold(
                    "G4",
                    node.kind == "budget",
                    f"{event.item!r} used {beyond} {dimension} too much, and is told {node.kind!r}",
                )

    def _give_back(self, purse: Purse, amounts: Mapping[str, int]) -> None:
        for dimension, amount in amounts.items():
            payer = purse.paying(dimension)
            payer.reserved[dimension] -= amount
            hold("G4", payer.reserved[dimension] >= 0, f"{amount} {dimension} come back twice")

    def _close(self, name: str) -> None:
        purse = self.purses.pop(name, None)
        if purse is None or purse.above is None:
            return
        self._give_back(purse.above, purse.limits)
        for dimension in purse.limits:
            payer = purse.above.paying(dimension)
            payer.spent[dimension] += purse.spent[dimension]
            payer.excess[dimension] += purse.excess[dimension]

    def _compare(self, state: RunState) -> None:
        for name, purse in self.purses.items():
            account = state.nodes[name].account if name else state.account
            hold("G4", account is not None, f"{name!r} reserved its budget and has no account")
            assert account is not None
            for dimension in DIMENSIONS:
                due = purse.reserved[dimension], purse.spent[dimension]
                kept = account.reserved[dimension], account.spent[dimension]
                if due != kept:
                    told = f"{kept} of {dimension} reserved and spent, due is {due}"
                    raise BrokenError("G4", f"account {name!r} has {told}")
        lost = {d: state.indeterminate.spent[d] for d in DIMENSIONS}
        if any(lost[d] != self._lost[d] for d in DIMENSIONS):
            raise BrokenError("G4", f"lost are {lost}, due is {self._lost}")
