"""G1: the items of a run, of the plan and asked for by others, as the events alone tell them."""

from collections.abc import Iterator, Mapping
from typing import Any

from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Grant, Item, Plan
from tests.simulation.broken import hold


class Items:
    """Items by their ids; one that is made is held against the one that asked for it."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._made: dict[str, Item] = {}
        self._order: dict[str, list[str]] = {}

    def note(self, event: Event) -> None:
        """Take in what was admitted."""
        if event.kind == "request_admitted":
            self._make(event.item, event.body, required=False)
        elif event.kind == "steps_inserted":
            asker = self.find(event.item)
            for step in event.body["steps"]:
                self._make(event.item, step, required=True)
                self._order.setdefault(event.item, []).append(step["child"])
            hold("G1", asker.max_steps > 0, f"{event.item!r} may insert no steps")
        elif event.kind == "turn_started" and event.body["turn"] == 1:
            # It begins anew: what it inserted before came to nothing.
            self._order.pop(event.item, None)

    def find(self, name: str) -> Item:
        """The item of that id; of an element, that of all."""
        item = self._plan.items.get(name) or self._made.get(name)
        return item if item is not None else self._plan.items[name.rpartition(".")[0]]

    def is_made(self, name: str) -> bool:
        """Whether the plan does not have it."""
        return name in self._made

    def steps(self, name: str) -> list[str]:
        """What the present attempts of an item have inserted, in order."""
        return self._order.get(name, [])

    def before(self, name: str) -> str:
        """The step that goes before a step, or nothing."""
        steps = self.steps(self._made[name].parent or "")
        return steps[steps.index(name) - 1] if name in steps[1:] else ""

    def chain(self, name: str) -> Iterator[Item]:
        """The item and all above it."""
        above: str | None = name
        while above is not None:
            item = self.find(above)
            yield item
            above = item.parent

    def _make(self, asker: str, body: Mapping[str, Any], required: bool) -> None:
        above, name = self.find(asker).grant, body["child"]
        hold("G3", name not in self._made, f"{name!r} is made twice")
        grant = Grant(
            frozenset(body["capabilities"]),
            frozenset(body["actions"]),
            *(tuple(body[key]) for key in ("scope", "writes", "outputs")),
        )
        fits = grant.capabilities <= above.capabilities and set(grant.writes) <= set(above.writes)
        hold("G1", fits, f"{name!r} may {grant}, who asked {above}")
        tool, role = ":" in body["role"], body["role"].rpartition("@")[0]
        links = ("run",) if tool else ("run", f"role:{role}")
        self._made[name] = Item(
            name,
            role,
            parent=asker,
            grant=grant,
            chain=links,
            budget=Budget(**body["budget"]) if "budget" in body else None,
            required=required,
            timeout=body["timeout"],
            on_crash="rerun" if body["risk"] == "read_only" else "hold",
        )
