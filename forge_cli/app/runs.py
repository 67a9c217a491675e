"""What has run in a workspace: finding it, listing it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from forge_cli.errors import ForgeError
from forge_cli.ledger import runs
from forge_cli.ledger.reader import Reader
from forge_cli.ledger.runs import RunFolder


@dataclass(frozen=True, slots=True)
class Listed:
    """One run as a list shows it; times are milliseconds since the epoch, UTC.

    `ended` is when its last event was, `plan` the digest of its plan, `evidence` the folder that
    was meant for it. `status` is `unreadable` where the ledger cannot be used; then nothing else
    is known but the id, the ledger's place and, in `fault`, the reason as a sentence.
    """

    run_id: str
    name: str = ""
    status: str = "unreadable"
    began: int | None = None
    ended: int | None = None
    plan: str = ""
    ledger: Path | None = None
    evidence: Path | None = None
    fault: str = ""


def workspace(start: Path, given: Path | None = None) -> Path:
    """The given folder, else the nearest at or above `start` in which something has run, else it.

    `ForgeError` if the given one is no folder.
    """
    if given is not None and not given.is_dir():
        raise ForgeError(f"--workspace '{given}' is no folder; name one that exists")
    return given or runs.above(start) or start


def chosen(home: Path, end: str | None) -> RunFolder:
    """The run whose id ends so, or the latest; `ForgeError` if there is no such one."""
    return runs.latest(home) if end is None else runs.find(home, end)


def listed(home: Path, now: int) -> Iterator[Listed]:
    """The runs of the workspace, newest first; `now` is in milliseconds since the epoch."""
    for run in reversed(runs.every(home)):
        yield _listed(home, run, now)


def short_name(home: Path, run_id: str, least: int = 4) -> str:
    """The shortest end of the id, of at least four characters, that names no other run here."""
    kept = (home / runs.FOLDER / "runs").glob("*/ledger.db")
    others = [path.parent.name for path in kept if path.parent.name != run_id]
    for length in range(least, len(run_id)):
        end = run_id[-length:]
        if not end.startswith("-") and not any(other.endswith(end) for other in others):
            return end
    return run_id


def _listed(home: Path, run: RunFolder, now: int) -> Listed:
    try:
        status = runs.status(run, now)
        with Reader.open(run.ledger) as reader:
            meta, first, last = reader.meta(), next(reader.events(), None), reader.last()
    except ForgeError as fault:
        return Listed(run.run_id, ledger=run.ledger, fault=str(fault))
    return Listed(
        run.run_id,
        meta.get("name", ""),
        status,
        int(meta["created"]),
        None if last is None else last.event.time,
        "" if first is None else first.body["plan"],
        run.ledger,
        home.resolve() / meta["evidence"] if "evidence" in meta else None,
    )
