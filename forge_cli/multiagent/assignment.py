"""From a ready item to the turn that is asked of its role's handler."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from forge_cli.multiagent.budget import Amounts
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.node import Node
from forge_cli.multiagent.patterns import each
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.run_state import RunState
from forge_cli.multiagent.templates import Reference, fill, fill_argv, references, to_text
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
    number, index = (node.attempt, node.turn + 1) if node.yielded else (node.attempt + 1, 1)
    values = _Values(state, node, amounts, f"{state.run_id}/{node.item_id}/{number}")
    role = state.plan.roles[node.item.role_id]
    goal = to_text(fill(node.item.goal, values.look_up))
    values.goal = goal
    inputs = fill(node.item.inputs, values.look_up)
    handler = _fill_handler(role.handler.config, values)
    item = node.item
    turn = Turn(
        run_id=state.run_id,
        item_id=node.item_id,
        attempt_id=values.attempt,
        key=f"{state.run_id}/{node.item_id}/turn-{index}",
        number=index,
        role_id=role.role_id,
        role_version=role.version,
        purpose=goal,
        inputs=inputs,
        grant=node.grant,
        handler_kind=role.handler.kind,
        handler=handler,
        budget=amounts,
        timeout=max(0, min(item.timeout, node.deadline - now)),
        deadline=node.deadline,
        context=state.plan.context_packages.get(item.context_package or ""),
        completion=state.plan.schemas.get(item.completion or ""),
        state=node.saved,
    )
    body: dict[str, Json] = {
        "number": number,
        "turn": index,
        "role": f"{role.role_id}@{role.version}",
        "slice": dict(amounts),
        "timeout": turn.timeout,
        "deadline": time_text(turn.deadline),
        "key": turn.key,
        "version": state.commits.version,
    }
    if inputs:
        body["inputs"] = inputs
    if goal != item.goal:
        body["goal"] = goal
    if handler is not role.handler.config:
        body["handler"] = handler
    return Assignment(Event(now, "turn_started", node.item_id, turn.attempt_id, body), turn)


def elements(state: RunState, node: Node) -> list[Json]:
    """What a `for_each` runs over; `ValueError` if it is no list or reaches too far."""
    values = fill(node.item.for_each, _Values(state, node, {}, "").look_up)
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
    look_up = _Values(state, None, {}, "").look_up
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


def _fill_handler(config: Mapping[str, Json], values: "_Values") -> Mapping[str, Json]:
    """The configuration with its references filled, or itself if it has none.

    The text of a script is not looked at: it gets its inputs by the environment.
    """
    open_keys = [
        key
        for key, value in config.items()
        if not (key == "argv" and config.get("inputs_as_env")) and any(references(value))
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


@dataclass(slots=True)
class _Values:
    """Where the references of one item get their values."""

    state: RunState
    node: Node | None
    amounts: Amounts
    attempt: str
    goal: str = ""

    def look_up(self, reference: Reference) -> Json:
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
