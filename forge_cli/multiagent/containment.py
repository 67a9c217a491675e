"""What a failure leads to: another attempt, a decision, or the end of what hangs on it."""

from typing import Literal

from forge_cli.multiagent.node import Node

Aftermath = Literal["indeterminate", "resumable", "retry", "end"]
Consequence = Literal["awaits", "continues", "stops", "closes"]

MAX_LOST = 3
"""How many attempts of an item may be lost before a person has to say whether it goes on."""

UNKNOWN_FATE = frozenset({"timeout", "deadline", "cancelled"})
"""Failures that leave open what was done: under `on_crash: hold` the item is indeterminate."""


def after_failure(node: Node, kind: str, interrupted: bool, halted: bool) -> Aftermath:
    """What becomes of an attempt that failed with this kind.

    `interrupted` says that the run was told to stop and may be resumed, `halted` that the item or
    the run is being stopped for good, so that nothing is tried again.
    """
    item = node.item
    if item.on_crash == "hold" and kind in UNKNOWN_FATE:
        return "indeterminate"
    if interrupted and kind == "cancelled":
        return "resumable"
    retry = item.retry
    if retry and not halted and kind in retry.on and node.tries < retry.max_attempts:
        return "retry"
    return "end"


def after_loss(node: Node, halted: bool) -> Aftermath:
    """What becomes of an attempt whose controller was lost, so that nobody knows what it did.

    An attempt that was being stopped for good ends as one that was stopped.
    """
    if halted or node.kind == "deadline":
        return after_failure(node, node.kind, False, True)
    if node.item.on_crash == "hold" or node.lost >= MAX_LOST:
        return "indeterminate"
    return "resumable"


def consequence(node: Node, status: str, decided: bool = False) -> Consequence:
    """What an item that ended without being accepted means for others, as its `on_failure` says.

    `stops` ends everything beside it, `closes` only blocks what depends on it. Nobody is asked
    about an item that a person has `decided` to end.
    """
    then = node.item.then
    if status == "cancelled":
        return "closes"
    if then in ("escalate", "return-partial-and-escalate"):
        if not decided:
            return "awaits"
        return "stops" if node.item.required else "closes"
    if then == "continue":
        return "continues"
    return "stops" if then == "fail" and node.item.required else "closes"
