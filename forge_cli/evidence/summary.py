"""What became of a run: `run.json`, a pure function of the plan and the events."""

from collections.abc import Iterable, Iterator

from forge_cli.evidence.attempts import Attempts
from forge_cli.evidence.compensations import Compensations
from forge_cli.evidence.interventions import Interventions
from forge_cli.evidence.layout import FORMAT_VERSION
from forge_cli.multiagent.board import Board
from forge_cli.multiagent.budget import Account
from forge_cli.multiagent.decisions import APPROVAL
from forge_cli.multiagent.denials import KIND
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.node import Node
from forge_cli.multiagent.patterns.resolve import RESOLUTION, proposals
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.run import Run
from forge_cli.multiagent.times import to_text

ESCALATES = frozenset({"escalate", "return-partial-and-escalate"})


class Summary:
    """What is noted of events that a run has applied, one after the other."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._size = 0
        self._attempts = Attempts()
        self._interventions = Interventions()
        self._compensations = Compensations()
        self._ignored: list[Json] = []
        self._refused: list[Json] = []
        self._denied: list[Json] = []
        self._conflicts: list[Json] = []
        self._unposted: list[Json] = []
        self._end: Event | None = None
        self._sandbox = ""
        self._mock: Json = None

    def add(self, event: Event) -> None:
        """Note an event; the run has just applied it."""
        self._size += 1
        self._attempts.add(event)
        if event.kind == "run_started":
            self._sandbox = event.body.get("sandbox", "")
            self._mock = event.body.get("mock")
        elif event.kind == "turn_ended":
            self._note_conflict(event)
            self._denied += _denials(event)
            if event.body.get("posts"):
                notes = self.run.state.nodes[event.item].refused
                self._unposted += [{"attempt": event.attempt, **note} for note in notes]
        elif event.kind == "response_ignored":
            row = {"attempt": event.attempt, "time": to_text(event.time), **event.body}
            self._ignored.append(row)
        elif event.kind == "request_denied":
            self._refused.append({"item": event.item, **event.body})
        elif event.kind == "run_ended":
            self._end = event
        else:
            self._interventions.add(event)
            self._compensations.add(event)

    def document(self, root: str) -> dict[str, Json]:
        """`run.json` as of the last event."""
        state = self.run.state
        nodes = state.nodes.values()
        added = self._interventions
        document = {
            "format_version": FORMAT_VERSION,
            "plan": {key: getattr(self.run.plan, key) for key in ("name", "version", "digest")},
            "run": self._run(),
            "events": {"format_version": added.version, "root": root, "size": self._size},
            "items": {node.item_id: self._item(node) for node in nodes},
            "state_version": state.commits.version,
            "state_versions": [
                {"version": version, "item": item, "attempt": attempt, "read": read}
                for version, item, attempt, read in state.commits.writers
            ],
            "budgets": dict(self._budgets()),
            "messages": self._messages(),
            "delegations": _tree(nodes),
            "denials": [_end(node) for node in nodes if node.status == "denied"],
            "escalations": [
                _end(node) for node in nodes if node.status == "paused" and _escalates(node)
            ],
            "approvals": added.approvals,
            "conflicts": self._conflicts,
            "resolutions": [
                {"item": node.item_id, **node.output[RESOLUTION], "proposals": _proposals(node)}
                for node in nodes
                if node.pattern == "resolve" and node.output is not None
            ],
        }
        rows = {
            "controllers": added.controllers,
            "decisions": added.decisions,
            "requests_denied": self._refused,
            "gateway_denials": self._denied,
            "compensations": self._compensations.rows,
            "uncompensated": [node.item_id for node in state.remaining()],
        }
        return document | {key: found for key, found in rows.items() if found}

    def _run(self) -> dict[str, Json]:
        state, end = self.run.state, self._end
        run: dict[str, Json] = {
            "id": state.run_id,
            "status": state.status,
            "started": to_text(state.started),
            "deadline": to_text(state.deadline),
            "inputs": state.inputs,
        }
        if self._sandbox:
            run["sandbox"] = self._sandbox
        if self._mock:
            run["mock"] = self._mock
        if end is not None:
            run |= {"ended": to_text(end.time), **end.body}
        return run

    def _item(self, node: Node) -> dict[str, Json]:
        item = node.item
        row: dict[str, Json] = {"status": node.status, "required": node.required}
        if node.pattern == "turn":
            role = self.run.state.roles[item.role_id]
            row |= {"role": f"{role.role_id}@{role.version}", "route": item.route}
        else:
            row["pattern"] = node.pattern
        if node.origin is not None:
            origin = node.origin
            row |= {"request": origin.request, "task": item.goal, "depth": origin.depth}
        if node.kind:
            row["kind"] = node.kind
        if node.reason:
            row["reason"] = node.reason
        reused = self._interventions.reused(node.item_id)
        if reused is not None:
            row["reused"] = reused
        turns = self._attempts.of(node.item_id)
        if turns:
            row |= {"attempts": node.attempt, "turns": turns}
        if node.output is not None:
            row["output"] = node.output
        elif node.partial is not None:
            row["partial"] = node.partial
        return row

    def _budgets(self) -> Iterator[tuple[str, Json]]:
        state = self.run.state
        yield "run", _account(state.account)
        if any(state.indeterminate.spent.values()):
            yield "indeterminate", _account(state.indeterminate)
        for node in state.nodes.values():
            if node.account is not None:
                yield f"item:{node.item_id}", _account(node.account)

    def _messages(self) -> dict[str, Json]:
        unanswered = self._attempts.unanswered()
        nodes = self.run.state.nodes.values()
        boards = {node.item_id: _board(node.talk) for node in nodes if node.talk is not None}
        posted = {"boards": boards, "refused": self._unposted}
        return {
            "requests": self._attempts.correlated + self._attempts.lost + len(unanswered),
            "correlated": self._attempts.correlated,
            "unanswered": unanswered,
            "ignored": self._ignored,
            **{key: rows for key, rows in posted.items() if rows},
        }

    def _note_conflict(self, event: Event) -> None:
        node = self.run.state.nodes[event.item]
        if node.kind == "conflict":
            row = {"item": event.item, "attempt": event.attempt, "reason": node.reason}
            self._conflicts.append(row)


def _account(account: Account) -> dict[str, Json]:
    return {
        "granted": account.limits,
        "reserved": {d: amount for d, amount in account.reserved.items() if amount},
        "spent": {d: amount for d, amount in account.spent.items() if amount},
    }


def _board(board: Board) -> dict[str, Json]:
    """Who posted what, and how much of it came after a member's last turn."""
    posts = [
        {"sender": post.sender, "attempt": post.attempt, "kind": post.kind, **post.words()}
        for post in board.log
    ]
    return {
        "posts": posts,
        "undelivered": {
            name: missed for name in board.members if (missed := board.undelivered(name))
        },
    }


def _tree(nodes: Iterable[Node]) -> dict[str, Json]:
    """Who stands below whom: the run above its items, an item above its sub-tasks and elements."""
    tree: dict[str, Json] = {}
    for node in nodes:
        tree.setdefault(f"item:{node.parent.item_id}" if node.parent else "run", []).append(
            node.item_id
        )
    return tree


def _denials(event: Event) -> Iterator[Json]:
    """What was denied in the turn that the event ends."""
    turn = {"item": event.item, "attempt": event.attempt, "turn": event.body.get("turn", 1)}
    yield from ({**turn, **each} for each in event.body.get("denials", ()))


def _escalates(node: Node) -> bool:
    return node.kind == KIND or (node.item.then in ESCALATES and node.kind != APPROVAL)


def _end(node: Node) -> dict[str, Json]:
    return {"item": node.item_id, "kind": node.kind, "reason": node.reason}


def _proposals(node: Node) -> list[Json]:
    return [
        {"agent": p.agent_id, "risk": p.risk, "evidence_count": p.evidence_count}
        for p in proposals(node)
    ]
