"""Reference evidence of the labs: with clock and ids given, the same bytes on every machine.

As a program it writes `evidence/multi-agent-orchestration/` anew, each lab only if its plan, its
events or what follows from them changed.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

from forge_cli.app.plan import compiled
from forge_cli.app.preparation import Wishes, prepare
from forge_cli.app.run import opened

ROOT = Path(__file__).resolve().parents[2]
EVIDENCE = ROOT / "evidence" / "multi-agent-orchestration"
FIXED = ("plan.json", "events.jsonl", "run.json")
"""The files that must be the same everywhere; the others tell of the machine."""


class StandingClock:
    """A clock that stands at the beginning of 2026, UTC."""

    def now(self) -> int:
        """Milliseconds since the epoch."""
        return 1_767_225_600_000


def produce(manifest: Path, workspace: Path, folder: Path) -> str:
    """Run a lab with given clock and ids, its evidence going to `folder`; returns its status."""
    clock = StandingClock()
    found = compiled(manifest, clock.now(), workspace)
    if found.plan is None:
        raise ValueError(f"{manifest} has findings: forge validate {manifest}")
    wishes = Wishes(evidence=folder, workspace=workspace, run_id="reference")
    # What holds programs differs from machine to machine, and the run's start says it.
    environment = {**os.environ, "FORGE_SANDBOX": "off"}
    prepared = prepare(found, found.plan, manifest, wishes, clock.now(), environment)
    return opened(prepared, clock).execute().status


def differs(one: Path, other: Path) -> bool:
    """Whether a file that must be the same everywhere is not."""
    return any(
        not (other / name).exists() or (one / name).read_bytes() != (other / name).read_bytes()
        for name in FIXED
    )


def main() -> None:
    """Write what changed and say so."""
    for lab in sorted((ROOT / "manifests" / "labs").glob("*.yaml")):
        with tempfile.TemporaryDirectory() as temporary:
            workspace = Path(temporary)
            shutil.copytree(ROOT / "manifests", workspace / "manifests")
            made, kept = workspace / "made", EVIDENCE / lab.stem
            status = produce(workspace / "manifests" / "labs" / lab.name, workspace, made)
            changed = differs(made, kept)
            if changed:
                shutil.rmtree(kept, ignore_errors=True)
                shutil.copytree(made, kept)
            sys.stdout.write(f"{lab.stem:28} {status:10} {'written' if changed else 'as it was'}\n")


if __name__ == "__main__":
    main()
