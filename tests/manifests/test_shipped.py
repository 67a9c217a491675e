"""Every shipped manifest is valid, runs to its end on a copy, and leaves evidence that holds."""

import json
import os
from pathlib import Path

import pytest

from forge_cli.app.plan import compiled
from forge_cli.app.preparation import Wishes, prepare
from forge_cli.app.run import opened
from forge_cli.evidence.verify import verify

MANIFESTS = Path(__file__).resolve().parents[2] / "manifests"
NAMES = sorted(path.stem for path in MANIFESTS.glob("*.yaml"))
NOW = 1_767_225_600_000


def run(name: str, workspace: Path) -> Path:
    """Run a manifest of the copy; returns its evidence."""
    manifest = workspace / "manifests" / f"{name}.yaml"
    found = compiled(manifest, NOW, workspace)
    assert found.plan is not None
    wishes = Wishes(workspace=workspace, run_id="once")
    prepared = prepare(found, found.plan, manifest, wishes, NOW, os.environ)
    opened(prepared).execute()
    return prepared.evidence


@pytest.mark.parametrize("name", NAMES)
def test_it_has_no_finding_not_even_a_warning(name: str, workspace: Path) -> None:
    report = compiled(workspace / "manifests" / f"{name}.yaml", NOW, workspace).report
    assert [finding.message for finding in report.findings] == []


@pytest.mark.parametrize("name", NAMES)
def test_it_runs_to_its_end_and_its_evidence_holds(name: str, workspace: Path) -> None:
    evidence = run(name, workspace)
    record = json.loads((evidence / "run.json").read_text("utf-8"))
    assert record["run"]["status"] == "complete"
    assert [check.sentence for check in verify(evidence) if not check.ok] == []


def test_the_feature_is_in_the_copy_and_not_in_the_tracked_shop(workspace: Path) -> None:
    run("software-delivery", workspace)
    shop = Path("manifests/software-delivery/shop")
    assert (workspace / shop / "free_delivery.py").exists()
    assert not (MANIFESTS.parent / shop / "free_delivery.py").exists()


def test_a_run_of_functions_and_programs_does_not_wait_at_its_end(workspace: Path) -> None:
    facts = json.loads((run("authorization-review", workspace) / "environment.json").read_bytes())
    assert facts["durations"]["wall"] < 5_000
