"""The resolved meaning of a manifest, computed once and tolerant of whatever is missing."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Self

from forge_cli.manifest.actions import Vocabulary
from forge_cli.manifest.findings import Path
from forge_cli.manifest.nodes import Agent, Delegated, Node, Way, Written
from forge_cli.manifest.order import Links, Order, links
from forge_cli.manifest.references import Mentions, mentions
from forge_cli.manifest.routes import Explanation, Need, Route, Router, explain
from forge_cli.manifest.scopes import covers
from forge_cli.manifest.values import Fault, Reference, reference

RUN_SCOPE = ("files:**",)
INHERITED = (
    "capabilities",
    "scope",
    "writes",
    "with",
    "deadline",
    "timeout",
    "context_package",
    "risk",
    "approval",
    "on_failure",
    "on_crash",
    "env",
    "secrets",
    "sandbox",
    "labels",
)
"""What a sub-task has from its item where it says nothing itself."""

_GROUP_OUTPUTS = {"joint": ("board", "conflicts"), "broadcast": ("log",), "resolve": ("resolution",)}


class Topology:
    """Roles, contracts and items of one manifest, each with what it may use and must produce."""

    def __init__(self, data: Written) -> None:
        self.data = data
        self.vocabulary = Vocabulary(section(data, "capabilities"))
        self.scope: tuple[str, ...] = tuple(data.get("scope", RUN_SCOPE))
        self.roles = {
            role_id: self._role(role_id, written)
            for role_id, written in section(data, "roles").items()
        }
        self.contracts = {
            name: self._contract(name, written)
            for name, written in section(data, "delegations").items()
        }
        self.routes: dict[str, Route] = {}
        self._router = Router(self.roles)
        self._sets: dict[tuple[str, ...], frozenset[str]] = {}
        self.nodes: dict[str, Node] = {}
        for item_id, written in section(data, "work_items").items():
            self._add(item_id, ("work_items", item_id), written, None)

    @classmethod
    def of(cls, data: Any, files: object = None) -> Self:
        """The meaning of a pruned manifest; `files` is not looked at, meaning is in the text."""
        del files
        return cls(data)

    @cached_property
    def _holders(self) -> Mapping[str, list[Node]]:
        holders: dict[str, list[Node]] = defaultdict(list)
        for node in self.nodes.values():
            for key in node.own:
                holders[key].append(node)
        return holders

    @cached_property
    def mentions(self) -> Mentions:
        """Every `${...}` of the manifest, and every one that cannot be read."""
        return mentions(self)

    @cached_property
    def links(self) -> Mapping[str, Links]:
        """What each item waits for."""
        return links(self)

    @cached_property
    def order(self) -> Order:
        """Which item is surely over before which."""
        return Order(self.nodes, self.links)

    def holding(self, key: str) -> list[Node]:
        """The items that have the key themselves, in manifest order."""
        return self._holders.get(key, [])

    def terms(self, key: str) -> Iterator[tuple[Path, Written]]:
        """Where the key is written among items and contracts, with what it is written in."""
        for contract in self.contracts.values():
            if key in contract.written:
                yield (*contract.path, key), contract.written
        for node in self.holding(key):
            yield (*node.path, key), node.own

    def find(self, name: str, beside: Node) -> Node | None:
        """The item that `depends_on` or `after` of another means: a sibling first."""
        if beside.parent is not None:
            sibling = self.nodes.get(f"{beside.parent.item_id}.{name}")
            if sibling is not None:
                return sibling
        return self.nodes.get(name)

    def agent(self, text: str | None) -> Agent | None:
        """The role that a reference names, whatever version it asks for."""
        if text is None:
            return None
        named = reference(text, "agent") if ":" in text else Reference("agent", text)
        return None if isinstance(named, Fault) else self.roles.get(named.name)

    def need(self, node: Node) -> Need:
        """What whoever does the item must have."""
        outputs = node.written.get("outputs", ()) if node.way == "routed" else node.outputs
        scope = node.terms().get("scope", ())
        return Need(node.capabilities, frozenset(outputs), tuple(_static(scope)))

    def explain(self, item_id: str) -> Explanation:
        """Why the item is done by whom, who else could do it, and what the others lack."""
        node = self.nodes[item_id]
        chosen = node.agent.role_id if node.agent else ""
        return explain(self.roles, self.need(node), chosen, node.route)

    def candidates(self) -> frozenset[str]:
        """The roles that could do an item which names nobody."""
        needs = {self.need(node) for node in self.nodes.values() if node.way == "routed"}
        return frozenset(role for need in needs for role in self._router.capable(need))

    def _role(self, role_id: str, written: Written) -> Agent:
        delegates = section(written, "delegates")
        capabilities = frozenset(written.get("capabilities", ()))
        return Agent(
            role_id,
            ("roles", role_id),
            written,
            written.get("version", 1),
            capabilities,
            tuple(written.get("outputs", ("result",))),
            tuple(written.get("scope", self.scope)),
            tuple(delegates.get("to", ())),
            frozenset(delegates.get("capabilities", capabilities)) if delegates else frozenset(),
            delegates.get("depth", 1) if delegates else 0,
        )

    def _contract(self, name: str, written: Written) -> Delegated:
        delegate = self.agent(written.get("delegate"))
        return Delegated(
            name,
            ("delegations", name),
            written,
            self.agent(written.get("delegator")),
            delegate,
            frozenset(written.get("authority", ())),
            tuple(written.get("scope", delegate.scope if delegate else self.scope)),
            tuple(written.get("outputs", delegate.outputs if delegate else ())),
        )

    def _add(self, item_id: str, path: Path, own: Written, parent: Node | None) -> None:
        written = own if parent is None else {**_shared(parent.written, own), **own}
        node = self._node(item_id, path, own, written, parent)
        self.nodes[item_id] = node
        for name, sub in section(own, "sub_tasks").items():
            self._add(f"{item_id}.{name}", (*path, "sub_tasks", name), sub, node)

    def _node(
        self, item_id: str, path: Path, own: Written, written: Written, parent: Node | None
    ) -> Node:
        way = _way(own)
        contract = self.contracts.get(written["delegation"]) if way == "delegation" else None
        agent = None
        if way == "role":
            agent = self.agent(written["role"])
        elif contract is not None:
            agent = contract.delegate
        elif way == "routed" and "capabilities" in written:
            agent = self._routed(item_id, written)
        capabilities = self._capabilities(written, own, agent, contract)
        if way == "inline":
            agent = self._inline(item_id, path, written, capabilities)
        children = tuple(f"{item_id}.{name}" for name in section(own, "sub_tasks"))
        actions = self.vocabulary.actions(capabilities)
        scope = self._scope(written, own, agent, contract)
        return Node(
            item_id,
            path,
            written,
            own,
            way,
            parent,
            agent,
            contract,
            capabilities,
            actions,
            scope,
            _writes(written, scope, actions),
            _outputs(own, agent, contract),
            self.vocabulary.risk(capabilities),
            children,
            self.routes[item_id].reason if item_id in self.routes else "named",
        )

    def _routed(self, item_id: str, written: Written) -> Agent | None:
        need = Need(
            self._set(written["capabilities"]),
            frozenset(written.get("outputs", ())),
            tuple(_static(written.get("scope", ()))),
        )
        route = self._router.route(need)
        if route is None:
            return None
        self.routes[item_id] = route
        return self.roles[route.role_id]

    def _inline(
        self, item_id: str, path: Path, written: Written, capabilities: frozenset[str]
    ) -> Agent:
        outputs = tuple(written.get("outputs", ("result",)))
        return Agent(f"inline:{item_id}", path, written, 1, capabilities, outputs, self.scope)

    def _capabilities(
        self, written: Written, own: Written, agent: Agent | None, contract: Delegated | None
    ) -> frozenset[str]:
        if contract is not None:
            return contract.capabilities
        if "capabilities" not in written:
            return agent.capabilities if agent else frozenset()
        asked = self._set(written["capabilities"])
        inherited = agent is not None and "capabilities" not in own
        return asked & agent.capabilities if agent and inherited else asked

    def _scope(
        self, written: Written, own: Written, agent: Agent | None, contract: Delegated | None
    ) -> tuple[str, ...]:
        if contract is not None:
            return contract.scope
        holder = agent.scope if agent else self.scope
        if "scope" not in written:
            return holder
        asked = tuple(written["scope"])
        return holder if "scope" not in own and covers(asked, holder) else asked

    def _set(self, words: list[str]) -> frozenset[str]:
        key = tuple(words)
        found = self._sets.get(key)
        if found is None:
            found = self._sets[key] = frozenset(key)
        return found


def section(data: Written, key: str) -> Written:
    """A mapping below a key, empty where there is none."""
    found = data.get(key)
    return found if isinstance(found, dict) else {}


def _way(own: Written) -> Way:
    if own.get("sub_tasks") is not None:
        return "group"
    if "role" in own:
        return "role"
    if "delegation" in own:
        return "delegation"
    return "inline" if "run" in own or "script" in own else "routed"


def _shared(above: Written, own: Written) -> Written:
    if "delegation" in own:
        return {}
    return {key: above[key] for key in INHERITED if key in above}


def _static(scopes: Any) -> Iterator[str]:
    return (scope.replace("${each}", "*") for scope in scopes)


def _writes(written: Written, scope: tuple[str, ...], actions: frozenset[str]) -> tuple[str, ...]:
    if "file-write" not in actions:
        return ()
    if "writes" in written:
        return tuple(written["writes"])
    return tuple(text for text in scope if text.startswith("files:"))


def _outputs(own: Written, agent: Agent | None, contract: Delegated | None) -> tuple[str, ...]:
    if contract is not None:
        return contract.outputs
    if own.get("sub_tasks") is not None:
        return (*own["sub_tasks"], *_GROUP_OUTPUTS.get(own.get("pattern", ""), ()))
    if "outputs" in own:
        return tuple(own["outputs"])
    return agent.outputs if agent else ("result",)
