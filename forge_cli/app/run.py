"""`forge run`: drive a prepared run to its end, record its evidence and verify it."""

import asyncio
import gc
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from forge_cli.app.own import own_paths
from forge_cli.app.preparation import Prepared, redactor_of
from forge_cli.app.recordings import Recorder, written
from forge_cli.app.sandbox import named_files
from forge_cli.app.snapshots import discard, snapshots
from forge_cli.app.stopping import Signals
from forge_cli.app.workspace import noted
from forge_cli.canonical import canonical, digest_of_bytes
from forge_cli.engines.local import LocalEngine, SystemClock
from forge_cli.errors import ForgeError
from forge_cli.evidence import record, verification
from forge_cli.evidence.checks import Check
from forge_cli.evidence.conclusions import recorded
from forge_cli.evidence.environment import environment
from forge_cli.evidence.head import Head
from forge_cli.gateway.acceptance import Acceptance, file_digest
from forge_cli.gateway.pins import Pins
from forge_cli.gateway.secrets import Redactor
from forge_cli.handlers import create
from forge_cli.handlers.context import HandlerContext, OpenHandler, Teller
from forge_cli.handlers.masks import unknowing
from forge_cli.handlers.recorded import RecordedHandler
from forge_cli.ledger import durable, holders, runs
from forge_cli.ledger.artifacts import ArtifactFolder
from forge_cli.ledger.store import Store
from forge_cli.multiagent import tools
from forge_cli.multiagent.compensation import RESTORE
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan_document import plan_document
from forge_cli.multiagent.ports import Clock, Observer
from forge_cli.multiagent.run import Run
from forge_cli.multiagent.times import to_text

TOOL = tools.ROLE.handler.kind


@dataclass(frozen=True, slots=True)
class Finished:
    """How a run ended: its status, the signal that stopped it, and what its evidence says.

    `faults` are the checks of the evidence that failed: none, unless somebody interfered.
    """

    status: str
    signal: str
    head: Head
    faults: tuple[Check, ...]


class _Handlers(dict[str, OpenHandler]):
    """The handlers of a run; what makes calls of tools is opened for the first of them."""

    def __init__(self, context: HandlerContext, opened: Mapping[str, OpenHandler]) -> None:
        super().__init__({k: unknowing(each, context.redactor) for k, each in opened.items()})
        self._context = context

    def __missing__(self, kind: str) -> OpenHandler:
        from forge_cli.handlers.tool import ToolHandler

        if kind != TOOL:
            raise KeyError(kind)
        handler = self[kind] = unknowing(ToolHandler(self._context), self._context.redactor)
        return handler


class Opened:
    """A run whose ledger this process holds, and of which nothing is running.

    `run` has applied all that the ledger has and, behind that, what `begun` holds.
    """

    def __init__(
        self,
        prepared: Prepared,
        redactor: Redactor,
        store: Store,
        run: Run,
        begun: Sequence[Event],
        clock: Clock,
    ) -> None:
        folder = store.path.parent
        self._folder = runs.RunFolder(prepared.run_id, folder)
        self.run = run
        self.store = store
        self.artifacts = ArtifactFolder(self._folder.artifacts)
        self._begun = begun
        self.recorded = None if prepared.mock is None else RecordedHandler(prepared.mock.results)
        self.prepared = prepared
        self._clock = clock
        self._signals = Signals(prepared.run_id)
        self._watcher: Teller | None = None
        self._context = HandlerContext(
            prepared.workspace,
            prepared.manifest.parent,
            self.artifacts,
            redactor,
            prepared.environment,
            tuple({(prepared.manifest.parent / name).parent for name in prepared.plan.included}),
            mark=mark_of(folder),
            own=own_paths(prepared),
            tell=self._tell,
            programs=named_files(prepared.plan),
            sandbox=prepared.sandbox,
            pins=_pins(self._folder.pins),
        )

    def execute(self, observers: Sequence[Observer] = (), tell: Teller | None = None) -> Finished:
        """Run to the end, if it has not ended, and write the evidence, however it ends.

        `tell` is told what turns are doing, as far as their handlers know.
        `ForgeError` if ledger or evidence cannot be written, or somebody removed the ledger: what
        was recorded until then stays.
        """
        self._watcher = tell
        try:
            return self._execute(observers)
        finally:
            self._signals.restore()
            with suppress(ForgeError):
                # Whoever takes over need not wait; where that cannot be written, the lease lapses.
                self.store.release()
            self.store.close()

    def _tell(self, item: str, words: str) -> None:
        if self._watcher is not None:
            self._watcher(item, self._context.redactor.redact(words))

    def _execute(self, observers: Sequence[Observer]) -> Finished:
        began = (time.monotonic_ns(), time.process_time_ns())
        with _patient_collector():
            try:
                if self._begun:
                    asyncio.run(self._drive(observers))
            except ForgeError:
                if not self.store.is_at_its_place():
                    with suppress(ForgeError):
                        self._record(began)  # what was removed is read as long as it is open
                raise
            head, faults = self._record(began)
            self.store.check_place()
        state = self.run.state
        if not state.resumable:
            discard(self._folder)
        return Finished(state.status, state.signal, head, faults)

    async def _drive(self, observers: Sequence[Observer]) -> None:
        prepared = self.prepared
        kinds = {role.handler.kind for role in prepared.plan.roles.values()}
        kinds |= {item.compensate.kind for item in prepared.plan.items.values() if item.compensate}
        handlers = self._handlers(sorted(kinds - {RESTORE}))
        judge = Acceptance(prepared.plan, self.artifacts, partial(file_digest, prepared.workspace))
        engine = LocalEngine(
            self.run,
            self.store,
            handlers,
            judge,
            self._clock,
            self.artifacts,
            snapshots(prepared, self._folder, self._context.redactor),
            (*observers, self._leave),
        )
        try:
            with self._signals.stopping(engine.stop):
                await engine.drive(*self._begun)
        finally:
            for handler in handlers.values():
                await handler.close()
            self._context.processes.close()

    def _leave(self, event: Event) -> None:
        """Tell the handlers of an item that has no further turn, or none for now."""
        if event.kind in ("item_ended", "item_paused"):
            for leave in self._context.leave:
                leave(event.item)

    def _handlers(self, kinds: Iterable[str]) -> Mapping[str, OpenHandler]:
        if self.recorded is not None:
            recorded = unknowing(self.recorded, self._context.redactor)
            return dict.fromkeys([*kinds, TOOL], recorded)
        return _Handlers(self._context, create(kinds, self._context))

    def record_results(self, path: Path, recorder: Recorder) -> None:
        """Write what an observer of the run has recorded; `ForgeError` if that cannot be done."""
        written(path, recorder, self.artifacts)

    def _record(self, began: tuple[int, int]) -> tuple[Head, tuple[Check, ...]]:
        """Write evidence of what the ledger has; `began` are nanoseconds, wall and processor."""
        wall, processor = time.monotonic_ns() - began[0], time.process_time_ns() - began[1]
        facts = environment(
            "local", self.prepared.reached, wall // 1_000_000, processor // 1_000_000
        )
        folder, plan, lines = self.prepared.evidence, self.prepared.plan, self.store.lines()
        audit = record.write(folder, plan, lines, self.artifacts, facts)
        checks = recorded(folder, audit)
        verification.write(folder, checks)
        return audit.head, tuple(check for check in checks if not check.ok)


def opened(prepared: Prepared, clock: Clock | None = None) -> Opened:
    """A new run, its ledger made; a clock is given to get given times."""
    clock = clock or SystemClock()
    redactor = redactor_of(prepared.plan, prepared.secrets)
    folder = runs.new(prepared.workspace, prepared.run_id)
    now, run = clock.now(), Run(prepared.plan)
    started = _started(prepared, now, redactor)
    notes = _notes(prepared, canonical(started.body))
    store = Store.create(folder.ledger, prepared.run_id, holders.here(), now, notes)
    run.apply(started)
    if prepared.reuse is not None:
        prepared.reuse.hand_over(ArtifactFolder(folder.artifacts))
    return Opened(prepared, redactor, store, run, (started,), clock)


def _pins(path: Path) -> Pins:
    """How tools of servers were described in the run so far; `ForgeError` if that is damaged."""
    try:
        known = json.loads(path.read_bytes()) if path.exists() else {}
    except ValueError as fault:
        raise ForgeError(
            f"'{path}' is damaged: {fault}; remove it if the servers of the run are to be trusted"
        ) from None
    return Pins(known, lambda digests: durable.write(path, [json.dumps(digests).encode()]))


def _started(prepared: Prepared, now: int, redactor: Redactor) -> Event:
    # Who decides knows no secret: only handlers do, and what they answer comes without.
    body = {
        "run": prepared.run_id,
        "plan": prepared.plan.digest,
        "inputs": redactor.redact_values(prepared.inputs),
        "env": redactor.redact_values(prepared.env),
        "deadline": to_text(prepared.plan.deadline.resolve(now)),
        "sandbox": prepared.reached,
    }
    if prepared.mock is not None:
        body["mock"] = {"name": prepared.mock.name, "digest": prepared.mock.digest}
    if prepared.reuse is not None:
        body["reuse"] = {
            name: {**result, "output": redactor.redact_values(result["output"])}
            for name, result in prepared.reuse.results.items()
        }
    return Event(now, "run_started", body=body)


def mark_of(folder: Path) -> str:
    """How the names of temporary folders begin that belong to the run kept in this folder."""
    return f"forge-{digest_of_bytes(os.fsencode(folder)).rpartition(':')[2][:12]}-"


def _notes(prepared: Prepared, start: str) -> dict[str, str]:
    """What readers of the ledger are to know beside its events.

    `start` is how the run starts: it is there even if forge is killed before the first event is.
    """
    plan = json.dumps(plan_document(prepared.plan), ensure_ascii=False)
    places = {
        "evidence": noted(prepared.evidence, prepared.workspace),
        "manifest": noted(prepared.manifest, prepared.workspace),
    }
    return {"name": prepared.plan.name, "plan": plan, "start": start, **places}


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
