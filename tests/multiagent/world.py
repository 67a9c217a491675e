"""A world for the run machine: plans made in a line, handlers that answer from a script."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from forge_cli.multiagent.assignment import Assignment
from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.events import VOCABULARY, Event
from forge_cli.multiagent.plan import Contract, Deadline, Grant, Handler, Item, Plan, Role
from forge_cli.multiagent.recovery import taken_over
from forge_cli.multiagent.run import Command, Evaluate, Run
from forge_cli.multiagent.sealing import Seal
from forge_cli.multiagent.times import to_text
from forge_cli.multiagent.turn import Turn

START = 1_000_000
HOUR = 3_600_000


def item(item_id: str, **fields: Any) -> Item:
    """An item of the role `worker` whose output is `result`."""
    fields.setdefault("grant", Grant(outputs=("result",)))
    return Item(item_id, **{"role_id": "worker", **fields})


def role(role_id: str = "worker", max_usage: Budget | None = None, **config: Any) -> Role:
    metered = frozenset(max_usage.limits()) if max_usage else frozenset(config.get("metered", ()))
    handler = Handler("function", config, max_usage=max_usage, metered=metered)
    return Role(role_id, 1, frozenset(), ("result",), (), handler)


def plan(items: Iterable[Item], **fields: Any) -> Plan:
    """A plan of these items, run one at a time unless it says otherwise."""
    roles = fields.pop("roles", [role()])
    return Plan(
        **{
            "name": "test",
            "version": "0.0.0",
            "contracts": {"run": Contract("run", "", "", scope=("files:**",))},
            "max_concurrency": 1,
            "budget": Budget(),
            "deadline": Deadline(within=HOUR),
            "items": {i.item_id: i for i in items},
            "roles": {r.role_id: r for r in roles},
            **fields,
        }
    )


def done(value: Any = 1, **fields: Any) -> dict[str, Any]:
    verdict = {"accepted": True, "reason": ""}
    return {"status": "done", "output": {"result": value}, "verdict": verdict, "usage": {}} | fields


def rejected(reason: str = "too short") -> dict[str, Any]:
    return done(verdict={"accepted": False, "reason": reason})


def failed(kind: str = "error", message: str = "exit status 1", **fields: Any) -> dict[str, Any]:
    return {"status": "failed", "kind": kind, "message": message, "usage": {}} | fields


def yields(*posts: Any, state: Any = None, **fields: Any) -> dict[str, Any]:
    said = {"posts": [{"text": post} if isinstance(post, str) else post for post in posts]}
    return {"status": "yields", "state": state, "usage": {}} | (said if posts else {}) | fields


Script = Mapping[str, Any]


@dataclass
class World:
    """Drives a run. `script` maps an item to an answer, a list of answers or a function of its
    turn; who is not in it is done. `a undone` maps to how the compensation of `a` ends.
    `conditions` maps an item to the answer to its condition."""

    plan: Plan
    script: Script = field(default_factory=dict)
    conditions: Mapping[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, Any] = field(default_factory=dict)
    reuse: Mapping[str, Any] = field(default_factory=dict)
    now: int = START
    events: list[Event] = field(default_factory=list)
    turns: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.run = Run(self.plan)
        self._answers = {k: list(v) for k, v in self.script.items() if isinstance(v, list)}

    def start(self) -> Self:
        body = {
            "run": "r",
            "plan": "",
            "inputs": dict(self.inputs),
            "env": {"HOME": "/home/ann"},
            "deadline": to_text(self.plan.deadline.resolve(self.now)),
            "reuse": self.reuse,
        }
        self.record(Event(self.now, "run_started", body=body))
        return self

    def record(self, event: Event) -> None:
        assert event.body.keys() >= VOCABULARY[event.kind]
        self.run.apply(event)
        self.events.append(event)

    def advance(self) -> None:
        """Everything that is due now."""
        while self.advance_once():
            pass

    def advance_once(self) -> bool:
        """What is decided at one point; false if nothing is."""
        if commands := self.run.decide(self.now):
            again = self.run.decide(self.now)
            assert again == commands, "deciding changes nothing"
            assert _turns(again) == _turns(commands)
            for command in commands:
                if isinstance(command, Assignment):
                    self.turns.append(command.turn())
                    self.record(command.event)
                elif isinstance(command, Evaluate):
                    answer = self.conditions.get(command.item, True)
                    body = answer if isinstance(answer, dict) else {"value": answer}
                    self.record(Event(self.now, "condition_evaluated", command.item, body=body))
                elif isinstance(command, Seal):
                    body = {"digest": self.seal(command.document)}
                    self.record(Event(self.now, "item_sealed", command.item, body=body))
                else:
                    self.record(command)
        return bool(commands)

    def answer(self, attempt: str, body: Mapping[str, Any]) -> None:
        node = self.run.state.running[attempt]
        sender = f"{node.item.role_id}#{node.item_id}"
        told = {"sender": sender, "turn": node.turn, **body}
        event = Event(self.now, "turn_ended", node.item_id, attempt, told)
        self.record(event)

    def undone(self, attempt: str, status: str = "done") -> None:
        """A compensation ends so."""
        node = self.run.state.compensating[attempt]
        body = {"status": status}
        self.record(Event(self.now, "compensation_ended", node.item_id, attempt, body))

    def until(self, kind: str) -> None:
        """Answer turns until an event of that kind is the last."""
        while self.events[-1].kind != kind:
            self.advance_once()
            if self.events[-1].kind != kind and self.run.state.running:
                attempt, node = next(iter(self.run.state.running.items()))
                self.answer(attempt, self._scripted(node.item_id))

    def play(self) -> Self:
        """To the end: turns are answered in the order in which they started."""
        return self.start().go_on()

    def go_on(self) -> Self:
        """From where the run stands to its end."""
        while True:
            self.advance()
            if self.run.state.status:
                return self
            if self.run.state.compensating:
                attempt, node = next(iter(self.run.state.compensating.items()))
                self.undone(attempt, self.script.get(f"{node.item_id} undone", "done"))
            elif self.run.state.running:
                attempt, node = next(iter(self.run.state.running.items()))
                self.answer(attempt, self._scripted(node.item_id))
            else:
                self.wait()

    def seal(self, document: Any) -> str:
        """What stands for the digest of a document here: it can be looked into."""
        return json.dumps(document, sort_keys=True)

    def resume(self, epoch: int = 2) -> Self:
        """Another controller takes over, and what was running is lost."""
        for event in taken_over(self.run.state, epoch, self.now):
            self.record(event)
        return self

    def decide(self, item_id: str, decision: str, **body: Any) -> Self:
        """A person decides on an item."""
        said = {"decision": decision, "by": "ann", **body}
        self.record(Event(self.now, "item_decided", item_id, body=said))
        return self

    def heard(self, item_id: str) -> list[list[tuple[str, str]]]:
        """What each turn of an item got from others: who sent it, and its text."""
        return [
            [(m.sender, m.payload["text"]) for m in turn.inbox if "text" in m.payload]
            for turn in self.turns
            if turn.item_id == item_id
        ]

    def wait(self) -> None:
        """Until the run wants to be asked again."""
        wakeup = self.run.wakeup(self.now)
        assert wakeup is not None, "the run hangs"
        assert wakeup > self.now, "the run asks again and again"
        self.now = wakeup

    def _scripted(self, item_id: str) -> Mapping[str, Any]:
        if item_id in self._answers:
            answer: Any = self._answers[item_id].pop(0)
        else:
            answer = self.script.get(item_id, done())
        if callable(answer):
            answer = answer(next(t for t in reversed(self.turns) if t.item_id == item_id))
        return dict(answer)

    def ends(self) -> dict[str, str]:
        """How every item stands."""
        return {name: node.status for name, node in self.run.state.nodes.items()}

    def started(self) -> list[str]:
        """The items whose turns were started, in order."""
        return [turn.item_id for turn in self.turns]

    @property
    def status(self) -> str:
        return self.run.state.status

    def reason(self, item_id: str) -> str:
        return self.run.state.nodes[item_id].reason


def play(items: Iterable[Item], script: Script | None = None, **fields: Any) -> World:
    """Run items to the end; `fields` are the plan's, `conditions` and `inputs` the world's."""
    conditions = fields.pop("conditions", {})
    inputs = fields.pop("inputs", {})
    return World(plan(items, **fields), script or {}, conditions, inputs).play()


def _turns(commands: list[Command]) -> list[Turn]:
    return [command.turn() for command in commands if isinstance(command, Assignment)]
