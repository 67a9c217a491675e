"""The hook for pre-commit, installed and run by pre-commit itself."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
SOUND = "forge: 1\nwork_items: {a: {run: [echo], capabilities: []}}\n"
BROKEN = "forge: 1\nwork_items: {a: {run: [echo], capabilites: []}}\n"

Git = Callable[..., str]
PreCommit = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def pre_commit(fetched: Path, git: Git, tmp_path_factory: pytest.TempPathFactory) -> PreCommit:
    """Runs pre-commit in a project that uses the hook, which is installed once.

    The tests are skipped where what the hook depends on cannot be had from the package index.
    """
    git(fetched, "init", "--quiet")
    git(fetched, "add", "--all")
    git(fetched, "commit", "--quiet", "--message=forge")
    project = tmp_path_factory.mktemp("project")
    hook = {"repo": str(fetched), "rev": git(fetched, "rev-parse", "HEAD")}
    config = {"repos": [{**hook, "hooks": [{"id": "forge-validate"}]}]}
    (project / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config), "utf-8")
    (project / "manifests").mkdir()
    (project / "sound.forge.yaml").write_text(SOUND, "utf-8")
    (project / "manifests" / "broken.yaml").write_text(BROKEN, "utf-8")
    (project / "manifests" / "deployment.yaml").write_text("kind: Deployment\n", "utf-8")
    (project / "values.yaml").write_text(BROKEN, "utf-8")
    git(project, "init", "--quiet")
    git(project, "add", "--all")
    home = tmp_path_factory.mktemp("home")

    def run(*words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "pre_commit", *words],
            cwd=project,
            env={**os.environ, "PRE_COMMIT_HOME": str(home), "PRE_COMMIT_COLOR": "never"},
            capture_output=True,
            text=True,
            check=False,
        )

    installed = run("install-hooks")
    if installed.returncode:
        pytest.skip(f"the hook cannot be installed: {installed.stdout[-500:]}")
    return run


def test_pre_commit_takes_the_description_of_the_hook() -> None:
    said = subprocess.run(
        [sys.executable, "-m", "pre_commit", "validate-manifest", ".pre-commit-hooks.yaml"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.returncode == 0, said.stdout + said.stderr


@pytest.mark.index
@pytest.mark.parametrize(
    ("files", "outcome"),
    [
        (["sound.forge.yaml"], "Passed"),
        (["sound.forge.yaml", "manifests/deployment.yaml"], "Passed"),
        (["manifests/deployment.yaml"], "Passed"),
        (["values.yaml"], "Skipped"),
        (["manifests/broken.yaml"], "Failed"),
        (["sound.forge.yaml", "manifests/broken.yaml", "values.yaml"], "Failed"),
    ],
)
def test_of_any_files_the_manifests_are_checked(
    pre_commit: PreCommit, files: list[str], outcome: str
) -> None:
    said = pre_commit("run", "--files", *files)
    assert outcome in said.stdout
    assert said.returncode == (outcome == "Failed")
    assert ("manifests/broken.yaml:2:" in said.stdout) == (outcome == "Failed")


@pytest.mark.index
def test_a_commit_with_a_faulty_manifest_is_refused(pre_commit: PreCommit) -> None:
    said = pre_commit("run")
    assert said.returncode == 1
    assert "unknown key 'capabilites' in item 'a'" in said.stdout
