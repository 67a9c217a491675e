"""From a compiled manifest to a run that may start: inputs, limits, needs, where it all goes."""

import json
import re
import secrets as chance
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import get_args

from forge_cli.app.agents import lacking, priced
from forge_cli.app.glossary import ITEM_STATUSES, RUN_STATUSES, VALUES
from forge_cli.app.inputs import bind, read_file, read_pairs
from forge_cli.app.limits import lowered
from forge_cli.app.needs import MISSING, NOT_EXECUTABLE, needs
from forge_cli.app.plan import Compiled
from forge_cli.app.recordings import Recording
from forge_cli.app.recordings import read as read_recording
from forge_cli.app.reuse import Reusable, reusable
from forge_cli.app.sandbox import NONE_NEEDED, OFF, Reached, reached
from forge_cli.app.servers import lacking as lacking_servers
from forge_cli.app.unpriced import unpriced
from forge_cli.app.weights import overweight
from forge_cli.app.workspace import workspace_of
from forge_cli.canonical import digest
from forge_cli.errors import ForgeError
from forge_cli.gateway.sandbox.boxes import NO_SANDBOX, Sandbox
from forge_cli.gateway.secrets import Redactor
from forge_cli.ledger import runs
from forge_cli.multiagent.events import VOCABULARY
from forge_cli.multiagent.plan import Json, Plan
from forge_cli.multiagent.plan_document import plan_document
from forge_cli.multiagent.terms import FailureKind
from forge_cli.multiagent.times import to_text
from forge_cli.multiagent.turn import TurnStatus

_WORDS = frozenset(
    chain(
        *(VOCABULARY, *VOCABULARY.values()),
        *(ITEM_STATUSES, RUN_STATUSES, VALUES, get_args(FailureKind), get_args(TurnStatus)),
    )
)
"""What stands in ledgers and evidence, whatever is run."""

_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the command line asks of a run beside its manifest; None where it says nothing."""

    given: Sequence[str] = ()
    inputs_file: Path | None = None
    jobs: int | None = None
    evidence: Path | None = None
    workspace: Path | None = None
    run_id: str | None = None
    reuse: str | None = None
    mock: Path | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """A run that may start. Folders are absolute; `now` is in milliseconds since the epoch.

    `reached` is what reports say of its `sandbox`.
    """

    plan: Plan
    run_id: str
    now: int
    inputs: Mapping[str, Json]
    env: Mapping[str, str]
    secrets: Mapping[str, str]
    manifest: Path
    workspace: Path
    evidence: Path
    environment: Mapping[str, str]
    reuse: Reusable | None = None
    mock: Recording | None = None
    sandbox: Sandbox = NO_SANDBOX
    reached: str = OFF


class RefusedError(ForgeError):
    """Nothing was started, for these reasons, each a sentence."""

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = tuple(reasons)


def prepare(
    found: Compiled, plan: Plan, manifest: Path, wishes: Wishes, now: int, env: Mapping[str, str]
) -> Prepared:
    """Bind the plan to this machine and this call. Nothing is written.

    Raises `RefusedError` if something is not supported or missing here, `ForgeError` for wishes
    that cannot be met. `env` is the caller's environment.
    """
    plan = limited(found, plan, wishes.jobs, env)
    file = None if wishes.inputs_file is None else read_file(wishes.inputs_file)
    inputs = bind(plan, read_pairs(wishes.given, plan.inputs), file)
    workspace = workspace_of(manifest, wishes.workspace)
    # A comment can ignore it where nothing is run; here it is an error.
    told = (*found.report.findings, *(finding for finding, _ in found.report.ignored))
    late = [finding.message for finding in told if finding.rule == "deadline-past"]
    reasons = [*found.refusals, *late, *overweight(plan, workspace)]
    mock = None if wishes.mock is None else read_recording(wishes.mock)
    held = Reached(NO_SANDBOX, NONE_NEEDED)
    if mock is None:
        held = reached(plan, env)
        reasons += [*missing(plan, workspace, env), *lacking(plan), *lacking_servers(plan)]
        reasons += [*unpriced(plan), *held.reasons]
    if reasons:
        raise RefusedError(reasons)
    run_id = wishes.run_id or _new_run_id(now)
    if not _RUN_ID.fullmatch(run_id):
        raise ForgeError(
            f"--run-id '{run_id}' is not an id; write letters, digits, '-' and '_', at most 64"
        )
    evidence = wishes.evidence or workspace / "evidence" / plan.name / run_id
    return Prepared(
        plan,
        run_id,
        now,
        inputs,
        {name: env[name] for name in plan.env if name in env},
        {name: env[name] for name in plan.secrets if mock is None or env.get(name)},
        manifest.resolve(),
        workspace,
        evidence.absolute(),
        env,
        None if wishes.reuse is None else reusable(runs.find(workspace, wishes.reuse)),
        mock,
        held.sandbox,
        held.text,
    )


def redactor_of(plan: Plan, secrets: Mapping[str, str]) -> Redactor:
    """What replaces the values of these secrets, by the names of their variables.

    `ForgeError` for a value that the plan holds as well, or that is a word of forge's own: it is in
    all that is kept of a run.
    """
    if secrets:
        text = json.dumps(plan_document(plan), ensure_ascii=False)
        for name, value in secrets.items():
            word = value.strip()
            if Redactor({name: value}).redact(text) != text or word in _WORDS:
                raise ForgeError(
                    f"secret '{name}' cannot be kept out of evidence: its value is a word of the "
                    f"manifest or of forge's own; set another value for {name}, or take the word "
                    "out of the manifest"
                )
    return Redactor(secrets)


def limited(found: Compiled, plan: Plan, jobs: int | None, env: Mapping[str, str]) -> Plan:
    """The plan as it would run here: limits of the command line and the environment, prices.

    `ForgeError` for a limit that would be raised.
    """
    bound = lowered(priced(plan), found.data.get("settings", {}), jobs, env)
    if bound is plan:
        return plan
    bare = replace(bound, digest="")
    return replace(bare, digest=digest(plan_document(bare)))


def missing(plan: Plan, workspace: Path, env: Mapping[str, str]) -> list[str]:
    """What the plan needs and this machine has not, a sentence for each kind."""
    absent = [need for need in needs(plan, workspace, env) if not need.ok]
    unset = [need.name for need in absent if need.name in plan.secrets]
    missing = [need.name for need in absent if need.state == MISSING]
    inert = [need.name for need in absent if need.state == NOT_EXECUTABLE]
    told = []
    if unset:
        verb = "secret is" if len(unset) == 1 else "secrets are"
        told.append(f"{len(unset)} {verb} not set: {', '.join(unset)}")
    if missing:
        verb = "program is" if len(missing) == 1 else "programs are"
        told.append(f"{len(missing)} {verb} missing: {', '.join(missing)}")
    if inert:
        verb = "program is" if len(inert) == 1 else "programs are"
        names = " ".join(map(shlex.quote, inert))
        told.append(f"{len(inert)} {verb} not executable; type: chmod +x {names}")
    return told


def _new_run_id(now: int) -> str:
    """`20261130-140911-c2d8`: when it began (UTC), and four digits of chance."""
    day, _, time = to_text(now)[:19].partition("T")
    return f"{day.replace('-', '')}-{time.replace(':', '')}-{chance.token_hex(2)}"
