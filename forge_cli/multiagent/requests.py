"""What turns ask for, admitted or denied one after the other."""

from collections.abc import Mapping

from forge_cli.multiagent import denials, tools
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.narrowing import RefusedError
from forge_cli.multiagent.node import Node
from forge_cli.multiagent.patterns import decomposition, hierarchical
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.run_state import RunState


def decision(state: RunState, now: int) -> Event:
    """Whether the first request that is not decided is admitted, and as what.

    `now` is in milliseconds since the epoch. One at a time: what is left for the next is known
    when this one has been applied.
    """
    asking = next(iter(state.asking.values()))
    node, number = asking.node, len(asking.settled) + 1
    head: dict[str, Json] = {"request": f"{node.item_id}/{node.turn}/{number}", "tool": ""}
    kind = "request_denied"
    try:
        head["tool"], arguments = _read(asking.requests[number - 1])
        if state.is_halting(node, now):
            raise RefusedError("cancelled", "what asked for it is being stopped")
        if node.denied:
            raise RefusedError("cancelled", "what asked for it was denied something, and pauses")
        kind, body = _admitted(state, node, head["tool"], arguments, f"{node.turn}-{number}")
    except RefusedError as refusal:
        body = {"kind": refusal.kind, "reason": str(refusal)}
        if refusal.kind == "denied" and (action := tools.ACTIONS.get(head["tool"])):
            body |= {"action": action, **denials.refusing(state.plan, node, action)}
        if refusal.left is not None:
            body["left"] = dict(refusal.left)
    return Event(now, kind, node.item_id, node.attempt_id, head | body)


def _read(request: Json) -> tuple[str, Mapping[str, Json]]:
    if isinstance(request, dict) and request.keys() == {"tool", "arguments"}:
        tool, arguments = request["tool"], request["arguments"]
        if isinstance(tool, str) and isinstance(arguments, dict):
            return tool, arguments
    raise RefusedError("invalid-request", "a request must be {tool: <name>, arguments: {...}}")


def _admitted(
    state: RunState, node: Node, tool: str, arguments: Mapping[str, Json], number: str
) -> tuple[str, dict[str, Json]]:
    """Kind and body of the event that admits a request; `number` tells those of the item apart."""
    prefix = f"{node.item_id}."
    if tool == decomposition.TOOL and node.item.max_steps:
        steps = decomposition.steps(state.plan, node, arguments)
        for index, step in enumerate(steps, start=1):
            step["child"] = state.free_id(f"{prefix}step-{number}-{index}")
        return "steps_inserted", {"steps": steps}
    if tool != hierarchical.TOOL:
        child = state.free_id(f"{prefix}call-{number}")
        handler = state.roles[node.item.role_id].handler
        return "request_admitted", {"child": child, **tools.call(node, handler, tool, arguments)}
    if state.descendants[state.root(node)] >= hierarchical.MOST_DESCENDANTS:
        most = hierarchical.MOST_DESCENDANTS
        raise RefusedError("too-many", f"one item may have {most} children below it, and has")
    child = state.free_id(f"{prefix}child-{number}")
    return "request_admitted", {"child": child, **hierarchical.child(state.plan, node, arguments)}
