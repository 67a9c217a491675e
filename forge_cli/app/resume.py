"""`forge resume`: go on with a run that was left, and do with its items what a person decides."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from forge_cli.app.agents import lacking, priced_as
from forge_cli.app.decisions import Decision, Desk
from forge_cli.app.limits import limited_as
from forge_cli.app.plan import Compiled, compiled
from forge_cli.app.preparation import Prepared, RefusedError, missing, redactor_of
from forge_cli.app.run import Opened, mark_of
from forge_cli.app.sandbox import reached
from forge_cli.app.show import stored_plan
from forge_cli.app.typed import again, as_typed, where
from forge_cli.canonical import digest
from forge_cli.engines.local import SystemClock
from forge_cli.errors import ForgeError
from forge_cli.evidence.layout import MARKER, RUN, VERIFICATION
from forge_cli.gateway.temporary import remove_folders
from forge_cli.ledger import durable, holders
from forge_cli.ledger.artifacts import ArtifactFolder
from forge_cli.ledger.reader import Reader
from forge_cli.ledger.runs import RunFolder
from forge_cli.ledger.store import Store
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Json, Plan
from forge_cli.multiagent.plan_document import plan_document
from forge_cli.multiagent.ports import Observer
from forge_cli.multiagent.recovery import taken_over
from forge_cli.multiagent.run import Run
from forge_cli.multiagent.run_state import RESUMABLE, RunState
from forge_cli.multiagent.times import to_text

Recall = Callable[[RunState], Observer]
"""Who is told of what happened before, given the state that is folded at the same time."""


@dataclass(frozen=True, slots=True)
class Left:
    """A run that somebody left: its folder below the workspace `home`, what it needs, how it began.

    `found` is its manifest as it is now, of the same plan; `start` the body of its `run_started`.
    """

    home: Path
    folder: RunFolder
    prepared: Prepared
    found: Compiled
    start: Json


def left(home: Path, folder: RunFolder, env: Mapping[str, str]) -> Left:
    """The run of that folder, whoever holds it; `env` is the caller's environment.

    Raises `ForgeError` if its manifest makes another plan by now, `RefusedError` if something that
    it needs is missing here.
    """
    with Reader.open(folder.ledger) as reader:
        plan, meta = stored_plan(folder, reader), reader.meta()
    manifest = home.resolve() / meta["manifest"]
    if not manifest.is_file():
        raise ForgeError(
            f"'{manifest}', which run '{folder.run_id}' is of, is not there; put it back"
        )
    found = compiled(manifest, int(meta["created"]), home, plan)
    start = json.loads(meta.get("start", "null"))
    if start and "mock" in start:
        raise ForgeError(
            f"run '{folder.run_id}' stands on recorded results; run it again:  "
            f"{again(manifest, home)} --mock FILE"
        )
    _check_same(plan, found, manifest, home, folder.run_id)
    held = reached(plan, env, (start or {}).get("sandbox"))
    absent = [*missing(plan, home, env), *lacking(plan), *held.reasons]
    if absent:
        raise RefusedError(absent)
    prepared = Prepared(
        plan=plan,
        run_id=folder.run_id,
        now=int(meta["created"]),
        inputs={},
        env={},
        secrets={name: env[name] for name in plan.secrets},
        manifest=manifest,
        workspace=home.resolve(),
        evidence=home.resolve() / meta["evidence"],
        environment=env,
        sandbox=held.sandbox,
        reached=held.text,
    )
    return Left(home, folder, prepared, found, start)


def awaited(home: Path, folder: RunFolder) -> bool:
    """Whether the run stands still until a person decides, its evidence being written."""
    with Reader.open(folder.ledger) as reader:
        last, meta = reader.last(), reader.meta()
        if last is None or last.event.body.get("status") != "paused":
            return False
        return last.event.kind == "run_ended" and not is_stale(home / meta["evidence"], reader)


def resumed(run: Left, decisions: Sequence[Decision], by_force: bool, recall: Recall) -> Opened:
    """The run, taken over and ready to go on.

    Raises `ForgeError`, and nothing is recorded, if the run is held by another controller and not
    taken `by_force`, if it is over, or if a decision does not fit.
    """
    prepared = run.prepared
    redactor = redactor_of(prepared.plan, prepared.secrets)
    now = time.time_ns() // 1_000_000
    store = Store.take(run.folder.ledger, holders.here(), now, by_force)
    try:
        machine = Run(prepared.plan)
        clock = SystemClock(_fold(machine, store, recall(machine.state)))
        artifacts = ArtifactFolder(run.folder.artifacts)
        desk = Desk(
            machine,
            run.found.data,
            prepared.workspace,
            artifacts,
            redactor,
            again(prepared.manifest, run.home),
            where(run.home),
        )
        begun = _begun(machine, run, store, decisions, clock.now())
        begun += [desk.take(decision, clock.now()) for decision in decisions]
    except BaseException:
        store.put_back()
        store.close()
        raise
    _tidy(run.folder)
    return Opened(prepared, redactor, store, machine, begun, clock)


def _fold(run: Run, store: Store, tell: Observer) -> int:
    """Fold what the ledger has; returns the time of its last event."""
    time = 0
    for number, event in enumerate(store.sound(), start=1):
        try:
            run.apply(event)
        except (ValueError, KeyError) as fault:
            raise ForgeError(
                f"event {number} of '{store.path}' cannot follow those before it: {fault}; "
                "restore the file, or start a new run"
            ) from fault
        tell(event)
        time = event.time
    return time


def _begun(
    run: Run, left: Left, store: Store, decisions: Sequence[Decision], now: int
) -> list[Event]:
    """How the run goes on: what was in flight is lost. Nothing, if only evidence is missing."""
    state = run.state
    if not state.run_id:
        if left.start is None:
            raise ForgeError(f"nothing of run '{left.folder.run_id}' was recorded; start it again")
        events = [Event(now, "run_started", body=left.start)]
    elif _is_over(state, decisions) and is_stale(left.prepared.evidence, store):
        return []
    else:
        _check_open(state, left, decisions, now)
        events = taken_over(state, store.epoch, now)
    for event in events:
        run.apply(event)
    return events


def _is_over(state: RunState, decisions: Sequence[Decision]) -> bool:
    return bool(state.status) and not decisions and not state.uncompensated


def _check_open(state: RunState, left: Left, decisions: Sequence[Decision], now: int) -> None:
    name, place = left.folder.run_id, where(left.home)
    command = again(left.prepared.manifest, left.home)
    anew = f"a new run keeps what was accepted:  {command} --reuse {name}"
    if state.status and not state.resumable:
        raise ForgeError(f"run '{name}' ended {state.status}, which is final; {anew}")
    if state.status not in ("", *RESUMABLE) and decisions:
        raise ForgeError(
            f"run '{name}' ended {state.status}, so nothing is decided any more; what is left to "
            f"undo is undone by  forge resume {name}{place}"
        )
    if state.status == "paused" and not decisions:
        raise ForgeError(f"run '{name}' awaits a decision; see  forge show {name}{place}")
    given_up = any(decision.word == "deny" for decision in decisions)
    if state.status and now >= state.deadline and not (given_up or state.uncompensated):
        raise ForgeError(
            f"the deadline of run '{name}' passed at {to_text(state.deadline)}, so it could only "
            f"fail; {anew}"
        )


def is_stale(evidence: Path, reader: Reader) -> bool:
    """Whether the evidence of a run is missing, torn, or older than what its ledger has."""
    if (evidence / MARKER).exists() or not (evidence / VERIFICATION).exists():
        return True
    last = reader.last()
    try:
        size: Any = json.loads((evidence / RUN).read_bytes())["events"]["size"]
    except (OSError, ValueError, KeyError, TypeError):
        return True
    return last is not None and size != last.seq


def _check_same(plan: Plan, found: Compiled, manifest: Path, home: Path, run_id: str) -> None:
    """Refuse a manifest that makes another plan than the run's; limits given to it stay."""
    if found.plan is None:
        raise ForgeError(
            f"'{manifest}' has findings by now; see  forge validate {as_typed(manifest)}  and mend "
            "it"
        )
    now = replace(limited_as(priced_as(found.plan, plan), plan), digest="")
    due = digest(plan_document(now))
    if due != plan.digest:
        raise ForgeError(
            f"'{manifest}' makes another plan by now than that of run '{run_id}': "
            f"{', '.join(_changes(plan, now)) or 'what holds for all of it'} changed (plan "
            f"{due[7:15]}, the run's is {plan.digest[7:15]}); put that back, or start a new run "
            f"that keeps what was accepted:  {again(manifest, home)} --reuse {run_id}"
        )


def _changes(one: Plan, other: Plan) -> list[str]:
    kinds = (
        ("item", one.items, other.items),
        ("role", one.roles, other.roles),
        ("file", one.files, other.files),
        ("file", one.programs, other.programs),
    )
    return [
        f"{kind} '{name}'"
        for kind, before, after in kinds
        for name in {**before, **after}
        if before.get(name) != after.get(name)
    ]


def _tidy(folder: RunFolder) -> None:
    """Remove what calls and writes left behind that were cut off."""
    remove_folders(mark_of(folder.path))
    for path in folder.path.rglob(f"{durable.UNFINISHED}*"):
        path.unlink(missing_ok=True)
