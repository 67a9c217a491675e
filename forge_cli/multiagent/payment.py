"""How the turns of a node are paid: its budget reserved whole, each turn settled, the rest back."""

from collections.abc import Mapping

from forge_cli.multiagent.budget import Account
from forge_cli.multiagent.node import Node


def reserve_whole(node: Node) -> None:
    """Reserve an item's own budget at its start and make it what its turns draw from."""
    if node.item.budget is None or node.account is not None:
        return
    node.payer.reserve(node.item.budget.limits())
    node.account = node.payer = Account(node.item.budget, node.payer)


def settle(node: Node, usage: Mapping[str, int] | None) -> str:
    """Book what a turn used; unknown usage is the whole slice. Returns what was too much."""
    held = node.held
    used = {**held, **(usage or {})}
    excess = ""
    for dimension, amount in used.items():
        allowed = held.get(dimension, 0)
        if amount > allowed and node.payer.free(dimension) is not None:
            excess = f"it used {amount} {dimension}, its slice was {allowed}"
    node.payer.settle(held, used)
    node.held = {}
    return excess


def give_back(node: Node) -> None:
    """Return what an item that ended had reserved and did not use to the account above."""
    own = node.account
    if own is None or own.parent is None:
        return
    own.parent.settle(own.limits, {dimension: own.spent[dimension] for dimension in own.limits})
    node.payer = own.parent
