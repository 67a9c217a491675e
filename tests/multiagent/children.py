"""Plans of items that hand work to others, and what they ask for."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from forge_cli.multiagent.plan import Contract, Grant, Plan, Role
from tests.multiagent.world import World, item, plan, role

HELD = frozenset({"read", "write", "test-run"})
ACTIONS = {"read": ["file-read"], "write": ["file-read", "file-write"], "test-run": ["process"]}
SRC = ("files:src/**",)


def agent(name: str, to: Sequence[str] = (), **fields: Any) -> Role:
    fields = {"capabilities": HELD, "scope": SRC, "delegates": tuple(to), **fields}
    return replace(role(name), **fields)


LEAD, CODER, READER = (
    agent("lead", ["coder", "reader"]),
    agent("coder", ["reader"]),
    agent("reader", capabilities=frozenset({"read"})),
)


def contracts(roles: Iterable[Role], depth: int) -> dict[str, Contract]:
    found = {"run": Contract("run", "", "", scope=("files:**",), depth=depth)}
    for each in roles:
        name, own = each.role_id, (each.capabilities, each.scope)
        left = depth if each.delegates else 0
        found[f"role:{name}"] = Contract(f"role:{name}", "run", name, *own, depth=left)
        found[f"delegates:{name}"] = Contract(f"delegates:{name}", "run", name, *own, depth=left)
    return found


def lead(name: str = "a", **fields: Any) -> Any:
    grant = Grant(HELD, frozenset({"file-read", "file-write"}), SRC, SRC, ("result",))
    fields = {"role_id": "lead", "grant": grant, "chain": ("run", "role:lead"), **fields}
    return item(name, **fields)


def a_plan(
    *items: Any, roles: Sequence[Role] = (LEAD, CODER, READER), depth: int = 3, **fields: Any
) -> Plan:
    links = fields.pop("contracts", {})
    return plan(
        items or [lead()],
        roles=roles,
        contracts={**contracts(roles, depth), **links},
        vocabulary=ACTIONS,
        **fields,
    )


def ask(*requests: Any, state: Any = None) -> dict[str, Any]:
    return {"status": "yields", "state": state, "requests": list(requests), "usage": {}}


def child(name: Any = "coder", task: str = "do it", **more: Any) -> dict[str, Any]:
    arguments = {"name": name, "task": task, "capabilities": ["read"], **more}
    return {"tool": "delegate_subagent", "arguments": arguments}


def play(script: Any, *items: Any, **fields: Any) -> World:
    return World(a_plan(*items, **fields), script).play()


def denial(action: str = "file-write", **more: Any) -> dict[str, Any]:
    """What was denied to a turn, as its end says."""
    return {"tool": "write_file", "action": action, "reason": f"{action} is denied", **more}


def write(path: str = "src/a") -> dict[str, Any]:
    return {"tool": "write_file", "arguments": {"path": path, "content": ""}}


def answers(world: World, name: str = "a") -> list[Any]:
    """What the item was answered last."""
    return list([turn for turn in world.turns if turn.item_id == name][-1].answers)


def errors(world: World, name: str = "a") -> list[Any]:
    return [answer.get("error") for answer in answers(world, name)]


def told(world: World) -> str:
    (error,) = errors(world)
    return f"{error['kind']}: {error['message']}"
