"""The runs of a workspace: where each is kept, and which one is meant."""

from dataclasses import dataclass
from pathlib import Path

from forge_cli.errors import ForgeError
from forge_cli.ledger import durable, leases
from forge_cli.ledger.reader import Reader

FOLDER = ".forge"
"""What forge keeps for itself below a workspace; it ignores itself in git."""


@dataclass(frozen=True, slots=True)
class RunFolder:
    """Where one run keeps what it needs to go on."""

    run_id: str
    path: Path

    @property
    def ledger(self) -> Path:
        """The ledger's file."""
        return self.path / "ledger.db"

    @property
    def artifacts(self) -> Path:
        """The folder of artifacts, by digest."""
        return self.path / "artifacts"

    @property
    def pins(self) -> Path:
        """The file of how tools of servers were described at first."""
        return self.path / "pins.json"

    @property
    def snapshots(self) -> Path:
        """The folder of files as they were before items could change them."""
        return self.path / "snapshots"


def new(workspace: Path, run_id: str) -> RunFolder:
    """The folder of a new run, made; `ForgeError` if it cannot be written.

    Whether the run exists already is for the ledger to say.
    """
    home = workspace / FOLDER
    run = RunFolder(run_id, home / "runs" / run_id)
    durable.make_folder(run.path)
    keep_out_of_git(home)
    return run


def keep_out_of_git(home: Path) -> None:
    """Have git ignore forge's own folder; `ForgeError` if that cannot be written."""
    if not (home / ".gitignore").exists():
        durable.write(home / ".gitignore", [b"*\n"])


def above(folder: Path) -> Path | None:
    """The nearest workspace with runs: the folder itself or one above it."""
    places = (folder, *folder.parents)
    return next((place for place in places if (place / FOLDER / "runs").is_dir()), None)


def every(workspace: Path) -> list[RunFolder]:
    """The runs of the workspace, oldest first; those whose ledger cannot be read come before."""
    folders = (workspace / FOLDER / "runs").glob("*/ledger.db")
    runs = [RunFolder(path.parent.name, path.parent) for path in folders]
    return sorted(runs, key=lambda run: (created(run), run.run_id))


def created(run: RunFolder) -> int:
    """When the run began, in milliseconds since the epoch; 0 where its ledger cannot be read."""
    try:
        with Reader.open(run.ledger) as reader:
            return int(reader.meta().get("created", "0"))
    except ForgeError:
        return 0


def latest(workspace: Path) -> RunFolder:
    """The run that began last; `ForgeError` if there is none."""
    runs = every(workspace)
    if not runs:
        raise ForgeError(f"there are no runs in '{workspace / FOLDER}'; `forge run` makes one")
    return runs[-1]


def find(workspace: Path, end: str) -> RunFolder:
    """The one run whose id ends so; `ForgeError` if there is none, or more than one."""
    runs = every(workspace)
    for run in runs:
        if run.run_id == end:
            return run
    matches = [run for run in runs if end and run.run_id.endswith(end)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        names = ", ".join(run.run_id for run in matches)
        raise ForgeError(f"'{end}' is the end of {len(matches)} runs: {names}; give more of it")
    known = ", ".join(run.run_id for run in runs[-5:]) or "none"
    raise ForgeError(
        f"no run's id ends in '{end}'; the newest in '{workspace}': {known} (`forge runs` has all)"
    )


def status(run: RunFolder, now: int) -> str:
    """How the run stands: as its end says, else `running`, or `abandoned` by its controller.

    That is so when its lease lapsed, or at once where its process was on this host and has ended.
    `now` is in milliseconds since the epoch, UTC.
    """
    with Reader.open(run.ledger) as reader:
        last, lease = reader.last(), reader.lease()
    if last is not None and last.event.kind == "run_ended":
        return str(last.event.body["status"])
    return "running" if lease is not None and leases.is_held(lease, now) else "abandoned"
