"""Where a run keeps files as they were, what is none of its items', and when they are discarded."""

import shutil
from collections.abc import Iterator

from forge_cli.app.preparation import Prepared
from forge_cli.gateway.snapshots import Snapshots
from forge_cli.ledger import durable, runs
from forge_cli.ledger.artifacts import ArtifactFolder

EVIDENCE = "evidence"
"""The folder of a workspace in which evidence is, of this run and of others."""


def snapshots(prepared: Prepared, folder: runs.RunFolder) -> Snapshots:
    """What keeps and restores files of the run's workspace.

    They may be private, so the folder lets nobody else in. Kept out is what no item may write:
    what forge keeps for itself, evidence, and the manifest.
    """
    plan = prepared.plan
    if any(item.compensate is not None for item in plan.items.values()):
        durable.make_folder(folder.snapshots, mode=0o700)
    return Snapshots(
        prepared.workspace, ArtifactFolder(folder.snapshots), list(_kept_out(prepared))
    )


def discard(folder: runs.RunFolder) -> None:
    """Remove what was kept of a run that will not need it any more."""
    shutil.rmtree(folder.snapshots, ignore_errors=True)


def _kept_out(prepared: Prepared) -> Iterator[str]:
    home = prepared.workspace
    yield runs.FOLDER
    yield EVIDENCE
    for path in (prepared.evidence, prepared.manifest):
        if path.is_relative_to(home):
            yield path.relative_to(home).as_posix()
