"""What a run has come to: the fold of its events, in time linear in their number."""

from collections import OrderedDict
from collections.abc import Callable, Mapping

from forge_cli.multiagent.agenda import Agenda
from forge_cli.multiagent.budget import Account
from forge_cli.multiagent.commits import Commits
from forge_cli.multiagent.containment import after_failure, consequence
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.node import Fate, Node
from forge_cli.multiagent.patterns import PATTERNS, each
from forge_cli.multiagent.payment import give_back, reserve_whole, settle
from forge_cli.multiagent.plan import Json, Plan
from forge_cli.multiagent.times import from_text

MAX_TURNS = 50
"""How many turns one attempt may take."""


class RunState:
    """Nodes, accounts and shared state of one run; `apply` folds one event into them.

    The dictionaries keep the order in which their nodes got there: first ready, first served
    (`ready` is an OrderedDict, since a dict that is emptied from its front slows down).
    `ready` holds what waits for a slot, `openable` what is done by children and needs none;
    `running` maps attempt ids to nodes. `retries` holds pauses before another attempt,
    `deadlines` those of items that they can still end: not of what is opened, awaits a decision
    or is being cancelled.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.run_id = ""
        self.started = 0
        self.deadline = 0
        self.status = ""
        self.inputs: Mapping[str, Json] = {}
        self.env: Mapping[str, str] = {}
        self.account = Account(plan.budget)
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
        self.signal = ""
        self.failing = ""
        self.commits = Commits(plan.state)
        self._dependents: dict[str, list[tuple[Node, bool]]] = {}

    def apply(self, event: Event) -> None:
        """Fold one event; `ValueError` for one that cannot follow what came before."""
        fold = self._FOLDS.get(event.kind)
        if fold is None:
            raise ValueError(f"unknown event {event.kind!r}")
        if self.status or bool(self.run_id) == (event.kind == "run_started"):
            raise ValueError(
                f"{event.kind!r} cannot happen {'after the end' if self.status else 'here'}"
            )
        fold(self, event)

    def _run_started(self, event: Event) -> None:
        body = event.body
        self.run_id = body["run"]
        self.started = event.time
        self.inputs, self.env = body["inputs"], body["env"]
        self.deadline = from_text(body["deadline"])
        for item in self.plan.items.values():
            parent = self.nodes[item.parent] if item.parent else None
            limit = parent.deadline if parent else self.deadline
            if item.deadline:
                limit = min(limit, item.deadline.resolve(self.started))
            node = Node(item.item_id, item, item.grant, self.account, limit, item.pattern, parent)
            node.pending = len(item.depends_on) + len(item.after) + (parent is not None)
            self._add(node)
            if parent:
                parent.children.append(node)
            for name in item.depends_on:
                self._dependents.setdefault(name, []).append((node, True))
            for name in item.after:
                self._dependents.setdefault(name, []).append((node, False))
        for node in list(self.nodes.values()):
            if not node.pending:
                self._enable(node)

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

    def _condition_evaluated(self, event: Event) -> None:
        node = self.conditions.pop(event.item)
        if "error" in event.body:
            self._doom(
                node,
                Fate(
                    "failed", f"its condition cannot be evaluated: {event.body['error']}", "error"
                ),
            )
        elif event.body["value"]:
            self._make_ready(node)
        else:
            self._doom(node, Fate("skipped", "its condition is false"))

    def _item_opened(self, event: Event) -> None:
        node = self.openable[event.item]
        self._withdraw(node)
        node.status, node.read_version = "opened", self.commits.version
        if node.pattern == "each":
            node.children = each.elements(node, event.body["elements"])
            for element in node.children:
                self._add(element)
        else:
            reserve_whole(node)
            for child in node.children:
                if not child.ended:
                    self._watch(child)
        node.open_children = sum(not child.ended for child in node.children)
        if not node.open_children:
            self._doom(node, PATTERNS[node.pattern](node))
        for _ in range(node.item.max_parallel or len(node.children)):
            self._release(node)

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

    def _turn_started(self, event: Event) -> None:
        node, body = self.nodes[event.item], event.body
        self.ready.pop(event.item, None)
        self._forget_retry(node)
        node.yielded = False
        reserve_whole(node)
        node.payer.reserve(body["slice"])
        node.held, node.read_version = body["slice"], self.commits.version
        node.attempt, node.turn = body["number"], body["turn"]
        node.attempt_id, node.status, node.kind, node.reason = event.attempt, "running", "", ""
        self.running[event.attempt] = node

    def _turn_cancelled(self, event: Event) -> None:
        node = self.running[event.attempt]
        node.cancelled, node.reason = event.body["kind"], event.body["reason"]
        self.deadlines.remove(node.deadline, node.item_id)

    def _turn_ended(self, event: Event) -> None:
        body = event.body
        node = self.running.pop(event.attempt)
        metered = self.plan.roles[node.item.role_id].handler.metered
        excess = settle(node, body["usage"], metered)
        node.partial = body.get("partial")
        if excess:
            self._fail(node, event, "budget", excess)
        elif node.cancelled == "deadline":
            self._fail(node, event, "deadline", node.reason)
        elif body["status"] == "failed":
            kind = node.cancelled or body["kind"]
            self._fail(node, event, kind, node.reason if node.cancelled else body["message"])
        elif body["status"] == "yields":
            self._go_on(node, event)
        elif body["verdict"]["accepted"]:
            node.held_digests = tuple(body["verdict"].get("evidence", {}).values())
            self._accept(node, event, body["output"])
        else:
            node.partial = body.get("output")
            self._fail(node, event, "invalid-output", body["verdict"]["reason"])
        node.cancelled = ""

    def _go_on(self, node: Node, event: Event) -> None:
        if event.body.get("requests"):
            self._fail(
                node, event, "invalid-output", "it asked for children, which no handler may yet"
            )
        elif node.turn >= MAX_TURNS:
            self._fail(node, event, "error", f"it was not done after {MAX_TURNS} turns")
        else:
            node.saved, node.yielded = event.body.get("state"), True
            self._make_ready(node)

    def _accept(self, node: Node, event: Event, output: Mapping[str, Json]) -> None:
        try:
            self.commits.commit(node, output)
        except ValueError as conflict:
            node.partial = output
            self._fail(node, event, "conflict", str(conflict))
            return
        node.output = output
        self._close(node, "succeeded")

    def _fail(self, node: Node, event: Event, kind: str, reason: str) -> None:
        """What a failed attempt leads to: a held fate, another attempt, or the item's end."""
        node.kind, node.reason = kind, reason
        halted = bool(self.failing or node.stopped)
        aftermath = after_failure(node, kind, bool(self.signal), halted)
        if aftermath == "indeterminate":
            self._hold(node, "indeterminate")
        elif aftermath == "resumable":
            node.saved = None
            self._watch(node)
            self._make_ready(node)
        elif aftermath == "retry" and node.item.retry:
            node.status, node.saved = "retrying", None
            node.retry_at = event.time + node.item.retry.pause(node.attempt)
            self.retries.add(node.retry_at, node.item_id)
        else:
            self._end_badly(node, "cancelled" if kind == "cancelled" else "failed")

    def _end_badly(self, node: Node, status: str) -> None:
        """End an item that was not accepted, as its `on_failure` says."""
        follows = consequence(node, status)
        if follows == "awaits":
            self._hold(node, "paused")
            return
        if follows == "continues":
            node.continued = True
            node.output = dict.fromkeys(node.grant.outputs)
        elif follows == "stops":
            cause = f"{node.item_id!r} {status} and is required"
            if node.parent is None:
                self.failing = self.failing or cause
            else:
                node.parent.stopping = node.parent.stopping or cause
                self.stopping[node.parent.item_id] = node.parent
        self._close(node, status)

    def _hold(self, node: Node, status: str) -> None:
        """Leave the item open until somebody decides; nothing else moves it."""
        self._withdraw(node)
        node.status = status

    def _close(self, node: Node, status: str) -> None:
        self._withdraw(node)
        del self.open[node.item_id]
        node.status = status
        give_back(node)
        for dependent, strict in self._dependents.get(node.item_id, ()):
            self._tell(dependent, node, strict)
        if status != "succeeded":
            self._close_below(node, status)
        if node.parent is not None:
            self._child_ended(node.parent)

    def _withdraw(self, node: Node) -> None:
        """Take the node out of whatever could start or end it."""
        for queue in (self.ready, self.openable, self.conditions, self.fated, self.stopping):
            queue.pop(node.item_id, None)
        self._forget_retry(node)
        self.deadlines.remove(node.deadline, node.item_id)

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

    def _child_ended(self, parent: Node) -> None:
        if parent.status != "opened":
            return
        parent.open_children -= 1
        if not parent.open_children:
            self._doom(parent, PATTERNS[parent.pattern](parent))
        elif not parent.stopped:
            self._release(parent)

    def _doom(self, node: Node, fate: Fate) -> None:
        self.fated[node.item_id] = fate

    def _item_ended(self, event: Event) -> None:
        node, body = self.open[event.item], event.body
        fate = self.fated.pop(event.item, None)
        node.kind, node.reason = body.get("kind", ""), body["reason"]
        status = body["status"]
        if status == "succeeded":
            if fate is None or fate.output is None:
                raise ValueError(f"{event.item!r} has no result to succeed with")
            self._accept(node, event, fate.output)
        elif status == "paused":
            self._hold(node, "paused")
        elif status in ("failed", "denied"):
            self._end_badly(node, status)
        else:
            self._close(node, status)

    def _run_stopping(self, event: Event) -> None:
        self.signal = event.body["signal"]

    def _response_ignored(self, event: Event) -> None:
        """Recorded, and nothing follows from it."""

    def _run_ended(self, event: Event) -> None:
        self.status = event.body["status"]

    _FOLDS: Mapping[str, Callable[["RunState", Event], None]] = {
        "run_started": _run_started,
        "condition_evaluated": _condition_evaluated,
        "item_opened": _item_opened,
        "turn_started": _turn_started,
        "turn_cancelled": _turn_cancelled,
        "turn_ended": _turn_ended,
        "response_ignored": _response_ignored,
        "item_ended": _item_ended,
        "run_stopping": _run_stopping,
        "run_ended": _run_ended,
    }
