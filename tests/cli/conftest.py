"""Plans made by hand, and runs of them by the machine itself with scripted handlers."""

import heapq
import signal
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from forge_cli.cli.console import Console
from forge_cli.cli.progress import Progress
from forge_cli.cli.terminal import Terminal
from forge_cli.ledger import runs
from forge_cli.ledger.runs import RunFolder
from forge_cli.ledger.store import Store
from forge_cli.multiagent.assignment import Assignment
from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Contract, Grant, Handler, Item, Plan, Role
from forge_cli.multiagent.run import Evaluate, Run
from forge_cli.multiagent.times import to_text

START = 1_796_047_923_000
"""2026-11-30 14:12:03 UTC."""

Answer = tuple[int, Mapping[str, Any]]
"""After how many milliseconds a turn ends, and the body of its `turn_ended`."""


@dataclass
class Play:
    """One run: `events` yields each event right after the machine has folded it in."""

    plan: Plan
    answers: Mapping[str, list[Answer]]
    run_id: str = "20261130-141203-7f3a"
    stop_at: int | None = None
    run: Run = field(init=False)

    def __post_init__(self) -> None:
        self.run = Run(self.plan)
        self._script = {item: iter(answers) for item, answers in self.answers.items()}

    def events(self) -> Iterator[Event]:
        now, pending = START, list[tuple[int, int, str, str]]()
        until = to_text(self.plan.deadline.resolve(START))
        body = {"run": self.run_id, "plan": self.plan.digest, "inputs": {}, "env": {}}
        yield self._applied(Event(now, "run_started", body={**body, "deadline": until}))
        while not self._over():
            for command in self._due(now):
                event = command.event if isinstance(command, Assignment) else command
                if isinstance(event, Evaluate):
                    event = Event(now, "condition_evaluated", event.item, "", {"value": False})
                if event.kind == "turn_started":
                    due = (now + self._next(event)[0], len(pending), event.item, event.attempt)
                    heapq.heappush(pending, due)
                yield self._applied(event)
            if self._over():
                return
            if not pending:
                now = self.run.wakeup(now) or now
            elif self.stop_at is not None and pending[0][0] > START + self.stop_at:
                now, self.stop_at = START + self.stop_at, None
                yield self._applied(Event(now, "run_stopping", body={"signal": "SIGINT"}))
            else:
                now, _, item, attempt = heapq.heappop(pending)
                yield self._applied(self._ended(now, item, attempt))

    def _over(self) -> bool:
        return bool(self.run.state.status)

    def _due(self, now: int) -> Iterator[Any]:
        while due := self.run.decide(now):
            yield from due

    def _applied(self, event: Event) -> Event:
        self.run.apply(event)
        return event

    def _next(self, event: Event) -> Answer:
        answer = next(self._script[event.item])
        self._bodies[event.attempt] = answer[1]
        return answer

    _bodies: dict[str, Mapping[str, Any]] = field(default_factory=dict)

    def _ended(self, now: int, item: str, attempt: str) -> Event:
        sender = f"{self.run.state.nodes[item].item.role_id}#{item}"
        body = {"usage": {}, "sender": sender, **self._bodies[attempt]}
        if body["status"] == "done":
            body.setdefault("verdict", {"accepted": True})
        return Event(now, "turn_ended", item, attempt, body)


def done(seconds: float, output: Mapping[str, Any], **body: Any) -> Answer:
    """A turn that finishes with this output."""
    return int(seconds * 1000), {"status": "done", "output": output, **body}


def lost(seconds: float, message: str, **body: Any) -> Answer:
    """A turn that fails with this message."""
    return int(seconds * 1000), {"status": "failed", "kind": "error", "message": message, **body}


def inline(name: str, **fields: Any) -> tuple[Role, Item]:
    """An item with an inline `run`, and the role that it has of its own."""
    handler = Handler("command", {"argv": ["true"]})
    role = Role(f"inline:{name}", 1, frozenset(), ("result",), (), handler)
    return role, Item(name, role.role_id, grant=Grant(outputs=("result",)), **fields)


def plan_of(name: str, pairs: list[tuple[Role, Item]], **fields: Any) -> Plan:
    """A plan of these roles and items."""
    roles = {role.role_id: role for role, _ in pairs}
    items = {item.item_id: item for _, item in pairs}
    fields.setdefault("digest", "sha256:b81f6a33" + "0" * 56)
    fields.setdefault("manifest", f"{name}.forge.yaml")
    contracts = {"run": Contract("run", "", "run", scope=("files:**",))}
    return Plan(name, "0.0.0", items, roles, contracts, **fields)


def agent(
    name: str, item: str, capabilities: str, outputs: str, **fields: Any
) -> tuple[Role, Item]:
    """A role with a model behind it and the item that it does."""
    held, keys = frozenset(capabilities.split()), tuple(outputs.split())
    handler = Handler("agent", {}, max_usage=Budget(model_calls=15, cost_usd=900_000))
    role = Role(name, 1, held, keys, ("files:**",), handler)
    writes = tuple(fields.pop("writes", ()))
    grant = Grant(held, scope=("files:**",), writes=writes, outputs=keys)
    return role, Item(item, name, grant=grant, **fields)


@pytest.fixture(autouse=True)
def hearing() -> Iterator[None]:
    """Let what is started hear signals that the tests ignore: nohup and `&` of a script do that."""
    found = {
        signal.SIGHUP: signal.signal(signal.SIGHUP, signal.SIG_DFL),
        signal.SIGINT: signal.signal(signal.SIGINT, signal.default_int_handler),
    }
    yield
    for number, handler in found.items():
        signal.signal(number, handler)


@pytest.fixture
def hello() -> Plan:
    """The manifest that `forge init` writes."""
    pairs = [inline("greet"), inline("check", depends_on=("greet",))]
    return plan_of("hello", pairs)


@pytest.fixture
def fix() -> Plan:
    """Research, build and review by three agents under one budget."""
    changes = ("files:src/**", "files:tests/**")
    pairs = [
        agent("researcher", "research", "repository-read", "notes"),
        agent(
            "builder",
            "build",
            "repository-read repository-write test-run",
            "diff summary",
            depends_on=("research",),
            budget=Budget(cost_usd=2_000_000),
            writes=changes,
            risk="reversible",
            on_crash="hold",
        ),
        agent(
            "reviewer",
            "review",
            "repository-read",
            "verdict findings",
            depends_on=("research", "build"),
            completion="schemas/verdict.json",
        ),
    ]
    digest = "sha256:4c1d09e2" + "0" * 56
    return plan_of("fix", pairs, budget=Budget(60, 4_000_000), digest=digest)


@pytest.fixture
def fix_answers() -> dict[str, list[Answer]]:
    """What the three agents answer when all goes well."""
    return {
        "research": [done(48, {"notes": "n" * 3174}, usage={"model_calls": 7, "cost_usd": 91_400})],
        "build": [
            done(
                103,
                {"diff": "d" * 900, "summary": "s" * 124},
                usage={"model_calls": 14, "cost_usd": 743_100},
            )
        ],
        "review": [
            done(
                44,
                {"verdict": "approve", "findings": []},
                usage={"model_calls": 9, "cost_usd": 223_000},
            )
        ],
    }


@pytest.fixture
def play() -> Callable[..., Play]:
    """Starts a run of a plan with scripted answers."""
    return Play


@pytest.fixture
def answer_done() -> Callable[..., Answer]:
    """A turn that finishes: seconds and output."""
    return done


@pytest.fixture
def answer_lost() -> Callable[..., Answer]:
    """A turn that fails: seconds and message."""
    return lost


@pytest.fixture
def make_item() -> Callable[..., tuple[Role, Item]]:
    """An inline item with the role that it has of its own."""
    return inline


@pytest.fixture
def make_plan() -> Callable[..., Plan]:
    """A plan of pairs of role and item."""
    return plan_of


@pytest.fixture
def keep(tmp_path: Path) -> Callable[..., RunFolder]:
    """Plays a run to its end, or for so many events, into a ledger below `tmp_path`."""

    def kept(run: Play, events: int | None = None) -> RunFolder:
        folder = runs.new(tmp_path, run.run_id)
        meta = {"name": run.plan.name, "evidence": f"evidence/{run.plan.name}/{run.run_id}"}
        store = Store.create(folder.ledger, run.run_id, "host:1", START, meta)
        store.append(list(islice(run.events(), events)))
        store.close()
        return folder

    return kept


PLAIN = Terminal()


@pytest.fixture
def show(play: Callable[..., Any]) -> Callable[..., str]:
    """Plays a run and gives what was written; `each` draws after every event."""

    def shown(
        plan: Plan,
        answers: dict[str, Any],
        *,
        each: bool = False,
        live: bool = False,
        github: bool = False,
        terminal: Terminal = PLAIN,
        size: tuple[int, int] = (100, 24),
        stop_at: int | None = None,
    ) -> str:
        run = play(plan, answers, stop_at=stop_at)
        written: list[str] = []
        now = [0]
        console = Console(
            written.append, terminal, live, github, plan.manifest, lambda: size, lambda: now[0]
        )
        progress = Progress(run.run.state, run.run_id, console)
        for event in run.events():
            now[0] = event.time
            progress(event)
            if each:
                progress.draw()
        progress.close()
        return "".join(written)

    return shown


@pytest.fixture(autouse=True)
def outside_of_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    """No CI service is told anything by these tests, whichever runs them."""
    for name in ("GITHUB_ACTIONS", "GITHUB_WORKSPACE", "GITHUB_STEP_SUMMARY", "CI_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def unheld(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let programs do what a sandbox would keep them from."""
    monkeypatch.setenv("FORGE_SANDBOX", "off")
