"""Writing the evidence of a run, so that each file is whole or not there."""

from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import Path

from forge_cli.errors import ForgeError
from forge_cli.evidence import document
from forge_cli.evidence.audit import Audit
from forge_cli.evidence.bodies import without_bodies
from forge_cli.evidence.garbage import uncollected
from forge_cli.evidence.layout import (
    ENVIRONMENT,
    EVENTS,
    ITEMS,
    MARKER,
    PLAN,
    RUN,
    VERIFICATION,
)
from forge_cli.evidence.log import held
from forge_cli.ledger import durable
from forge_cli.ledger.lines import GENESIS, Line, seal
from forge_cli.multiagent.plan import Json, Plan
from forge_cli.multiagent.plan_document import plan_document
from forge_cli.multiagent.ports import Artifacts


@uncollected()
def write(
    folder: Path,
    plan: Plan,
    lines: Iterable[Line],
    artifacts: Artifacts,
    environment: Mapping[str, Json],
) -> Audit:
    """Write the evidence of a run whose ledger has these lines.

    Returns the one pass over the log that everything was made from while it was written; its
    checks are for `verify.recorded`. Under `settings.evidence: digests` the events go in without
    bodies, chained anew, and artifacts not at all. Evidence of the same manifest is replaced;
    `ForgeError` where another's stands, or nothing can be written; what was begun then stays
    marked as unfinished. `verification.json` is for
    whoever has verified it.
    """
    _prepare(folder, plan)
    lines = held(lines)
    if plan.evidence == "digests":
        lines = seal((without_bodies(plan, line.event) for line in lines), 1, GENESIS)
    audit = Audit(folder, plan)
    log = (f"{line.text}\n".encode() for line in audit.through(lines))
    durable.write(folder / EVENTS, log, sync_folder=False)
    kept = dict(audit.placement.files()) if plan.evidence == "full" else {}
    _write_artifacts(folder, kept, artifacts)
    audit.finish()
    files = {
        PLAN: plan_document(plan),
        RUN: audit.summary.document(audit.head.root),
        ENVIRONMENT: environment,
    }
    for name, content in files.items():
        durable.write(folder / name, document.render(content), sync_folder=False)
    _sync(folder)
    (folder / MARKER).unlink()
    _sync(folder)
    return audit


def _prepare(folder: Path, plan: Plan) -> None:
    durable.make_folder(folder)
    try:
        found = document.parse((folder / PLAN).read_bytes()).get("name")
    except FileNotFoundError:
        others = [path.name for path in folder.iterdir() if not _ours(path.name)]
        if others:
            raise ForgeError(
                f"'{folder}' holds other files, '{min(others)}' for one; choose another --evidence"
            ) from None
    except (OSError, ValueError) as fault:
        raise ForgeError(f"'{folder / PLAN}' cannot be read: {fault}; remove the folder") from None
    else:
        if found != plan.name:
            raise ForgeError(
                f"'{folder}' holds the evidence of '{found}', this run is of '{plan.name}'; "
                "choose another --evidence"
            )
    _begin(folder)


def _begin(folder: Path) -> None:
    """Mark the folder before anything in it changes: whoever finds the mark knows it is torn."""
    try:
        (folder / MARKER).touch()
    except OSError as fault:
        raise durable.unwritable(folder / MARKER, fault) from fault
    _sync(folder)
    (folder / VERIFICATION).unlink(missing_ok=True)
    for path in folder.rglob(f"{durable.UNFINISHED}*"):
        if path != folder / MARKER:
            path.unlink()


def _ours(name: str) -> bool:
    return name in (EVENTS, RUN, ENVIRONMENT, VERIFICATION, ITEMS) or name.startswith(
        durable.UNFINISHED
    )


def _write_artifacts(folder: Path, files: Mapping[str, str], artifacts: Artifacts) -> None:
    for parent, names in groupby(sorted(files), lambda name: name.rpartition("/")[0]):
        durable.make_folder(folder / parent)
        for name in names:
            try:
                data = artifacts.get(files[name])
            except ForgeError:
                # What an event says is kept and is not, verification names; the rest is written.
                continue
            durable.write(folder / name, [data], sync_folder=False)
        _sync(folder / parent)
    for path in (*sorted((folder / ITEMS).rglob("*"), reverse=True), *folder.glob(ITEMS)):
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()
        elif not path.is_dir() and path.relative_to(folder).as_posix() not in files:
            path.unlink()


def _sync(folder: Path) -> None:
    try:
        durable.sync(folder)
    except OSError as fault:
        raise durable.unwritable(folder, fault) from fault
