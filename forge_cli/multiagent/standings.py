"""Where the items of a run stand, and how they move from one place to the next."""

from collections import OrderedDict
from collections.abc import Iterable

from forge_cli.multiagent.agenda import Agenda
from forge_cli.multiagent.node import Fate, Node
from forge_cli.multiagent.patterns import PATTERNS
from forge_cli.multiagent.payment import give_back

LOST = frozenset({"failed", "denied", "cancelled", "blocked"})
"""How an item ends that will not give what others may wait for."""


class Standings:
    """The nodes of one run, each in the places where it is looked for.

    The dictionaries keep the order in which their nodes got there: first ready, first served
    (`ready` is an OrderedDict, since a dict that is emptied from its front slows down).
    `ready` holds what waits for a slot, `openable` what is done by children and needs none;
    `running` maps attempt ids to nodes. `retries` holds pauses before another attempt,
    `deadlines` those of items that they can still end: not of what is opened, awaits a decision
    or is being cancelled. `time` is that of the last event, in milliseconds since the epoch.
    """

    def __init__(self) -> None:
        self.deadline = self.time = 0
        self.nodes: dict[str, Node] = {}
        self.open: dict[str, Node] = {}
        self.ready: OrderedDict[str, Node] = OrderedDict()
        self.openable: dict[str, Node] = {}
        self.conditions: dict[str, Node] = {}
        self.fated: dict[str, Fate] = {}
        self.running: dict[str, Node] = {}
        self.stopping: dict[str, Node] = {}
        self.retries = Agenda()
        self.deadlines = Agenda()
        self._dependents: dict[str, list[tuple[Node, bool]]] = {}

    def _add(self, node: Node) -> None:
        self.nodes[node.item_id] = self.open[node.item_id] = node
        # What is below an item that is not opened waits with it, whatever its own deadline.
        if node.parent is None or node.parent.status == "opened":
            self._watch(node)

    def _watch(self, node: Node) -> None:
        if node.deadline < self.deadline:
            self.deadlines.add(node.deadline, node.item_id)

    def _enable(self, node: Node) -> None:
        if node.item.when is not None and node.pattern == node.item.pattern:
            self.conditions[node.item_id] = node
        else:
            self._make_ready(node)

    def _make_ready(self, node: Node) -> None:
        node.status = "ready"
        queue = self.ready if node.pattern == "turn" else self.openable
        queue[node.item_id] = node
        if node.board is not None:
            node.board.join(node.item_id)

    def _release(self, node: Node) -> None:
        """Let the next child of an opened item that still waits become ready."""
        while node.released < len(node.children):
            child = node.children[node.released]
            node.released += 1
            child.payer = node.payer
            waited = child.status == "waiting"
            self._met(child)
            if waited:
                return

    def _met(self, node: Node) -> None:
        node.pending -= 1
        if not node.pending and node.status == "waiting" and node.item_id not in self.fated:
            self._enable(node)

    def _try_again(self, node: Node) -> None:
        self._watch(node)
        self._make_ready(node)

    def _hold(self, node: Node, status: str) -> None:
        """Leave the item open until somebody decides; nothing else moves it."""
        self._withdraw(node)
        node.status = status

    def _close(self, node: Node, status: str) -> None:
        if node.board is not None and status in LOST:
            self._post(node, "cancel", f"ended {status}")
        self._withdraw(node)
        del self.open[node.item_id]
        node.status = status
        give_back(node)
        for dependent, strict in self._dependents.get(node.item_id, ()):
            self._tell(dependent, node, strict)
        if status != "succeeded":
            self._close_below(node, status)
        if node.parent is not None:
            self._child_ended(node)

    def _withdraw(self, node: Node) -> None:
        """Take the node out of whatever could start or end it."""
        for queue in (self.ready, self.openable, self.conditions, self.fated, self.stopping):
            queue.pop(node.item_id, None)
        self._forget_retry(node)
        self.deadlines.remove(node.deadline, node.item_id)
        if node.board is not None:
            self._go_on_with(node.board.leave(node.item_id))

    def _post(self, node: Node, kind: str, what: str) -> None:
        """Let those beside the node know what became of it, unless it is all over with them."""
        parent, board = node.parent, node.board
        if board is not None and parent is not None and parent.status == "opened":
            board.tell(kind, f"{board.name_of(node.item_id)!r} {what}", self.time)

    def _go_on_with(self, names: Iterable[str]) -> None:
        """Let those have another turn who need not wait for anybody beside them."""
        for name in names:
            self._make_ready(self.nodes[name])

    def _rest(self, node: Node) -> None:
        """Let the node have its next turn, if it is a part of a joint item in the next round."""
        if node.board is None:
            self._try_again(node)
        else:
            self._watch(node)
            node.status = "ready"
            self._go_on_with(node.board.rest(node.item_id))

    def _forget_retry(self, node: Node) -> None:
        if node.retry_at is not None:
            self.retries.remove(node.retry_at, node.item_id)
            node.retry_at = None

    def _close_below(self, node: Node, status: str) -> None:
        """What waited for the item to be opened ends with it."""
        fate = Fate(
            "skipped" if status == "skipped" else "blocked", f"{node.item_id!r} ended {status}"
        )
        for child in node.children:
            if not child.ended:
                self._doom(child, fate)

    def _tell(self, dependent: Node, node: Node, strict: bool) -> None:
        if not strict or node.accepted:
            self._met(dependent)
        elif dependent.status != "waiting" or dependent.item_id in self.fated:
            return
        elif node.status == "skipped":
            self._doom(dependent, Fate("skipped", f"{node.item_id!r} was skipped"))
        else:
            self._doom(dependent, Fate("blocked", f"{node.item_id!r} ended {node.status}"))

    def _child_ended(self, child: Node) -> None:
        parent = child.parent
        if parent is None or parent.status != "opened":
            return
        parent.open_children -= 1
        if not parent.open_children:
            self._doom(parent, PATTERNS[parent.pattern](parent))
        elif not parent.stopped:
            self._release(parent)

    def _doom(self, node: Node, fate: Fate) -> None:
        self.fated[node.item_id] = fate
