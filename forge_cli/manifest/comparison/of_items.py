"""Items and their sub-tasks, as they are compared: what each may, must and is given."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from forge_cli.manifest.comparison.changes import Key
from forge_cli.manifest.comparison.limits import Allowance, Limit, Reach, earliest
from forge_cli.manifest.comparison.of_roles import accepted, contract_key, delegates_of, role_key
from forge_cli.manifest.comparison.of_run import RUN
from forge_cli.manifest.comparison.parts import Fact, Part
from forge_cli.manifest.comparison.policies import on_failure
from forge_cli.manifest.comparison.programs import STRONGEST
from forge_cli.manifest.comparison.sides import Side
from forge_cli.manifest.findings import Path
from forge_cli.manifest.meaning.assembly import INHERITED
from forge_cli.manifest.meaning.limits import budget, narrowest, read_deadline, role_budget
from forge_cli.manifest.meaning.nodes import Node
from forge_cli.multiagent.plan import Json


@dataclass(frozen=True, slots=True)
class Order:
    """What an item waits for; `named` is what of it `depends_on` and `after` say themselves."""

    accepted: frozenset[str]
    ended: frozenset[str]
    named: frozenset[str]


@dataclass(frozen=True, slots=True)
class Demand:
    """A value that decides whether work is done at all, and whether somebody needs that work."""

    value: Json
    needed: bool


def item_parts(side: Side) -> Iterator[Part]:
    """Every item, sub-tasks behind their parents."""
    needed = _needed(side)
    for node in side.topology.nodes.values():
        yield _Item(side, node, node.item_id in needed).part()


def item_key(item_id: str) -> Key:
    """What an item or sub-task is known by in a comparison."""
    return ("item", item_id)


def _needed(side: Side) -> frozenset[str]:
    """The items that are required, and those that one of them waits for."""
    items = side.plan.items
    waiting = [item.item_id for item in items.values() if item.required]
    found: set[str] = set()
    while waiting:
        item_id = waiting.pop()
        if item_id not in found:
            found.add(item_id)
            waiting += items[item_id].depends_on
    return frozenset(found)


class _Item:
    def __init__(self, side: Side, node: Node, needed: bool) -> None:
        self._side = side
        self._node = node
        self._needed = needed
        self._item = side.plan.items[node.item_id]

    def part(self) -> Part:
        node = self._node
        facts = {
            **self._doing(),
            **self._held(),
            **self._handed_on(),
            **self._grant(),
            **self._limits(),
            **self._course(),
            **self._rest(),
        }
        grant = f"may use {', '.join(sorted(node.capabilities)) or 'nothing'}"
        outputs = f"gives {', '.join(node.outputs) or 'nothing'}"
        required = "required" if self._item.required else "not required"
        contents = f"{required}; {grant}; {outputs}"
        return Part(item_key(node.item_id), node.path, facts, contents)

    @cached_property
    def _above(self) -> Mapping[str, tuple[Key, ...]]:
        """For each key that the item has from somebody else, whom it has it from."""
        node = self._node
        items = tuple(item_key(each.item_id) for each in _ancestors(node))
        keys = (*INHERITED, self._way()) if items else ()
        found = {key: items for key in keys if key not in node.own}
        if node.agent is not None and node.way != "inline":
            for key in _OF_A_HANDLER:
                found[key] = (*found.get(key, ()), role_key(node.agent))
        if node.contract is not None:
            found |= dict.fromkeys(_OF_A_CONTRACT, (contract_key(node.contract),))
            if "outputs" not in node.contract.written and node.agent is not None:
                found["outputs"] = (*found["outputs"], role_key(node.agent))
            return found
        for key in _OF_A_ROLE:
            if key not in node.own:
                found[key] = (*found.get(key, ()), *self._holders(key))
        return found

    def _holders(self, key: str) -> tuple[Key, ...]:
        agent = self._node.agent
        if agent is None or self._node.way == "inline":
            return (RUN,)
        narrowed = key != "scope" or "scope" in agent.written
        return (role_key(agent),) if narrowed else (role_key(agent), RUN)

    def _fact(self, key: str, value: Any, derived: bool = False) -> Fact:
        path = self._node.place(key)
        return Fact(value, path, self._above.get(key, ()), derived)

    def _doing(self) -> dict[str, Fact]:
        """Who does it, and by what."""
        node, side = self._node, self._side
        facts = {"routing": Fact(_doer(node), self._doer_path(), self._above.get(self._way(), ()))}
        if node.way == "inline":
            key = "run" if "run" in node.written else "script"
            facts["handler"] = self._fact(key, side.program(f"inline:{node.item_id}"))
        else:
            facts["env"] = self._fact("env", node.written.get("env", {}))
        return facts

    def _held(self) -> dict[str, Fact]:
        """What its turns are given, by itself and by its role's handler, and what holds them."""
        node, written = self._node, self._node.written
        if node.children:
            secrets, sandbox = frozenset[str](), STRONGEST
        else:
            program = self._side.program(self._item.role_id)
            secrets, sandbox = program.secrets, program.sandbox
        facts = {
            "secrets": self._fact("secrets", secrets | {*written.get("secrets", ())}),
            "sandbox": self._fact("sandbox", written.get("sandbox", sandbox)),
        }
        if not node.children:
            facts["tools"] = self._fact("tools", program.tools)
        return facts

    def _handed_on(self) -> dict[str, Fact]:
        """To whom whoever does it may hand on what of it, and over how many links."""
        node, agent = self._node, self._node.agent
        if agent is None or node.children:
            return {}
        depth = agent.depth if node.contract is None else node.contract.written.get("depth", 0)
        others = delegates_of(self._side, agent) if depth else frozenset[str]()
        words = agent.delegated if depth else frozenset[str]()
        return {
            "depth": self._fact("depth", depth),
            "delegates": self._fact("delegates", others),
            "delegated capabilities": self._fact("delegated capabilities", words),
        }

    def _way(self) -> str:
        keys = ("role", "delegation", "run", "script")
        return next((key for key in keys if key in self._node.written), "")

    def _doer_path(self) -> Path:
        return self._node.place(self._way())

    def _grant(self) -> dict[str, Fact]:
        """What it may use and touch, and what it gives."""
        node, each = self._node, self._item.for_each
        group = bool(node.children)
        capabilities = None if group and "capabilities" not in node.written else node.capabilities
        scope = None if group and "scope" not in node.written else node.scope
        writes = node.written.get("writes") if group else node.writes
        return {
            "capabilities": self._fact("capabilities", capabilities),
            "scope": self._fact("scope", Reach(scope, each)),
            "writes": self._fact(
                "writes",
                Reach(None if writes is None else tuple(writes), each),
                derived="writes" not in node.written,
            ),
            "outputs": self._fact("outputs", frozenset(node.outputs), derived=group),
        }

    def _limits(self) -> dict[str, Fact]:
        node, plan = self._node, self._side.plan
        own = budget(node.terms().get("budget"))
        role = None if node.children else role_budget(node)
        above = budget(node.parent.own.get("budget")) if node.parent is not None else None
        deadline = read_deadline(node.terms().get("deadline"))
        return {
            "budget": self._fact(
                "budget",
                Allowance(own, narrowest(own, role, above, plan.budget), self._item.role_id),
            ),
            "deadline": self._fact("deadline", Limit(deadline, earliest(deadline, plan.deadline))),
            "timeout": self._fact("timeout", self._item.timeout),
        }

    def _course(self) -> dict[str, Fact]:
        """In which order, under which condition, how often, and what follows a failure."""
        node, item = self._node, self._item
        written = frozenset([*node.own.get("depends_on", ()), *node.own.get("after", ())])
        order = Order(frozenset(item.depends_on), frozenset(item.after), written)
        key = "depends_on" if "depends_on" in node.own else "after"
        return {
            "order": self._fact(key, order),
            "when": self._fact("when", Demand(item.when, self._needed)),
            "for_each": self._fact("for_each", Demand(item.for_each, self._needed)),
            "pattern": self._fact("pattern", node.own.get("pattern", item.pattern)),
            "rounds": self._fact("rounds", node.own.get("rounds", 4)),
            "required": self._fact("required", item.required),
            "max_parallel": self._fact("max_parallel", item.max_parallel),
            "on_failure": self._fact(
                "on_failure", on_failure(node.terms().get("on_failure", "fail"))
            ),
            "on_crash": self._fact(
                "on_crash", item.on_crash, derived="on_crash" not in node.written
            ),
        }

    def _rest(self) -> dict[str, Fact]:
        """What it is told, held against, and kept to."""
        node, written, terms = self._node, self._node.written, self._node.terms()
        goal = "goal" if "goal" in written or node.contract is None else "purpose"
        words = (written if goal == "goal" else terms).get(goal)
        irreversible = written.get("risk") == "irreversible"
        facts = {
            "goal": self._fact(goal, words),
            "inputs": self._fact("with", self._item.inputs),
            "context package": self._fact("context_package", terms.get("context_package")),
            "risk": self._fact("risk", self._item.risk, derived=self._item.risk == node.risk),
            "approval": self._fact("approval", "approval" in written or irreversible),
            "compensate": self._fact("compensate", written.get("compensate")),
            "labels": self._fact("labels", self._item.labels),
            "review": self._fact("review", node.own.get("review")),
            "complexity": self._fact("complexity", _steps(node)),
            "channels": self._fact("channels", _channels(node)),
        }
        for aspect, fact in accepted(self._side, terms, node.path).items():
            key = aspect.replace(" ", "_")
            holders = (*self._above.get(key, ()), *fact.holders)
            facts[aspect] = Fact(fact.value, node.place(key), holders)
        return facts


_OF_A_CONTRACT = (
    "capabilities",
    "scope",
    "outputs",
    "budget",
    "deadline",
    "purpose",
    "context_package",
    "on_failure",
    "completion",
    "criteria",
    "evidence",
    "return_channel",
    "depth",
)
_OF_A_ROLE = ("capabilities", "scope", "outputs", "depth")
_OF_A_HANDLER = ("secrets", "sandbox", "tools", "delegates", "delegated capabilities")
"""What an item has from its role as well, whatever it says itself."""


def _ancestors(node: Node) -> Iterator[Node]:
    above = node.parent
    while above is not None:
        yield above
        above = above.parent


def _doer(node: Node) -> str:
    if node.way == "group":
        return "its sub-tasks"
    if node.contract is not None:
        return f"delegation {node.contract.delegation_id}"
    if node.way == "inline":
        return "its own program"
    return f"role {node.agent.role_id}" if node.agent is not None else "nobody"


def _steps(node: Node) -> int:
    """How many steps it may insert."""
    return node.own.get("max_steps", 20) if node.own.get("complexity") == "high" else 0


def _channels(node: Node) -> Json:
    return {key: node.own[key] for key in ("channels", "posts", "listens") if key in node.own}
