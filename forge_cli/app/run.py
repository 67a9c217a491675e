"""`forge run`: drive a prepared run to its end, record its evidence and verify it."""

import asyncio
import gc
import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial

from forge_cli.app.preparation import Prepared
from forge_cli.app.stopping import Signals
from forge_cli.engines.local import LocalEngine, SystemClock
from forge_cli.errors import ForgeError
from forge_cli.evidence import record, verification
from forge_cli.evidence.checks import Check
from forge_cli.evidence.conclusions import recorded
from forge_cli.evidence.environment import environment
from forge_cli.evidence.head import Head
from forge_cli.gateway.acceptance import Acceptance, file_digest
from forge_cli.gateway.secrets import Redactor
from forge_cli.handlers import create
from forge_cli.handlers.context import HandlerContext
from forge_cli.ledger import holders, runs
from forge_cli.ledger.artifacts import ArtifactFolder
from forge_cli.ledger.store import Store
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan_document import plan_document
from forge_cli.multiagent.ports import Clock, Observer
from forge_cli.multiagent.run import Run
from forge_cli.multiagent.run_state import RunState
from forge_cli.multiagent.times import to_text

SANDBOX = "off, not enforced"


@dataclass(frozen=True, slots=True)
class Finished:
    """How a run ended: its status, the signal that stopped it, and what its evidence says.

    `faults` are the checks of the evidence that failed: none, unless somebody interfered.
    """

    status: str
    signal: str
    head: Head
    faults: tuple[Check, ...]


class Opened:
    """A run whose ledger is open and that has not started; a clock is given to get given times."""

    def __init__(self, prepared: Prepared, clock: Clock | None = None) -> None:
        redactor = Redactor(prepared.secrets)
        folder = runs.new(prepared.workspace, prepared.run_id)
        self.run = Run(prepared.plan)
        self.artifacts = ArtifactFolder(folder.artifacts)
        self._prepared = prepared
        self._clock = clock or SystemClock()
        self._signals = Signals(prepared.run_id)
        self._context = HandlerContext(
            prepared.workspace,
            prepared.manifest.parent,
            self.artifacts,
            redactor,
            prepared.environment,
            tuple({(prepared.manifest.parent / name).parent for name in prepared.plan.included}),
        )
        self.store = Store.create(
            folder.ledger,
            prepared.run_id,
            holders.here(),
            self._clock.now(),
            _notes(prepared),
            redactor.redact if prepared.secrets else None,
        )

    def execute(self, observers: Sequence[Observer] = ()) -> Finished:
        """Run to the end and write the evidence, however it ends.

        `ForgeError` if ledger or evidence cannot be written, or somebody removed the ledger: what
        was recorded until then stays.
        """
        try:
            return self._execute(observers)
        finally:
            self._signals.restore()
            with suppress(ForgeError):
                # Whoever takes over need not wait; where that cannot be written, the lease lapses.
                self.store.release(self._clock.now())
            self.store.close()

    def _execute(self, observers: Sequence[Observer]) -> Finished:
        began = (time.monotonic_ns(), time.process_time_ns())
        with _patient_collector():
            try:
                state = asyncio.run(self._drive(observers))
            except ForgeError:
                if not self.store.is_at_its_place():
                    with suppress(ForgeError):
                        self._record(began)  # what was removed is read as long as it is open
                raise
            head, faults = self._record(began)
            self.store.check_place()
        return Finished(state.status, state.signal, head, faults)

    async def _drive(self, observers: Sequence[Observer]) -> RunState:
        prepared = self._prepared
        kinds = {role.handler.kind for role in prepared.plan.roles.values()}
        handlers = create(sorted(kinds), self._context)
        judge = Acceptance(prepared.plan, self.artifacts, partial(file_digest, prepared.workspace))
        engine = LocalEngine(
            self.run, self.store, handlers, judge, self._clock, self.artifacts, observers
        )
        try:
            with self._signals.stopping(engine.stop):
                return await engine.drive(self._started())
        finally:
            for handler in handlers.values():
                await handler.close()
            self._context.processes.close()

    def _started(self) -> Event:
        prepared, now = self._prepared, self._clock.now()
        body = {
            "run": prepared.run_id,
            "plan": prepared.plan.digest,
            "inputs": dict(prepared.inputs),
            "env": dict(prepared.env),
            "deadline": to_text(prepared.plan.deadline.resolve(now)),
            "sandbox": SANDBOX,
        }
        return Event(now, "run_started", body=body)

    def _record(self, began: tuple[int, int]) -> tuple[Head, tuple[Check, ...]]:
        """Write evidence of what the ledger has; `began` are nanoseconds, wall and processor."""
        wall, processor = time.monotonic_ns() - began[0], time.process_time_ns() - began[1]
        facts = environment("local", SANDBOX, wall // 1_000_000, processor // 1_000_000)
        folder, plan, lines = self._prepared.evidence, self._prepared.plan, self.store.lines()
        audit = record.write(folder, plan, lines, self.artifacts, facts)
        checks = recorded(folder, audit)
        verification.write(folder, checks)
        return audit.head, tuple(check for check in checks if not check.ok)


def _notes(prepared: Prepared) -> dict[str, str]:
    """What readers of the ledger are to know beside its events."""
    plan = json.dumps(plan_document(prepared.plan), ensure_ascii=False)
    places = {"evidence": str(prepared.evidence), "manifest": str(prepared.manifest)}
    return {"name": prepared.plan.name, "plan": plan, **places}


@contextmanager
def _patient_collector() -> Iterator[None]:
    """Look for cycles rarely: a run holds much that lives long and hardly any cycle."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(200_000, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
