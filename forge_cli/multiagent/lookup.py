"""What references stand for: inputs, results, shared state, and an item's own terms."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from forge_cli.multiagent.budget import Amounts
from forge_cli.multiagent.node import Node
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.run_state import RunState
from forge_cli.multiagent.templates import Reference


@dataclass(slots=True)
class Values:
    """Where the references of one item, or of the run, get their values.

    `amounts` is the slice of the turn that they are for, `attempt` its attempt's id, and `goal`
    the item's goal once it has been filled itself.
    """

    state: RunState
    node: Node | None = None
    amounts: Amounts = field(default_factory=dict)
    attempt: str = ""
    goal: str = ""

    def look_up(self, reference: Reference) -> Json:
        """The value that the reference stands for; `ValueError` with a sentence if it has none."""
        root = reference.root
        if root == "items":
            return self._item(reference)
        if root in ("inputs", "state", "env"):
            values: Mapping[str, Json] = {
                "inputs": self.state.inputs,
                "state": self.state.commits.values,
                "env": self.state.env,
            }[root]
            if reference.name not in values:
                raise ValueError(f"{reference.text} has no value")
            return values[reference.name]
        if root == "run":
            return self.state.run_id
        return self._own(reference)

    def _item(self, reference: Reference) -> Json:
        node = self.state.nodes.get(reference.name)
        if node is None:
            raise ValueError(f"{reference.text}: there is no item {reference.name!r}")
        if reference.field == "status":
            return node.status
        if node.output is None or reference.key not in node.output:
            raise ValueError(
                f"{reference.text} has no value: {reference.name!r} ended {node.status}"
            )
        return node.output[reference.key]

    def _own(self, reference: Reference) -> Json:
        node = self.node
        if node is None:
            raise ValueError(f"{reference.text} has no value outside an item")
        if reference.root == "budget":
            return self._budget(reference)
        own: dict[str, Json] = {
            "each": node.each,
            "scope": list(node.grant.scope),
            "goal": self.goal or node.item.goal,
            "completion": self.state.plan.schemas.get(node.item.completion or ""),
            "attempt": self.attempt,
        }
        return own[reference.root]

    def _budget(self, reference: Reference) -> Json:
        amounts: dict[str, Json] = dict(self.amounts)
        if "cost_usd" in amounts:
            amounts["cost_usd"] = _dollars(amounts["cost_usd"])
        if not reference.name:
            return amounts
        if reference.name not in amounts:
            raise ValueError(f"{reference.text} has no value: the turn has no such slice")
        return amounts[reference.name]


def _dollars(micro: int) -> str:
    """Micro-dollars as plain decimal text, without trailing zeros."""
    return f"{Decimal(micro).scaleb(-6).normalize():f}"
