"""From a ready item to the turn that is asked of its role's handler."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from forge_cli.multiagent import tools
from forge_cli.multiagent.board import Window
from forge_cli.multiagent.budget import Amounts
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.lookup import Values
from forge_cli.multiagent.messages import AgentMessage, create_message
from forge_cli.multiagent.node import Node
from forge_cli.multiagent.patterns import each, hierarchical
from forge_cli.multiagent.plan import Item, Json
from forge_cli.multiagent.run_state import RunState
from forge_cli.multiagent.templates import fill, fill_settings, is_open, to_text
from forge_cli.multiagent.times import to_text as time_text
from forge_cli.multiagent.turn import Turn
from forge_cli.multiagent.values import is_artifact


@dataclass(frozen=True, slots=True)
class Assignment:
    """A turn that is due and the event that records it; neither exists without the other.

    `turn` makes the turn, for who is to start it; a replay only wants the event. It is to be
    called before the event is applied.
    """

    event: Event
    turn: Callable[[], Turn] = field(compare=False)


def assign(state: RunState, node: Node, amounts: Amounts, now: int) -> Assignment:
    """The node's next turn, with every reference filled.

    Raises `ValueError` with a sentence if a reference has no value or data would become an option.
    """
    if node.yielded:
        number, index = node.attempt, node.turn + 1
    else:
        number, index = node.attempt + 1, node.resume_at
    item, role = node.item, state.roles[node.item.role_id]
    values = Values(state, node, amounts, f"{state.run_id}/{node.item_id}/{number}")
    if node.origin is None:
        values.goal = goal = to_text(fill(item.goal, values.look_up))
        inputs = fill(item.inputs, values.look_up)
    else:
        # What stems from an agent is data, in which nothing is looked up.
        values.goal, goal, inputs = item.goal, item.goal, item.inputs
    handler = _handler(state, node, values)
    told = [] if node.told is None else [node.told]
    told += node.refused
    board = node.board
    window = None if board is None else board.window(node.item_id, index)
    key = _key(state, node, index)
    timeout = max(0, min(item.timeout, node.deadline - now))
    body: dict[str, Json] = {
        "number": number,
        "turn": index,
        "role": f"{role.role_id}@{role.version}",
        "slice": dict(amounts),
        "timeout": timeout,
        "deadline": time_text(node.deadline),
        "key": key,
        "version": state.commits.version,
    }
    # What of the turn does not stand in the plan as it is.
    if inputs:
        body["inputs"] = inputs
    if goal != item.goal:
        body["goal"] = goal
    if handler is not role.handler.config:
        body["handler"] = handler
    if told:
        body["inbox"] = told
    if board is not None and window is not None:
        body["heard"] = {**board.marks, "after": window.after, "upto": window.upto}
        if window.lost:
            body["heard"]["lost"] = window.lost
    if node.answers:
        body["answers"] = list(node.answers)

    def turn() -> Turn:
        return Turn(
            run_id=state.run_id,
            item_id=node.item_id,
            attempt_id=values.attempt,
            key=key,
            number=index,
            role_id=role.role_id,
            role_version=role.version,
            purpose=goal,
            inputs=inputs,
            grant=node.grant,
            handler_kind=role.handler.kind,
            handler=handler,
            budget=amounts,
            timeout=timeout,
            deadline=node.deadline,
            inbox=tuple(_inbox(state.run_id, node, values.attempt, told, window)),
            context=state.plan.context_packages.get(item.context_package or ""),
            completion=state.plan.schemas.get(item.completion or ""),
            state=node.saved,
            group=None if board is None else board.facts(node.item_id),
            max_steps=item.max_steps,
            delegates=hierarchical.delegates(state.plan, node),
            answers=node.answers,
        )

    return Assignment(Event(now, "turn_started", node.item_id, values.attempt, body), turn)


def _inbox(
    run_id: str, node: Node, attempt: str, told: list[Json], window: Window | None
) -> Iterator[AgentMessage]:
    """What the run has to tell an attempt, then what those beside it have posted.

    The run tells why there is another attempt, and what of the last turn's posts was refused.
    """
    recipient = f"{node.item.role_id}#{node.item_id}"
    for index, note in enumerate(told):
        name = f"{attempt}/told-{index}" if index else f"{attempt}/told"
        yield create_message(name, attempt, "run", recipient, "error", note)
    if node.board is None or window is None:
        return
    group = node.board.group.item_id
    for number, post in node.board.messages(node.item_id, window):
        name, thread = f"{run_id}/{group}/{number}", post.attempt or attempt
        yield create_message(name, thread, post.sender, recipient, post.kind, post.words())


def _key(state: RunState, node: Node, index: int) -> str:
    """The same for each attempt at the same turn; a call of a tool has that of its request."""
    if node.origin is not None and node.item.role_id == tools.ROLE.role_id:
        return f"{state.run_id}/{node.origin.request}"
    return f"{state.run_id}/{node.item_id}/turn-{index}"


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


def _handler(state: RunState, node: Node, values: Values) -> Mapping[str, Json]:
    """The configuration of the turn's handler; a call of a server's tool has that server's."""
    item = node.item
    config = state.roles[item.role_id].handler.config
    if item.role_id != tools.ROLE.role_id or node.parent is None:
        return fill_handler(_configuration(config, item), values)
    server, _ = tools.server_and_name(item.inputs["tool"])
    if not server:
        return config
    asker = node.parent
    config = state.roles[asker.item.role_id].handler.config
    as_asked = Values(state, asker, values.amounts, asker.attempt_id, asker.item.goal)
    whole = fill_handler(_configuration(config, asker.item), as_asked)
    return dict(whole["servers"][server])


def _configuration(config: Mapping[str, Json], item: Item) -> Mapping[str, Json]:
    """The handler's configuration with the item's own variables and secrets beside its own."""
    if item.sandbox:
        config = {**config, "sandbox": item.sandbox}
    if not item.env and not item.secrets:
        return config
    secrets = dict.fromkeys([*config.get("secrets", ()), *item.secrets])
    return {**config, "env": {**config.get("env", {}), **item.env}, "secrets": list(secrets)}


def fill_handler(config: Mapping[str, Json], values: Values) -> Mapping[str, Json]:
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
    return {**config, **fill_settings({key: config[key] for key in open_keys}, values.look_up)}
