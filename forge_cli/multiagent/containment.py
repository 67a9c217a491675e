"""What a failure leads to: another attempt, a decision, or the end of what hangs on it."""

from typing import Literal

from forge_cli.multiagent.node import Node

Aftermath = Literal["indeterminate", "resumable", "retry", "end"]
Consequence = Literal["awaits", "continues", "stops", "closes"]

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
    if retry and not halted and kind in retry.on and node.attempt < retry.max_attempts:
        return "retry"
    return "end"


def consequence(node: Node, status: str) -> Consequence:
    """What an item that ended without being accepted means for others, as its `on_failure` says.

    `stops` ends everything beside it, `closes` only blocks what depends on it.
    """
    then = node.item.then
    if status == "cancelled":
        return "closes"
    if then in ("escalate", "return-partial-and-escalate"):
        return "awaits"
    if then == "continue":
        return "continues"
    return "stops" if then == "fail" and node.item.required else "closes"
