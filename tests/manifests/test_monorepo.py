"""Two services whose manifests include the same roles."""

import json
from pathlib import Path

import pytest

from forge_cli.__main__ import main

SERVICES = ("billing", "search")


@pytest.fixture
def repository(workspace: Path) -> Path:
    """The shipped manifests at the root of a repository."""
    (workspace / ".git").mkdir()
    return workspace


@pytest.mark.parametrize("service", SERVICES)
def test_each_runs_with_the_shared_roles_and_its_evidence_holds(
    service: str, repository: Path
) -> None:
    path = f"manifests/monorepo/{service}/{service}.forge.yaml"
    assert main(["run", path, "--evidence", "made", "--quiet"]) == 0
    plan = json.loads((repository / "made" / "plan.json").read_bytes())
    assert [*plan["included"]] == ["../team/roles.yaml"]
    assert main(["verify", "made"]) == 0


def test_the_folder_has_no_finding_and_each_file_is_looked_at_once(
    repository: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["validate", "manifests/monorepo", "--strict"]) == 0
    assert capfd.readouterr().out == "No findings in 3 files.\n"


def test_a_service_that_lacks_a_fact_is_rejected(repository: Path) -> None:
    (repository / "manifests/monorepo/billing/service.json").write_text('{"port": 80}')
    assert main(["run", "manifests/monorepo/billing/billing.forge.yaml", "--quiet"]) == 1
