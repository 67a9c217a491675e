"""What of the workspace no item may write, whatever its scopes say."""

from pathlib import Path

from forge_cli.app.preparation import Prepared
from forge_cli.manifest.files import OWN_FOLDERS
from forge_cli.multiagent.plan import Plan

EVIDENCE = "evidence"
"""The folder of a workspace in which evidence is, of this run and of others."""


def own_paths(prepared: Prepared) -> tuple[str, ...]:
    """What no item of a run may write."""
    return own_below(prepared.workspace, prepared.manifest, prepared.plan, prepared.evidence)


def own_below(home: Path, manifest: Path, plan: Plan, evidence: Path) -> tuple[str, ...]:
    """Paths from the workspace: what forge keeps for itself, evidence, the manifest and its parts.

    All that is below a path is meant, too. What is given is absolute; `home` is the workspace.
    """
    included = [(manifest.parent / name).resolve() for name in plan.included]
    paths = [*(home / name for name in OWN_FOLDERS), evidence, manifest, *included]
    return tuple(path.relative_to(home).as_posix() for path in paths if path.is_relative_to(home))
