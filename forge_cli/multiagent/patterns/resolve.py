"""Sub-tasks propose; the proposal of the lowest risk wins, then the one with more evidence."""

from collections.abc import Iterator, Mapping
from typing import Any

from forge_cli.multiagent.conflicts import RISK_ORDER, Proposal, resolve
from forge_cli.multiagent.node import Fate, Node
from forge_cli.multiagent.patterns import parallel

RESOLUTION = "resolution"
"""The output beside the sub-tasks' own that says who won, with what value and why."""


def ready(node: Node) -> Fate:
    """How the item ends, now that every sub-task has.

    Irreversible proposals among which nothing else is to be had pause it, until it is `approved`.
    """
    fate = parallel.failure(node)
    if fate:
        return fate
    resolution = resolve(proposals(node), approval_for_irreversible=bool(node.approved))
    winner = resolution.winner
    if winner is None:
        status = "paused" if resolution.reason == "approval_required" else "failed"
        return Fate(status, resolution.reason, "conflict")
    chosen = {"winner": winner.agent_id, "value": winner.value, "reason": resolution.reason}
    return Fate(
        "succeeded", resolution.reason, output={**parallel.outputs(node), RESOLUTION: chosen}
    )


def proposals(node: Node) -> list[Proposal]:
    """The accepted proposals; evidence counts by the distinct digests that forge itself holds."""
    prefix = len(node.item_id) + 1
    return [
        Proposal(c.item_id[prefix:], c.output["value"], c.output["risk"], len(set(c.held_digests)))
        for c in _proposers(node)
        if c.status == "succeeded" and c.output is not None
    ]


def _proposers(node: Node) -> Iterator[Node]:
    """The sub-tasks, and of one that is done for each element of a list, its elements."""
    for child in node.children:
        yield from child.children if child.pattern == "each" else (child,)


def fault(output: Mapping[str, Any]) -> str:
    """What is wrong with a proposal as an agent answered it, or nothing."""
    missing = sorted({"value", "risk"} - output.keys())
    if missing:
        return f"a proposal has no {' and no '.join(missing)}"
    if not isinstance(output["risk"], str) or output["risk"] not in RISK_ORDER:
        return f"risk {output['risk']!r} is not one of {', '.join(RISK_ORDER)}"
    return ""
