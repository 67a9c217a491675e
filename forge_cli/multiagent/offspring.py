"""What items ask for while they go on, the items that come of it, and the answers."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from forge_cli.multiagent import denials, tools
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.narrowing import as_budget
from forge_cli.multiagent.node import Asking, Fate, Node, Origin
from forge_cli.multiagent.patterns import decomposition, hierarchical
from forge_cli.multiagent.payment import reserve_whole
from forge_cli.multiagent.plan import Grant, Item, Json
from forge_cli.multiagent.posts import posted
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
        if before := _earlier_call(asking, child):
            child.pending = 1
            self._dependents.setdefault(before.item_id, []).append((child, False))
        else:
            self._make_ready(child)
        self._settle(asking, child)

    def _request_denied(self, event: Event) -> None:
        body = event.body
        error = {"kind": body["kind"], "message": body["reason"]}
        answer = {"request": body["request"], "tool": body["tool"], "status": "denied"}
        if "action" in body:
            self._pause_once_answered(self.nodes[event.item], body)
        self._settle(self.asking[event.item], {**answer, "error": error})

    def _settle(self, asking: Asking, entry: "Node | Json") -> None:
        asking.settled.append(entry)
        if asking.decided:
            del self.asking[asking.node.item_id]
            self._answer(asking)

    def _steps_inserted(self, event: Event) -> None:
        """Put steps behind what the item has inserted before: each waits for the one before it."""
        asking, body = self.asking[event.item], event.body
        node = asking.node
        before = decomposition.inserted(node)[-1:]
        head = {key: body[key] for key in ("request", "tool")}
        for words in body["steps"]:
            step = _child(node, words | head, required=True)
            step.pending = 1
            for last in before:
                self._dependents.setdefault(last.item_id, []).append((step, True))
            node.children.append(step)
            # Its time is not looked at before it can begin: it has its item's, and ends with it.
            self.nodes[step.item_id] = self.open[step.item_id] = step
            before = [step]
        names = [words["child"] for words in body["steps"]]
        self._settle(asking, {**head, "status": "succeeded", "output": {"steps": names}})

    def _hear(self, node: Node, event: Event) -> None:
        """Enter what a turn posts that did not fail: what failed is evidence, and no message."""
        if "posts" in event.body:
            node.refused = posted(node, event)

    def _begin_steps(self, node: Node, event: Event) -> bool:
        """Let the steps that the item has inserted begin, now that it is done; false for none.

        Its output is accepted, and counts once the last of them has ended.
        """
        steps = decomposition.inserted(node)
        if not steps:
            return False
        self._hear(node, event)
        self._withdraw(node)
        node.status, node.partial = "opened", event.body["output"]
        node.open_children = sum(not step.ended for step in steps)
        if not node.open_children:
            # They were cancelled with their item, whose turn came to its end all the same.
            self._doom(node, decomposition.ready(node))
            return True
        for step in steps:
            self._watch(step)
        self._met(steps[0])
        return True

    def _forget_steps(self, node: Node) -> None:
        """What was inserted by an attempt that came to nothing is left out."""
        for step in decomposition.inserted(node):
            if not step.ended:
                self._doom(step, Fate("skipped", f"the attempt of {node.item_id!r} failed"))
        node.answers, node.earlier, node.stopping = (), len(node.children), ""

    def _child_ended(self, child: Node) -> None:
        parent = child.parent
        if parent is None or parent.pattern != "turn":
            super()._child_ended(child)
        elif parent.status == "opened" and decomposition.is_step(child) == (parent.asking is None):
            parent.open_children -= 1
            if parent.asking is not None:
                self._answer(parent.asking)
            elif not parent.open_children:
                self._doom(parent, decomposition.ready(parent))

    def _note_denials(self, node: Node, found: Sequence[Json]) -> None:
        """Note what was denied in a turn; in a call of a tool, to the item that asked for it."""
        if not found:
            return
        if node.item.role_id == tools.ROLE.role_id and node.parent is not None:
            self._pause_once_answered(node.parent, found[0])
            return
        cause = denials.pausing(found, node.denied_reads)
        node.denied_reads += denials.reads(found)
        if cause is not None:
            node.denied = cause

    def _pause_once_answered(self, asker: Node, denial: Mapping[str, Json]) -> None:
        """Let the item pause once all that it asked for is over; what has not begun never does."""
        asker.denied = asker.denied or denial
        for entry in asker.asking.settled if asker.asking is not None else ():
            if isinstance(entry, Node) and not (entry.ended or entry.attempt):
                self._doom(entry, Fate("cancelled", f"{asker.item_id!r} was denied", "cancelled"))

    def _pause(self, node: Node) -> None:
        """Let the item await a decision for what was denied to it."""
        self._withdraw(node)
        node.status, node.yielded = "opened", False
        self._doom(node, Fate("paused", denials.sentence(node.denied), denials.KIND))

    def _item_paused(self, event: Event) -> None:
        node = self.open[event.item]
        node.kind, node.reason = event.body["kind"], event.body["reason"]
        self._hold(node, "paused")

    def _answer(self, asking: Asking) -> None:
        """Let the item go on, or pause, once all that it asked for is decided and has ended."""
        node = asking.node
        if node.open_children or not asking.decided:
            return
        node.answers = tuple(
            _answer_of(entry) if isinstance(entry, Node) else entry for entry in asking.settled
        )
        node.asking = None
        if node.denied:
            self._pause(node)
        else:
            self._rest(node)

    REQUESTS: Mapping[str, Callable[["Offspring", Event], None]] = {
        "request_admitted": _request_admitted,
        "request_denied": _request_denied,
        "steps_inserted": _steps_inserted,
        "item_paused": _item_paused,
    }


def _child(asker: Node, body: Mapping[str, Json], required: bool = False) -> Node:
    """The node of what is admitted: all of it stands in the event."""
    grant = Grant(
        frozenset(body["capabilities"]),
        frozenset(body["actions"]),
        tuple(body["scope"]),
        tuple(body["writes"]),
        tuple(body["outputs"]),
    )
    role_id = body["role"].rpartition("@")[0]
    item = Item(
        body["child"],
        role_id,
        parent=asker.item_id,
        goal=body["task"],
        inputs=_inputs(body),
        grant=grant,
        chain=_chain(asker.item.role_id, role_id),
        required=required,
        risk=body["risk"],
        budget=as_budget(body.get("budget", {})),
        timeout=body["timeout"],
        on_crash="rerun" if body["risk"] == "read_only" else "hold",
        route="asked for",
    )
    asked, turn = hierarchical.asked(body), asker.turn
    origin = Origin(body["request"], body["tool"], asked, body["depth"], turn)
    return Node(item.item_id, item, grant, asker.payer, asker.deadline, parent=asker, origin=origin)


def _earlier_call(asking: Asking, child: Node) -> Node | None:
    """The call of a tool that another one waits for: they change the same files, in order."""
    if child.item.role_id != tools.ROLE.role_id:
        return None
    before = (entry for entry in reversed(asking.settled) if isinstance(entry, Node))
    calls = (node for node in before if node.item.role_id == tools.ROLE.role_id and not node.ended)
    return next(calls, None)


def _chain(asker: str, role_id: str) -> tuple[str, ...]:
    """The contracts of the plan that hold for an item which a role asks of a role, or of itself."""
    if ":" in role_id:
        return ("run",)  # the role is no contract: it has what its asker has
    own = () if role_id == asker else (f"delegates:{asker}",)
    return ("run", *own, f"role:{role_id}")


def _inputs(body: Mapping[str, Json]) -> dict[str, Json]:
    if "arguments" in body:
        return {"tool": body["task"], "arguments": body["arguments"]}
    if "inputs" in body:
        return dict(body["inputs"])
    return {key: body[key] for key in ("instructions",) if key in body}


def _answer_of(node: Node) -> Json:
    """How the item that a request led to ended, as its asker is told; never what budget is left."""
    origin = node.origin or Origin("", "")
    answer: dict[str, Json] = {
        "request": origin.request,
        "tool": origin.tool,
        "status": node.status,
        "child": node.item_id,
    }
    if node.status == "succeeded":
        return answer | {"output": dict(node.output or {})}
    message = "its budget was not enough" if node.kind == "budget" else node.reason
    answer["error"] = {"kind": node.kind or "error", "message": message}
    return answer if node.partial is None else answer | {"partial": node.partial}
