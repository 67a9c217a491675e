"""What the pages show is what forge prints: every command is typed, every output compared."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

Program = Callable[[str], ModuleType]

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"


def commands(page: str) -> list[str]:
    return re.findall(r"^\$ (.+)$", page, re.MULTILINE)


def pipelines() -> dict[str, list[str]]:
    """The commands of forge in the examples of jobs, by the service that runs them."""
    page = (ROOT / "docs" / "ci.md").read_text("utf-8")
    github, gitlab = (
        yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    )
    steps: list[dict[str, Any]] = github["jobs"]["forge"]["steps"]
    return {
        "github": [step["run"] for step in steps if "run" in step],
        "gitlab": gitlab["forge"]["script"],
    }


def follow(lines: list[str], folder: Path) -> None:
    """Type the lines one after the other; each must succeed."""
    forge = f'forge() {{ "{sys.executable}" -m forge_cli "$@"; }}'
    script = "\n".join(["set -eo pipefail", forge, *lines])
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run(["bash", "-c", script], cwd=folder, env=env, check=True)


def test_the_readme_opens_with_the_two_commands() -> None:
    lines = README.read_text("utf-8").splitlines()
    assert [line.split()[:2] for line in lines[2:4]] == [["make", "run"], ["make", "test"]]


@pytest.mark.parametrize("word", ["init", "run", "show", "plan", "validate", "runs", "verify"])
def test_the_tour_takes_in_the_main_commands(word: str) -> None:
    assert any(
        command.startswith(f"forge {word}") for command in commands(README.read_text("utf-8"))
    )


@pytest.mark.parametrize("page", ["README", "LABS", "RUNNING", "CI"])
def test_a_page_shows_what_its_commands_print(program: Program, page: str) -> None:
    console = program("console")
    path = getattr(console, page)
    assert console.lasting(console.typed(path)) == console.lasting(path.read_text("utf-8"))


def test_a_page_whose_ids_and_times_alone_would_differ_stays_as_it_is(program: Program) -> None:
    console = program("console")
    assert console.freshened(console.CI) == console.CI.read_text("utf-8")


@pytest.mark.parametrize("service", ["github", "gitlab"])
def test_the_commands_of_a_pipeline_succeed(program: Program, service: str, tmp_path: Path) -> None:
    program("console").furnish(tmp_path)
    follow(pipelines()[service], tmp_path)


def test_shipped_manifests_run_as_their_page_says(program: Program, tmp_path: Path) -> None:
    program("console").furnish(tmp_path)
    page = (ROOT / "manifests" / "README.md").read_text("utf-8")
    follow(re.findall(r"^    (.+)$", page, re.MULTILINE), tmp_path)
    assert "evidence" in {path.name for path in (tmp_path / "build" / "copy").iterdir()}


def test_the_page_of_the_shipped_manifests_names_each_of_them() -> None:
    page = (ROOT / "manifests" / "README.md").read_text("utf-8")
    files = {path.name for path in (ROOT / "manifests").glob("*.yaml")}
    assert set(re.findall(r"\]\(([\w-]+\.yaml)\)", page)) == files


def test_the_page_of_the_labs_has_the_fault_of_every_lab(program: Program) -> None:
    labs = program("console").LABS.parent
    shown = re.findall(
        r"[\w-]+(?=\.fault)", " ".join(commands((labs / "README.md").read_text("utf-8")))
    )
    assert shown == sorted(path.stem for path in labs.glob("*.yaml"))
    assert shown == sorted(path.stem for path in labs.glob("*.fault"))
