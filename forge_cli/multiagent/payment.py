"""How the turns of a node are paid: its budget reserved whole, each turn settled, the rest back."""

from collections.abc import Collection, Mapping

from forge_cli.multiagent.budget import Account, used
from forge_cli.multiagent.node import Node


def reserve_whole(node: Node) -> None:
    """Reserve an item's own budget at its start and make it what its turns draw from."""
    if node.item.budget is None or node.account is not None:
        return
    node.payer.reserve(node.item.budget.limits())
    node.account = node.payer = Account(node.item.budget, node.payer)


def settle(node: Node, usage: Mapping[str, int] | None, metered: Collection[str]) -> str:
    """Book what a turn used; returns what was more than its slice.

    `metered` are the dimensions whose usage is unknown, and not nothing, if it is not reported.
    """
    held = node.held
    if not held and not usage:
        return ""
    booked = used(held, usage, metered)
    excess = ""
    for dimension, amount in booked.items():
        allowed = held.get(dimension, 0)
        if amount > allowed and node.payer.free(dimension) is not None:
            excess = f"it used {amount} {dimension}, its slice was {allowed}"
    node.payer.settle(held, booked)
    node.held = {}
    return excess


def lose(node: Node, indeterminate: Account) -> None:
    """Give the slice of a turn that was lost back, and book it where nothing is drawn from.

    What it used is unknown; were its own account to pay for it, the turn could not be made again.
    """
    node.payer.settle(node.held, {})
    indeterminate.settle({}, node.held)
    node.held = {}


def give_back(node: Node) -> None:
    """Return what an item that ended had reserved and did not use to the account above."""
    own = node.account
    if own is None or own.parent is None:
        return
    own.parent.settle(own.limits, {dimension: own.spent[dimension] for dimension in own.limits})
    node.payer = own.parent
