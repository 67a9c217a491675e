"""The jobs that `forge init --ci` writes: as their services want them, and their commands run."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from forge_cli.app.ci import job
from forge_cli.app.init import init

SCHEMAS = {
    "github": ["--builtin-schema", "vendor.github-workflows"],
    "gitlab": ["--builtin-schema", "vendor.gitlab-ci", "--data-transform", "gitlab-ci"],
}
SERVICES = pytest.mark.parametrize("service", SCHEMAS)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a manifest, which is the working folder."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    init(tmp_path)
    return tmp_path


def commands(service: str, text: str) -> list[str]:
    written: dict[str, Any] = yaml.safe_load(text)
    if service == "gitlab":
        return list(written["forge"]["script"])
    steps = written["jobs"]["validate"]["steps"]
    return [step["run"] for step in steps if "run" in step]


def typed(lines: list[str], folder: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    """What comes of the lines in one Bash, as a runner would start it."""
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", "\n".join(lines)],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@SERVICES
def test_the_service_takes_the_job(service: str, project: Path) -> None:
    path = job(service, Path()).path
    said = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", *SCHEMAS[service], str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.returncode == 0, said.stdout


@SERVICES
def test_a_job_that_does_not_know_what_to_install_says_so(service: str, project: Path) -> None:
    said = typed(commands(service, job(service, Path()).text), project, FORGE="")
    assert said.returncode != 0
    assert "what pip installs" in said.stderr


def test_the_workflow_may_only_read_and_pins_what_it_uses(project: Path) -> None:
    workflow = yaml.safe_load(job("github", Path()).text)
    assert workflow["permissions"] == {"contents": "read"}
    steps = workflow["jobs"]["validate"]["steps"]
    used = [step["uses"] for step in steps if "uses" in step]
    assert [each for each in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", each)] == []
    assert steps[0]["with"] == {"persist-credentials": False}


@pytest.mark.index
@SERVICES
def test_the_job_installs_forge_and_finds_what_is_wrong(
    service: str, project: Path, wheel: Path, programs: Path
) -> None:
    lines = commands(service, job(service, Path()).text)
    path = f"{programs}:{os.environ['PATH']}"
    sound = typed(lines, project, FORGE=str(wheel), PATH=path, GITHUB_ACTIONS="true")
    assert sound.returncode == 0, sound.stderr
    (project / "bad.forge.yaml").write_text("forge: 1\nwork_items: {}\n")
    broken = typed(lines, project, FORGE=str(wheel), PATH=path, GITHUB_ACTIONS="true")
    assert broken.returncode == 1
    if service == "github":
        assert "::error file=bad.forge.yaml,line=2" in broken.stdout
    else:
        (found,) = json.loads((project / "gl-code-quality-report.json").read_text())
        assert found["location"]["path"] == "bad.forge.yaml"
