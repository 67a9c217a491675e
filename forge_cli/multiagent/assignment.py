"""From a ready item to the turn that is asked of its role's handler."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from forge_cli.multiagent.budget import Amounts
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.lookup import Values
from forge_cli.multiagent.messages import AgentMessage, create_message
from forge_cli.multiagent.node import Node
from forge_cli.multiagent.patterns import each
from forge_cli.multiagent.plan import Item, Json
from forge_cli.multiagent.run_state import RunState
from forge_cli.multiagent.templates import fill, fill_argv, is_open, to_text
from forge_cli.multiagent.times import to_text as time_text
from forge_cli.multiagent.turn import Turn
from forge_cli.multiagent.values import is_artifact


@dataclass(frozen=True, slots=True)
class Assignment:
    """A turn that is due and the event that records it; neither exists without the other."""

    event: Event
    turn: Turn


def assign(state: RunState, node: Node, amounts: Amounts, now: int) -> Assignment:
    """The node's next turn, with every reference filled.

    Raises `ValueError` with a sentence if a reference has no value or data would become an option.
    """
    if node.yielded:
        number, index = node.attempt, node.turn + 1
    else:
        number, index = node.attempt + 1, node.resume_at
    values = Values(state, node, amounts, f"{state.run_id}/{node.item_id}/{number}")
    values.goal = to_text(fill(node.item.goal, values.look_up))
    turn = _turn(values, node, index, now)
    body = {
        "number": number,
        "turn": index,
        "role": f"{turn.role_id}@{turn.role_version}",
        "slice": dict(amounts),
        "timeout": turn.timeout,
        "deadline": time_text(turn.deadline),
        "key": turn.key,
        "version": state.commits.version,
        **_filled(state, node, turn),
    }
    return Assignment(Event(now, "turn_started", node.item_id, turn.attempt_id, body), turn)


def _turn(values: Values, node: Node, index: int, now: int) -> Turn:
    state, item = values.state, node.item
    role = state.plan.roles[item.role_id]
    return Turn(
        run_id=state.run_id,
        item_id=node.item_id,
        attempt_id=values.attempt,
        key=f"{state.run_id}/{node.item_id}/turn-{index}",
        number=index,
        role_id=role.role_id,
        role_version=role.version,
        purpose=values.goal,
        inputs=fill(item.inputs, values.look_up),
        grant=node.grant,
        handler_kind=role.handler.kind,
        handler=_fill_handler(_configuration(role.handler.config, item), values),
        budget=values.amounts,
        timeout=max(0, min(item.timeout, node.deadline - now)),
        deadline=node.deadline,
        inbox=_inbox(node, values.attempt),
        context=state.plan.context_packages.get(item.context_package or ""),
        completion=state.plan.schemas.get(item.completion or ""),
        state=node.saved,
    )


def _inbox(node: Node, attempt: str) -> tuple[AgentMessage, ...]:
    """What an attempt that follows a pause is told: why the one before did not go on."""
    if node.told is None:
        return ()
    recipient = f"{node.item.role_id}#{node.item_id}"
    return (create_message(f"{attempt}/told", attempt, "run", recipient, "error", node.told),)


def _filled(state: RunState, node: Node, turn: Turn) -> dict[str, Json]:
    """What of the turn does not stand in the plan as it is."""
    found: dict[str, Json] = {}
    if turn.inputs:
        found["inputs"] = turn.inputs
    if turn.purpose != node.item.goal:
        found["goal"] = turn.purpose
    if turn.handler is not state.plan.roles[turn.role_id].handler.config:
        found["handler"] = turn.handler
    if turn.inbox:
        found["inbox"] = [dict(message.payload) for message in turn.inbox]
    return found


def elements(state: RunState, node: Node) -> list[Json]:
    """What a `for_each` runs over; `ValueError` if it is no list or reaches too far."""
    values = fill(node.item.for_each, Values(state, node).look_up)
    if is_artifact(values):
        raise ValueError(
            f"for_each wants a list, {node.item.for_each!r} is kept as an artifact of"
            f" {values['bytes']} bytes; hand on a shorter one"
        )
    if not isinstance(values, list):
        raise ValueError(
            f"for_each wants a list, {node.item.for_each!r} is {type(values).__name__}"
        )
    if node.item.with_each:
        contracts = [state.plan.contracts[name] for name in node.item.chain]
        limits = [contract.scope for contract in contracts if contract.scope is not None]
        if excess := each.widening(node, values, limits):
            raise ValueError(excess)
    return values


def run_outputs(state: RunState) -> dict[str, Json]:
    """The run's own result; null where what it refers to was not accepted."""
    look_up = Values(state).look_up
    outputs: dict[str, Json] = {}
    for key, template in state.plan.outputs.items():
        try:
            outputs[key] = fill(template, look_up)
        except ValueError:
            outputs[key] = None
    return outputs


def condition_context(state: RunState, names: Sequence[str]) -> dict[str, Json]:
    """What a `when` looks at: `inputs`, the `items` it names (status, outputs) and `state`."""
    items = {
        name: {"status": state.nodes[name].status, "outputs": state.nodes[name].output}
        for name in names
        if name in state.nodes
    }
    return {"inputs": dict(state.inputs), "items": items, "state": state.commits.values}


def _configuration(config: Mapping[str, Json], item: Item) -> Mapping[str, Json]:
    """The handler's configuration with the item's own variables and secrets beside its own."""
    if not item.env and not item.secrets:
        return config
    secrets = dict.fromkeys([*config.get("secrets", ()), *item.secrets])
    return {**config, "env": {**config.get("env", {}), **item.env}, "secrets": list(secrets)}


def _fill_handler(config: Mapping[str, Json], values: Values) -> Mapping[str, Json]:
    """The configuration with its references filled, or itself if there is nothing to fill.

    The text of a script is not looked at: it gets its inputs by the environment.
    """
    open_keys = [
        key
        for key, value in config.items()
        if not (key == "argv" and config.get("inputs_as_env")) and is_open(value)
    ]
    if not open_keys:
        return config
    return {
        **config,
        **{
            key: fill_argv(config[key], values.look_up)
            if key == "argv"
            else fill(config[key], values.look_up)
            for key in open_keys
        },
    }
