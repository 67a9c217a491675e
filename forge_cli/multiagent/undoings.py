"""Which branches are being undone, how far that has come, and what is left of it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from forge_cli.multiagent.events import Event
from forge_cli.multiagent.node import AGAIN, AWAITING, Node
from forge_cli.multiagent.standings import Standings

RESTING = AWAITING | {"waiting", "compensating"}
"""Statuses of items that do nothing until something else has happened."""


@dataclass(slots=True)
class Branch:
    """An item and all that hangs on it, to be undone from the end of `left`, newest first.

    `names` are the items in it, `open` those that are under way or could start: they end before
    anything is undone.
    """

    top: Node
    left: list[Node]
    names: frozenset[str]
    open: dict[str, Node]


class Undoings(Standings):
    """The nodes of one run, and the compensations that are due, in flight, and stuck.

    One compensation is in flight at a time; `branches` are undone first come, first served, as soon
    as nothing of them is under way.
    `stuck` are those of which a compensation failed: nothing older of them is undone before that
    one is. `compensated` counts what has been undone.
    """

    def __init__(self) -> None:
        super().__init__()
        self.failing = ""
        self.branches: dict[str, Branch] = {}
        self.stuck: dict[str, Branch] = {}
        self.compensating: dict[str, Node] = {}
        self.compensated = 0
        self._begun = 0

    @property
    def uncompensated(self) -> bool:
        """Whether something that is to be undone is not."""
        return bool(self.branches or self.stuck)

    @property
    def following_undo(self) -> Node | None:
        """The item that is undone next, or now; None if none is due."""
        branch = self._next_branch()
        return None if branch is None else branch.left[-1]

    def _next_branch(self) -> Branch | None:
        """The first branch of which nothing is under way any more."""
        return next((branch for branch in self.branches.values() if not branch.open), None)

    def remaining(self) -> list[Node]:
        """What is to be undone and is not, newest first."""
        found: dict[str, Node] = {}
        for branch in (*self.branches.values(), *self.stuck.values()):
            found |= {node.item_id: node for node in branch.left if node.begun}
        return sorted(found.values(), key=_age, reverse=True)

    def _begin(self, node: Node) -> None:
        """From now on the item has done something that can be undone."""
        if not node.begun:
            self._begun += 1
            node.begun = self._begun
            for branch in self.branches.values():
                if node.item_id in branch.open:
                    branch.left.append(node)

    def _undo(self, top: Node, sequel: str) -> bool:
        """Hold the item until its branch is undone; false if there is nothing to undo."""
        nodes = list(self._in_branch(top)) if self._begun else []
        left = sorted((node for node in nodes if node.begun), key=_age)
        if not left:
            return False
        self._hold(top, "compensating")
        top.sequel = sequel
        names = frozenset(node.item_id for node in nodes)
        under_way = (n for n in nodes if not n.ended and not _rests(n, names))
        self.branches[top.item_id] = Branch(top, left, names, {n.item_id: n for n in under_way})
        self._conclude()
        return True

    def _make_ready(self, node: Node) -> None:
        super()._make_ready(node)
        for branch in self.branches.values():
            if node.item_id in branch.names:
                branch.open[node.item_id] = node

    def _hold(self, node: Node, status: str) -> None:
        super()._hold(node, status)
        self._leave_branches(node)

    def _close(self, node: Node, status: str) -> None:
        super()._close(node, status)
        self._leave_branches(node)

    def _leave_branches(self, node: Node) -> None:
        """Nothing of the node is under way any more, so that what it hangs on can be undone."""
        for branch in self.branches.values():
            branch.open.pop(node.item_id, None)
        self._conclude()

    def _in_branch(self, top: Node) -> Iterator[Node]:
        """The item, all below it, and all that depends on these."""
        seen: set[str] = set()
        waiting = [top]
        while waiting:
            node = waiting.pop()
            if node.item_id in seen:
                continue
            seen.add(node.item_id)
            yield node
            waiting += node.children
            dependents = self._dependents.get(node.item_id, ())
            waiting += [dependent for dependent, strict in dependents if strict]

    def _conclude(self) -> None:
        """Go on with what waits for a branch that is undone, or cannot be undone now."""
        while branch := self._next_branch():
            while branch.left and not branch.left[-1].begun:
                branch.left.pop()
            if branch.left and not branch.left[-1].undo_failed:
                return
            del self.branches[branch.top.item_id]
            if branch.left:
                self.stuck[branch.top.item_id] = branch
            if not branch.top.ended:
                self._follow(branch)

    def _follow(self, branch: Branch) -> None:
        top = branch.top
        if top.sequel != AGAIN:
            self._close(top, top.sequel)
        elif branch.left:
            top.kind, top.reason = "error", "what it had done could not be undone"
            self._close(top, "failed")
        else:
            self._try_again(top)

    def _snapshot_taken(self, event: Event) -> None:
        node = self.running[event.attempt]
        node.snapshot = event.body["snapshot"]
        self._begin(node)

    def _compensation_started(self, event: Event) -> None:
        node = self._next(event.item)
        node.undone += 1
        if not event.attempt.endswith(f"/{node.item_id}/compensation-{node.undone}"):
            raise ValueError(f"{event.attempt!r} is not compensation {node.undone} of its item")
        self.compensating[event.attempt] = node

    def _compensation_cancelled(self, event: Event) -> None:
        self.compensating[event.attempt].cancelled = "cancelled"

    def _compensation_ended(self, event: Event) -> None:
        node = self.compensating.pop(event.attempt)
        node.cancelled = ""
        if event.body["status"] == "done":
            node.begun, node.snapshot = 0, ""
            self.compensated += 1
        elif event.body["status"] == "failed":
            self._fail_undoing(node)
        self._conclude()

    def _compensation_refused(self, event: Event) -> None:
        self._fail_undoing(self._next(event.item))
        self._conclude()

    def _next(self, item_id: str) -> Node:
        """What is undone next, which must be this item."""
        if self.compensating or self.following_undo is not self.nodes[item_id]:
            raise ValueError(f"{item_id!r} is not what is undone next")
        return self.nodes[item_id]

    def _fail_undoing(self, node: Node) -> None:
        node.undo_failed = True
        self.failing = self.failing or f"what {node.item_id!r} did could not be undone"

    def _undo_again(self) -> None:
        """What was in flight is due again, and so is what failed."""
        for node in self.compensating.values():
            node.cancelled = ""
        self.compensating.clear()
        for node in self.remaining():
            node.undo_failed = False
        self.branches |= self.stuck
        self.stuck.clear()

    FOLDS: Mapping[str, Callable[["Undoings", Event], None]] = {
        "snapshot_taken": _snapshot_taken,
        "compensation_started": _compensation_started,
        "compensation_cancelled": _compensation_cancelled,
        "compensation_refused": _compensation_refused,
        "compensation_ended": _compensation_ended,
    }


def _rests(node: Node, names: frozenset[str]) -> bool:
    """Whether nothing of the node is under way, nor of one around it that is in the branch."""
    around = node.parent
    if node.status == "waiting" and around is not None and around.status == "opened":
        return around.item_id not in names
    return node.status in RESTING


def _age(node: Node) -> int:
    return node.begun
