"""What a run has come to: the fold of its events, in time linear in their number."""

from collections.abc import Callable, Mapping

from forge_cli.multiagent import tools
from forge_cli.multiagent.board import Window
from forge_cli.multiagent.budget import Account, Budget
from forge_cli.multiagent.commits import Commits
from forge_cli.multiagent.containment import Aftermath, after_failure, after_loss, consequence
from forge_cli.multiagent.decisions import APPROVAL, follow
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.node import AGAIN, Fate, Node
from forge_cli.multiagent.offspring import Offspring
from forge_cli.multiagent.patterns import BOARDS, PATTERNS, each
from forge_cli.multiagent.payment import lose, reserve_whole, settle
from forge_cli.multiagent.plan import Json, Plan
from forge_cli.multiagent.saving import restored
from forge_cli.multiagent.times import from_text

RESUMABLE = frozenset({"paused", "interrupted"})
"""How a run can end and yet go on."""

MAX_TURNS = 50
"""How many turns one attempt may take, unless its handler is configured with `max_turns`."""


MAX_REQUESTS = 100
"""How much one turn may ask for."""


class RunState(Offspring):
    """Nodes, accounts and shared state of one run; `apply` folds one event into them.

    `roles` are those of the plan, and the one that makes calls of tools;
    `indeterminate` is booked with what lost turns had reserved; `reusable` maps items to what
    another run was given for them. `concluded` is how a final run had ended that goes on only to
    undo what is left to undo.
    """

    def __init__(self, plan: Plan) -> None:
        super().__init__()
        self.plan = plan
        self.roles = {**plan.roles, tools.ROLE.role_id: tools.ROLE}
        self.run_id = ""
        self.started = 0
        self.epoch = 1
        self.status = ""
        self.inputs: Mapping[str, Json] = {}
        self.env: Mapping[str, str] = {}
        self.account = Account(plan.budget)
        self.indeterminate = Account(Budget())
        self.reusable: Mapping[str, Mapping[str, Json]] = {}
        self.signal = ""
        self.concluded: Mapping[str, Json] | None = None
        self._end: Mapping[str, Json] = {}
        self.commits = Commits(plan.state)

    @property
    def resumable(self) -> bool:
        """Whether a run that has ended can go on: to its end, or to undo what is left to undo."""
        return self.status in RESUMABLE or (self.status == "failed" and self.uncompensated)

    def apply(self, event: Event) -> None:
        """Fold one event; `ValueError` for one that cannot follow what came before."""
        fold = self._FOLDS.get(event.kind)
        if fold is None:
            raise ValueError(f"unknown event {event.kind!r}")
        over = self.status and not (event.kind == "run_resumed" and self.resumable)
        if over or bool(self.run_id) == (event.kind == "run_started"):
            raise ValueError(
                f"{event.kind!r} cannot happen {'after the end' if self.status else 'here'}"
            )
        self.time = event.time
        fold(self, event)

    def _run_started(self, event: Event) -> None:
        body = event.body
        self.run_id = body["run"]
        self.started = event.time
        self.inputs, self.env = body["inputs"], body["env"]
        self.reusable = body.get("reuse", {})
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
            if node.pattern in BOARDS:
                members = [child.item for child in node.children]
                buffer = self.plan.broadcast_buffer if node.pattern == "broadcast" else 0
                node.talk = BOARDS[node.pattern](node.item, members, buffer)
            for child in node.children:
                child.board = node.talk
                if not child.ended:
                    self._watch(child)
        node.open_children = sum(not child.ended for child in node.children)
        if not node.open_children:
            self._doom(node, PATTERNS[node.pattern](node))
        for _ in range(node.item.max_parallel or len(node.children)):
            self._release(node)

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
        node.approved = ""
        if node.turn == 1:
            node.denied_reads, node.denied = 0, None
        if node.board is not None:
            heard = body["heard"]
            window = Window(body["turn"], heard["after"], heard["upto"], heard.get("lost", 0))
            node.board.begin(event.item, window)
        if node.item.compensate is not None and node.item.compensate.kind != "restore":
            self._begin(node)
        self.running[event.attempt] = node

    def _turn_cancelled(self, event: Event) -> None:
        node = self.running[event.attempt]
        node.cancelled, node.reason = event.body["kind"], event.body["reason"]
        self.deadlines.remove(node.deadline, node.item_id)

    def _turn_ended(self, event: Event) -> None:
        body = event.body
        node = self.running.pop(event.attempt)
        metered = self.roles[node.item.role_id].handler.metered
        excess = settle(node, body["usage"], metered)
        node.partial = body.get("partial")
        node.refused = ()
        is_stopped = bool(node.cancelled) and body["status"] == "failed"
        if not is_stopped:  # one that is made again is told again why there is one
            node.told = None
        self._note_denials(node, body.get("denials", ()))
        if excess:
            self._fail(node, event, "budget", excess)
        elif node.cancelled == "deadline":
            self._fail(node, event, "deadline", node.reason)
        elif node.denied and not is_stopped:
            node.partial = body.get("output", node.partial)
            self._pause(node)
        elif body["status"] == "failed":
            kind = node.cancelled or body["kind"]
            self._fail(node, event, kind, node.reason if node.cancelled else body["message"])
        elif body["status"] == "yields":
            self._hear(node, event)
            self._go_on(node, event)
        elif body["verdict"]["accepted"]:
            node.held_digests = tuple(body["verdict"].get("evidence", {}).values())
            if not (node.item.max_steps and self._begin_steps(node, event)):
                self._accept(node, event, body["output"])
        else:
            node.partial = body.get("output")
            self._fail(node, event, "invalid-output", body["verdict"]["reason"])
        node.cancelled = ""

    def _go_on(self, node: Node, event: Event) -> None:
        requests = event.body.get("requests", ())
        if node.turn >= (most := self._max_turns(node)):
            self._fail(node, event, "error", f"it was not done after {most} turns")
        elif len(requests) > MAX_REQUESTS:
            told = f"it asked for {len(requests)} things in one turn, at most {MAX_REQUESTS} may be"
            self._fail(node, event, "invalid-output", told)
        elif reason := node.board.exhausted() if node.board is not None else "":
            self._fail(node, event, "error", reason)
        else:
            node.saved, node.yielded = restored(node.saved, event.body), True
            node.answers = ()
            if requests:
                self._ask(node, requests)
            else:
                self._rest(node)

    def _max_turns(self, node: Node) -> int:
        most: int = self.roles[node.item.role_id].handler.config.get("max_turns", MAX_TURNS)
        return most

    def _accept(self, node: Node, event: Event, output: Mapping[str, Json]) -> None:
        try:
            self.commits.commit(node, output)
        except ValueError as conflict:
            node.partial = output
            self._fail(node, event, "conflict", str(conflict))
            return
        self._hear(node, event)
        node.output = output
        self._close(node, "succeeded")

    def _fail(self, node: Node, event: Event, kind: str, reason: str) -> None:
        """What a failed attempt leads to: a held fate, another attempt, or the item's end."""
        node.kind, node.reason = kind, reason
        aftermath = after_failure(node, kind, bool(self.signal), self._is_halted(node))
        if aftermath == "retry" and node.item.retry:
            node.status, node.saved, node.seal, node.resume_at = "retrying", None, "", 1
            self._forget_steps(node)
            node.retry_at = event.time + node.item.retry.pause(node.tries)
            self.retries.add(node.retry_at, node.item_id)
            self._watch(node)
            if node.board is not None:
                node.board.forget(node.item_id)
        else:
            self._leave(node, aftermath)

    def _leave(self, node: Node, aftermath: Aftermath) -> None:
        """Leave an attempt that is not retried: for a person, for a controller, or for good."""
        if aftermath == "indeterminate":
            self._hold(node, "indeterminate")
        elif aftermath == "resumable":
            node.excused, node.seal, node.resume_at = node.excused + 1, "", node.turn
            self._try_again(node)
            # It was served before those that wait: so the order is that of an undisturbed run.
            self.ready.move_to_end(node.item_id, last=False)
        else:
            self._end_badly(node, "cancelled" if node.kind == "cancelled" else "failed")

    def _is_halted(self, node: Node) -> bool:
        return bool(self.failing or node.stopped)

    def _end_badly(self, node: Node, status: str, decided: bool = False) -> None:
        """End an item that was not accepted, as its `on_failure` says."""
        follows = consequence(node, status, decided)
        undoes = decided or node.item.then == "compensate"
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
        if not (undoes and self._undo(node, status)):
            self._close(node, status)

    def _item_ended(self, event: Event) -> None:
        node, body = self.open[event.item], event.body
        fate = self.fated.pop(event.item, None)
        node.kind, node.reason = body.get("kind", ""), body["reason"]
        status = body["status"]
        if status == "succeeded":
            if fate is None or fate.output is None:
                raise ValueError(f"{event.item!r} has no result to succeed with")
            self._accept(node, event, fate.output)
        elif status in ("failed", "denied", "cancelled"):
            self._end_badly(node, status)
        else:
            self._close(node, status)

    def _run_stopping(self, event: Event) -> None:
        self.signal = event.body["signal"]

    def _response_ignored(self, event: Event) -> None:
        """Recorded, and nothing follows from it."""

    def _run_ended(self, event: Event) -> None:
        self.status, self._end = event.body["status"], event.body

    def _run_resumed(self, event: Event) -> None:
        epoch = event.body["epoch"]
        if epoch <= self.epoch:
            raise ValueError(f"epoch {epoch} cannot follow epoch {self.epoch}")
        if self.status and self.status not in RESUMABLE:
            self.concluded = self._end
        self.epoch, self.status, self.signal = epoch, "", ""
        self._undo_again()

    def _turn_lost(self, event: Event) -> None:
        node = self.running.pop(event.attempt)
        lose(node, self.indeterminate)
        node.lost += 1
        halted = self._is_halted(node)
        node.kind = node.cancelled or ("cancelled" if halted else "lost")
        node.reason = node.reason or event.body["reason"]
        node.cancelled = ""
        self._leave(node, after_loss(node, halted))

    def _item_sealed(self, event: Event) -> None:
        self.nodes[event.item].seal = event.body["digest"]

    def _approval_requested(self, event: Event) -> None:
        node = self.open[event.item]
        node.kind, node.reason = APPROVAL, event.body["reason"]
        self._hold(node, "paused")

    def _item_reused(self, event: Event) -> None:
        node = self.open[event.item]
        node.held_digests = tuple(event.body["evidence"].values())
        node.attempt_id = event.body["attempt"]
        self._accept(node, event, event.body["output"])

    def _item_decided(self, event: Event) -> None:
        if self.concluded is not None:
            raise ValueError("the run is over, and only undoes what is left to undo")
        node = self.nodes[event.item]
        sequel = follow(node, event.body)
        self._post(node, "request", f"was decided on: {event.body['decision']}")
        if event.body["decision"] in ("reissue", "accept"):
            self._forget_steps(node)
        if sequel == "again":
            # One that is lost goes on from where it was; what stopped begins anew.
            if event.body["decision"] != "reissue" or not self._undo(node, AGAIN):
                self._try_again(node)
        elif sequel == "concludes":
            node.status = "opened"
            self._doom(node, PATTERNS[node.pattern](node))
        elif sequel == "succeeds":
            node.read_version = self.commits.version  # who decides knows what there is by now
            self._accept(node, event, event.body["output"])
        else:
            self._end_badly(node, "denied", decided=True)

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
        "run_resumed": _run_resumed,
        "turn_lost": _turn_lost,
        "item_sealed": _item_sealed,
        "approval_requested": _approval_requested,
        "item_reused": _item_reused,
        "item_decided": _item_decided,
        **Offspring.FOLDS,
        **Offspring.REQUESTS,
    }
