"""What items ask for while they go on, the items that come of it, and the answers."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from forge_cli.multiagent import tools
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.narrowing import as_budget
from forge_cli.multiagent.node import Asking, Node, Origin
from forge_cli.multiagent.patterns import hierarchical
from forge_cli.multiagent.payment import reserve_whole
from forge_cli.multiagent.plan import Grant, Item, Json
from forge_cli.multiagent.undoings import Undoings


class Offspring(Undoings):
    """The nodes of one run, and those of them that ask for something.

    `asking` maps items to what they ask for, until all of it is admitted or denied; `descendants`
    counts the children below each item of the plan.
    """

    def __init__(self) -> None:
        super().__init__()
        self.asking: dict[str, Asking] = {}
        self.descendants: Counter[str] = Counter()

    def root(self, node: Node) -> str:
        """The item of the plan that one which was asked for hangs on, at whatever distance."""
        while node.origin is not None and node.parent is not None:
            node = node.parent
        return node.item_id

    def free_id(self, wanted: str) -> str:
        """The id, with a number behind it if an earlier attempt has had it."""
        found, number = wanted, 1
        while found in self.nodes:
            number += 1
            found = f"{wanted}-{number}"
        return found

    def is_halting(self, node: Node, now: int) -> bool:
        """Whether the item is about to be ended, so that nothing new may hang on it.

        `now` is in milliseconds since the epoch.
        """
        undone = any(node.item_id in branch.names for branch in self.branches.values())
        return bool(self.failing) or node.stopped or undone or now >= node.deadline

    def _ask(self, node: Node, requests: Sequence[Json]) -> None:
        """Let the item wait, without a slot, until all that its turn asks for is answered."""
        self.deadlines.remove(node.deadline, node.item_id)
        node.asking = self.asking[node.item_id] = Asking(node, requests)
        node.status = "opened"

    def _request_admitted(self, event: Event) -> None:
        asking = self.asking[event.item]
        node = asking.node
        child = _child(node, event.body)
        node.children.append(child)
        node.open_children += 1
        if child.origin is not None and child.origin.tool == hierarchical.TOOL:
            self.descendants[self.root(node)] += 1
        self._add(child)
        reserve_whole(child)
        self._make_ready(child)
        self._settle(asking, child)

    def _request_denied(self, event: Event) -> None:
        body = event.body
        error = {"kind": body["kind"], "message": body["reason"]}
        answer = {"request": body["request"], "tool": body["tool"], "status": "denied"}
        self._settle(self.asking[event.item], {**answer, "error": error})

    def _settle(self, asking: Asking, entry: "Node | Json") -> None:
        asking.settled.append(entry)
        if asking.decided:
            del self.asking[asking.node.item_id]
            self._answer(asking)

    def _child_ended(self, child: Node) -> None:
        parent = child.parent
        if parent is None or parent.asking is None:
            super()._child_ended(child)
        else:
            parent.open_children -= 1
            self._answer(parent.asking)

    def _answer(self, asking: Asking) -> None:
        """Let the item go on, once all that it asked for has been decided and has ended."""
        node = asking.node
        if node.open_children or not asking.decided:
            return
        node.answers = tuple(
            _answer_of(entry) if isinstance(entry, Node) else entry for entry in asking.settled
        )
        node.asking = None
        self._rest(node)

    REQUESTS: Mapping[str, Callable[["Offspring", Event], None]] = {
        "request_admitted": _request_admitted,
        "request_denied": _request_denied,
    }


def _child(asker: Node, body: Mapping[str, Json]) -> Node:
    """The node of what is admitted: all of it stands in the event."""
    grant = Grant(
        frozenset(body["capabilities"]),
        frozenset(body["actions"]),
        tuple(body["scope"]),
        tuple(body["writes"]),
        tuple(body["outputs"]),
    )
    role_id = body["role"].rpartition("@")[0]
    links = (f"delegates:{asker.item.role_id}", f"role:{role_id}")
    item = Item(
        body["child"],
        role_id,
        parent=asker.item_id,
        goal=body["task"],
        inputs=_inputs(body),
        grant=grant,
        chain=("run",) if role_id == tools.ROLE.role_id else ("run", *links),
        required=False,
        risk=body["risk"],
        budget=as_budget(body.get("budget", {})),
        timeout=body["timeout"],
        on_crash="rerun" if body["risk"] == "read_only" else "hold",
        route="asked for",
    )
    asked, turn = hierarchical.asked(body), asker.turn
    origin = Origin(body["request"], body["tool"], asked, body["depth"], turn)
    return Node(item.item_id, item, grant, asker.payer, asker.deadline, parent=asker, origin=origin)


def _inputs(body: Mapping[str, Json]) -> dict[str, Json]:
    if "arguments" in body:
        return {"tool": body["task"], "arguments": body["arguments"]}
    return {key: body[key] for key in ("instructions",) if key in body}


def _answer_of(node: Node) -> Json:
    """How the item that a request led to ended, as its asker is told; never what budget is left."""
    answer: dict[str, Json] = {"status": node.status, "child": node.item_id}
    if node.origin is not None:
        answer |= {"request": node.origin.request, "tool": node.origin.tool}
    if node.status == "succeeded":
        return answer | {"output": dict(node.output or {})}
    message = "its budget was not enough" if node.kind == "budget" else node.reason
    answer["error"] = {"kind": node.kind or "error", "message": message}
    return answer if node.partial is None else answer | {"partial": node.partial}
