"""The resolved meaning of a manifest, computed once and tolerant of whatever is missing."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property

from forge_cli.manifest.findings import Path
from forge_cli.manifest.meaning.assembly import Assembly, static
from forge_cli.manifest.meaning.nodes import Agent, Delegated, Node, Written
from forge_cli.manifest.meaning.order import Links, Order, links
from forge_cli.manifest.meaning.references import Mentions, mentions
from forge_cli.manifest.meaning.routes import Explanation, Need, explain
from forge_cli.manifest.meaning.values import Fault, reference
from forge_cli.manifest.reading.source import Origin


class Topology:
    """Roles, contracts and items of one manifest, each with what it may use and must produce.

    `open` says that roles, schemas and capabilities may also come from an included file that was
    not read, so that a name which is not found here is not wrong; `origins` what is from others.
    """

    def __init__(
        self,
        data: Written,
        origins: Mapping[Path, Origin] | None = None,
        open: bool = False,  # noqa: A002 - the word for it
    ) -> None:
        self.data = data
        self.origins = origins or {}
        self.open = open
        self._assembly = assembly = Assembly(data)
        self.vocabulary = assembly.vocabulary
        self.scope = assembly.scope
        self.roles = assembly.roles
        self.contracts = assembly.contracts
        self.nodes = assembly.nodes
        self.routes = assembly.routes

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

    @cached_property
    def _groups(self) -> Mapping[str, dict[str, Node]]:
        groups: dict[str, dict[str, Node]] = defaultdict(dict)
        for node in self.nodes.values():
            if node.parent is not None and node.contract is not None:
                groups[node.contract.delegation_id][node.parent.item_id] = node.parent
        return groups

    def groups(self, contract: Delegated) -> list[Node]:
        """The items of which a sub-task is done under the contract, so that they hold it, too."""
        return list(self._groups.get(contract.delegation_id, {}).values())

    def inheriting(self, key: str) -> Iterator[Node]:
        """The sub-tasks that have the key from their item."""
        for above in self.holding(key):
            for child in above.children:
                node = self.nodes[child]
                if key not in node.own and key in node.written:
                    yield node

    def find(self, name: str, beside: Node) -> Node | None:
        """The item that `depends_on` or `after` of another means: a sibling first."""
        if beside.parent is not None:
            sibling = self.nodes.get(f"{beside.parent.item_id}.{name}")
            if sibling is not None:
                return sibling
        return self.nodes.get(name)

    def agent(self, text: str | None) -> Agent | None:
        """The role that a reference names, whatever version it asks for."""
        return self._assembly.agent(text)

    def owner(self, text: str | None) -> str | None:
        """The role that owns a state key; an item that is a `run` or a `script` may, too."""
        role = self.agent(text)
        if role is not None:
            return role.role_id
        node = self.nodes.get((text or "").removeprefix("inline:"))
        return node.agent.role_id if node is not None and node.agent is not None else None

    @cached_property
    def state_writers(self) -> Mapping[str, list[Node]]:
        """The items that return to each state key, in manifest order."""
        writers: dict[str, list[Node]] = defaultdict(list)
        for node in (*self.holding("return_channel"), *self.holding("delegation")):
            key = state_key(node.terms().get("return_channel"))
            if key is not None:
                writers[key].append(node)
        return writers

    def need(self, node: Node) -> Need:
        """What whoever does the item must have."""
        outputs = node.written.get("outputs", ()) if node.way == "routed" else node.outputs
        scope = node.terms().get("scope", ())
        return Need(node.capabilities, frozenset(outputs), tuple(static(scope)))

    def explain(self, item_id: str) -> Explanation:
        """Why the item is done by whom, who else could do it, and what the others lack."""
        node = self.nodes[item_id]
        chosen = node.agent.role_id if node.agent else ""
        return explain(self.takes_part, self.need(node), chosen, node.route)

    @cached_property
    def called(self) -> frozenset[str]:
        """The roles that some item, some contract or one of these could have do something."""
        agents = [node.agent for node in self.nodes.values()]
        for contract in self.contracts.values():
            agents += [contract.delegator, contract.delegate]
        waiting = [agent.role_id for agent in agents if agent is not None]
        waiting += self.candidates()
        found: set[str] = set()
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                others = self.roles[name].delegates_to if name in self.roles else ()
                named = (self.agent(other) for other in others)
                waiting += [other.role_id for other in named if other is not None]
        return frozenset(found)

    @cached_property
    def takes_part(self) -> Mapping[str, Agent]:
        """The roles of the plan: the manifest's own, and what is called of included ones."""
        return {
            name: role
            for name, role in self.roles.items()
            if role.path not in self.origins or name in self.called
        }

    def candidates(self) -> frozenset[str]:
        """The roles that could do an item which names nobody."""
        needs = {self.need(node) for node in self.nodes.values() if node.way == "routed"}
        return frozenset(self._assembly.router.capable(needs))


def state_key(text: str | None) -> str | None:
    """The key that a `return_channel` names; None for none, or one that is refused."""
    named = reference(text, "state") if text is not None else None
    return None if named is None or isinstance(named, Fault) else named.name
