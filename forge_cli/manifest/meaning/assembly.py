"""Roles, contracts and items put together from what is written, inherited and routed."""

from collections.abc import Iterator
from typing import Any

from forge_cli.manifest.findings import Path
from forge_cli.manifest.meaning.actions import Vocabulary
from forge_cli.manifest.meaning.nodes import Agent, Delegated, Node, Way, Written
from forge_cli.manifest.meaning.routes import Need, Route, Router
from forge_cli.manifest.meaning.scopes import EACH, covers, meet
from forge_cli.manifest.meaning.values import Fault, Reference, reference

RUN_SCOPE = ("files:**",)
"""The run's scope where the manifest does not say it."""

DOERS = ("role", "delegation", "run", "script")
INHERITED = (
    "goal",
    "capabilities",
    "scope",
    "writes",
    "outputs",
    "with",
    "deadline",
    "timeout",
    "context_package",
    "risk",
    "approval",
    "compensate",
    "on_failure",
    "on_crash",
    "env",
    "secrets",
    "sandbox",
    "labels",
)
"""What a sub-task has from its item where it says nothing itself, beside who does it."""

CONTRACT_KEYS = frozenset(
    {"capabilities", "scope", "outputs", "context_package", "deadline", "on_failure"}
)
"""Of these, the ones that a contract says for the items done under it."""

GROUP_OUTPUTS = {
    "joint": ("board", "conflicts"),
    "broadcast": ("log",),
    "resolve": ("resolution",),
}
"""What an item outputs beside the results of its sub-tasks, by its pattern."""


class Assembly:
    """The parts of one manifest; each item is routed, if at all, in the order of the file."""

    def __init__(self, data: Written) -> None:
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
        self.router = Router(self.roles)
        self.routes: dict[str, Route] = {}
        self.nodes: dict[str, Node] = {}
        self._sets: dict[tuple[str, ...], frozenset[str]] = {}
        for item_id, written in section(data, "work_items").items():
            self._add(item_id, ("work_items", item_id), written, None)

    def agent(self, text: str | None) -> Agent | None:
        """The role that a reference names, whatever version it asks for."""
        if text is None:
            return None
        named = reference(text, "agent") if ":" in text else Reference("agent", text)
        return None if isinstance(named, Fault) else self.roles.get(named.name)

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
        way = _way(written, own)
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
            _writes(written, own, scope, actions),
            _outputs(written, own, agent, contract),
            self.vocabulary.risk(capabilities),
            children,
            self.routes[item_id].reason if item_id in self.routes else "named",
        )

    def _routed(self, item_id: str, written: Written) -> Agent | None:
        need = Need(
            self._set(written["capabilities"]),
            frozenset(written.get("outputs", ())),
            tuple(static(written.get("scope", ()))),
        )
        route = self.router.route(need)
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


def _way(written: Written, own: Written) -> Way:
    if "sub_tasks" in own:
        return "group"
    if "role" in written:
        return "role"
    if "delegation" in written:
        return "delegation"
    return "inline" if "run" in written or "script" in written else "routed"


def _shared(above: Written, own: Written) -> Written:
    doers = () if any(key in own for key in DOERS) else DOERS
    inherited = {key: above[key] for key in (*doers, *INHERITED) if key in above}
    if "delegation" in own or "delegation" in inherited:
        return {key: inherited[key] for key in inherited if key not in CONTRACT_KEYS}
    return inherited


def static(scopes: Any) -> Iterator[str]:
    """The scopes with any name where an element of a `for_each` would stand."""
    return (scope.replace(EACH, "*") for scope in scopes)


def _writes(
    written: Written, own: Written, scope: tuple[str, ...], actions: frozenset[str]
) -> tuple[str, ...]:
    if "file-write" not in actions:
        return ()
    files = tuple(text for text in scope if text.startswith("files:"))
    if "writes" not in written:
        return files
    asked = tuple(written["writes"])
    if "writes" in own or covers(scope, asked):
        return asked
    # What is inherited is narrowed by the sub-task's own scope, where the two are nested.
    return tuple(meet(asked, files))


def _outputs(
    written: Written, own: Written, agent: Agent | None, contract: Delegated | None
) -> tuple[str, ...]:
    if contract is not None:
        return contract.outputs
    if "sub_tasks" in own:
        return (*own["sub_tasks"], *GROUP_OUTPUTS.get(own.get("pattern", ""), ()))
    if "outputs" in written:
        return tuple(written["outputs"])
    return agent.outputs if agent else ("result",)
