"""What of the workspace no item may write, whatever its scopes say."""

from forge_cli.app.preparation import Prepared
from forge_cli.ledger import runs

EVIDENCE = "evidence"
"""The folder of a workspace in which evidence is, of this run and of others."""


def own_paths(prepared: Prepared) -> tuple[str, ...]:
    """Paths from the workspace: what forge keeps for itself, evidence, the manifest and its parts.

    All that is below a path is meant, too.
    """
    home, folder = prepared.workspace, prepared.manifest.parent
    included = [(folder / name).resolve() for name in prepared.plan.included]
    paths = [home / runs.FOLDER, home / EVIDENCE, prepared.evidence, prepared.manifest, *included]
    return tuple(path.relative_to(home).as_posix() for path in paths if path.is_relative_to(home))
