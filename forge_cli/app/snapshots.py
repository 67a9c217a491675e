"""Where a run keeps files as they were, and when they are discarded."""

import shutil

from forge_cli.app.own import own_paths
from forge_cli.app.preparation import Prepared
from forge_cli.gateway.snapshots import Snapshots
from forge_cli.ledger import durable, runs
from forge_cli.ledger.artifacts import ArtifactFolder
from forge_cli.multiagent.ports import Keeper


class _Files(Snapshots):
    """Files of a workspace that are kept, put back and made durable."""

    def __init__(self, prepared: Prepared, folder: runs.RunFolder) -> None:
        super().__init__(prepared.workspace, ArtifactFolder(folder.snapshots), own_paths(prepared))
        self._top = prepared.workspace

    def sync(self) -> None:
        """Make durable what they hold now; `ForgeError` if the disk refuses."""
        durable.sync_all(self._top)


def snapshots(prepared: Prepared, folder: runs.RunFolder) -> Keeper:
    """What keeps and restores files of the run's workspace.

    They may be private, so the folder lets nobody else in.
    """
    plan = prepared.plan
    if any(item.compensate is not None for item in plan.items.values()):
        durable.make_folder(folder.snapshots, mode=0o700)
    return _Files(prepared, folder)


def discard(folder: runs.RunFolder) -> None:
    """Remove what was kept of a run that will not need it any more."""
    shutil.rmtree(folder.snapshots, ignore_errors=True)
