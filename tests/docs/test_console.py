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
CI = ROOT / "docs" / "ci.md"
LABS = ROOT / "manifests" / "labs"
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("manifests/**/*.md")])
TYPED = [page for page in PAGES if "\n```console\n" in page.read_text("utf-8")]


def commands(page: str) -> list[str]:
    return re.findall(r"^\$ (.+)$", page, re.MULTILINE)


def pipelines() -> dict[str, list[str]]:
    """The commands of forge in the examples of jobs, by the service that runs them."""
    page = CI.read_text("utf-8")
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


@pytest.mark.parametrize("page", TYPED, ids=lambda page: page.stem)
def test_a_page_shows_what_its_commands_print(program: Program, page: Path) -> None:
    console = program("console")
    assert console.lasting(console.typed(page)) == console.lasting(page.read_text("utf-8"))


def test_every_page_that_shows_commands_is_written_anew_with_the_others(program: Program) -> None:
    assert sorted(program("console").PAGES) == TYPED


def test_commands_stand_in_blocks_that_are_typed() -> None:
    others = {
        (page.name, language)
        for page in PAGES
        for language in re.findall(r"^ *```(\w+)", page.read_text("utf-8"), re.MULTILINE)
        if language in ("bash", "sh", "shell", "zsh", "shellsession")
    }
    assert others == set()


def test_a_page_whose_ids_and_times_alone_would_differ_stays_as_it_is(program: Program) -> None:
    console = program("console")
    assert console.freshened(CI) == CI.read_text("utf-8")


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


def test_the_page_of_the_labs_has_the_fault_of_every_lab() -> None:
    typed = " ".join(commands((LABS / "README.md").read_text("utf-8")))
    shown = re.findall(r"[\w-]+(?=\.fault)", typed)
    assert shown == sorted(path.stem for path in LABS.glob("*.yaml"))
    assert shown == sorted(path.stem for path in LABS.glob("*.fault"))
