"""Where a run keeps files as they were, and when they are discarded."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from forge_cli.app.own import own_paths
from forge_cli.app.preparation import Prepared
from forge_cli.gateway.secrets import Redactor
from forge_cli.gateway.snapshots import SnapshotError, Snapshots
from forge_cli.ledger import durable, runs
from forge_cli.ledger.artifacts import ArtifactFolder
from forge_cli.multiagent.ports import Keeper, Kept


class _Files(Snapshots):
    """Files of a workspace that are kept, put back and made durable.

    What is told of a fault may name any file, and so is told without secrets.
    """

    def __init__(self, prepared: Prepared, folder: runs.RunFolder, redactor: Redactor) -> None:
        super().__init__(prepared.workspace, ArtifactFolder(folder.snapshots), own_paths(prepared))
        self._top = prepared.workspace
        self._redactor = redactor

    def keep(self, writes: Sequence[str], stopped: Callable[[], bool]) -> Kept:
        with self._unknowing():
            return super().keep(writes, stopped)

    def restore(self, snapshot: str) -> int:
        with self._unknowing():
            return super().restore(snapshot)

    def sync(self) -> None:
        """Make durable what they hold now; `ForgeError` if the disk refuses."""
        durable.sync_all(self._top)

    @contextmanager
    def _unknowing(self) -> Iterator[None]:
        try:
            yield
        except SnapshotError as fault:
            raise SnapshotError(self._redactor.redact(str(fault))) from None


def snapshots(prepared: Prepared, folder: runs.RunFolder, redactor: Redactor) -> Keeper:
    """What keeps and restores files of the run's workspace.

    They may be private, so the folder lets nobody else in.
    """
    plan = prepared.plan
    if any(item.compensate is not None for item in plan.items.values()):
        durable.make_folder(folder.snapshots, mode=0o700)
    return _Files(prepared, folder, redactor)


def discard(folder: runs.RunFolder) -> None:
    """Remove what was kept of a run that will not need it any more."""
    shutil.rmtree(folder.snapshots, ignore_errors=True)
